#include "hybrid/cuda_check.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/generalised/cholesky.hpp"
#include "solver/generalised/triangle.hpp"

namespace eigen_g {

namespace {

template <class T>
void factor(const Products<T>& products, std::int64_t first, MatrixView<T> b, std::int64_t* minor_dev) {
  if (b.rows <= diagonal_block) return factor_diagonal_block(products.queue(), first, b, minor_dev);
  const std::int64_t upper = upper_half(b.rows), rest = b.rows - upper;
  const MatrixView<T> b11 = b.block(0, 0, upper, upper), b21 = b.block(upper, 0, rest, upper),
                      b22 = b.block(upper, upper, rest, rest);
  factor(products, first, b11, minor_dev);
  apply(products, With::inverse, Side::right, Op::conjugate_transpose, b11, b21);
  add_lower_product(products, T{-1}, b21, b21, b22);
  factor(products, first + upper, b22, minor_dev);
}

}  // namespace

template <class T>
void cholesky(const Products<T>& products, MatrixView<same_t<T>> b_dev, std::int64_t* minor_dev) {
  EIGEN_G_CUDA(cudaMemsetAsync(minor_dev, 0, sizeof *minor_dev, products.queue().stream()));
  factor(products, 0, b_dev, minor_dev);
}

template void cholesky(const Products<double>&, MatrixView<double>, std::int64_t*);
template void cholesky(const Products<float>&, MatrixView<float>, std::int64_t*);
template void cholesky(const Products<std::complex<double>>&, MatrixView<std::complex<double>>,
                       std::int64_t*);
template void cholesky(const Products<std::complex<float>>&, MatrixView<std::complex<float>>, std::int64_t*);

}  // namespace eigen_g
