// Loads and stores of rows of n x k row-major blocks in device code. A row is one element (k = 1) or words of 16 bytes (k = 4).
#pragma once

#include <cstdint>

namespace eigen_g::blas2 {

// sum += a x(col, :), with x read through the read-only cache.
template <int k, class T>
__device__ void add_product(T (&sum)[k], T a, const T* __restrict__ x, std::int32_t col) {
  static_assert(k == 1 || k == 4);
  if constexpr (k == 1) {
    sum[0] += a * __ldg(x + col);
  } else if constexpr (sizeof(T) == 4) {
    const float4 v = __ldg(reinterpret_cast<const float4*>(x) + col);
    sum[0] += a * v.x;
    sum[1] += a * v.y;
    sum[2] += a * v.z;
    sum[3] += a * v.w;
  } else {
    const double2* const from = reinterpret_cast<const double2*>(x) + 2 * std::int64_t{col};
    const double2 v = __ldg(from), w = __ldg(from + 1);
    sum[0] += a * v.x;
    sum[1] += a * v.y;
    sum[2] += a * w.x;
    sum[3] += a * w.y;
  }
}

// y(row, :) := alpha sum + gamma x(row, :) + beta y(row, :). y is not read if beta = 0, and x is not read if gamma = 0.
template <int k, class T>
__device__ void store_row(T* y, std::int64_t row, const T (&sum)[k], T alpha, T beta, T gamma, const T* x) {
  static_assert(k == 1 || k == 4);
  T v[k];
#pragma unroll
  for (int j = 0; j < k; ++j) v[j] = alpha * sum[j];
  if (gamma != T(0)) add_product<k>(v, gamma, x, static_cast<std::int32_t>(row));
  if (beta != T(0)) {
#pragma unroll
    for (int j = 0; j < k; ++j) v[j] += beta * y[row * k + j];
  }
  if constexpr (k == 1) {
    y[row] = v[0];
  } else if constexpr (sizeof(T) == 4) {
    reinterpret_cast<float4*>(y)[row] = {v[0], v[1], v[2], v[3]};
  } else {
    reinterpret_cast<double2*>(y)[2 * row] = {v[0], v[1]};
    reinterpret_cast<double2*>(y)[2 * row + 1] = {v[2], v[3]};
  }
}

}  // namespace eigen_g::blas2
