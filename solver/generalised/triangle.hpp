// Products with a Cholesky factor L and its inverse on a GPU, nearly all of them large products. CUDA builds only.
//
//   L = (L11    )     X := L^-1 X:   X1 := L11^-1 X1,   X2 := X2 - L21 X1,   X2 := L22^-1 X2
//       (L21 L22)
//
// and so on by halves, the other seven forms likewise, down to blocks of 64 rows (diagonal_blocks.hpp).
//
// Device memory, T is double, float or std::complex of one. Ordered on the products' queue. Throw DeviceError. Repeat bit for bit.
#pragma once

#include <cstdint>

#include "gemm_df/products.hpp"
#include "hybrid/matrix_view.hpp"
#include "solver/generalised/diagonal_blocks.hpp"

namespace eigen_g {

// X := op(L^+-1) X or X op(L^+-1), op none or conjugate_transpose.
//   l_dev  n x n, the lower triangle, in; the other one is not read      x_dev  n rows (left) or columns (right), in and out
// Cost: n^2 flops a column or row of X. BLAS: dtrsm, dtrmm.
template <class T>
void apply(const Products<T>& products, With with, Side side, Op op, MatrixView<const same_t<T>> l_dev,
           MatrixView<same_t<T>> x_dev);

// C := C + alpha A B^H where only the lower triangle of C, m x n with m >= n, is wanted; above it C is changed near the diagonal.
//   a_dev  m x k      b_dev  n x k
// Cost: (2 m - n + 1024) n k flops. BLAS: dsyrk, dsyr2k.
template <class T>
void add_lower_product(const Products<T>& products, same_t<T> alpha, MatrixView<const same_t<T>> a_dev,
                       MatrixView<const same_t<T>> b_dev, MatrixView<same_t<T>> c_dev);

// Where n rows are cut in two: at a whole number of diagonal blocks; n > 64.
constexpr std::int64_t upper_half(std::int64_t n) {
  const std::int64_t blocks = (n + diagonal_block - 1) / diagonal_block;
  return (blocks + 1) / 2 * diagonal_block;
}

}  // namespace eigen_g
