// Projected: the projected problem H of thick-restart Lanczos (lanczos.hpp). H = V^T p(A) V, where V is the orthonormal basis and p(A) is the
// polynomial filter of A. V is divided into blocks of four vectors.
//
// add() gives H the columns of one block of V. They are the Gram-Schmidt coefficients of p(A) times this block. Lanczos forms the product for a
// block later than the block itself, so the last blocks of V have no columns in H yet. A restart keeps some Ritz vectors, the approximate
// eigenvectors V y with H y = theta y. V then begins with them, and H is the diagonal matrix of their values theta.
//
// A kept vector may be locked, because it is an eigenvector to working accuracy. The entries of its row and column of H off the diagonal are
// then set to 0. Otherwise solve() could mix it with an inaccurate Ritz vector of the same multiple eigenvalue. The values of two such vectors agree
// to rounding errors long before both vectors are accurate.
#pragma once

#include <cstdint>
#include <vector>

namespace eigen_g {

template <class T>
class Projected {
 public:
  explicit Projected(std::int64_t max_blocks);

  std::int64_t blocks() const { return blocks_; }  // number of blocks that have their columns in H
  // Adds the columns of the next block X of V. c is V^T p(A) X, 4 p x 4, row-major, where V has p > blocks() blocks. Returns the asymmetry
  // max |x_i^T p(A) x_j - x_j^T p(A) x_i|, which is a rounding error if A is symmetric.
  T add(const std::vector<T>& c);

  // The eigenpairs of the part of H whose columns are known, m x m with m = 4 blocks(). Values descend. `vectors` is column-major. If locked[j],
  // pair j is a locked vector, and column j of `vectors` is a column of the identity.
  struct Pairs {
    std::vector<T> values, vectors;
    std::vector<char> locked;
  };
  Pairs solve() const;  // by the dense solver on the CPU
  // Rotates free vectors whose values agree to rounding errors, so that all but `rows` of them have zeros in their last `rows` components. These
  // come first. The residual of a Ritz vector depends on these components alone. The dense solver returns any basis of such vectors, in
  // which each may have a part of every copy of the eigenvalue that is still inaccurate.
  static void separate_copies(Pairs& pairs, std::int64_t rows);

  // H := diag(values) with 4 * blocks values. No vector is locked afterwards.
  void restart(const T* values, std::int64_t blocks);
  void lock(const std::vector<char>& columns);  // columns[i] != 0 locks vector i of V, 0 unlocks it
  void clear() { restart(nullptr, 0); }         // forgets H; used when p changes

 private:
  std::int64_t order_, blocks_ = 0;
  std::vector<T> h_;          // H, column-major, order_ x order_; only known columns are set
  std::vector<char> locked_;  // locked_[i] != 0: vector i of V is locked
};

}  // namespace eigen_g
