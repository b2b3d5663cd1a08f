// solver/verify's figures of a distributed matrix and its eigenpairs: the same sums, by ScaLAPACK's products, in double. W is double or
// std::complex<double>; pairs in float are made double first.
#pragma once

#include <cstdint>
#include <span>

#include "solver/distributed/grid.hpp"
#include "solver/verify/verify.hpp"
#include "solver/verify/verify_generalised.hpp"

namespace eigen_g::distributed {

//   a    n x n, both triangles, in; scaled by a power of two when it returns
//   w    m values, the same on every process       z  n x m in a's layout: its first m columns
//   ulp  of the pairs' precision, 2^-52 or float's 2^-23
// Collective; the result is the same on every process. Memory: of the local part of an n x 256 panel about four times, and 8 (n + m)
// doubles. Throws OutOfMemory. Cost: 6 n^2 m flops over all processes, of complex matrices four times as many.
template <class W>
Verification verify(MPI_Comm comm, const LocalView<W>& a, std::span<const double> w, const LocalView<W>& z,
                    double ulp = 0x1p-52);

// Of a generalised problem.
//   a, b  n x n, both triangles, in, b dealt out as a is; destroyed
// Memory: five panels. Cost: 6 n^2 m + n^3 / 3 flops, of itype 3 2 n^2 m more. ScaLAPACK: pdpotrf, pdpocon.
template <class W>
GeneralisedVerification verify_generalised(MPI_Comm comm, int itype, const LocalView<W>& a,
                                           const LocalView<W>& b, std::span<const double> w,
                                           const LocalView<W>& z, double ulp = 0x1p-52);

}  // namespace eigen_g::distributed
