// Errors in parallel work: all processes of a communicator learn of an error together, so that none waits for one that has stopped.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <string>

#include "apps/support/exit_codes.hpp"

namespace eigen_g::apps {

int rank_in(MPI_Comm comm);
int size_of(MPI_Comm comm);

// Thrown on every process of the communicator, with the same code and message.
class AgreedFailure : public Error {
 public:
  explicit AgreedFailure(const Failure& failure) : Error(failure.message), code_(failure.code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

// Every process runs its own part(), which must not call anything collective. If a part throws, all processes throw AgreedFailure with
// the code and message of the lowest rank that failed. Before the message are its rank and node name, unless it is rank 0.
void agree(MPI_Comm comm, const std::function<void()>& part);

// text := the text of rank 0. Collective.
void broadcast(MPI_Comm comm, std::string& text);

// Throws FileError with `path` if the MPI call on a file failed. Not collective.
void require_file_call(int error, const std::string& path, const char* action);

}  // namespace eigen_g::apps
