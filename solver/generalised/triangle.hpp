// apply(), add_lower_product(): products with a Cholesky factor L or its inverse on a GPU. Nearly all work is in large matrix products.
// CUDA builds only.
//
//   L = (L11    )     X := L^-1 X:   X1 := L11^-1 X1,   X2 := X2 - L21 X1,   X2 := L22^-1 X2
//       (L21 L22)
//
// This is repeated recursively down to blocks of 64 rows (diagonal_blocks.hpp). The other seven forms are analogous.
//
// All arrays are in device memory. T is double, float, std::complex<double> or std::complex<float>. Ordered on the products' queue. Throw
// DeviceError. Two runs give the same bits.
#pragma once

#include <cstdint>

#include "gemm_df/engines/products.hpp"
#include "hybrid/matrix_view.hpp"
#include "solver/generalised/diagonal_blocks.hpp"

namespace eigen_g {

// X := op(L^+-1) X or X op(L^+-1), op none or conjugate_transpose.
//   l_dev  n x n, the lower triangle, in; the other triangle is not read
//   x_dev  n rows (left) or n columns (right), in and out
// Cost: n^2 flops for each column (left) or row (right) of X. BLAS: dtrsm, dtrmm.
template <class T>
void apply(const Products<T>& products, With with, Side side, Op op, MatrixView<const same_t<T>> l_dev,
           MatrixView<same_t<T>> x_dev);

// C := C + alpha A B^H for the lower triangle of C, m x n with m >= n. It also changes entries of C above the diagonal and
// near it.
//   a_dev  m x k, in
//   b_dev  n x k, in
//   c_dev  m x n, in and out
// Cost: (2 m - n + 1024) n k flops. BLAS: dsyrk, dsyr2k.
template <class T>
void add_lower_product(const Products<T>& products, same_t<T> alpha, MatrixView<const same_t<T>> a_dev,
                       MatrixView<const same_t<T>> b_dev, MatrixView<same_t<T>> c_dev);

// Number of rows in the upper half of n > 64 rows: a multiple of diagonal_block.
constexpr std::int64_t upper_half(std::int64_t n) {
  const std::int64_t blocks = (n + diagonal_block - 1) / diagonal_block;
  return (blocks + 1) / 2 * diagonal_block;
}

}  // namespace eigen_g
