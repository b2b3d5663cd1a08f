// gemm_listed(): many products of the same shape, whose matrices are anywhere in device memory. CUDA builds only.
#pragma once

#include <cstdint>

#include "gemm_df/gemm.hpp"

namespace eigen_g {

// C_i := alpha op_a(A_i) op_b(B_i) + beta C_i for `count` products of the same shape, each of whose matrices may be anywhere in device memory.
//   a, b, c   `count` addresses each, in device memory
// C_i is rows x cols, and each sum has `terms` terms; sums are not computed in slices. Cost: 2 rows cols terms count flops. cuBLAS: gemmBatched.
template <class T>
struct ListedProducts {
  std::int64_t count;
  const T* const* a;
  const T* const* b;
  T* const* c;
  std::int64_t rows, cols, terms, lda, ldb, ldc;
};
template <class T>
void gemm_listed(const Queue& queue, const ListedProducts<T>& list, Op op_a, Op op_b, same_t<T> alpha,
                 same_t<T> beta);

}  // namespace eigen_g
