// DeviceStage: the DeviceFrame of a call that runs one stage on a GPU, with its workspace. CUDA builds only.
#pragma once

#include <optional>

#include "solver/driver/device_frame.hpp"
#include "solver/driver/stage_frame.hpp"

namespace eigen_g {

template <class Parts>
struct DeviceStage : DeviceFrame<double> {
  // Constructs Parts(arena, multiprocessors, pointers, arguments...) in a workspace that the destructor frees. Throws OutOfMemory,
  // DeviceError.
  template <class... Arguments>
  explicit DeviceStage(const StageCall& call, const Arguments&... arguments)
      : DeviceFrame(Plan{0, {}, {}, call.pointers}, *resources_of_this_thread()) {
    begin(call.stream);
    place(parts, queue.multiprocessors(), call.pointers, arguments...);
  }
  ~DeviceStage() { end(); }

  std::optional<Parts> parts;
  const Progress silent;
};

template <class Parts, class... Arguments>
std::uint64_t parts_bytes(const Arguments&... arguments) {
  const int multiprocessors = gpu_facts(current_gpu()).multiprocessors;
  return bytes_taken([&](Arena& arena) { Parts(arena, multiprocessors, arguments...); });
}

}  // namespace eigen_g
