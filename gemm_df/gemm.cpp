#include "gemm_df/gemm.hpp"

#include <algorithm>

#include "gemm_df/syr2k.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/queue.hpp"

namespace eigen_g {

namespace {
cublasOperation_t cublas_op(Op op) {
  return op == Op::none ? CUBLAS_OP_N : CUBLAS_OP_T;
}
}  // namespace

void gemm(const Queue& queue, Op op_a, Op op_b, double alpha, MatrixView<const double> a_dev,
          MatrixView<const double> b_dev, double beta, MatrixView<double> c_dev) {
  if (c_dev.rows == 0 || c_dev.cols == 0) return;
  const std::int64_t k = op_a == Op::none ? a_dev.cols : a_dev.rows;
  const std::int64_t slices = std::max<std::int64_t>(1, (k + most_terms_of_a_sum - 1) / most_terms_of_a_sum);
  const std::int64_t length = std::max<std::int64_t>(1, ((k + slices - 1) / slices + 31) / 32 * 32);
  for (std::int64_t first = 0; first == 0 || first < k; first += length) {
    const std::int64_t terms = std::min(length, k - first);
    const MatrixView<const double> a = op_a == Op::none ? a_dev.block(0, first, a_dev.rows, terms)
                                                        : a_dev.block(first, 0, terms, a_dev.cols);
    const MatrixView<const double> b = op_b == Op::none ? b_dev.block(first, 0, terms, b_dev.cols)
                                                        : b_dev.block(0, first, b_dev.rows, terms);
    const double onto = first == 0 ? beta : 1;
    EIGEN_G_CUBLAS(cublasDgemm_64(queue.blas(), cublas_op(op_a), cublas_op(op_b), c_dev.rows, c_dev.cols,
                                  terms, &alpha, a.data, a.lda, b.data, b.lda, &onto, c_dev.data, c_dev.lda));
  }
}

void syr2k_lower(const Queue& queue, double alpha, MatrixView<const double> a_dev,
                 MatrixView<const double> b_dev, double beta, MatrixView<double> c_dev) {
  if (c_dev.rows == 0) return;
  if (beta == 1 && syr2k_lower_narrow(queue, alpha, a_dev, b_dev, c_dev)) return;
  EIGEN_G_CUBLAS(cublasDsyr2k_64(queue.blas(), CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, c_dev.rows, a_dev.cols,
                                 &alpha, a_dev.data, a_dev.lda, b_dev.data, b_dev.lda, &beta, c_dev.data,
                                 c_dev.lda));
}

}  // namespace eigen_g
