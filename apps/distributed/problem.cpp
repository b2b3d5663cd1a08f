#include "apps/distributed/problem.hpp"

#include <sys/resource.h>

#include <cmath>

#include "hybrid/machine/cpu.hpp"
#include "hybrid/machine/device.hpp"

namespace eigen_g::apps {

Shape shape_of(std::int64_t n, int processes, int block) {
  constexpr std::int64_t usual_block = 64;
  Shape best;
  best.block = std::clamp<std::int64_t>(block > 0 ? block : usual_block, 1, std::max<std::int64_t>(1, n));
  const auto blocks = [&] { return (n + best.block - 1) / best.block; };
  for (; processes > 1; --processes) {
    best.rows = static_cast<int>(std::sqrt(static_cast<double>(processes)));
    while (processes % best.rows != 0) --best.rows;
    best.cols = processes / best.rows;
    // Smaller blocks give every process a part of a small matrix, down to least_block.
    constexpr std::int64_t least_block = 16;
    while (block == 0 && blocks() < best.cols && best.block > least_block) best.block /= 2;
    if (blocks() >= best.cols) return best;
  }
  best.rows = best.cols = 1;
  return best;
}

MPI_Comm node_communicator(MPI_Comm comm) {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  return node;
}

std::uint64_t peak_bytes(MPI_Comm comm) {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  std::uint64_t bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_UINT64_T, MPI_MAX, comm);
  return bytes;
}

void require_room(MPI_Comm comm, std::uint64_t bytes) {
  MPI_Comm node = node_communicator(comm);
  MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_UINT64_T, MPI_SUM, node);
  MPI_Comm_free(&node);
  agree(comm, [&] { require_host_memory(bytes); });
}

distributed::Options options_of(const DistributedSolve& problem, Uplo uplo) {
  distributed::Options options;
  options.uplo = uplo;
  options.vectors = problem.vectors();
  options.subset = problem.subset;
  options.path = path_of(problem.options.solve.path).value();
  options.library = problem.options.library;
  return options;
}

Distributed take(const distributed::Report& from, const Shape& shape, Report& report) {
  report.status = from.status;
  report.info = from.info;
  report.m = from.m;
  report.first_index = from.first_index;
  report.path = from.path;
  report.seconds = from.seconds;
  if (from.gpu < 0) {
    report.devices.push_back({cpu_name(), -1, 0, 1, 0});
  } else {
    const Device& gpu = gpu_facts(from.gpu);
    report.devices.push_back({gpu.name, from.gpu, gpu.multiprocessors, 1, 0});
  }
  return {from.library, from.routine, shape.processes(), shape.rows, shape.cols, shape.block, 0};
}

}  // namespace eigen_g::apps
