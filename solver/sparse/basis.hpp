// An orthonormal basis V of panels that grows by a panel at a time: two classical Gram-Schmidt passes against V as products, and
// within the panel Cholesky factors of its Gram matrix, twice.
//
//   W := W - V (V^T W),  W := W R_1^-1,  W := W - V (V^T W),  W := W R_2^-1
//
// After the first two the panel is orthonormal but for what its own condition and V's have lost; the second pass removes that, so
// a pivot of R_2 far below 1 says that its column was roundoff. Such a column, one that is a combination of V and the panel's
// others, is replaced by a random one. Stewart (2008), block Gram-Schmidt twice; CholeskyQR2: Yamamoto et al. (2015).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "solver/sparse/executor.hpp"

namespace eigen_g {

// Values beside its panels.
constexpr std::int64_t basis_small_values(std::int64_t max_panels) {
  return (4 + 2 * max_panels) * panel_width * panel_width;
}

template <class T>
class Basis {
 public:
  // Room for so many panels. Throws OutOfMemory.
  Basis(Executor<T>& on, std::int64_t max_panels);

  std::int64_t panels() const { return panels_; }
  std::int64_t max_panels() const { return max_panels_; }
  T* panel(std::int64_t p) const { return memory_ + p * panel_values_; }

  // The panel as it came is V C + Q R with Q the panel as it is now, V the panels before it.
  struct Coefficients {
    std::vector<T> c;     // row-major, 4 columns
    std::array<T, 16> r;  // row-major; a row of a replaced column is 0
  };
  // Makes the panel that stands at panel(panels()) orthonormal against all before, and counts it. At most two thirds of the order
  // may be taken. Throws InvalidArgument (a) for a NaN or an infinity.
  const Coefficients& append();
  void append_random();
  // From now on the first so many, which somebody else has made orthonormal.
  void resize(std::int64_t panels) { panels_ = panels; }
  std::int64_t random_columns() const { return random_columns_; }  // taken so far in place of dependent ones

 private:
  unsigned orthonormalise();  // returns the columns that were dependent

  Executor<T>& on_;
  std::int64_t panel_values_, max_panels_, panels_ = 0;
  T* memory_;
  T* small_;             // R_1, R_2, G, R^-1, V^T W of both passes
  std::vector<T> host_;  // of small_
  Coefficients coefficients_;
  std::uint64_t seed_ = 0;
  std::int64_t random_columns_ = 0;
};

}  // namespace eigen_g
