// Threads that solve at once on the CPU. On a GPU: test_threads_gpu.
#include "tests/support/stress.hpp"

namespace stress = support::stress;

TEST_CASE("32 threads solve on the CPU as one does, and leave nothing behind") {
  stress::check(stress::problems(513, eigen_g::DeviceChoice::cpu, false), 32, 50, stress::solve_on_host);
}
