// solver/verify's figures of a distributed matrix and its eigenpairs: the same sums, by ScaLAPACK's products.
#pragma once

#include <cstdint>
#include <span>

#include "solver/distributed/grid.hpp"
#include "solver/verify/verify.hpp"

namespace eigen_g::distributed {

//   a  n x n, both triangles, in; scaled by a power of two when it returns
//   w  m values, the same on every process       z  n x n in a's layout, its first m columns
// Collective; the result is the same on every process. Memory: of the local part of an n x 256 panel about four times, and 8 (n + m)
// doubles. Throws OutOfMemory. Cost: 6 n^2 m flops over all processes.
Verification verify(MPI_Comm comm, const LocalView& a, std::span<const double> w, const LocalView& z);

}  // namespace eigen_g::distributed
