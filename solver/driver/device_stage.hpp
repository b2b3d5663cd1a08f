// DeviceStage: the DeviceFrame, buffers and StageRunner of a call that runs one stage on a GPU. CUDA builds only.
#pragma once

#include "solver/driver/device_frame.hpp"
#include "solver/driver/stage_frame.hpp"

namespace eigen_g {

template <class Parts, class T = double>
struct DeviceStage : DeviceFrame<T> {
  // Constructs own = Parts(arena, multiprocessors, pointers, arguments...) in a workspace that the destructor frees. The member run_stage
  // adds the stages that it runs to the report. Throws OutOfMemory, DeviceError.
  template <class... Arguments>
  explicit DeviceStage(const StageCall& call, Report& report, const Arguments&... arguments)
      : DeviceFrame<T>(Plan{0, {}, {}, call.pointers}, *resources_of_this_thread()),
        own((this->begin(call.stream),
             this->template take<Parts>(this->queue.multiprocessors(), call.pointers, arguments...))),
        run_stage(this->clock, silent, report.stages) {}
  ~DeviceStage() { this->end(); }

  const Parts own;
  const Progress silent;
  StageRunner run_stage;
};

// Returns the bytes that Parts(arena, multiprocessors, arguments...) takes.
template <class Parts, class... Arguments>
WorkspaceBytes parts_bytes(const Arguments&... arguments) {
  const int multiprocessors = gpu_facts(current_gpu()).multiprocessors;
  return {0, bytes_taken([&](Arena& arena) { Parts(arena, multiprocessors, arguments...); })};
}

}  // namespace eigen_g
