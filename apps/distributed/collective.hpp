// Failures that all processes of a communicator learn of together, so that none waits for one that has gone.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <string>

#include "apps/cli/exit_codes.hpp"

namespace eigen_g::apps {

int rank_in(MPI_Comm comm);
int size_of(MPI_Comm comm);

// Thrown on every process of the communicator.
class AgreedFailure : public Error {
 public:
  explicit AgreedFailure(const Failure& failure) : Error(failure.message), code_(failure.code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

// Each process does its part, which calls nothing collective. Where one throws, all throw AgreedFailure with the code and the words of
// the first, which are preceded by its rank and its host's name if it is not rank 0.
void agree(MPI_Comm comm, const std::function<void()>& part);

// Rank 0's.
void broadcast(MPI_Comm comm, std::string& text);

// Throws FileError naming `path` where an MPI call on a file did not succeed. Not collective.
void require_file_call(int error, const std::string& path, const char* action);

}  // namespace eigen_g::apps
