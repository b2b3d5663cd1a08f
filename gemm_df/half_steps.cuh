// Products of floats as fp16 pairs on the tensor core: the mma instruction 16 x 8 x 16 and the loads of its operands. An fp16
// pair is a float stored as the sum of two float16.
#pragma once

#include <cuda_fp16.h>

namespace eigen_g {

// The fp16 pairs of two floats x, y: first = (half(x), half(y)), second = the halves of the remainders.
struct Halves {
  unsigned first, second;
  __device__ Halves(float x, float y) {
    const __half2 high = __floats2half2_rn(x, y);
    const float2 rounded = __half22float2(high);
    const __half2 low = __floats2half2_rn(x - rounded.x, y - rounded.y);
    first = reinterpret_cast<const unsigned&>(high);
    second = reinterpret_cast<const unsigned&>(low);
  }
};

// d += a b, with sums in float that are truncated. Thread (g, t) = (lane / 4, lane % 4) has these elements (row, column):
//   d   (g, 2t), (g, 2t + 1), (g + 8, 2t), (g + 8, 2t + 1)
//   a   (g, 2t), (g + 8, 2t), (g, 2t + 8), (g + 8, 2t + 8), each with its right neighbour
//   b   (2t, g), (2t + 8, g), each with its lower neighbour
__device__ __forceinline__ void half_step(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#endif
}
// d += (first + second) b, one product for each `part`: 0 and 1 are the small products, 2 is the large one. The product of the
// two second parts is omitted. b has the pairs of its first part, then the pairs of its second.
__device__ __forceinline__ void half_step_of(int part, float (&d)[4], const unsigned (&first)[4],
                                             const unsigned (&second)[4], const unsigned (&b)[4]) {
  if (part == 0) half_step(d, first, b[2], b[3]);
  if (part == 1) half_step(d, second, b[0], b[1]);
  if (part == 2) half_step(d, first, b[0], b[1]);
}

// Loads four matrices of 8 x 8 halves from shared memory. Lane l gives the address of row l % 8 of matrix l / 8. The result is
// operands b of half_step(). A row in memory holds the terms of a column of b or, with `transposed`, a row of b.
template <bool transposed = false>
__device__ __forceinline__ void load_matrices(unsigned (&x)[4], const __half* row) {
#if __CUDA_ARCH__ >= 800
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(row));
  if constexpr (transposed)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                 : "r"(address));
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                 : "r"(address));
#endif
}

}  // namespace eigen_g
