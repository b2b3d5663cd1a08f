// Informs all processes of a communicator of the failure of one, so that none waits for a process that has left.
#pragma once

#include <mpi.h>

#include <functional>
#include <string>

namespace eigen_g::distributed {

// Returns the reason of the lowest rank that has one, on every process; empty: no process has one. Collective.
std::string first_reason(MPI_Comm comm, const std::string& reason);

// Calls part() on each process. If it throws on one process, all processes throw. The failed process throws its own exception. Every
// other process throws an OutOfMemory with the same values, or a DeviceError with the same text. Collective.
void together(MPI_Comm comm, const std::function<void()>& part);

// Returns a text such as "process 3 on node7".
std::string process_name(MPI_Comm comm);

}  // namespace eigen_g::distributed
