// cholesky(): the Cholesky factor L of B = L L^H, or for an upper triangle U of B = U^H U. On a GPU it is computed recursively:
//
//   ( B11     )   L11 from B11,  L21 = B21 L11^-H,  L22 from B22 - L21 L21^H
//   ( B21 B22 )
//
// T is double, float, std::complex<double> or std::complex<float>. The imaginary parts of a Hermitian diagonal count as 0.
// The result, returned or in minor_dev, is 0 or the order of B's first leading minor that is not positive. In the second case the contents
// of b are undefined.
// Cost: n^3 / 3 flops. LAPACK: dpotrf.
#pragma once

#include <cstdint>

#include "hybrid/matrix_view.hpp"
#include "hybrid/scalar.hpp"
#include "hybrid/uplo.hpp"

namespace eigen_g {

template <class T>
class Products;

// On the CPU, by LAPACK.
//   b   n x n, lda, host, in; out: the factor, in the triangle `uplo`; the other triangle is neither read nor written
// Throws DeviceError, InvalidArgument (n).
template <class T>
std::int64_t cholesky(Uplo uplo, MatrixView<T> b);

// On a GPU. The recursion halves the columns down to 64.
//   b_dev      n x n, lda, device, in: B's lower triangle; out: L, and the other triangle is changed
//   minor_dev  one value, device, out
// Ordered on the products' queue. Throws DeviceError. CUDA builds only.
template <class T>
void cholesky(const Products<T>& products, MatrixView<same_t<T>> b_dev, std::int64_t* minor_dev);

}  // namespace eigen_g
