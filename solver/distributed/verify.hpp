// verify(), verify_generalised(): the results of solver/verify for a distributed matrix and its eigenpairs. The sums are the same, formed
// by ScaLAPACK's products in double. W is double or std::complex<double>; the caller converts float pairs to double.
#pragma once

#include <cstdint>
#include <span>

#include "solver/distributed/grid.hpp"
#include "solver/verify/verify.hpp"
#include "solver/verify/verify_generalised.hpp"

namespace eigen_g::distributed {

//   a    n x n, both triangles, in; out: A multiplied by a power of two
//   w    m values, the same on every process
//   z    n x m in a's layout: its first m columns, in
//   ulp  of the pairs' type: 2^-52, or 2^-23 for float
// Collective; the result is equal on every process. Throws OutOfMemory. Memory: about four times the local part of an n x 256 panel, and
// 8 (n + m) doubles. Cost: 6 n^2 m flops over all processes; complex matrices four times this.
template <class W>
Verification verify(MPI_Comm comm, const LocalView<W>& a, std::span<const double> w, const LocalView<W>& z,
                    double ulp = 0x1p-52);

// Checks a generalised problem. Arguments that are not named are as in verify().
//   a, b  n x n, both triangles, in, destroyed; b distributed as a
// Memory: five panels. Cost: 6 n^2 m + n^3 / 3 flops; itype 3: 2 n^2 m more. ScaLAPACK: pdpotrf, pdpocon.
template <class W>
GeneralisedVerification verify_generalised(MPI_Comm comm, int itype, const LocalView<W>& a,
                                           const LocalView<W>& b, std::span<const double> w,
                                           const LocalView<W>& z, double ulp = 0x1p-52);

}  // namespace eigen_g::distributed
