// own_gpu(): assigns a GPU to each process. CUDA builds only.
#pragma once

#include <mpi.h>

#include <string>

namespace eigen_g::distributed {

struct OwnGpu {
  int index = -1;       // CUDA's number: k modulo the number of GPUs, for process k of a node
  std::string why_not;  // empty: each process has a GPU; the text is equal on every process
};

// why_not names processes and node if a process has no GPU or two processes have the same one. GPUs are compared by UUID, because
// a launcher may show each process another first GPU. Collective.
OwnGpu own_gpu(MPI_Comm comm);

}  // namespace eigen_g::distributed
