// eigen_g solve, started as several processes by an MPI launcher: the command eigen_g_mpi.
#pragma once

#include <mpi.h>

namespace eigen_g::apps {

// On every process of `comm`, which is the launcher's. Returns the exit code, the same on all; of what one process alone has met, it
// throws.
int run_distributed(MPI_Comm comm, int argc, const char* const* argv);

}  // namespace eigen_g::apps
