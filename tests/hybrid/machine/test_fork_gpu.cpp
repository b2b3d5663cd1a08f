// A child of a process that has used a GPU: it solves on the CPU, and a GPU is refused with the cause.
#include <cstdlib>
#include <string>

#include "hybrid/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/fork.hpp"
#include "tests/support/skip.hpp"

using eigen_g::DeviceChoice;
using support::solution;

TEST_CASE("a child of a process that has used a GPU gets an error that names fork(), and ends by exit()",
          "[gpu]") {
  NEEDS_GPU();
  REQUIRE(solution(300, DeviceChoice::gpu).values.size() == 300);
  const std::vector<double> on_cpu = solution(300).values;
  CHECK(support::child_of_fork([&] {
          if (solution(300).values != on_cpu) return 1;
          try {
            static_cast<void>(solution(300, DeviceChoice::gpu));
            return 2;
          } catch (const eigen_g::DeviceError& error) {
            if (std::string(error.what()).find("fork()") == std::string::npos) return 3;
          }
          if (solution(300, DeviceChoice::automatic).values.size() != 300) return 4;
          std::exit(0);  // runs the destructors of what the thread keeps
        }) == 0);
  CHECK(solution(300, DeviceChoice::gpu).values.size() == 300);
}
