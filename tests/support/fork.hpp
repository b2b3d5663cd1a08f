// Children of fork(), and a solve in them.
#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "solver/api/eigen_g.hpp"
#include "tests/support/catch.hpp"

namespace support {

constexpr int hung = -1;

// The exit code of a child that does this work; `hung` if it has not ended after 20 s.
template <class Work>
int child_of_fork(const Work& work) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) ::_exit(work());
  int status = 0;
  for (int waits = 0; waits < 20000; ++waits) {
    if (::waitpid(child, &status, WNOHANG) == child) return WIFEXITED(status) ? WEXITSTATUS(status) : 100;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, &status, 0);
  return hung;
}

inline eigen_g::Solution<double> solution(std::int64_t n,
                                          eigen_g::DeviceChoice device = eigen_g::DeviceChoice::cpu) {
  std::vector<double> a(static_cast<std::size_t>(n * n));
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i)
      a[static_cast<std::size_t>(i + n * j)] = 1 / static_cast<double>(i + j + 1) + (i == j ? 1.0 : 0.0);
  eigen_g::Devices devices;
  devices.device = device;
  return eigen_g::solve(n, a.data(), n, eigen_g::Options{}, devices);
}

}  // namespace support
