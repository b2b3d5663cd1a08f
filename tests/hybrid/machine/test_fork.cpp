// Tests of children of fork(): each must end, also while threads of its parent solve.
#include "hybrid/machine/fork.hpp"

#include <cblas.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <thread>
#include <vector>

#include "hybrid/machine/blas_turn.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/team/loops.hpp"
#include "hybrid/team/worker.hpp"
#include "solver/api/eigen_g.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/fork.hpp"

using namespace eigen_g;
using support::child_of_fork;
using support::solution;

namespace {

// Threads that solve until the object is destroyed.
class Solving {
 public:
  Solving() {
    for (const std::int64_t n : {40, 320, 600})
      threads_.emplace_back([this, n] {
        while (!ending_) static_cast<void>(solution(n));
      });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  ~Solving() {
    ending_ = true;
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  std::atomic<bool> ending_{false};
  std::vector<std::thread> threads_;
};

int loop_is_right() {
  std::vector<double> values(5000);
  for_each(5000, 4, [&](std::int64_t i) { values[static_cast<std::size_t>(i)] = std::sqrt(i); });
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] != std::sqrt(i)) return 1;
  return 0;
}

}  // namespace

TEST_CASE("a child solves while other threads of its parent solve, and its child too") {
  const int threads = openblas_get_num_threads();
  const std::vector<double> small = solution(3).values, large = solution(310).values;
  const auto solves = [&] {
    return openblas_get_num_threads() == threads && solution(3).values == small &&
                   solution(310).values == large && loop_is_right() == 0
               ? 0
               : 1;
  };
  const Solving busy;
  for (int k = 0; k < 100; ++k) {
    std::this_thread::sleep_for(std::chrono::milliseconds(k % 7));
    REQUIRE(child_of_fork([&] {
              const int own = solves();
              return own != 0 || k % 4 != 0 ? own : child_of_fork(solves);
            }) == 0);
  }
}

TEST_CASE("a child of a child, ten deep") {
  const Solving busy;
  int deep = 0;
  const auto descend = [&](const auto& self) -> int {
    if (solution(5).values.size() != 5) return 1;
    return ++deep == 10 ? 0 : child_of_fork([&] { return self(self); });
  };
  CHECK(child_of_fork([&] { return descend(descend); }) == 0);
}

TEST_CASE("a child of a process that has shared loops shares loops, and ends by exit()") {
  REQUIRE(loop_is_right() == 0);
  CHECK(child_of_fork([] {
          if (loop_is_right() != 0) return 1;
          std::exit(0);  // runs the destructors
        }) == 0);
}

TEST_CASE("a child does not wait for a value that another thread was making") {
  static constinit MadeOnce<const int> value;
  const auto make = [] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return 7;
  };
  std::thread maker([&] { value.get(make); });
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK(child_of_fork([&] { return value.get(make); }) == 7);
  maker.join();
}

TEST_CASE("a child does not wait for the dynamic loader that another thread was calling") {
  const double here = 0;
  std::atomic<bool> ending{false};
  std::thread asking([&] {
    while (!ending) static_cast<void>(is_gpu_memory(&here));
  });
  int first_bad = 0;
  for (int k = 0; k < 200 && first_bad == 0; ++k)
    first_bad = child_of_fork([&] { return is_gpu_memory(&here) ? 1 : 0; });
  ending = true;
  asking.join();
  CHECK(first_bad == 0);
}

TEST_CASE("a worker of the parent is left alone in a child") {
  CHECK(forks() == 0);
  auto worker = std::make_unique<Worker>();
  worker->start([] {});
  worker->wait();
  CHECK(child_of_fork([&] {
          worker.reset();
          return forks();
        }) == 1);
  CHECK(no_cuda_after_fork().empty());
  CHECK(child_of_fork([] { return no_cuda_after_fork().empty() ? 1 : 0; }) == 0);
}
