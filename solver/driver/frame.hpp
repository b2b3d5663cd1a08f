// SolveFrame: one plan with its backend. It runs solves, makes the plan smaller if the GPU has too little memory, and completes the
// report. Every solve runs in this frame:
//
//   plan      solver/driver/plan.hpp      the checked arguments, with the machine and the path, which are decided once
//   memory    solver/driver/places.hpp    the place of each matrix, and from that the bytes of the workspace
//   steps     solver/driver/backend.hpp   one step on the CPU or on a GPU
//   recipe    solver/driver/recipes.cpp   the order of the steps
#pragma once

#include <chrono>

#include "hybrid/machine/cpu.hpp"
#include "hybrid/machine/device.hpp"
#include "solver/driver/backend.hpp"

namespace eigen_g {

// work() with `threads` CPU threads. Its report gets the seconds, and the device if it has none.
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
  report.seconds = std::chrono::duration<double>(SteadyClock::now() - start).count();
  return report;
}

// Bytes that a solve takes at most.
template <class T>
WorkspaceBytes plan_bytes(const Plan& plan, MatrixLayout layout = MatrixLayout::any) {
  if (plan.n == 0) return {};
  return plan.on_gpu ? bytes_on_gpu<T>(plan, layout) : bytes_on_cpu<T>(plan);
}

template <class T>
class SolveFrame {
 public:
  // Throws as make_plan().
  //   resources   the GPU's, which outlive the frame; null in a build without CUDA
  SolveFrame(const Plan& asked, Resources* resources);

  const Plan& plan() const { return plan_; }
  WorkspaceBytes workspace(MatrixLayout layout = MatrixLayout::any) const {
    return plan_bytes<T>(plan_, layout);
  }
  // The caller's memory for the next solves; empty: the frame's own. Throws InvalidArgument (workspace) if it is too small, and what
  // the backend throws that is made here.
  void set_workspace(const Workspace& given);
  void set_factor(CholeskyFactor factor);

  // Checks the problem and solves it. If the GPU has too little memory, the plan becomes a smaller one, now and for later solves.
  //   wait   false: the last work may still be queued (Backend::end_async()), and the stages have no seconds
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
  bool mixed_;  // mixed precision is asked for
  std::unique_ptr<Backend<T>> backend_;
};

}  // namespace eigen_g
