// Assigns a GPU to each process of a node.
#include "solver/distributed/gpus.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/device.hpp"
#include "solver/distributed/together.hpp"

namespace eigen_g::distributed {

namespace {

using Uuid = std::array<char, sizeof(cudaUUID_t::bytes)>;

Uuid uuid_of(int gpu) {
  cudaDeviceProp properties{};
  EIGEN_G_CUDA(cudaGetDeviceProperties(&properties, gpu));
  Uuid uuid{};
  std::copy(std::begin(properties.uuid.bytes), std::end(properties.uuid.bytes), uuid.begin());
  return uuid;
}

}  // namespace

OwnGpu own_gpu(MPI_Comm comm) {
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  int place = 0, beside = 1, rank = 0;
  MPI_Comm_rank(host, &place);
  MPI_Comm_size(host, &beside);
  MPI_Comm_rank(comm, &rank);

  OwnGpu own;
  Uuid uuid{};
  if (const int gpus = gpu_count(); gpus > 0) {
    own.index = place % gpus;
    uuid = uuid_of(own.index);
  } else {
    own.why_not = process_name(comm) + " has no GPU";
  }
  std::vector<Uuid> uuids(static_cast<std::size_t>(beside));
  std::vector<int> ranks(static_cast<std::size_t>(beside));
  MPI_Allgather(uuid.data(), sizeof uuid, MPI_BYTE, uuids.data(), sizeof uuid, MPI_BYTE, host);
  MPI_Allgather(&rank, 1, MPI_INT, ranks.data(), 1, MPI_INT, host);
  MPI_Comm_free(&host);
  const auto same = std::find(uuids.begin(), uuids.begin() + place, uuid) - uuids.begin();
  if (own.index >= 0 && same < place)
    own.why_not = process_name(comm) + " has the same GPU as process " + std::to_string(ranks[same]) +
                  "; start at most one process for each GPU of a node";
  own.why_not = first_reason(comm, own.why_not);
  return own;
}

}  // namespace eigen_g::distributed
