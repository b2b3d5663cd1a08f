// Threads that solve at once on the CPU. On a GPU: test_threads_gpu.
#include <chrono>

#include "tests/support/stress.hpp"

namespace stress = support::stress;

TEST_CASE("32 threads solve on the CPU as one does, and leave nothing behind") {
  stress::check(stress::problems(513, eigen_g::Place::cpu, false), 32, 50, stress::solve_on_host);
}

// In sum they are to take no longer than one after the other; the rest is for what else the machine does. Without turns at OpenBLAS
// they took 20 to 200 times as long.
TEST_CASE("8 threads that solve at once take no longer than one after the other", "[alone]") {
  using Clock = std::chrono::steady_clock;
  const auto seconds = [](Clock::time_point since) {
    return std::chrono::duration<double>(Clock::now() - since).count();
  };
  const std::vector<stress::Problem> all = [] {
    std::vector<stress::Problem> list = stress::problems(300, eigen_g::Place::cpu, false);
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
