// What the stages as calls share: which device they take, their report, and on the CPU a reduction of 2^k A.
#pragma once

#include <chrono>

#include "hybrid/machine/cpu.hpp"
#include "hybrid/machine/device.hpp"
#include "solver/api/types.hpp"
#include "solver/driver/arguments.hpp"
#include "solver/path/host_clock.hpp"
#include "solver/path/steps.hpp"
#include "solver/prepare/check_input.hpp"
#include "solver/prepare/scale.hpp"

namespace eigen_g {

// Whether host pointers go to the GPU. Where the choice is free, the bytes that it would take there, needed(), must be.
template <class Needed>
bool take_gpu(const Devices& devices, std::int64_t n, Needed&& needed) {
  check_devices(devices);
  if (!take_gpu(devices.place, n)) return false;
  return devices.place == Place::gpu || needed().device <= gpu_memory_free(current_gpu());
}

// One stage on one device, timed: work(report), left out where there is nothing to do.
template <class Work>
Report run_stage(bool gpu, int threads, bool nothing, const WorkspaceBytes& bytes, Work&& work) {
  using SteadyClock = std::chrono::steady_clock;
  const auto start = SteadyClock::now();
  const ThreadLimit limit(threads);
  Report report;
  if (gpu) {
    const Device& device = gpu_facts(current_gpu());
    report.devices = {{device.name, device.index, device.cores, 1, 0}};
  } else {
    report.devices = {{cpu_name(), -1, 0, 1, 0}};
  }
  if (!nothing) {
    work(report);
    report.bytes = bytes;
  }
  report.seconds = std::chrono::duration<double>(SteadyClock::now() - start).count();
  return report;
}

// reduce(workspace of so many bytes) on the CPU, of 2^k A in A's place; returns k, by which the results are to be scaled back.
// Throws NonFiniteEntry before A has changed.
template <class T, class Reduce>
int reduce_scaled(Uplo uplo, MatrixView<T> a, std::uint64_t bytes, Stage stage, Report& report,
                  Reduce&& reduce) {
  const auto memory = host_array<std::byte>(static_cast<std::int64_t>(bytes));
  HostClock clock;
  const Progress nobody;
  Steps step(clock, nobody, report.stages);
  const int k = scale_exponent(step(Stage::check, [&] { return check_input<T>(uplo, a); }));
  step(Stage::scale, [&] { scale(uplo, a, k); });
  step(stage, [&] { reduce(Arena(memory.get(), bytes)); });
  step.finish();
  return k;
}

}  // namespace eigen_g
