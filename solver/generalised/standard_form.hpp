// to_standard_form(), from_standard_form(): the standard problem C y = w y of a generalised one, and the generalised problem's vectors x.
// B = L L^H; for an upper triangle, in parentheses, B = U^H U:
//
//   itype 1      C = L^-1 A L^-H  (U^-H A U^-1)     x = L^-H y  (U^-1 y)
//   itype 2      C = L^H A L      (U A U^H)         x = L^-H y  (U^-1 y)
//   itype 3      C = L^H A L      (U A U^H)         x = L y     (U^H y)
//
// On a GPU the matrix is halved recursively. For itype 1, with Y = 1/2 L21 C11,
//
//   C11 from A11,   A21 := A21 L11^-H - Y,   A22 := A22 - L21 A21^H - A21 L21^H,   C21 = L22^-1 (A21 - Y),   C22 from A22
//
// and for itype 2 and 3, with Y = 1/2 A22 L21,
//
//   C11 from A11,   A21 := A21 L11 + Y,   C11 := C11 + L21^H A21 + A21^H L21,   C21 = L22^H (A21 + Y),   C22 from A22
//
// A small square block is multiplied from both sides instead. T is double, float, std::complex<double> or std::complex<float>.
// LAPACK: dsygst, dtrsm, dtrmm. Source: Poulson, van de Geijn and Bennighof, TOMS 39 (2013).
#pragma once

#include <cstdint>

#include "hybrid/matrix_view.hpp"
#include "hybrid/scalar.hpp"
#include "hybrid/uplo.hpp"

namespace eigen_g {

template <class T>
class Products;

// On the CPU, by LAPACK.
//   a       n x n, lda, host, in: A; out: C; only the triangle `uplo` is used
//   factor  n x n, lda, host, in: L or U in the triangle `uplo`
// Throws DeviceError, InvalidArgument (n). Cost: n^3 flops.
template <class T>
void to_standard_form(int itype, Uplo uplo, MatrixView<T> a, MatrixView<const T> factor);
//   x       n x m, lda, host, in: Y; out: X
// Cost: n^2 m flops.
template <class T>
void from_standard_form(int itype, Uplo uplo, MatrixView<const T> factor, MatrixView<T> x);

// On a GPU, ordered on the products' queue. Two runs give the same bits. Throw DeviceError. CUDA builds only.
//   l_dev  n x n, lda, device, in: L in the lower triangle
//   a_dev  n x n, lda, device, in: the lower triangle of A; out: that of C; the other triangle is changed
//   y_dev  standard_form_scratch(n) values, device, scratch
// Cost: n^3 + n s^2 flops, where s is the order of the small square blocks, at most 6144; itype 2 and 3: n^3 / 3 flops more.
template <class T>
void to_standard_form(const Products<T>& products, int itype, MatrixView<const same_t<T>> l_dev,
                      MatrixView<same_t<T>> a_dev, same_t<T>* y_dev);
std::int64_t standard_form_scratch(std::int64_t n);  // about n^2 / 4; 0 for n <= 6144
//   x_dev  n x m, lda, device, in: Y; out: X
// Cost: n^2 m flops.
template <class T>
void from_standard_form(const Products<T>& products, int itype, MatrixView<const same_t<T>> l_dev,
                        MatrixView<same_t<T>> x_dev);

}  // namespace eigen_g
