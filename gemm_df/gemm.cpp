#include "gemm_df/gemm.hpp"

#include "gemm_df/engines/native/cublas_products.hpp"
#include "gemm_df/rank_2k/syr2k.hpp"
#include "hybrid/stream/queue.hpp"

namespace eigen_g {

namespace {
// cuBLAS's routines by the type of their matrices.
template <class T>
struct Cublas;
template <>
struct Cublas<double> {
  static constexpr auto gemm = cublasDgemm_64;
  static constexpr auto gemm_batched = cublasDgemmStridedBatched_64;
  static constexpr auto syr2k = cublasDsyr2k_64;
};
template <>
struct Cublas<float> {
  static constexpr auto gemm = cublasSgemm_64;
  static constexpr auto gemm_batched = cublasSgemmStridedBatched_64;
  static constexpr auto syr2k = cublasSsyr2k_64;
};
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
template void syr2k_lower(const Queue&, double, MatrixView<const double>, MatrixView<const double>, double,
                          MatrixView<double>);
template void gemm(const Queue&, Op, Op, float, MatrixView<const float>, MatrixView<const float>, float,
                   MatrixView<float>);
template void gemm_batched(const Queue&, const Batched&, Op, Op, float, MatrixView<const float>,
                           MatrixView<const float>, float, MatrixView<float>);
template void syr2k_lower(const Queue&, float, MatrixView<const float>, MatrixView<const float>, float,
                          MatrixView<float>);

}  // namespace eigen_g
