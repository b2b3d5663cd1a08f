// Failures of one process that all processes of a communicator learn of, so that none waits for one that has gone.
#pragma once

#include <mpi.h>

#include <functional>
#include <string>

namespace eigen_g::distributed {

// The reason of the lowest rank that has one, on every process; "": none has. Collective.
std::string first_reason(MPI_Comm comm, const std::string& reason);

// Each process does its part. Where one throws, all throw: that one its own exception, the others an OutOfMemory with its figures, or
// else a DeviceError with its words. Collective.
void together(MPI_Comm comm, const std::function<void()>& part);

// "process 3 on node7"
std::string process_name(MPI_Comm comm);

}  // namespace eigen_g::distributed
