#include "gemm_df/cpu_gemm.hpp"

#include <cblas.h>

#include <algorithm>
#include <complex>
#include <limits>
#include <string>

#include "gemm_df/product_kernels.hpp"
#include "hybrid/error.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/machine/blas_turn.hpp"
#include "hybrid/team/loops.hpp"
#include "hybrid/team/team.hpp"

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

// The blocks of C that the threads of a product claim.
struct Cut {
  std::int64_t rows, columns;        // the size of a block
  std::int64_t of_rows, of_columns;  // numbers of blocks

  // The cut with the shortest expected time: turns of all threads times the work of a block. Packing a row of A takes as long as some columns.
  template <class R>
  Cut(const ProductKernel<R>& kernel, std::int64_t m, std::int64_t n, int threads) {
    constexpr std::int64_t packing = 24, most_columns = 512;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (std::int64_t height = kernel.most_rows; height >= kernel.tile_rows; height -= kernel.tile_rows)
      for (std::int64_t width = most_columns; width >= 4 * kernel.tile_columns; width /= 2) {
        const std::int64_t high = (m + height - 1) / height, wide = (n + width - 1) / width;
        const std::int64_t turns = (high * wide + threads - 1) / threads;
        const std::int64_t time = turns * std::min(m, height) * (std::min(n, width) + packing);
        if (time >= least) continue;
        least = time;
        rows = height, columns = width, of_rows = high, of_columns = wide;
      }
  }
};

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

template <class R>
void gemm_on_threads(Op op_a, Op op_b, same_t<R> alpha, MatrixView<const same_t<R>> a,
                     MatrixView<const same_t<R>> b, same_t<R> beta, MatrixView<R> c) {
  if (c.rows == 0 || c.cols == 0) return;
  const bool a_as_stored = op_a == Op::none, b_as_stored = op_b == Op::none;
  const std::int64_t inner = a_as_stored ? a.cols : a.rows;
  const std::int64_t a_row = a_as_stored ? 1 : a.lda, b_column = b_as_stored ? b.lda : 1;
  const ProductKernel<R> kernel = EIGEN_G_OF_WIDTH(product_kernel<R>)();
  const int threads = team_threads(std::max({c.rows, c.cols, inner}));
  const Cut cut(kernel, c.rows, c.cols, threads);
  for_each(cut.of_rows * cut.of_columns, threads, [&](std::int64_t block) {
    const std::int64_t i = block % cut.of_rows * cut.rows, j = block / cut.of_rows * cut.columns;
    kernel.multiply({std::min(cut.rows, c.rows - i), std::min(cut.columns, c.cols - j), inner, alpha,
                     a.data + i * a_row, a_row, a_as_stored ? a.lda : 1, b.data + j * b_column,
                     b_as_stored ? 1 : b.lda, b_column, beta, &c(i, j), c.lda});
  });
}

EIGEN_G_INSTANTIATE(all_types, gemm_on_cpu);
EIGEN_G_INSTANTIATE(real_types, gemm_on_threads);

}  // namespace eigen_g
