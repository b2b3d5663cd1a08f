// load_products(): runs a small product, because a process' first product waits until cuBLAS has loaded its kernels. CUDA builds only.
#pragma once

#include <cstdint>

#include "gemm_df/gemm.hpp"
#include "hybrid/memory/arena.hpp"

namespace eigen_g {

inline constexpr std::int64_t loading_tile = 32, loading_values = 3 * loading_tile * loading_tile;

// Queues a product of 32 x 32 matrices.
//   scratch_dev  loading_values values of T, device
template <class T>
void load_products(const Queue& queue, Arena scratch_dev) {
  T* const at = scratch_dev.take<T>(loading_values);
  const auto tile = [&](std::int64_t k) {
    return MatrixView<T>{at + k * loading_tile * loading_tile, loading_tile, loading_tile, loading_tile};
  };
  gemm<T>(queue, Op::none, Op::none, 1, tile(0), tile(1), 0, tile(2));
}

}  // namespace eigen_g
