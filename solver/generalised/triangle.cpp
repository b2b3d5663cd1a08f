// Products with L and L^-1 by recursion, and the lower triangle of A B^H.
#include "solver/generalised/triangle.hpp"

#include "hybrid/instantiate.hpp"

namespace eigen_g {

namespace {

constexpr std::int64_t whole_columns = 1024;  // largest number of columns for which all of C is computed

}  // namespace

template <class T>
void apply(const Products<T>& products, With with, Side side, Op op, MatrixView<const same_t<T>> l,
           MatrixView<same_t<T>> x) {
  if (x.rows == 0 || x.cols == 0) return;
  if (l.rows <= diagonal_block) return apply_diagonal_block<T>(products.queue(), with, side, op, l, x);
  const std::int64_t upper = upper_half(l.rows), rest = l.rows - upper;
  const bool left = side == Side::left;
  const MatrixView<const T> l21 = l.block(upper, 0, rest, upper);
  const MatrixView<T> x1 = left ? x.block(0, 0, upper, x.cols) : x.block(0, 0, x.rows, upper);
  const MatrixView<T> x2 = left ? x.block(upper, 0, rest, x.cols) : x.block(0, upper, x.rows, rest);
  const auto half = [&](bool is_upper) {
    if (is_upper)
      apply(products, with, side, op, l.block(0, 0, upper, upper), x1);
    else
      apply(products, with, side, op, l.block(upper, upper, rest, rest), x2);
  };
  const bool down = left == (op == Op::none);  // X2 is updated with X1; else X1 with X2
  const bool upper_first = (with == With::inverse) == down;
  const T alpha = with == With::inverse ? T{-1} : T{1};
  const MatrixView<T> from = down ? x1 : x2, to = down ? x2 : x1;
  half(upper_first);
  if (left)
    gemm(products, op, Op::none, alpha, l21, from, T{1}, to);
  else
    gemm(products, Op::none, op, alpha, from, l21, T{1}, to);
  half(!upper_first);
}

template <class T>
void add_lower_product(const Products<T>& products, same_t<T> alpha, MatrixView<const same_t<T>> a,
                       MatrixView<const same_t<T>> b, MatrixView<same_t<T>> c) {
  if (c.cols <= whole_columns) return gemm(products, Op::none, Op::conjugate_transpose, alpha, a, b, T{1}, c);
  const std::int64_t left = upper_half(c.cols), right = c.cols - left, below = c.rows - left;
  add_lower_product(products, alpha, a, b.block(0, 0, left, b.cols), c.block(0, 0, c.rows, left));
  add_lower_product(products, alpha, a.block(left, 0, below, a.cols), b.block(left, 0, right, b.cols),
                    c.block(left, left, below, right));
}

EIGEN_G_INSTANTIATE(all_types, apply, add_lower_product);

}  // namespace eigen_g
