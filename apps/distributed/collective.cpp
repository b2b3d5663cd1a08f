#include "apps/distributed/collective.hpp"

#include <array>
#include <exception>

#include "apps/io/file_error.hpp"
#include "apps/support/text.hpp"

namespace eigen_g::apps {

int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

int size_of(MPI_Comm comm) {
  int size = 1;
  MPI_Comm_size(comm, &size);
  return size;
}

void agree(MPI_Comm comm, const std::function<void()>& part) {
  const int rank = rank_in(comm), none = size_of(comm);
  Failure failure;
  int first = none;
  try {
    part();
  } catch (...) {
    failure = failure_of(std::current_exception());
    first = rank;
    if (rank != 0) {
      std::array<char, MPI_MAX_PROCESSOR_NAME> host{};
      int length = 0;
      MPI_Get_processor_name(host.data(), &length);
      failure.message = print("rank %d on %s: ", rank, host.data()) + failure.message;
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, comm);
  if (first == none) return;
  std::array<int, 2> head{static_cast<int>(failure.code), static_cast<int>(failure.message.size())};
  MPI_Bcast(head.data(), 2, MPI_INT, first, comm);
  failure.message.resize(static_cast<std::size_t>(head[1]));
  MPI_Bcast(failure.message.data(), head[1], MPI_CHAR, first, comm);
  failure.code = static_cast<ExitCode>(head[0]);
  throw AgreedFailure(failure);
}

void broadcast(MPI_Comm comm, std::string& text) {
  int length = static_cast<int>(text.size());
  MPI_Bcast(&length, 1, MPI_INT, 0, comm);
  text.resize(static_cast<std::size_t>(length));
  MPI_Bcast(text.data(), length, MPI_CHAR, 0, comm);
}

void require_file_call(int error, const std::string& path, const char* action) {
  if (error == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> words{};
  int length = 0;
  MPI_Error_string(error, words.data(), &length);
  throw io::FileError(path, 0, std::string("cannot be ") + action + ": " + words.data());
}

}  // namespace eigen_g::apps
