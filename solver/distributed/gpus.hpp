// A GPU for each process. CUDA builds only.
#pragma once

#include <mpi.h>

#include <string>

namespace eigen_g::distributed {

struct OwnGpu {
  int index = -1;       // CUDA's number: the k-th process of a host has the k-th GPU that it sees
  std::string why_not;  // the same on every process; "": each has one
};

// Refuses, naming processes and host, where one has no GPU and where two have the same one (by its UUID, as launchers may show each
// process another first GPU). Collective.
OwnGpu own_gpu(MPI_Comm comm);

}  // namespace eigen_g::distributed
