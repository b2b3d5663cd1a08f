// The teams of dc_team.hpp on the device. All members must call alike. Every reduction has one order: results repeat bit
// for bit.
#pragma once

#include <cstdint>

namespace eigen_g::dc {

// The threads of a warp; blocks are one-dimensional.
struct Warp {
  __device__ static std::int32_t rank() { return static_cast<std::int32_t>(threadIdx.x % 32); }
  __device__ static constexpr std::int32_t size() { return 32; }
  __device__ static void sync() { __syncwarp(); }
  // By a butterfly: a + b and b + a are the same bits, so all lanes hold the same.
  template <class Combine>
  __device__ static double reduce(double x, Combine combine) {
    for (int mask = 16; mask > 0; mask /= 2) x = combine(x, __shfl_xor_sync(~0u, x, mask));
    return x;
  }
  __device__ static double sum(double x) {
    return reduce(x, [](double a, double b) { return a + b; });
  }
  __device__ static double product(double x) {
    return reduce(x, [](double a, double b) { return a * b; });
  }
  __device__ static double largest(double x) {
    return reduce(x, [](double a, double b) { return fmax(a, b); });
  }
};

// The threads of a block, a multiple of 32; as far as the deflation needs it.
class Block {
 public:
  struct Scratch {
    double values[32];
    std::int64_t counts[32];
  };
  __device__ explicit Block(Scratch& scratch) : scratch_(scratch) {}

  __device__ static std::int32_t rank() { return static_cast<std::int32_t>(threadIdx.x); }
  __device__ static std::int32_t size() { return static_cast<std::int32_t>(blockDim.x); }
  __device__ static void sync() { __syncthreads(); }
  __device__ double largest(double x) const {
    x = Warp::largest(x);
    if (rank() % 32 == 0) scratch_.values[rank() / 32] = x;
    sync();
    for (std::int32_t w = 0; w < size() / 32; ++w) x = fmax(x, scratch_.values[w]);
    sync();
    return x;
  }
  __device__ std::int64_t scan(std::int64_t x, std::int64_t& total) const {
    std::int64_t upto = x;
    for (int distance = 1; distance < 32; distance *= 2) {
      const std::int64_t other = __shfl_up_sync(~0u, upto, distance);
      if (rank() % 32 >= distance) upto += other;
    }
    if (rank() % 32 == 31) scratch_.counts[rank() / 32] = upto;
    sync();
    std::int64_t before = 0;
    total = 0;
    for (std::int32_t w = 0; w < size() / 32; ++w) {
      if (w == rank() / 32) before = total;
      total += scratch_.counts[w];
    }
    sync();
    return before + upto - x;
  }

 private:
  Scratch& scratch_;
};

}  // namespace eigen_g::dc
