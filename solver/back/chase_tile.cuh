// load_chase_tile(): loads a tile of the chase's reflectors (chase_tiles.hpp) into shared memory, as V and tau of products. Device code.
#pragma once

#include <cstdint>

#include "hybrid/device_complex.cuh"
#include "hybrid/scalar.hpp"
#include "solver/reduction/two_stage/chase_tiles.hpp"

namespace eigen_g {

// Grid of thread blocks (step, group - first_group) for the groups first_group ... last_group. A block without a tile must do nothing.
inline dim3 chase_grid(const ChaseTiles& tiles, std::int64_t first_group, std::int64_t last_group) {
  return {static_cast<unsigned>(tiles.steps(first_group)),
          static_cast<unsigned>(last_group - first_group + 1)};
}

inline __device__ double widened(double x) {
  return x;
}
template <class R>
__device__ DeviceComplex<double> widened(DeviceComplex<R> x) {
  return {x.re, x.im};
}

// Copies V (tiles.tile_size() values, zeros included) and tau (tiles.width values) of a tile to shared memory. All threads of the block
// call it. It ends with a barrier.
template <class T, class S>
__device__ void load_chase_tile(const ChaseTiles& tiles, const ChaseReflectors<const T>& from,
                                std::int64_t group, std::int64_t step, S* v, S* tau) {
  const int size = static_cast<int>(tiles.tile_size()), width = static_cast<int>(tiles.width);
  for (int k = threadIdx.x; k < size; k += blockDim.x) v[k] = 0;
  const T* const taus = from.tau + tiles.tile(group, step) * width;
  for (int j = threadIdx.x; j < width; j += blockDim.x) tau[j] = widened(taus[j]);
  __syncthreads();
  for (int j = threadIdx.x / 32; j < width; j += blockDim.x / 32) {
    const std::int64_t s = group * width + j;
    const int rows = static_cast<int>(chase_rows<T>(tiles, s, step));
    const T* const run = from.sweep(tiles, s) + step * tiles.b;
    S* const to = v + tiles.column(j) + j % 8 + 1;
    for (int i = threadIdx.x % 32; i < rows; i += 32) to[i] = widened(run[i]);
  }
  __syncthreads();
}

}  // namespace eigen_g
