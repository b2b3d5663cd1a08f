// Products in double by the tensor core, for kernels that keep a tile of the result in registers.
//
// A warp's product is built of 16 x 8 x 8 steps. Which of the result's rows and columns a step's own rows and columns
// stand for is free, and chosen such that two neighbours in memory go to the same thread: of 16 rows a thread (g, t) =
// (lane / 4, lane % 4) has rows 2g and 2g + 1, and of 16 columns (two steps) columns 4t ... 4t + 3. Operands are read
// from shared memory two rows at once, element (row, k) at [k * stride + row]; with stride = 4 (mod 16) no two threads
// collide in a bank.
#pragma once

namespace eigen_g {

// d += a b, one step: a[0], a[1] are rows 2g, 2g + 1 at k = t, a[2], a[3] at k = t + 4; b[0], b[1] at k = t, t + 4;
// d[0], d[1] are the row 2g, d[2], d[3] the row 2g + 1.
__device__ inline void tensor_step([[maybe_unused]] double (&d)[4], [[maybe_unused]] const double (&a)[4],
                                   [[maybe_unused]] const double (&b)[2]) {
#if __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, "
      "%1, %2, %3};"
      : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
#elif __CUDA_ARCH__ >= 800
#pragma unroll
  for (int k = 0; k < 2; ++k)
#pragma unroll
    for (int row = 0; row < 2; ++row)
      asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
          : "+d"(d[2 * row]), "+d"(d[2 * row + 1])
          : "d"(a[2 * k + row]), "d"(b[k]));
#endif
}

// 16 bytes from global to shared memory, both aligned, without waiting; of `bytes` < 16 the rest becomes zero.
__device__ inline void copy_16_async([[maybe_unused]] double* to, [[maybe_unused]] const double* from,
                                     [[maybe_unused]] int bytes) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(to))),
               "l"(from), "r"(bytes)
               : "memory");
#endif
}
__device__ inline void close_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
// Until at most `open` of the closed groups are on their way.
template <int open>
__device__ void wait_for_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(open) : "memory");
#endif
}

}  // namespace eigen_g
