// multiply_8x8x4(): a product of doubles on the tensor cores (compute capability 8.0 or later).
#pragma once

#include <vector_types.h>

namespace eigen_g {

// D := A B + D for A 8 x 4, B 4 x 8: lane (m, k) has A(m, k), B(k, m), and D(m, 2 k), D(m, 2 k + 1) in d.
#ifdef __CUDACC__
__device__ __forceinline__ void multiply_8x8x4(double2& d, double a, double b) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+d"(d.x), "+d"(d.y)
      : "d"(a), "d"(b));
#else
  __trap();
#endif
}
#endif

}  // namespace eigen_g
