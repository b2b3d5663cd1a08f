// The settings in the environment, and the report at the end of the process.
#pragma once

#include <cstdint>

#include "solver/lapack_names/routine.hpp"

namespace eigen_g::lapack_names {

enum class DeviceWish { automatic, cpu, gpu };

// EIGEN_G_MIN_N   the smallest order that is taken
// EIGEN_G_DEVICE  auto: a GPU if there is one, and else the library's CPU path; gpu: never the library's CPU path; cpu: the library's CPU path
// EIGEN_G_GPUS    the number of GPUs that may solve a problem together
// EIGEN_G_LOG     the file to which each process appends its report; -: standard error
struct Settings {
  std::int64_t min_n = 0;  // 0: the smallest order at which the library is faster
  DeviceWish device = DeviceWish::automatic;
  int gpus = 1;
  const char* log = nullptr;
};
const Settings& settings();

// Counts a call in the report.
void count_call(Routine& routine, Reason reason);
void count_solve(Routine& routine, std::int64_t n, double seconds, bool on_gpu);

// Prints one line on standard error: "eigen_g: ...".
void warn(const char* text, const char* name);

}  // namespace eigen_g::lapack_names
