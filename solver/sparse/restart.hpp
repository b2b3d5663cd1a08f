// Projected: the projected problem H = V^T p(A) V of thick-restart Lanczos, and its state after a restart.
//
// H gets the columns of one block of V at a time. They are the Gram-Schmidt coefficients of p(A) times this block. The last blocks of V,
// whose products have not been formed yet, have no columns in H. After a restart V begins with the kept Ritz vectors, and H is the
// diagonal matrix of their values.
//
// A kept vector may be locked: it is an eigenvector to working accuracy, so all entries of its row and column of H off the diagonal are 0. solve()
// then does not mix it with a further vector of the same value that has not converged. Their values agree to rounding errors long before.
#pragma once

#include <cstdint>
#include <vector>

namespace eigen_g {

template <class T>
class Projected {
 public:
  explicit Projected(std::int64_t max_blocks);

  std::int64_t blocks() const { return blocks_; }  // number of blocks whose columns are known
  // Adds the next block's columns: c is V^T p(A) X, row-major, 4 p x 4, p > blocks(). Returns max |x_i^T p(A) x_j - x_j^T p(A) x_i|.
  T add(const std::vector<T>& c);

  // Computes all eigenpairs of the known part by the dense solver on the CPU. Values descend. Vectors are column-major,
  // m x m with m = 4 blocks(). locked[j]: column j is a locked vector, which is a column of the identity.
  struct Pairs {
    std::vector<T> values, vectors;
    std::vector<char> locked;
  };
  Pairs solve() const;

  void restart(const T* values,
               std::int64_t blocks);            // H := diag(values), 4 blocks values; no vector is locked
  void lock(const std::vector<char>& columns);  // columns[i] != 0 locks vector i of V; the others are free
  void clear() { restart(nullptr, 0); }         // forgets H; used when p changes

 private:
  std::int64_t order_, blocks_ = 0;
  std::vector<T> h_;          // column-major, order_ x order_; only known columns are set
  std::vector<char> locked_;  // by column of V
};

}  // namespace eigen_g
