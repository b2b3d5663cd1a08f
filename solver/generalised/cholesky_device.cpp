// The Cholesky factor on a GPU.
#include "hybrid/cuda_check.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/generalised/cholesky.hpp"
#include "solver/generalised/triangle.hpp"

namespace eigen_g {

namespace {

// Factorises the columns b by recursion on their halves. Every product includes all rows down to the last one, so that no product is small.
//   b  m x k, m >= k, from B's diagonal down
template <class T>
void factor(const Products<T>& products, std::int64_t first, MatrixView<T> b, std::int64_t* minor_dev) {
  if (b.cols <= diagonal_block) {
    const MatrixView<T> top = b.block(0, 0, b.cols, b.cols);
    factor_diagonal_block(products.queue(), first, top, minor_dev);
    return apply_diagonal_block<T>(products.queue(), With::inverse, Side::right, Op::conjugate_transpose, top,
                                   b.block(b.cols, 0, b.rows - b.cols, b.cols));
  }
  const std::int64_t left = upper_half(b.cols), right = b.cols - left;
  const MatrixView<T> below = b.block(left, 0, b.rows - left, left),
                      rest = b.block(left, left, b.rows - left, right);
  factor(products, first, b.block(0, 0, b.rows, left), minor_dev);
  add_lower_product(products, T{-1}, below, below.block(0, 0, right, left), rest);
  factor(products, first + left, rest, minor_dev);
}

}  // namespace

template <class T>
void cholesky(const Products<T>& products, MatrixView<same_t<T>> b_dev, std::int64_t* minor_dev) {
  EIGEN_G_CUDA(cudaMemsetAsync(minor_dev, 0, sizeof *minor_dev, products.queue().stream()));
  factor(products, 0, b_dev, minor_dev);
}

EIGEN_G_INSTANTIATE_OVERLOAD(all_types, cholesky, void(const Products<T>&, MatrixView<T>, std::int64_t*));

}  // namespace eigen_g
