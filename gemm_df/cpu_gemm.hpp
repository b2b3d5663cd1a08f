// gemm_on_cpu(): matrix products on the CPU, for its share of a product that several devices compute.
#pragma once

#include "gemm_df/gemm.hpp"

namespace eigen_g {

// C := alpha op_a(A) op_b(B) + beta C in host memory. The inner size follows from op_a(A). C is not read if beta = 0. Throws
// InvalidArgument (c) if a size exceeds OpenBLAS's integers. Cost: 2 m n k flops. BLAS: dgemm.
template <class T>
void gemm_on_cpu(Op op_a, Op op_b, same_t<T> alpha, MatrixView<const same_t<T>> a,
                 MatrixView<const same_t<T>> b, same_t<T> beta, MatrixView<T> c);

}  // namespace eigen_g
