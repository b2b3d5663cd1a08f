// The crews of dc_crew.hpp on a GPU: Lanes, Warp, Block. All threads of a crew must make the same calls. Each reduction combines its
// terms in one fixed order, so results repeat bit for bit.
#pragma once

#include <cstdint>

namespace eigen_g::dc {

// A crew of `n` neighbouring threads of a warp. n is a power of two, and thread blocks are one-dimensional.
template <int n>
struct Lanes {
  __device__ static std::int32_t rank() { return static_cast<std::int32_t>(threadIdx.x % n); }
  __device__ static constexpr std::int32_t size() { return n; }
  __device__ static void sync() { __syncwarp(members()); }
  // A butterfly. a + b and b + a have the same bits, so all lanes end with the same value.
  template <class R, class Combine>
  __device__ static R reduce(R x, Combine combine) {
    for (int mask = n / 2; mask > 0; mask /= 2) x = combine(x, __shfl_xor_sync(members(), x, mask));
    return x;
  }
  template <class R>
  __device__ static R sum(R x) {
    return reduce(x, [](R a, R b) { return a + b; });
  }
  template <class R>
  __device__ static R product(R x) {
    return reduce(x, [](R a, R b) { return a * b; });
  }
  template <class R>
  __device__ static R largest(R x) {
    return reduce(x, [](R a, R b) { return fmax(a, b); });
  }
  __device__ static std::int64_t scan(std::int64_t x, std::int64_t& total) {
    std::int64_t upto = x;
    for (int distance = 1; distance < n; distance *= 2) {
      const std::int64_t other = __shfl_up_sync(members(), upto, distance, n);
      if (rank() >= distance) upto += other;
    }
    total = __shfl_sync(members(), upto, n - 1, n);
    return upto - x;
  }

 private:
  __device__ static unsigned members() {
    if constexpr (n == 32)
      return ~0u;
    else
      return ((1u << n) - 1) << (threadIdx.x % 32 / n * n);
  }
};
using Warp = Lanes<32>;

// A crew of all threads of a block; their number is a multiple of 32. It has only the operations that the deflation needs.
template <class R>
class Block {
 public:
  struct Scratch {
    R values[32];
    std::int64_t counts[32];
  };
  __device__ explicit Block(Scratch& scratch) : scratch_(scratch) {}

  __device__ static std::int32_t rank() { return static_cast<std::int32_t>(threadIdx.x); }
  __device__ static std::int32_t size() { return static_cast<std::int32_t>(blockDim.x); }
  __device__ static void sync() { __syncthreads(); }
  __device__ R largest(R x) const {
    x = Warp::largest(x);
    if (rank() % 32 == 0) scratch_.values[rank() / 32] = x;
    sync();
    for (std::int32_t w = 0; w < size() / 32; ++w) x = fmax(x, scratch_.values[w]);
    sync();
    return x;
  }
  __device__ std::int64_t scan(std::int64_t x, std::int64_t& total) const {
    std::int64_t of_warp = 0;
    const std::int64_t in_warp = Warp::scan(x, of_warp);
    if (rank() % 32 == 0) scratch_.counts[rank() / 32] = of_warp;
    sync();
    std::int64_t before = 0;
    total = 0;
    for (std::int32_t w = 0; w < size() / 32; ++w) {
      if (w == rank() / 32) before = total;
      total += scratch_.counts[w];
    }
    sync();
    return before + in_warp;
  }

 private:
  Scratch& scratch_;
};

}  // namespace eigen_g::dc
