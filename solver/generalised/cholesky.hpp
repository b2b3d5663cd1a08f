// B = L L^H, or of an upper triangle B = U^H U.
//
//   ( B11     )   L11 of B11 by itself,  L21 = B21 L11^-H,  L22 of B22 - L21 L21^H by itself
//   ( B21 B22 )
//
// T is double, float or std::complex of one; a Hermitian diagonal's imaginary part is taken for 0. Returned, or in minor_dev: 0, or the order of B's first leading minor that is not positive; what b
// holds is then undefined.
// LAPACK: dpotrf. Cost: n^3 / 3 flops.
#pragma once

#include <cstdint>

#include "hybrid/matrix_view.hpp"
#include "hybrid/scalar.hpp"
#include "hybrid/uplo.hpp"

namespace eigen_g {

template <class T>
class Products;

//   b   n x n, lda, host, in; out: the factor, in the triangle `uplo`; the other one is neither read nor written
// By LAPACK. Throws DeviceError, InvalidArgument (n).
template <class T>
std::int64_t cholesky(Uplo uplo, MatrixView<T> b);

//   b_dev      n x n, lda, device, in: B's lower triangle; out: L, and its other triangle is changed
//   minor_dev  one, out
// By halves of its columns down to 64. Ordered on the products' queue. Throws DeviceError. CUDA builds only.
template <class T>
void cholesky(const Products<T>& products, MatrixView<same_t<T>> b_dev, std::int64_t* minor_dev);

}  // namespace eigen_g
