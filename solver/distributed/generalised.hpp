// Reduces generalised problems to standard form by ScaLAPACK, with B = L L^H:
//
//   itype 1   C = L^-1 A L^-H   x = L^-H y           itype 2   C = L^H A L   x = L^-H y           itype 3   C = L^H A L   x = L y
//
// Matrices are n x n in square blocks of one size. T is float, double, std::complex<float> or std::complex<double>. All calls are
// collective.
#pragma once

#include <cstdint>

#include "solver/distributed/grid.hpp"

namespace eigen_g::distributed {

// The lower triangle of b := L. Returns 0, or the order of the first leading minor that is not positive definite; then b is undefined.
// Cost: n^3 / 3 flops. LAPACK: dpotrf.
template <class T>
std::int64_t cholesky(const LocalView<T>& b);

// The lower triangle of a := C. Both triangles of a are read. Workspace: local rows times a few blocks. Cost: n^3 flops. LAPACK: dsygst.
// Source: Sears, Stanley, Henry, "Application of a high performance parallel eigensolver to electronic structure calculations", 1998.
template <class T>
void to_standard_form(int itype, const LocalView<T>& a, const LocalView<T>& factor);

// The first m columns of z: x replaces y. Cost: n^2 m flops.
template <class T>
void from_standard_form(int itype, const LocalView<T>& factor, const LocalView<T>& z, std::int64_t m);

}  // namespace eigen_g::distributed
