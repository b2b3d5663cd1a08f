// Block Gram-Schmidt with Cholesky factors, and the replacement of dependent columns.
#include "solver/sparse/basis.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "hybrid/error.hpp"
#include "hybrid/instantiate.hpp"
#include "solver/api/argument.hpp"

namespace eigen_g {

namespace {

constexpr std::int64_t block_entries = block_width * block_width;
// Smallest relative pivots of an independent column in the two Cholesky factors. In the first factor a pivot may lose the digits that
// the second pass restores. In the second factor a smaller pivot means that the column was rounding error within the span of V. Each
// accepted block of this kind would multiply V's loss of orthogonality.
constexpr double least_first = 1e-13, least_second = 0.999;

}  // namespace

template <class T>
Basis<T>::Basis(Executor<T>& on, std::int64_t max_blocks)
    : on_(on), block_values_(on.order() * block_width), max_blocks_(max_blocks) {
  memory_ = on.take_blocks(max_blocks);
  small_ = on.take(basis_small_values(max_blocks));
}

template <class T>
unsigned Basis<T>::orthonormalise() {
  T *const w = block(blocks_), *const r1 = small_, *const r2 = r1 + block_entries,
           *const c1 = r2 + block_entries;
  T *const c2 = c1 + blocks_ * block_entries, *const g = c2 + blocks_ * block_entries,
           *const inverse = g + block_entries;
  for (const bool first : {true, false}) {
    T* const c = first ? c1 : c2;
    T* const r = first ? r1 : r2;
    if (blocks_ > 0) on_.gram(blocks_, memory_, w, c);
    on_.subtract(blocks_, memory_, c, w, g);
    on_.factor(g, T(first ? least_first : least_second), r, inverse);
    on_.times(w, inverse);
  }
  host_.resize(static_cast<std::size_t>((2 + 2 * blocks_) * block_entries));
  on_.get(small_, static_cast<std::int64_t>(host_.size()), host_.data());
  unsigned dependent = 0;
  for (int j = 0; j < block_width; ++j)
    if (!(host_[5 * j] > T(0)) || !(host_[block_entries + 5 * j] >= T(least_second))) dependent |= 1u << j;
  return dependent;
}

template <class T>
const typename Basis<T>::Coefficients& Basis<T>::append() {
  unsigned dependent = orthonormalise();
  const T *const r1 = host_.data(), *const r2 = r1 + block_entries;
  const T *const c1 = r2 + block_entries, *const c2 = c1 + blocks_ * block_entries;
  std::vector<T>& c = coefficients_.c;
  c.assign(c1, c2);
  for (std::int64_t row = 0; row < blocks_ * block_width; ++row)  // C := C_1 + C_2 R_1
    for (int j = 0; j < block_width; ++j)
      for (int i = 0; i <= j; ++i) c[block_width * row + j] += c2[block_width * row + i] * r1[4 * i + j];
  coefficients_.r.fill(T(0));
  for (int i = 0; i < block_width; ++i)
    for (int j = i; j < block_width; ++j)
      for (int k = i; k <= j; ++k) coefficients_.r[4 * i + j] += r2[4 * i + k] * r1[4 * k + j];
  if (!std::all_of(c.begin(), c.end(), [](T value) { return std::isfinite(value); }))
    throw InvalidArgument(Argument::a, "has a product with a finite vector that is NaN or infinite");
  while (dependent) {
    random_columns_ += std::popcount(dependent);
    on_.randomise(dependent, ++seed_, block(blocks_));
    dependent = orthonormalise();
  }
  ++blocks_;
  return coefficients_;
}

template <class T>
void Basis<T>::append_random() {
  on_.randomise(0xf, ++seed_, block(blocks_));
  append();
}

EIGEN_G_INSTANTIATE_CLASS(double_type, Basis);

}  // namespace eigen_g
