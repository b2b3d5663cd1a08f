// The entry of a GPU's compute capability; whose memory an address is. No GPU is needed.
#include "hybrid/machine/tuning.hpp"

#include <array>
#include <chrono>

#include "gemm_df/tuning.hpp"
#include "hybrid/machine/device.hpp"
#include "solver/devices/tuning.hpp"
#include "tests/support/catch.hpp"

using namespace eigen_g;

TEST_CASE("memory of the host is told at once, whether a driver is loaded or not") {
  const double x = 0;
  REQUIRE_FALSE(is_gpu_memory(&x));
  const auto start = std::chrono::steady_clock::now();
  int of_a_gpu = 0;
  for (int k = 0; k < 20000; ++k) of_a_gpu += is_gpu_memory(&x);
  CHECK(of_a_gpu == 0);
  // 5 ms; 1 s where each question searched the disk for a driver.
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::milliseconds(400));
}

TEST_CASE("the entry of the compute capability, else the first") {
  constexpr std::array<TunedFor<int>, 3> entries{{{90, 1}, {80, 2}, {120, 3}}};
  CHECK(tuning_for(90, entries) == 1);
  CHECK(tuning_for(80, entries) == 2);
  CHECK(tuning_for(120, entries) == 3);
  for (const int unknown : {0, 75, 86, 100}) CHECK(tuning_for(unknown, entries) == 1);
}

TEST_CASE("the current GPU's entries; without a GPU the first") {
  if (gpu_count() == 0) {
    CHECK(current_capability() == 0);
  } else {
    const Device& gpu = gpu_facts(current_gpu());
    CHECK(current_capability() == 10 * gpu.compute_major + gpu.compute_minor);
  }
  CHECK(&product_tuning() == &product_tuning(current_capability()));
  CHECK(&solver_tuning() == &solver_tuning(current_capability()));
  if (current_capability() == 0) CHECK(&solver_tuning() == &solver_tuning(90));
}
