// Matrix products on the CPU: gemm_on_cpu() by OpenBLAS, and gemm_on_threads() for the CPU's share of a product that several devices compute.
#pragma once

#include "gemm_df/gemm.hpp"

namespace eigen_g {

// C := alpha op_a(A) op_b(B) + beta C in host memory. The inner size follows from op_a(A). C is not read if beta = 0. Throws
// InvalidArgument (c) if a size exceeds OpenBLAS's integers. Cost: 2 m n k flops. BLAS: dgemm.
template <class T>
void gemm_on_cpu(Op op_a, Op op_b, same_t<T> alpha, MatrixView<const same_t<T>> a,
                 MatrixView<const same_t<T>> b, same_t<T> beta, MatrixView<T> c);

// C := alpha op_a(A) op_b(B) + beta C as gemm_on_cpu(), for real matrices, with the library's own kernels instead of OpenBLAS. The product takes
// team_threads() threads for the largest of m, n and k (hybrid/team/team.hpp). The bits do not depend on the number of threads, and an entry of C has the same bits
// in a product with other rows of A and other columns of B. Unlike BLAS, the product reads A and B if alpha = 0.
template <class R>
void gemm_on_threads(Op op_a, Op op_b, same_t<R> alpha, MatrixView<const same_t<R>> a,
                     MatrixView<const same_t<R>> b, same_t<R> beta, MatrixView<R> c);

}  // namespace eigen_g
