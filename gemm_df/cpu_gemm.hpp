// Matrix products on the CPU, for what it does of a product that is cut over devices.
#pragma once

#include "gemm_df/gemm.hpp"

namespace eigen_g {

// C := alpha op_a(A) op_b(B) + beta C in host memory; the inner size is read off op_a(A). beta = 0 does not read C.
// Throws InvalidArgument("c") where a size is beyond OpenBLAS's integers. Cost: 2 m n k flops. BLAS: dgemm.
template <class T>
void gemm_on_cpu(Op op_a, Op op_b, same_t<T> alpha, MatrixView<const same_t<T>> a,
                 MatrixView<const same_t<T>> b, same_t<T> beta, MatrixView<T> c);

}  // namespace eigen_g
