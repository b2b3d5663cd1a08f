// The standard form on a GPU.
#include "hybrid/instantiate.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/generalised/standard_form.hpp"
#include "solver/generalised/triangle.hpp"

namespace eigen_g {

namespace {

// A square block of at most this order is multiplied from both sides; larger ones are halved. Times: DECISIONS.md, "Generalised problems".
constexpr std::int64_t whole = 6144;
constexpr Op hermitian = Op::conjugate_transpose;

template <class T>
void two_sided(const Products<T>& products, int itype, MatrixView<const T> l, MatrixView<T> a) {
  const bool solve = itype == 1;
  const With with = solve ? With::inverse : With::itself;
  mirror(products.queue(), Uplo::lower, a);
  apply(products, with, Side::left, solve ? Op::none : hermitian, l, a);
  apply(products, with, Side::right, solve ? hermitian : Op::none, l, a);
}

template <class T>
void by_halves(const Products<T>& products, int itype, MatrixView<const T> l, MatrixView<T> a, T* scratch) {
  if (a.rows <= whole) return two_sided(products, itype, l, a);
  const std::int64_t upper = upper_half(a.rows), rest = a.rows - upper;
  const MatrixView<T> a11 = a.block(0, 0, upper, upper), a21 = a.block(upper, 0, rest, upper),
                      a22 = a.block(upper, upper, rest, rest), y{scratch, rest, upper, rest};
  const MatrixView<const T> l11 = l.block(0, 0, upper, upper), l21 = l.block(upper, 0, rest, upper),
                            l22 = l.block(upper, upper, rest, rest);
  by_halves(products, itype, l11, a11, scratch);
  if (itype == 1) {
    apply(products, With::inverse, Side::right, hermitian, l11, a21);
    mirror(products.queue(), Uplo::lower, a11);
    gemm(products, Op::none, Op::none, T(0.5), l21, a11, T{0}, y);
    subtract<T>(products.queue(), y, a21);
    add_lower_product(products, T{-1}, l21, a21, a22);
    add_lower_product(products, T{-1}, a21, l21, a22);
    subtract<T>(products.queue(), y, a21);
    apply(products, With::inverse, Side::left, Op::none, l22, a21);
  } else {
    apply(products, With::itself, Side::right, Op::none, l11, a21);
    mirror(products.queue(), Uplo::lower, a22);
    gemm(products, Op::none, Op::none, T(-0.5), a22, l21, T{0}, y);
    subtract<T>(products.queue(), y, a21);
    gemm(products, hermitian, Op::none, T{1}, l21, a21, T{1}, a11);
    gemm(products, hermitian, Op::none, T{1}, a21, l21, T{1}, a11);
    subtract<T>(products.queue(), y, a21);
    apply(products, With::itself, Side::left, hermitian, l22, a21);
  }
  by_halves(products, itype, l22, a22, scratch);
}

}  // namespace

template <class T>
void to_standard_form(const Products<T>& products, int itype, MatrixView<const same_t<T>> l_dev,
                      MatrixView<same_t<T>> a_dev, same_t<T>* y_dev) {
  by_halves<T>(products, itype, l_dev, a_dev, y_dev);
}

std::int64_t standard_form_scratch(std::int64_t n) {
  return n <= whole ? 0 : upper_half(n) * (n - upper_half(n));
}

template <class T>
void from_standard_form(const Products<T>& products, int itype, MatrixView<const same_t<T>> l_dev,
                        MatrixView<same_t<T>> x_dev) {
  apply(products, itype < 3 ? With::inverse : With::itself, Side::left, itype < 3 ? hermitian : Op::none,
        l_dev, x_dev);
}

EIGEN_G_INSTANTIATE_OVERLOAD(all_types, to_standard_form,
                             void(const Products<T>&, int, MatrixView<const T>, MatrixView<T>, T*));
EIGEN_G_INSTANTIATE_OVERLOAD(all_types, from_standard_form,
                             void(const Products<T>&, int, MatrixView<const T>, MatrixView<T>));

}  // namespace eigen_g
