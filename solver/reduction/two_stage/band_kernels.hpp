// The kernels of band_to_tridiagonal_on_cpu(), compiled for each vector width (hybrid/vector/width.hpp), and the layout of their copy of the band.
//
// The copy has entry A(i, j), 0 <= i - j < 2 b, at values[i + j * ld], and its imaginary part `plane` behind. So the columns overlap in memory: a
// block of A is a column-major matrix with leading dimension ld, of which only the entries of the band exist. Between two columns are
// more values than a vector has lanes. Kernels read and write there, and no result depends on these values.
//
// The copy has b columns and rows of zeros behind the matrix. All blocks are therefore b x b, also the last ones.
#pragma once

#include <cstdint>

#include "hybrid/scalar.hpp"
#include "hybrid/vector/groups.hpp"
#include "hybrid/vector/width.hpp"

namespace eigen_g {

template <class T>
struct BandLayout {
  std::int64_t n, plane, ld;

  EIGEN_G_INLINE BandLayout(std::int64_t order, std::int64_t b)
      : n(order), plane(2 * b + gap), ld(planes<T> * plane), columns_(order + b) {}
  EIGEN_G_INLINE std::int64_t values() const { return before + columns_ * (ld + 1); }
  EIGEN_G_INLINE std::int64_t columns() const { return columns_; }
  // The first value of A(i, j) is at first + at(i, j) of the memory.
  EIGEN_G_INLINE std::int64_t at(std::int64_t i, std::int64_t j) const { return before + i + j * ld; }

 private:
  // A multiple of eight, so that leading dimensions are no multiples of a large power of two.
  static constexpr std::int64_t gap = 24, before = 16;
  std::int64_t columns_;
};

// A step of a sweep. D is the diagonal block of the reflector H, and F is the block below D.
template <class T>
struct BandStep {
  using R = real_t<T>;
  R* diagonal;             // the first entry of D; F begins b rows further
  std::int64_t ld, plane;  // as in BandLayout
  int b;                   // order of D and F, a multiple of 16
  bool below;              // F has rows of the matrix
  R negligible;            // a sum of squares below this number counts as zero
  // v of H, in; v of the next reflector H', out. b values each, for complex T followed by the imaginary parts.
  R *v, *next;
  R tau[2], next_tau[2];  // tau of H, in; tau of H', out
  R* scratch;             // scratch_values(b) values

  static constexpr std::int64_t scratch_values(std::int64_t b) { return 2 * b * planes<T>; }
};

template <class T>
struct BandKernels {
  using R = real_t<T>;
  // The reflector with H^H x = beta e_1, beta real, for the column x = step.diagonal[0 ... b - 1] of the band. x := beta e_1; step.next and next_tau
  // are H.
  void (*begin)(BandStep<T>& step);
  // D := H^H D H, F := F H, and F := H'^H F for the reflector H' of F's first column.
  void (*advance)(BandStep<T>& step);
};

EIGEN_G_BY_WIDTH(template <class T> BandKernels<T> band_kernels(););

}  // namespace eigen_g
