// GpuLanes: lanes of one GPU, which solve independent problems at the same time. Each lane has a host thread, a stream and Resources. CUDA
// builds only.
//
//   division   multiprocessors of a lane                         for
//   parts      an equal part of the GPU, for this lane alone     problems that cannot use the whole GPU
//   streams    all, in turns with the other lanes                problems that leave the GPU idle between their kernels
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "hybrid/machine/partition.hpp"
#include "hybrid/memory/resources.hpp"
#include "hybrid/team/worker.hpp"

namespace eigen_g {

class GpuLanes {
 public:
  enum class Division { parts, streams };

  // Lanes of the current GPU. Throws DeviceError, and InvalidArgument as Partition does.
  GpuLanes(int lanes, Division division);
  GpuLanes(const GpuLanes&) = delete;
  GpuLanes& operator=(const GpuLanes&) = delete;

  // Returns lanes that the calling thread keeps to its end, or until release(). If they are in use, returns new ones.
  static std::shared_ptr<GpuLanes> of_this_thread(int lanes, Division division);
  // Frees the calling thread's lanes that are not in use.
  static void release();

  int size() const { return static_cast<int>(lanes_.size()); }
  Resources& resources(int lane) const { return lanes_[static_cast<std::size_t>(lane)]->resources; }
  // The lane's stream. Work in it runs on the lane's multiprocessors.
  cudaStream_t stream(int lane) const { return lanes_[static_cast<std::size_t>(lane)]->stream; }

  // Runs work(lane, k) for k = 0 ... count - 1, with this GPU current.
  //   lanes   the number of lanes that take part, from 1 to size() and to count
  //   count   the number of problems
  //   after   a stream of the caller: all work begins after the work that is in this stream now
  // Each lane begins with k = lane, and takes the next k when it is free. Lane 0 runs in the calling thread. Returns when all work has
  // returned. After an exception no lane takes another k. Throws the first exception.
  void run(int lanes, std::int64_t count, cudaStream_t after,
           const std::function<void(int lane, std::int64_t k)>& work);

 private:
  struct Lane {
    explicit Lane(std::optional<Partition> on);
    ~Lane();
    Lane(const Lane&) = delete;
    Lane& operator=(const Lane&) = delete;

    Resources resources;
    std::optional<Partition> part;
    cudaStream_t stream;
    Worker worker;  // lane 0 does not use it
  };
  const int gpu_;
  const Division division_;
  std::vector<std::unique_ptr<Lane>> lanes_;
};

}  // namespace eigen_g
