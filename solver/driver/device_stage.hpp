// DeviceStage: the DeviceFrame of a call that runs one stage on a GPU, with its workspace. CUDA builds only.
#pragma once

#include "solver/driver/device_frame.hpp"
#include "solver/driver/stage_frame.hpp"

namespace eigen_g {

template <class Parts>
struct DeviceStage : DeviceFrame<double> {
  // Constructs own = Parts(arena, multiprocessors, pointers, arguments...) in a workspace that the destructor frees. The stages that
  // run_stage() runs are added to the report. Throws OutOfMemory, DeviceError.
  template <class... Arguments>
  explicit DeviceStage(const StageCall& call, Report& report, const Arguments&... arguments)
      : DeviceFrame(Plan{0, {}, {}, call.pointers}, *resources_of_this_thread()),
        own((begin(call.stream), take<Parts>(queue.multiprocessors(), call.pointers, arguments...))),
        run_stage(clock, silent, report.stages) {}
  ~DeviceStage() { end(); }

  const Parts own;
  const Progress silent;
  StageRunner run_stage;
};

template <class Parts, class... Arguments>
WorkspaceBytes parts_bytes(const Arguments&... arguments) {
  const int multiprocessors = gpu_facts(current_gpu()).multiprocessors;
  return {0, bytes_taken([&](Arena& arena) { Parts(arena, multiprocessors, arguments...); })};
}

}  // namespace eigen_g
