// The projected problem of a thick-restart Lanczos, H = V^T p(A) V, and what of the basis goes on after a restart.
//
// H comes a panel of columns at a time, from the Gram-Schmidt coefficients of p(A) times that panel; every panel behind the last
// of them is basis as well, whose own columns are still to come. After a restart the kept Ritz vectors stand in front, and H is
// their values' diagonal.
#pragma once

#include <cstdint>
#include <vector>

namespace eigen_g {

template <class T>
class Projected {
 public:
  explicit Projected(std::int64_t max_panels);

  std::int64_t panels() const { return panels_; }  // of which the columns are known
  // The next panel's columns: c is V^T p(A) X, row-major 4 p x 4, p > panels(). Returns max |x_i^T p(A) x_j - x_j^T p(A) x_i|.
  T add(const std::vector<T>& c);

  // All eigenpairs of the known part by the dense solver on the CPU, values descending; vectors column-major 4 panels() square.
  struct Pairs {
    std::vector<T> values, vectors;
  };
  Pairs solve() const;

  void restart(const T* values, std::int64_t panels);  // H := diag(values), 4 panels of them
  void clear() { restart(nullptr, 0); }                // nothing is known: the operator is another one

 private:
  std::int64_t order_, panels_ = 0;
  std::vector<T> h_;  // column-major, order_ square; entries of columns that are known
};

}  // namespace eigen_g
