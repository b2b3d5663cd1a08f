// SolveFrame: one plan with its backend. It runs solves, falls back to a smaller plan if the GPU has too little memory, and completes
// the report. A solve has these parts:
//
//   plan      solver/driver/plan.hpp      the checked arguments, and the choices of device and path, which are made once
//   memory    solver/driver/places.hpp    where each matrix is stored; the bytes of the workspace follow from it
//   stages    solver/driver/backend.hpp   each stage on the CPU or on a GPU
//   recipe    solver/driver/recipes.cpp   the order of the stages
#pragma once

#include <chrono>

#include "hybrid/machine/cpu.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/memory/arena.hpp"
#include "solver/driver/backend.hpp"

namespace eigen_g {

// Runs work() with `threads` CPU threads (0: unchanged) and returns the report of work(). Completes these members of the report:
//   seconds   the seconds of the call
//   devices   the current GPU or the CPU, if the report names no device
//   bytes and flops of the device, if the report has stages and exactly one device
template <class Work>
auto timed(bool on_gpu, int threads, Work&& work) {
  using SteadyClock = std::chrono::steady_clock;
  const auto start = SteadyClock::now();
  const ThreadLimit limit(threads);
  auto report = work();
  if (report.devices.empty() && on_gpu) {
    const Device& gpu = gpu_facts(current_gpu());
    report.devices = {{gpu.name, gpu.index, gpu.multiprocessors, 1, 0}};
  } else if (report.devices.empty()) {
    report.devices = {{cpu_name(), -1, 0, 1, 0}};
  }
  if constexpr (requires { report.stages; }) {
    if (report.devices.size() == 1) {
      DeviceWork& alone = report.devices.front();
      alone.bytes = report.bytes.device;
      alone.flops = 0;
      for (const StageWork& stage : report.stages)
        for (const double flops : stage.flops.values) alone.flops += flops;
    }
  }
  report.seconds = std::chrono::duration<double>(SteadyClock::now() - start).count();
  return report;
}

// Upper bound of the bytes that a solve with this plan allocates with the native engine.
template <class T>
WorkspaceBytes plan_bytes(const Plan& plan, MatrixLayout layout = MatrixLayout::any) {
  if (plan.n == 0) return {};
  return plan.on_gpu ? bytes_on_gpu<T>(plan, layout) : bytes_on_cpu<T>(plan);
}

template <class T>
class SolveFrame {
 public:
  // Calls make_plan(asked), and throws as make_plan() does.
  //   resources   streams, handles and cached memory of a GPU. They must outlive the frame. Null is allowed for a solve on the CPU
  SolveFrame(const Plan& asked, Resources* resources);

  const Plan& plan() const { return plan_; }
  WorkspaceBytes workspace(MatrixLayout layout = MatrixLayout::any) const {
    return plan_bytes<T>(plan_, layout);
  }
  // Sets the workspace of the next solves. If given.device is null, the backend allocates its own workspace. Throws InvalidArgument (workspace), and
  // the exceptions of the backend's constructor.
  void set_workspace(const Workspace& given);
  // Sets the workspace to the first bytes of `memory`. This is for a frame whose solve is a stage of a generalised or mixed solve on a GPU.
  // `memory` is a part of that solve's workspace.
  void take_workspace(Arena memory);
  void set_factor(CholeskyFactor factor);  // for later solves; generalised problems only

  // Checks the problem and solves it. If the GPU has too little memory, this and all later solves use smaller_plan().
  //   wait   false: may return while the last stages are still queued (Backend::end_async()). The seconds of each stage are then 0
  GeneralisedReport solve(const CallerMatrices<T>& problem, bool wait = true);
  GeneralisedReport solve(Pointers pointers, const T* a, std::int64_t lda, T* b, std::int64_t ldb,
                          real_t<T>* w, T* z, std::int64_t ldz, CUstream_st* stream = nullptr,
                          bool wait = true);

 private:
  Backend<T>& backend();
  void begin(const CallerMatrices<T>& problem);
  GeneralisedReport run(bool wait);

  Plan plan_;
  Resources* resources_;
  bool mixed_;  // mixed precision was requested, even if the plan has fallen back to native precision
  std::unique_ptr<Backend<T>> backend_;
};

}  // namespace eigen_g
