// The command eigen_g_mpi: eigen_g solve, started as several processes by an MPI launcher.
#pragma once

#include <mpi.h>

namespace eigen_g::apps {

// Called by every process of `comm`, the launcher's processes. Returns the exit code, the same on all processes. Throws an error that
// one process alone has met.
int run_distributed(MPI_Comm comm, int argc, const char* const* argv);

}  // namespace eigen_g::apps
