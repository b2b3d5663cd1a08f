// Tests of the description of the machine in a report.
#include "apps/support/machine.hpp"

#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"

TEST_CASE("the machine in a report") {
  const nlohmann::ordered_json machine = eigen_g::apps::machine_json();
  for (const char* key :
       {"eigen_g", "gpu", "cpu", "driver", "cuda_driver", "cuda_toolkit", "cublas", "openblas"})
    CHECK(machine.contains(key));
  const std::string date = machine["date"];  // 2026-11-21T09:30:00Z
  CHECK(date.size() == 20);
  CHECK(date.back() == 'Z');
  CHECK(machine["cpu"]["cores"] > 0);
}
