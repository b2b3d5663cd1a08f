// 'eigen_g bench hybrid' as a process.
#include <nlohmann/json.hpp>

#include "hybrid/device.hpp"
#include "tests/support/command.hpp"

using namespace support;
using nlohmann::json;

TEST_CASE("bench hybrid sweeps the ratio and repeats bit for bit", "[gpu]") {
  NEEDS_GPU();
  const TemporaryFolder folder;
  const Outcome outcome = eigen_g_command(
      {"bench", "hybrid", "--n", "777", "--rounds", "1", "--cpu-percents", "0,40,100", "-q", "--json", "-"},
      {{"XDG_CACHE_HOME", folder / "cache"}});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const json report = json::parse(outcome.out);
  CHECK(report["format"] == "eigen_g-bench-hybrid");
  CHECK(report["calibration"] == "measured now");
  REQUIRE(report["stages"].size() == 2);
  for (const json& stage : report["stages"]) {
    CAPTURE(stage["name"]);
    CHECK(stage["repeats"] == true);
    CHECK(stage["flops"].get<double>() > 1e8);
    CHECK(stage["planned_seconds"].get<double>() > 0);
    REQUIRE(stage["sweep"].size() == 3);
    CHECK(stage["sweep"][1]["parts"][1].get<double>() == Approx(0.4 * 777));
    for (const json& cut : stage["sweep"]) CHECK(cut["seconds"].get<double>() > 0);
    CHECK(stage["sweep"][1]["device_seconds"][1].get<double>() > 0);
  }
}

TEST_CASE("what bench hybrid does not take") {
  fail_with(2, {"bench", "hybrid", "--n", "1"});
  fail_with(2, {"bench", "hybrid", "--gpu-sms", "0"});
  fail_with(2, {"bench", "hybrid", "--cpu-percents", "101"});
  if (eigen_g::gpu_count() == 0) fail_with(6, {"bench", "hybrid"});
}
