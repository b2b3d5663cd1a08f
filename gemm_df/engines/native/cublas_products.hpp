// Code that the two engines by cuBLAS share: native and emulated. CUDA builds only.
#pragma once

#include <algorithm>

#include "gemm_df/gemm.hpp"
#include "gemm_df/tuning.hpp"
#include "hybrid/cuda_check.hpp"

namespace eigen_g {

inline cublasOperation_t cublas_op(Op op) {
  return op == Op::none ? CUBLAS_OP_N : op == Op::transpose ? CUBLAS_OP_T : CUBLAS_OP_C;
}

// Divides the k terms of every sum into slices of at most `most` terms. Calls multiply(part of A, part of B, terms, beta) for
// each slice in order. From the second slice on, beta is 1. If k = 0, multiply() is called once without terms.
template <class T, class Multiply>
void in_slices_of(std::int64_t most, Op op_a, Op op_b, MatrixView<const T> a, MatrixView<const T> b, T beta,
                  MatrixView<T> c, const Multiply& multiply) {
  if (c.rows == 0 || c.cols == 0) return;
  const std::int64_t k = op_a == Op::none ? a.cols : a.rows;
  const std::int64_t slices = k > 0 ? (k + most - 1) / most : 1;
  const std::int64_t length = std::max<std::int64_t>(1, ((k + slices - 1) / slices + 31) / 32 * 32);
  for (std::int64_t first = 0; first == 0 || first < k; first += length) {
    const std::int64_t terms = std::min(length, k - first);
    multiply(op_a == Op::none ? a.block(0, first, a.rows, terms) : a.block(first, 0, terms, a.cols),
             op_b == Op::none ? b.block(first, 0, terms, b.cols) : b.block(0, first, b.rows, terms), terms,
             first == 0 ? beta : 1);
  }
}

// As in_slices_of() with slices of max_terms_of_a_sum terms. If C is narrow there is one slice, because cuBLAS then divides the sums
// itself to fill the GPU.
template <class T, class Multiply>
void in_slices(Op op_a, Op op_b, MatrixView<const T> a, MatrixView<const T> b, T beta, MatrixView<T> c,
               const Multiply& multiply) {
  const ProductTuning& tuning = product_tuning();
  const std::int64_t k = op_a == Op::none ? a.cols : a.rows;
  in_slices_of<T>(c.cols <= tuning.max_columns_of_whole_sums ? k : tuning.max_terms_of_a_sum, op_a, op_b, a,
                  b, beta, c, multiply);
}

}  // namespace eigen_g
