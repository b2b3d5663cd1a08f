// Products on the tensor core in double and nearly in float, for kernels that keep a tile of the result in registers. A GPU
// without such instructions (compute capability below 8.0) computes the same sums in plain arithmetic, slowly.
//
// A warp's product consists of mma instructions 16 x 8 x 4. It does not matter which rows and columns of the result are the
// rows and columns of an mma. They can be chosen so that neighbours in memory belong to the same thread (g, t) = (lane / 4,
// lane % 4). The thread then has rows 2g and 2g + 1 of 16 rows, and columns 4t ... 4t + 3 of 16 columns (two mma). A thread
// then reads two rows at once from shared memory. Element (row, k) is at [k * stride + row]; with stride = 4 (mod 16) there are
// no bank conflicts.
#pragma once

namespace eigen_g {

// mma() in plain arithmetic.
template <class T>
__device__ void plain_step(T (&d)[4], T a0, T a1, T b) {
  const int lane = threadIdx.x % 32, t = lane % 4;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const T upper = __shfl_sync(~0u, a0, lane - t + k), lower = __shfl_sync(~0u, a1, lane - t + k);
    const T left = __shfl_sync(~0u, b, 8 * t + k), right = __shfl_sync(~0u, b, 8 * t + 4 + k);
    d[0] = fma(upper, left, d[0]);
    d[1] = fma(upper, right, d[1]);
    d[2] = fma(lower, left, d[2]);
    d[3] = fma(lower, right, d[3]);
  }
}

// d += a b, one mma. Thread (g, t) has these elements (row, column):
//   a   (g, t), (g + 8, t)
//   b   (t, g)
//   d   (g, 2t), (g, 2t + 1), (g + 8, 2t), (g + 8, 2t + 1)
__device__ inline void mma(double (&d)[4], double a0, double a1, double b) {
#if __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
      : "d"(a0), "d"(a1), "d"(b));
#elif __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+d"(d[0]), "+d"(d[1])
      : "d"(a0), "d"(b));
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+d"(d[2]), "+d"(d[3])
      : "d"(a1), "d"(b));
#else
  plain_step(d, a0, a1, b);
#endif
}

// As above in float. The tensor core reads operands with eleven bits. Each operand is therefore split into the sum of two such
// numbers, with a relative error of 2^-22. The product of the two small numbers is omitted. The core truncates when it adds, so
// the sum of one mma starts from 0 and is added to d here.
// Source: Ootomo and Yokota 2022.
__device__ inline void mma(float (&d)[4], float a0, float a1, float b) {
#if __CUDA_ARCH__ >= 800
  struct Split {
    unsigned high, low;
    __device__ explicit Split(float x) {
      constexpr unsigned half = 0x1000;  // half of the last bit that the core reads
      high = (__float_as_uint(x) + half) & ~(2 * half - 1);
      low = __float_as_uint(x - __uint_as_float(high)) + half;
    }
  };
  const Split upper(a0), lower(a1), right(b);
  float sum[4] = {};
  const auto add = [&](unsigned of_upper, unsigned of_lower, unsigned of_right) {
    asm("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, "
        "%3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(of_upper), "r"(of_lower), "r"(of_right));
  };
  add(upper.low, lower.low, right.high);
  add(upper.high, lower.high, right.low);
  add(upper.high, lower.high, right.high);
#pragma unroll
  for (int i = 0; i < 4; ++i) d[i] += sum[i];
#else
  plain_step(d, a0, a1, b);
#endif
}

// Copies 16 bytes from global to shared memory without waiting (below 8.0: at once). Both addresses are 16-byte aligned. Only
// the first `bytes` (0, 8 or 16) are read; the rest becomes zero.
__device__ inline void copy_16_async(double* to, const double* from, int bytes) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(to))),
               "l"(from), "r"(bytes)
               : "memory");
#else
  to[0] = bytes > 0 ? from[0] : 0;
  to[1] = bytes > 8 ? from[1] : 0;
#endif
}
__device__ inline void close_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
// Waits until at most `open` of the closed groups of copies are in flight.
template <int open>
__device__ void wait_for_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(open) : "memory");
#endif
}

}  // namespace eigen_g
