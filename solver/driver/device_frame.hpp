// DeviceFrame: queue, products, clock and workspace of the solves of one plan, or of a single stage, on a GPU. CUDA builds only.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "gemm_df/engines/engine_rates.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/machine/partition.hpp"
#include "hybrid/matrix_view.hpp"
#include "hybrid/memory/arena.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/transfer/copy_2d.hpp"
#include "hybrid/transfer/transfer.hpp"
#include "solver/driver/arguments.hpp"
#include "solver/driver/plan.hpp"
#include "solver/path/device_clock.hpp"

namespace eigen_g {

// The workspace of the solves of one plan. It is memory of the caller, or memory that this object allocates and keeps.
class HeldMemory {
 public:
  //   limit   the largest number of bytes (Devices::memory_limit); 0: none
  explicit HeldMemory(std::uint64_t limit = 0) : limit_(limit) {}
  // Sets the caller's memory for all later calls of arena(). If given.device is null, arena() allocates memory and keeps it.
  void set_workspace(const Workspace& given) {
    given_ = given;
    if (given.device) let_go();
  }
  // Returns false if `bytes` are more than the limit, or more than the memory that the caller has given.
  bool may_hold(std::uint64_t bytes) const {
    return (limit_ == 0 || bytes <= limit_) && (!given_.device || given_.device_bytes >= bytes);
  }
  // Returns true if arena(queue, bytes) would free the memory that it keeps, and allocate more.
  bool would_take(std::uint64_t bytes) const { return !given_.device && held_ < bytes; }
  // Returns `bytes` bytes of the workspace. Throws OutOfMemory, InvalidArgument (workspace).
  Arena arena(const Queue& queue, std::uint64_t bytes) {
    if (limit_ > 0 && bytes > limit_)
      throw OutOfMemory(OutOfMemory::Where::device, gpu_facts(current_gpu()).name + " (memory_limit)", bytes,
                        limit_);
    if (given_.device) require_workspace(given_.device_bytes, bytes);
    if (would_take(bytes)) {
      let_go();
      memory_ = WorkMemory(queue, bytes, limit_ > 0 ? limit_ : std::numeric_limits<std::uint64_t>::max());
      held_ = bytes;
    }
    return Arena(given_.device ? given_.device : memory_.data(), bytes);
  }

 private:
  void let_go() {
    memory_ = WorkMemory();
    held_ = 0;
  }
  std::uint64_t limit_;
  Workspace given_;
  WorkMemory memory_;
  std::uint64_t held_ = 0;
};

// The objects that every solve of one plan on the current GPU needs, for any recipe. take() makes the buffers of a solve. The buffers are the
// members of a struct `Parts`, and its constructor takes them from an Arena. take() calls it twice: first to count the bytes, then with memory.
template <class T>
struct DeviceFrame {
  //   on   the partition of the GPU that the frame uses; nullopt: the whole GPU
  DeviceFrame(const Plan& plan, Resources& resources, std::optional<Partition> on = std::nullopt)
      : on_host(plan.on_host_pointers()),
        partition(std::move(on)),
        queue(partition ? Queue(resources, *partition)
              : on_host ? Queue(resources)
                        : Queue(resources, nullptr)),
        products(queue, plan.options.engine,
                 rates_of(plan, [this] { return estimated_engine_rates(queue); })),
        clock(queue, products),
        memory(plan.devices.memory_limit) {}
  DeviceFrame(const DeviceFrame&) = delete;
  DeviceFrame& operator=(const DeviceFrame&) = delete;

  // All work that is queued after this call waits for the work in the caller's stream. Host pointers have no stream.
  void begin(CUstream_st* stream) {
    cudaGetLastError();  // clears the error of an earlier failure
    if (on_host) return;
    if (!partition) return queue.use(stream);
    Event before(queue.resources());
    before.record(Queue(queue.resources(), stream));
    before.hold(queue);
  }
  // Waits for all queued work, because after an exception it may still use the memory.
  void end() noexcept { cudaStreamSynchronize(queue.stream()); }

  // Copies a result to the caller's array, if it is in other memory.
  void store(MatrixView<const T> from_dev, MatrixView<T> to) const {
    if (on_host)
      download<T>(queue, from_dev, to);
    else if (from_dev.data != to.data)
      copy_on_gpu<T>(queue, to, from_dev);
  }

  // Gets a workspace for Parts(arena, arguments...) and returns the Parts in it. Throws as HeldMemory::arena().
  template <class Parts, class... Arguments>
  Parts take(const Arguments&... arguments) {
    used = bytes_taken([&](Arena& arena) { Parts(arena, arguments...); });
    Arena arena = memory.arena(queue, used);
    return Parts(arena, arguments...);
  }

  bool on_host;
  std::optional<Partition> partition;
  Queue queue;
  Products<T> products;
  DeviceClock<T> clock;
  HeldMemory memory;
  std::uint64_t used = 0;  // bytes of the workspace that the last take() made
};

}  // namespace eigen_g
