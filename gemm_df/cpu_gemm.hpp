// gemm_on_cpu(): matrix products on the CPU, for its share of a product that several devices compute.
#pragma once

#include "gemm_df/gemm.hpp"

namespace eigen_g {

// C := alpha op_a(A) op_b(B) + beta C in host memory. The inner size follows from op_a(A). C is not read if beta = 0. Throws
// InvalidArgument (c) if a size exceeds OpenBLAS's integers. Cost: 2 m n k flops. BLAS: dgemm.
template <class T>
void gemm_on_cpu(Op op_a, Op op_b, same_t<T> alpha, MatrixView<const same_t<T>> a,
                 MatrixView<const same_t<T>> b, same_t<T> beta, MatrixView<T> c);

// The same for real matrices by the calling thread's team of threads and the library's own kernels, without OpenBLAS. The bits do not depend on the
// number of threads, and not on the rest of C: an entry has the same bits in a product of other columns of B.
template <class R>
void gemm_on_threads(Op op_a, Op op_b, same_t<R> alpha, MatrixView<const same_t<R>> a,
                     MatrixView<const same_t<R>> b, same_t<R> beta, MatrixView<R> c);

}  // namespace eigen_g
