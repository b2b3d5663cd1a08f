#include "gemm_df/gemm.hpp"

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
  EIGEN_G_CUBLAS(cublasDgemm_64(queue.blas(), cublas_op(op_a), cublas_op(op_b), c_dev.rows, c_dev.cols, k,
                                &alpha, a_dev.data, a_dev.lda, b_dev.data, b_dev.lda, &beta, c_dev.data,
                                c_dev.lda));
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
