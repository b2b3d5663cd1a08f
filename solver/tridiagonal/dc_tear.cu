// Kernel that prepares T for the leaves: finds its largest entry, scales it, drops small off-diagonal entries and tears it. It fetches the tree from
// host memory, because a copy between two kernels would take longer.
#include <cmath>

#include "hybrid/instantiate.hpp"
#include "solver/tridiagonal/dc_launch.cuh"

namespace eigen_g::dc {

namespace {

constexpr Index tear_threads = 1024, tear_warps = tear_threads / 32;

// The largest number and the lowest row of a warp, in all lanes.
template <class R>
__device__ void reduce_warp(R& largest, unsigned& row) {
#pragma unroll
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    largest = max(largest, __shfl_xor_sync(~0u, largest, lanes));
    row = min(row, __shfl_xor_sync(~0u, row, lanes));
  }
}

template <class R>
__global__ void __launch_bounds__(tear_threads)
    tear_kernel(Index n, TreeOnDevice tree, const R* d, const R* e, Arrays<R> x, Findings* findings) {
  allow_next_kernel();
  __shared__ R largest_of[tear_warps];
  __shared__ unsigned row_of[tear_warps];
  const Index tid = static_cast<Index>(threadIdx.x);
  const Index early = tid < tree.words ? tree.on_host[tid] : 0;  // no kernel writes these words
  wait_for_previous_kernels();
  auto* const words = reinterpret_cast<Index*>(tree.leaves);
  if (tid < tree.words) words[tid] = early;
  for (Index i = tid + tear_threads; i < tree.words; i += tear_threads) words[i] = tree.on_host[i];
  R largest = 0;
  unsigned not_finite = ~0u;
  const auto measure = [&](Index row, R value) {
    if (isfinite(value))
      largest = max(largest, fabs(value));
    else
      not_finite = min(not_finite, static_cast<unsigned>(row));
  };
  for (Index i = tid; i < n; i += tear_threads) {
    measure(i, d[i]);
    if (i + 1 < n) measure(i, e[i]);
  }
  reduce_warp(largest, not_finite);
  if (tid % 32 == 0) {
    largest_of[tid / 32] = largest;
    row_of[tid / 32] = not_finite;
  }
  __syncthreads();
  largest = largest_of[tid % 32];
  not_finite = row_of[tid % 32];
  reduce_warp(largest, not_finite);

  const bool good = not_finite == ~0u;
  int exponent = 0;
  if (good && largest > 0) frexp(largest, &exponent);
  if (tid == 0) {
    *findings = {~0u, not_finite, exponent};
  }
  const int half = -exponent / 2;  // 2^-exponent itself may overflow or underflow
  const R factors[] = {ldexp(R{1}, half), ldexp(R{1}, -exponent - half)};
  const auto scaled = [&](R value) { return good ? value * factors[0] * factors[1] : R{0}; };
  for (Index i = tid; i < n; i += tear_threads) {
    const R own = scaled(d[i]);
    x.d[i] = own;
    if (i + 1 == n) continue;
    const R off = scaled(e[i]);
    x.e[i] = fabs(off) <= unit_roundoff<R> * sqrt(fabs(own)) * sqrt(fabs(scaled(d[i + 1]))) ? R{0} : off;
  }
  __syncthreads();
  for (Index k = tid; k < tree.count; k += tear_threads) {
    const Index first = tree.leaves[k].first, last = first + tree.leaves[k].size - 1;
    if (k > 0) x.d[first] -= fabs(x.e[first - 1]);
    if (k + 1 < tree.count) x.d[last] -= fabs(x.e[last]);
  }
}

}  // namespace

template <class R>
void tear(const Queue& queue, Index n, const TreeOnDevice& tree, const same_t<R>* d, const same_t<R>* e,
          const Arrays<R>& x, Findings* findings) {
  launch_dependent(queue, tear_kernel<R>, 1U, tear_threads, n, tree, d, e, x, findings);
}

EIGEN_G_INSTANTIATE(real_types, tear);

}  // namespace eigen_g::dc
