#include "gemm_df/gemm.hpp"

#include <complex>
#include <type_traits>

#include "gemm_df/engines/native/cublas_products.hpp"
#include "gemm_df/rank_2k/syr2k.hpp"
#include "gemm_df/tuning.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/stream/queue.hpp"

namespace eigen_g {

namespace {
// cuBLAS's routines for each type of matrix.
template <class T>
struct Routines;
template <>
struct Routines<double> {
  static constexpr auto gemm = Cublas<cublasDgemm_64>::call;
  static constexpr auto gemm_batched = Cublas<cublasDgemmStridedBatched_64>::call;
  static constexpr auto syr2k = Cublas<cublasDsyr2k_64>::call;
};
template <>
struct Routines<float> {
  static constexpr auto gemm = Cublas<cublasSgemm_64>::call;
  static constexpr auto gemm_batched = Cublas<cublasSgemmStridedBatched_64>::call;
  static constexpr auto syr2k = Cublas<cublasSsyr2k_64>::call;
};
template <>
struct Routines<std::complex<double>> {
  static constexpr auto gemm = Cublas<cublasZgemm_64>::call;
  static constexpr auto gemm_of_three = Cublas<cublasZgemm3m_64>::call;
  static constexpr auto gemm_batched = Cublas<cublasZgemmStridedBatched_64>::call;
  static constexpr auto syr2k = Cublas<cublasZher2k_64>::call;
};
template <>
struct Routines<std::complex<float>> {
  static constexpr auto gemm = Cublas<cublasCgemm_64>::call;
  static constexpr auto gemm_batched = Cublas<cublasCgemmStridedBatched_64>::call;
  static constexpr auto syr2k = Cublas<cublasCher2k_64>::call;
};

// Pointers to the same numbers in cuBLAS's types.
template <class R>
R* of_cublas(R* x) {
  return x;
}
inline cuDoubleComplex* of_cublas(std::complex<double>* x) {
  return reinterpret_cast<cuDoubleComplex*>(x);
}
inline const cuDoubleComplex* of_cublas(const std::complex<double>* x) {
  return reinterpret_cast<const cuDoubleComplex*>(x);
}
inline cuComplex* of_cublas(std::complex<float>* x) {
  return reinterpret_cast<cuComplex*>(x);
}
inline const cuComplex* of_cublas(const std::complex<float>* x) {
  return reinterpret_cast<const cuComplex*>(x);
}
}  // namespace

template <class T>
void gemm(const Queue& queue, Op op_a, Op op_b, same_t<T> alpha, MatrixView<const same_t<T>> a_dev,
          MatrixView<const same_t<T>> b_dev, same_t<T> beta, MatrixView<T> c_dev) {
  auto routine = Routines<T>::gemm;
  if constexpr (std::is_same_v<T, std::complex<double>>)
    if (static_cast<double>(c_dev.rows) * static_cast<double>(c_dev.cols) *
            static_cast<double>(op_a == Op::none ? a_dev.cols : a_dev.rows) >=
        product_tuning().min_products_of_three)
      routine = Routines<T>::gemm_of_three;
  in_slices<T>(
      op_a, op_b, a_dev, b_dev, beta, c_dev,
      [&](MatrixView<const T> a, MatrixView<const T> b, std::int64_t terms, T onto) {
        EIGEN_G_CUBLAS(routine(queue.blas(), cublas_op(op_a), cublas_op(op_b), c_dev.rows, c_dev.cols, terms,
                               of_cublas(&alpha), of_cublas(a.data), a.lda, of_cublas(b.data), b.lda,
                               of_cublas(&onto), of_cublas(c_dev.data), c_dev.lda));
      });
}

template <class T>
void gemm_batched(const Queue& queue, const Batched& batch, Op op_a, Op op_b, same_t<T> alpha,
                  MatrixView<const same_t<T>> a_dev, MatrixView<const same_t<T>> b_dev, same_t<T> beta,
                  MatrixView<T> c_dev) {
  if (c_dev.rows == 0 || c_dev.cols == 0 || batch.count == 0) return;
  EIGEN_G_CUBLAS(Routines<T>::gemm_batched(queue.blas(), cublas_op(op_a), cublas_op(op_b), c_dev.rows,
                                           c_dev.cols, op_a == Op::none ? a_dev.cols : a_dev.rows,
                                           of_cublas(&alpha), of_cublas(a_dev.data), a_dev.lda, batch.step_a,
                                           of_cublas(b_dev.data), b_dev.lda, batch.step_b, of_cublas(&beta),
                                           of_cublas(c_dev.data), c_dev.lda, batch.step_c, batch.count));
}

template <class T>
void syr2k_lower(const Queue& queue, same_t<T> alpha, MatrixView<const same_t<T>> a_dev,
                 MatrixView<const same_t<T>> b_dev, real_t<same_t<T>> beta, MatrixView<T> c_dev) {
  if (c_dev.rows == 0) return;
  if (beta == 1 && syr2k_lower_narrow(queue, alpha, a_dev, b_dev, c_dev)) return;
  EIGEN_G_CUBLAS(Routines<T>::syr2k(queue.blas(), CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, c_dev.rows, a_dev.cols,
                                    of_cublas(&alpha), of_cublas(a_dev.data), a_dev.lda,
                                    of_cublas(b_dev.data), b_dev.lda, &beta, of_cublas(c_dev.data),
                                    c_dev.lda));
}

EIGEN_G_INSTANTIATE_OVERLOAD(all_types, gemm,
                             void(const Queue&, Op, Op, T, MatrixView<const T>, MatrixView<const T>, T,
                                  MatrixView<T>));
EIGEN_G_INSTANTIATE_OVERLOAD(all_types, syr2k_lower,
                             void(const Queue&, T, MatrixView<const T>, MatrixView<const T>, real_t<T>,
                                  MatrixView<T>));
EIGEN_G_INSTANTIATE(all_types, gemm_batched);

}  // namespace eigen_g
