// Tests of threads that solve at the same time on the CPU. test_threads_gpu tests a GPU.
#include <chrono>

#include "tests/support/stress.hpp"

namespace stress = support::stress;

TEST_CASE("32 threads solve on the CPU as one does, without leaks") {
  stress::check(stress::problems(513, eigen_g::DeviceChoice::cpu, false), 32, 50, stress::solve_on_host);
}

// Together the threads must not take longer than one after the other; the margin is for other work of the machine. Without turns
// at OpenBLAS they took 20 to 200 times as long.
TEST_CASE("8 threads that solve at the same time take no longer than one after the other", "[alone]") {
  using Clock = std::chrono::steady_clock;
  const auto seconds = [](Clock::time_point since) {
    return std::chrono::duration<double>(Clock::now() - since).count();
  };
  const std::vector<stress::Problem> all = [] {
    std::vector<stress::Problem> list = stress::problems(300, eigen_g::DeviceChoice::cpu, false);
    for (stress::Problem& p : list) p.options.threads = 0;
    return list;
  }();
  const auto solve_share = [&](std::size_t first, std::size_t step) {
    for (std::size_t k = first; k < all.size(); k += step) static_cast<void>(stress::solve_on_host(all[k]));
  };
  solve_share(0, 1);
  double least = std::numeric_limits<double>::infinity();
  for (int attempt = 0; attempt < 5 && least > 1.5; ++attempt) {
    const auto start = Clock::now();
    solve_share(0, 1);
    const double in_turn = seconds(start);
    const auto again = Clock::now();
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < 8; ++t) threads.emplace_back(solve_share, t, 8);
    for (std::thread& thread : threads) thread.join();
    least = std::min(least, seconds(again) / in_turn);
  }
  CHECK(least <= 1.5);
}
