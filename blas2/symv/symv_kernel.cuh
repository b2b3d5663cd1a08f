// Kernels of y := alpha A x + beta y. Every block walks its share of the triangle (symv_walk.cuh). Then the partial sums of
// each row are added in the order of their numbers, in one of three ways (SymvFinish).
#pragma once

#include "blas2/symv/symv.hpp"
#include "blas2/symv/symv_walk.cuh"
#include "hybrid/stream/dependent_launch.cuh"
#include "hybrid/stream/grid_barrier.cuh"

namespace eigen_g::blas2 {

template <class T>
struct SymvCall {
  SymvPartition partition;
  SymvInput<T> input;
  SymvPartials<typename Scalar<T>::Sum> partials;
  T alpha, beta;
  T* y = nullptr;  // y(i) = y[i * incy] for i >= input.shift, like x
  std::int64_t incy = 1;
  unsigned* barrier = nullptr;  // grid_barrier_words words
  unsigned* arrived = nullptr;  // one counter for each strip; `barrier` and `arrived` are 0 before and after
  SymvFinish finish = SymvFinish::second_kernel;
};

template <class T>
__device__ void update_y(const SymvCall<T>& call, std::int32_t row, const typename Scalar<T>::Sum& sum) {
  T* y = call.y + row * call.incy;
  *y = Scalar<T>::is_zero(call.beta) ? Scalar<T>::scaled(call.alpha, sum)
                                     : Scalar<T>::update(call.alpha, sum, call.beta, *y);
}

// Computes y for the rows [first, end). The caller is block number `block` of `blocks`, with `warps` warps each; `parts` warps
// share a row, and `parts` divides `warps`. All threads call. A barrier must separate this call from earlier uses of `shared`.
// ready() is called once, after the addresses of the first sums are known. When it returns, the partial sums must be complete.
template <class Shape, int warps, int batch, class Ready>
__device__ void finish_rows(const SymvCall<typename Shape::T>& call, std::int32_t first, std::int32_t end,
                            int block, int blocks, int parts, typename Shape::Sum (&shared)[warps][32],
                            Ready&& ready) {
  using Ops = Scalar<typename Shape::T>;
  using Sum = typename Shape::Sum;
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  const int part = warp % parts;
  const int rows_at_once = warps / parts * 32;
  const std::int32_t start = first + block * rows_at_once;
  for (std::int32_t base = start; base == start || base < end; base += blocks * rows_at_once) {
    const std::int32_t row = base + warp / parts * 32 + lane;
    const SymvPartialSums<Shape> sums(call.partition, call.partials, row < end ? row : end - 1);
    if (base == start) ready();
    Sum sum = Ops::empty();
    if (row < end) sum = sums.template add<batch>(part, parts);
    if (parts > 1) {
      __syncthreads();
      shared[warp][lane] = sum;
      __syncthreads();
      if (part == 0)
#pragma unroll
        for (int p = 1; p < warps; ++p)
          if (p < parts) sum = Ops::add(sum, shared[warp + p][lane]);
    }
    if (part == 0 && row < end) update_y(call, row, sum);
  }
}

// Counts the arrivals of pieces at strips (SymvFinish::last_arrival). A piece contributes to the strips whose rows its columns
// span, and to its own strip. The block adds the number of groups that it has walked to the counters of these strips. The block
// that completes a strip's count adds the strip's sums and sets the counter to 0.
template <class Shape>
class SymvArrival {
 public:
  using Call = SymvCall<typename Shape::T>;
  using Sums = typename Shape::Sum[Shape::warps][32];

  __device__ SymvArrival(const Call& call, Sums& sums, unsigned& complete)
      : call_(call), sums_(sums), complete_(complete) {}

  __device__ void operator()(int strip, int start, int stop) const {
    constexpr int height = Shape::strip_rows / Shape::columns;  // in groups
    const int first = start / height, last = (stop - 1) / height;
    for (int base = first; base <= last + 1; base += 32) {
      __syncthreads();  // all partial sums of the piece are written
      if (threadIdx.x < 32) {
        const int k = base + static_cast<int>(threadIdx.x);
        bool full = false;
        if (k <= last + 1) {
          const int from = k * height > start ? k * height : start;
          const int to = (k + 1) * height < stop ? (k + 1) * height : stop;
          const int target = k <= last ? k : strip;
          const auto count = static_cast<unsigned>(k <= last ? to - from : stop - start);
          __threadfence();
          full = atomicAdd(&call_.arrived[target], count) + count == call_.partition.arrivals(target);
        }
        const unsigned mask = __ballot_sync(~0u, full);
        if (threadIdx.x == 0) complete_ = mask;
      }
      __syncthreads();
      unsigned mask = complete_;
      if (mask == 0) continue;
      __threadfence();
      for (; mask != 0; mask &= mask - 1) {
        const int k = base + __ffs(static_cast<int>(mask)) - 1;
        finish_strip(k <= last ? k : strip);
      }
    }
  }

