// Failures that all processes learn of.
#include "solver/distributed/together.hpp"

#include <array>
#include <cstdint>
#include <exception>

#include "hybrid/error.hpp"

namespace eigen_g::distributed {

namespace {

// Lowest rank on which `holds` is true; the number of processes if it is true on none.
int first_rank(MPI_Comm comm, bool holds) {
  int rank = 0, none = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &none);
  int first = holds ? rank : none;
  MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, comm);
  return first;
}

std::string words_of(MPI_Comm comm, int rank, std::string text) {
  int length = static_cast<int>(text.size());
  MPI_Bcast(&length, 1, MPI_INT, rank, comm);
  text.resize(static_cast<std::size_t>(length));
  MPI_Bcast(text.data(), length, MPI_CHAR, rank, comm);
  return text;
}

}  // namespace

std::string process_name(MPI_Comm comm) {
  std::array<char, MPI_MAX_PROCESSOR_NAME> host{};
  int length = 0, rank = 0;
  MPI_Get_processor_name(host.data(), &length);
  MPI_Comm_rank(comm, &rank);
  return "process " + std::to_string(rank) + " on " + host.data();
}

std::string first_reason(MPI_Comm comm, const std::string& reason) {
  int none = 1;
  MPI_Comm_size(comm, &none);
  const int first = first_rank(comm, !reason.empty());
  return first == none ? "" : words_of(comm, first, reason);
}

void together(MPI_Comm comm, const std::function<void()>& part) {
  std::exception_ptr failed;
  std::string reason;
  std::array<std::uint64_t, 3> memory{};  // 1: host, 2: GPU, 0: none; needed, available bytes
  try {
    part();
  } catch (const OutOfMemory& error) {
    failed = std::current_exception();
    memory = {error.on_device() ? 2U : 1U, error.needed(), error.available()};
  } catch (const std::exception& error) {
    failed = std::current_exception();
    reason = error.what();
  }
  int none = 1;
  MPI_Comm_size(comm, &none);
  const int first = first_rank(comm, failed != nullptr);
  if (first == none) return;
  const std::string name = words_of(comm, first, process_name(comm));
  reason = words_of(comm, first, reason);
  MPI_Bcast(memory.data(), static_cast<int>(memory.size()), MPI_UINT64_T, first, comm);
  if (failed) std::rethrow_exception(failed);
  if (memory[0] == 0) throw DeviceError(name + ": " + reason);
  if (memory[0] == 1) throw OutOfMemory(OutOfMemory::Where::host, name, memory[1], memory[2]);
  throw OutOfMemory(OutOfMemory::Where::device, "the GPU of " + name, memory[1], memory[2]);
}

}  // namespace eigen_g::distributed
