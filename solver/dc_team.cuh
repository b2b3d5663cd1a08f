// The teams of dc_team.hpp on the device. All members must call alike. Every reduction has one order: results repeat bit
// for bit.
#pragma once

#include <cstdint>

namespace eigen_g::dc {

// `n` neighbouring threads of a warp, a power of two; blocks are one-dimensional.
template <int n>
struct Lanes {
  __device__ static std::int32_t rank() { return static_cast<std::int32_t>(threadIdx.x % n); }
  __device__ static constexpr std::int32_t size() { return n; }
  __device__ static void sync() { __syncwarp(members()); }
  // By a butterfly: a + b and b + a are the same bits, so all lanes hold the same.
  template <class Combine>
  __device__ static double reduce(double x, Combine combine) {
    for (int mask = n / 2; mask > 0; mask /= 2) x = combine(x, __shfl_xor_sync(members(), x, mask));
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

 private:
  __device__ static unsigned members() {
    if constexpr (n == 32)
      return ~0u;
    else
      return ((1u << n) - 1) << (threadIdx.x % 32 / n * n);
  }
};
using Warp = Lanes<32>;

// The first `n` threads of a block, whole warps, whose others do not wait for them; 0: all of it. As far as the deflation
// needs it.
template <int n>
class Threads {
 public:
  struct Scratch {
    double values[32];
    std::int64_t counts[32];
  };
  __device__ explicit Threads(Scratch& scratch) : scratch_(scratch) {}

  __device__ static std::int32_t rank() { return static_cast<std::int32_t>(threadIdx.x); }
  __device__ static std::int32_t size() { return n > 0 ? n : static_cast<std::int32_t>(blockDim.x); }
  __device__ static void sync() {
    if constexpr (n > 0)
      asm volatile("bar.sync 1, %0;" ::"n"(n) : "memory");
    else
      __syncthreads();
  }
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
using Block = Threads<0>;

}  // namespace eigen_g::dc