 private:
  __device__ void finish_strip(int strip) const {
    constexpr int spare = Shape::warps * 32 / Shape::strip_rows;
    const std::int32_t top = strip * Shape::strip_rows, n = call_.partition.n();
    const std::int32_t first = top > call_.input.shift ? top : call_.input.shift;
    const std::int32_t end = top + Shape::strip_rows < n ? top + Shape::strip_rows : n;
    finish_rows<Shape, Shape::warps, 8>(call_, first, end, 0, 1, spare > 1 ? spare : 1, sums_, [] {});
    if (threadIdx.x == 0) call_.arrived[strip] = 0;
    __syncthreads();  // the walk uses the shared memory again
  }

  const Call& call_;
  Sums& sums_;
  unsigned& complete_;
};

template <class Shape>
__global__ void __launch_bounds__(Shape::threads, Shape::resident_blocks)
    symv_kernel(const __grid_constant__ SymvCall<typename Shape::T> call) {
  __shared__ union Shared {
    typename Shape::Shared walk;
    typename Shape::Sum sums[Shape::warps][32];
    __device__ Shared() {}
  } shared;
  __shared__ unsigned complete;
  __shared__ SymvCut cut[2];  // in shared memory to save registers: needed twice for each piece
  allow_next_kernel();
  const int block = static_cast<int>(blockIdx.x);
  if (threadIdx.x < 2) cut[threadIdx.x] = call.partition.cut(block + static_cast<int>(threadIdx.x));
  __syncthreads();
  wait_for_previous_kernels();

  SymvWalk<Shape> walk(call.partition, call.input, call.partials, shared.walk);
  const SymvArrival<Shape> arrive(call, shared.sums, complete);
  walk(
      block, cut[0], cut[1], 0, [] {},
      [&](int strip, int start, int stop) {
        if (call.finish == SymvFinish::last_arrival) arrive(strip, start, stop);
      });
  if (call.finish == SymvFinish::grid_barrier) {
    GridBarrier barrier(call.barrier);
    __syncthreads();
    if (threadIdx.x == 0) barrier.arrive();
    const int warps = static_cast<int>(gridDim.x) * Shape::warps;
    const int tasks = (call.partition.n() + 31) / 32;
    int parts = Shape::warps;
    while (parts > 1 && tasks * parts > warps) parts /= 2;
    finish_rows<Shape, Shape::warps, 8>(call, call.input.shift, call.partition.n(), block,
                                        static_cast<int>(gridDim.x), parts, shared.sums, [&] {
                                          barrier.wait();
                                          if (threadIdx.x == 0) barrier.leave();
                                        });
  }
}

// The second kernel (SymvFinish::second_kernel): a block adds the sums of 32 rows.
constexpr int symv_sum_warps = 8;
template <class Shape>
__global__ void __launch_bounds__(32 * symv_sum_warps)
    symv_sum_kernel(const __grid_constant__ SymvCall<typename Shape::T> call) {
  using Sum = typename Shape::Sum;
  constexpr int batch = sizeof(Sum) > 8 ? 8 : 16;
  __shared__ Sum sums[symv_sum_warps][32];
  allow_next_kernel();
  finish_rows<Shape, symv_sum_warps, batch>(call, call.input.shift, call.partition.n(),
                                            static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x),
                                            symv_sum_warps, sums, [] { wait_for_previous_kernels(); });
}

// y := beta y, for alpha = 0.
template <class T>
__global__ void symv_scale_kernel(std::int32_t n, T beta, T* y, std::int64_t incy) {
  const auto i = static_cast<std::int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  T* at = y + i * incy;
  *at = Scalar<T>::is_zero(beta) ? Scalar<T>::zero() : Scalar<T>::times(beta, *at);
}

}  // namespace eigen_g::blas2
