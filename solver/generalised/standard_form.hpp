// The standard problem C y = w y of a generalised one with B = L L^H (upper triangle: U^H U), and its vectors carried back:
//
//   itype 1      C = L^-1 A L^-H  (U^-H A U^-1)     x = L^-H y  (U^-1 y)
//   itype 2      C = L^H A L      (U A U^H)         x = L^-H y  (U^-1 y)
//   itype 3      C as of 2                          x = L y     (U^H y)
//
// On a GPU by halves; of itype 1, with Y = 1/2 L21 C11,
//
//   C11 of A11 by itself,   A21 := A21 L11^-H - Y,   A22 := A22 - L21 A21^H - A21 L21^H,   C21 = L22^-1 (A21 - Y),   C22 of A22
//
// and of the others, with Y = 1/2 A22 L21,
//
//   C11 of A11 by itself,   A21 := A21 L11 + Y,   C11 := C11 + L21^H A21 + A21^H L21,   C21 = L22^H (A21 + Y),   C22 of A22
//
// until few rows are left, whose square is multiplied from both sides. T is double, float or std::complex of one.
// LAPACK: dsygst, dtrsm, dtrmm. Source: Poulson, van de Geijn and Bennighof, TOMS 39 (2013).
#pragma once

#include <cstdint>

#include "hybrid/matrix_view.hpp"
#include "hybrid/scalar.hpp"
#include "hybrid/uplo.hpp"

namespace eigen_g {

template <class T>
class Products;

//   a       n x n, lda, host, in: A; out: C, both in the triangle `uplo` alone
//   factor  n x n, lda, host, in, the same triangle
// By LAPACK. Throws DeviceError, InvalidArgument (n). Cost: n^3 flops.
template <class T>
void to_standard_form(int itype, Uplo uplo, MatrixView<T> a, MatrixView<const T> factor);
//   x       n x m, lda, host, in: Y; out: X
// Cost: n^2 m flops.
template <class T>
void from_standard_form(int itype, Uplo uplo, MatrixView<const T> factor, MatrixView<T> x);

// CUDA builds only; ordered on the products' queue; throw DeviceError; the same bits each time.
//   l_dev  n x n, lda, device, in: L's lower triangle
//   a_dev  n x n, lda, device, in: A's lower triangle; out: C's; the other triangle is changed
//   y_dev  standard_form_scratch(n) values, device
// Cost: n^3 + n s^2 flops, s the rows of the last squares, at most 6144; itype 2 and 3 n^3 / 3 more.
template <class T>
void to_standard_form(const Products<T>& products, int itype, MatrixView<const same_t<T>> l_dev,
                      MatrixView<same_t<T>> a_dev, same_t<T>* y_dev);
std::int64_t standard_form_scratch(std::int64_t n);  // about n^2 / 4
//   x_dev  n x m, lda, device, in: Y; out: X
// Cost: n^2 m flops.
template <class T>
void from_standard_form(const Products<T>& products, int itype, MatrixView<const same_t<T>> l_dev,
                        MatrixView<same_t<T>> x_dev);

}  // namespace eigen_g
