#include "gemm_df/gemm.hpp"

#include <algorithm>

#include "gemm_df/rank_2k/syr2k.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/stream/queue.hpp"

namespace eigen_g {

namespace {
cublasOperation_t cublas_op(Op op) {
  return op == Op::none ? CUBLAS_OP_N : op == Op::transpose ? CUBLAS_OP_T : CUBLAS_OP_C;
}

// cuBLAS's routines by the type of their matrices.
template <class T>
struct Cublas;
template <>
struct Cublas<double> {
  static constexpr auto gemm = cublasDgemm_64;
  static constexpr auto gemm_batched = cublasDgemmStridedBatched_64;
  static constexpr auto syr2k = cublasDsyr2k_64;
};

// Calls multiply(A's part, B's part, its terms, beta) for slices of at most most_terms_of_a_sum of the k terms of every sum,
// in turn; beta is 1 from the second on. Once without terms where k = 0.
template <class T, class Multiply>
void in_slices(Op op_a, Op op_b, MatrixView<const T> a, MatrixView<const T> b, T beta, MatrixView<T> c,
               const Multiply& multiply) {
  if (c.rows == 0 || c.cols == 0) return;
  const std::int64_t k = op_a == Op::none ? a.cols : a.rows;
  const std::int64_t slices = std::max<std::int64_t>(1, (k + most_terms_of_a_sum - 1) / most_terms_of_a_sum);
  const std::int64_t length = std::max<std::int64_t>(1, ((k + slices - 1) / slices + 31) / 32 * 32);
  for (std::int64_t first = 0; first == 0 || first < k; first += length) {
    const std::int64_t terms = std::min(length, k - first);
    multiply(op_a == Op::none ? a.block(0, first, a.rows, terms) : a.block(first, 0, terms, a.cols),
             op_b == Op::none ? b.block(first, 0, terms, b.cols) : b.block(0, first, b.rows, terms), terms,
             first == 0 ? beta : 1);
  }
}
}  // namespace

template <class T>
void gemm(const Queue& queue, Op op_a, Op op_b, same_t<T> alpha, MatrixView<const same_t<T>> a_dev,
          MatrixView<const same_t<T>> b_dev, same_t<T> beta, MatrixView<T> c_dev) {
  in_slices<T>(op_a, op_b, a_dev, b_dev, beta, c_dev,
               [&](MatrixView<const T> a, MatrixView<const T> b, std::int64_t terms, T onto) {
                 EIGEN_G_CUBLAS(Cublas<T>::gemm(queue.blas(), cublas_op(op_a), cublas_op(op_b), c_dev.rows,
                                                c_dev.cols, terms, &alpha, a.data, a.lda, b.data, b.lda,
                                                &onto, c_dev.data, c_dev.lda));
               });
}

template <class T>
void gemm_batched(const Queue& queue, const Batched& batch, Op op_a, Op op_b, same_t<T> alpha,
                  MatrixView<const same_t<T>> a_dev, MatrixView<const same_t<T>> b_dev, same_t<T> beta,
                  MatrixView<T> c_dev) {
  if (c_dev.rows == 0 || c_dev.cols == 0 || batch.count == 0) return;
  EIGEN_G_CUBLAS(Cublas<T>::gemm_batched(
      queue.blas(), cublas_op(op_a), cublas_op(op_b), c_dev.rows, c_dev.cols,
      op_a == Op::none ? a_dev.cols : a_dev.rows, &alpha, a_dev.data, a_dev.lda, batch.step_a, b_dev.data,
      b_dev.lda, batch.step_b, &beta, c_dev.data, c_dev.lda, batch.step_c, batch.count));
}

bool emulated_engine_built() {
  return CUBLAS_VER_MAJOR >= 13;
}

template <class T>
void gemm_emulated([[maybe_unused]] const Queue& queue, [[maybe_unused]] Op op_a, [[maybe_unused]] Op op_b,
                   [[maybe_unused]] same_t<T> alpha, [[maybe_unused]] MatrixView<const same_t<T>> a_dev,
                   [[maybe_unused]] MatrixView<const same_t<T>> b_dev, [[maybe_unused]] same_t<T> beta,
                   [[maybe_unused]] MatrixView<T> c_dev) {
#if CUBLAS_VER_MAJOR >= 13
  EIGEN_G_CUBLAS(cublasSetEmulationStrategy(queue.blas(), CUBLAS_EMULATION_STRATEGY_EAGER));
  in_slices<T>(op_a, op_b, a_dev, b_dev, beta, c_dev,
               [&](MatrixView<const T> a, MatrixView<const T> b, std::int64_t terms, T onto) {
                 EIGEN_G_CUBLAS(cublasGemmEx_64(queue.blas(), cublas_op(op_a), cublas_op(op_b), c_dev.rows,
                                                c_dev.cols, terms, &alpha, a.data, CUDA_R_64F, a.lda, b.data,
                                                CUDA_R_64F, b.lda, &onto, c_dev.data, CUDA_R_64F, c_dev.lda,
                                                CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT, CUBLAS_GEMM_DEFAULT));
               });
#endif
}

template <class T>
void syr2k_lower(const Queue& queue, same_t<T> alpha, MatrixView<const same_t<T>> a_dev,
                 MatrixView<const same_t<T>> b_dev, real_t<same_t<T>> beta, MatrixView<T> c_dev) {
  if (c_dev.rows == 0) return;
  if (beta == 1 && syr2k_lower_narrow(queue, alpha, a_dev, b_dev, c_dev)) return;
  EIGEN_G_CUBLAS(Cublas<T>::syr2k(queue.blas(), CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, c_dev.rows, a_dev.cols,
                                  &alpha, a_dev.data, a_dev.lda, b_dev.data, b_dev.lda, &beta, c_dev.data,
                                  c_dev.lda));
}

template void gemm(const Queue&, Op, Op, double, MatrixView<const double>, MatrixView<const double>, double,
                   MatrixView<double>);
template void gemm_batched(const Queue&, const Batched&, Op, Op, double, MatrixView<const double>,
                           MatrixView<const double>, double, MatrixView<double>);
template void gemm_emulated(const Queue&, Op, Op, double, MatrixView<const double>, MatrixView<const double>,
                            double, MatrixView<double>);
template void syr2k_lower(const Queue&, double, MatrixView<const double>, MatrixView<const double>, double,
                          MatrixView<double>);

}  // namespace eigen_g
