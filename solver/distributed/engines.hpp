// The engines' solve functions; what each needs and does stands in engine.hpp.
#pragma once

#include "solver/distributed/engine.hpp"

namespace eigen_g::distributed {

// ELPA, in builds that have it: of doubles and complex doubles. Path::automatic is one stage: the two of 2022.11 lose orthogonality
// where blocks of A have low rank, as of min(i, j) (data/perf/DECISIONS.md).
// Source: Marek et al., J. Phys.: Condens. Matter 26 (2014) 213201.
template <class T>
Outcome solve_by_elpa(const Task<T>& task);

// ScaLAPACK: vectors by pdsyevd, of a subset too, which is kept of all; values alone by pdsyev; of the other types by their
// companions. pdsyevr is not taken: that of 2.2.1 gives pdormtr too little workspace, and its vectors are wrong
// (data/perf/DECISIONS.md).
// Source: ScaLAPACK Users' Guide; Tisseur and Dongarra, SIAM J. Sci. Comput. 20 (1999) 2223.
template <class T>
Outcome solve_by_scalapack(const Task<T>& task);

// cuSOLVERMp, in builds that have its headers: a GPU for each process, the grid's processes as ranks of NCCL. It computes all pairs;
// subsets and values alone are kept of them. Orders below 256 are ScaLAPACK's. Memory of each GPU: two n x n matrices divided by the
// processes, and the workspace that cuSOLVERMp asks for, the largest of all processes; what NCCL and
// cuSOLVERMp have for themselves is kept with the MPI communicator until that is freed.
// Source: NVIDIA cuSOLVERMp 0.8 (cusolverMpSyevd).
template <class T>
Outcome solve_by_cusolvermp(const Task<T>& task);
std::string why_not_cusolvermp(MPI_Comm comm);

}  // namespace eigen_g::distributed
