#include "gemm_df/cpu_gemm.hpp"

#include <cblas.h>

#include <algorithm>
#include <complex>
#include <limits>
#include <string>

#include "hybrid/error.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/machine/blas_turn.hpp"

namespace eigen_g {

namespace {

CBLAS_TRANSPOSE cblas_op(Op op) {
  return op == Op::none ? CblasNoTrans : op == Op::transpose ? CblasTrans : CblasConjTrans;
}

// CBLAS's routine for each type of matrix.
template <class T>
struct Cblas;
template <>
struct Cblas<double> {
  static constexpr auto gemm = cblas_dgemm;
};
template <>
struct Cblas<float> {
  static constexpr auto gemm = cblas_sgemm;
};
template <>
struct Cblas<std::complex<double>> {
  static constexpr auto gemm = cblas_zgemm;
};
template <>
struct Cblas<std::complex<float>> {
  static constexpr auto gemm = cblas_cgemm;
};

blasint size_of(std::int64_t value) {
  if (value > std::numeric_limits<blasint>::max())
    throw InvalidArgument("c", "has a size beyond OpenBLAS's integers: " + std::to_string(value));
  return static_cast<blasint>(value);
}

}  // namespace

template <class T>
void gemm_on_cpu(Op op_a, Op op_b, same_t<T> alpha, MatrixView<const same_t<T>> a,
                 MatrixView<const same_t<T>> b, same_t<T> beta, MatrixView<T> c) {
  if (c.rows == 0 || c.cols == 0) return;
  const std::int64_t k = op_a == Op::none ? a.cols : a.rows;
  const BlasTurn turn(std::max({c.rows, c.cols, k}));
  const auto scalar = [](const T& x) {  // CBLAS takes complex scalars by address
    if constexpr (is_complex<T>)
      return &x;
    else
      return x;
  };
  Cblas<T>::gemm(CblasColMajor, cblas_op(op_a), cblas_op(op_b), size_of(c.rows), size_of(c.cols), size_of(k),
                 scalar(alpha), a.data, size_of(a.lda), b.data, size_of(b.lda), scalar(beta), c.data,
                 size_of(c.lda));
}

EIGEN_G_INSTANTIATE(all_types, gemm_on_cpu);

}  // namespace eigen_g
