// The solve functions of the libraries. Their contract is in library.hpp (LocalProblem, LibraryResult).
#pragma once

#include "solver/distributed/library.hpp"

namespace eigen_g::distributed {

// ELPA, in builds that have it, for double and complex double. Path::automatic is the one-stage path, because the two-stage path of
// 2022.11 loses orthogonality if blocks of A have low rank, for example a_ij = min(i, j) (data/perf/DECISIONS.md).
// Source: Marek et al., J. Phys.: Condens. Matter 26 (2014) 213201.
template <class T>
LibraryResult solve_by_elpa(const LocalProblem<T>& task);

// ScaLAPACK. Vectors are computed by pdsyevd, also for a subset, which is cut out of all pairs. For values only pdsyev is used. The
// other types have the corresponding routines. pdsyevr is not used, because version 2.2.1 passes too little workspace to pdormtr and
// its vectors are wrong (data/perf/DECISIONS.md).
// Source: ScaLAPACK Users' Guide; Tisseur and Dongarra, SIAM J. Sci. Comput. 20 (1999) 2223.
template <class T>
LibraryResult solve_by_scalapack(const LocalProblem<T>& task);

// cuSOLVERMp, in builds that have its headers: a GPU for each process, and the grid's processes as ranks of NCCL. It always computes all
// pairs; subsets and values only are cut out of them. ScaLAPACK solves orders below 256.
// Memory of each GPU: its share of two n x n matrices, and cuSOLVERMp's workspace, which has the largest size of all processes. The memory
// of NCCL and cuSOLVERMp themselves is kept with the MPI communicator until it is freed.
// Source: NVIDIA cuSOLVERMp 0.8 (cusolverMpSyevd).
template <class T>
LibraryResult solve_by_cusolvermp(const LocalProblem<T>& task);
std::string why_not_cusolvermp(MPI_Comm comm);

}  // namespace eigen_g::distributed
