// The inner loops of the inverse iteration, which are compiled once for each vector width (hybrid/vector/width.hpp).
#pragma once

#include <cstdint>

#include "hybrid/vector/width.hpp"

namespace eigen_g {

namespace few {

// Vectors that are computed together, at most.
template <class R>
inline constexpr std::int32_t bundle = sizeof(R) == 8 ? 8 : 16;
// Values of memory for a bundle, for each row.
template <class R>
inline constexpr std::int32_t bundle_memory = 6 * bundle<R>;

// Vectors of T = tridiag(e, d, e), entries at most 1, by inverse iteration: vector c belongs to value[c].
//   count   vectors, at most a bundle
//   group   vectors c with the same group[c], which follow each other, are made orthogonal in every step
//   memory  n rows of bundle_memory values. out: component i of vector c, normalised, is memory[i * bundle + c]
template <class R>
using Iterate = void (*)(std::int32_t n, const R* d, const R* e, std::int32_t count, const R* value,
                         const std::int32_t* group, R* memory);
// The scalar product of x and y, and y := y + a x.
template <class R>
using Dot = R (*)(std::int32_t n, const R* x, const R* y);
template <class R>
using Add = void (*)(std::int32_t n, R a, const R* x, R* y);

template <class R>
struct Kernels {
  Iterate<R> iterate;
  Dot<R> dot;
  Add<R> add;
};

}  // namespace few

EIGEN_G_BY_WIDTH(template <class R> few::Kernels<R> few_kernels(););

}  // namespace eigen_g
