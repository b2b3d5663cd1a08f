// 'eigen_g bench hybrid' as a process.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/bench/hybrid_measure.hpp"
#include "hybrid/machine/device.hpp"
#include "tests/support/command.hpp"

using namespace support;
using nlohmann::json;

TEST_CASE("bench hybrid sweeps the ratio and repeats bit for bit", "[gpu]") {
  NEEDS_GPU();
  const TemporaryFolder folder;
  const Outcome outcome = eigen_g_command({"bench", "hybrid", "--n", "777,1500", "--rounds", "1",
                                           "--cpu-percents", "0,40,100", "-q", "--json", "-"},
                                          {{"XDG_CACHE_HOME", folder / "cache"}});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const json report = json::parse(outcome.out);
  CHECK(report["format"] == "eigen_g-bench-hybrid");
  CHECK(report["calibration"] == "measured now");
  REQUIRE(report["sizes"].size() == 2);
  for (const json& size : report["sizes"]) {
    REQUIRE(size["stages"].size() == 3);
    for (const json& stage : size["stages"]) {
      CAPTURE(size["n"], stage["name"]);
      const bool planned = stage["name"] != "stages", cut = planned || size["n"] == 1500;
      CHECK(stage["repeats"] == true);
      CHECK(stage["flops"].get<double>() > 1e8);
      CHECK((stage["planned_seconds"].get<double>() > 0) == planned);
      REQUIRE(stage["sweep"].size() == 3);
      for (const json& point : stage["sweep"]) {
        CHECK(point["seconds"].get<double>() > 0);
        CHECK(point["rounds"] == json{point["seconds"]});
        CHECK(point["laps"].size() == (planned ? 0 : 2));
      }
      if (!cut) continue;  // a small back-transformation is one kernel, and few of the merges are large
      const json& middle = stage["sweep"][1];
      REQUIRE(middle["parts"].size() == 2);
      CHECK(middle["parts"][1].get<double>() == Approx(0.4).epsilon(0.01));
      CHECK(middle["device_seconds"][1].get<double>() > 0);
    }
  }
}

TEST_CASE("a quick bench hybrid: the stages alone, around the automatic share", "[gpu]") {
  NEEDS_GPU();
  const TemporaryFolder folder;
  const Outcome outcome = eigen_g_command({"bench", "hybrid", "--n", "1200", "--quick", "-q", "--json", "-"},
                                          {{"XDG_CACHE_HOME", folder / "cache"}});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const json report = json::parse(outcome.out);
  REQUIRE(report["sizes"].size() == 1);
  REQUIRE(report["sizes"][0]["stages"].size() == 1);
  const json& stage = report["sizes"][0]["stages"][0];
  CHECK(stage["name"] == "stages");
  CHECK(stage["sweep"].size() >= 5);
  for (const char* cut : {"first_alone", "automatic"}) {  // the median: of two rounds the shorter
    const json& rounds = stage[cut]["rounds"];
    REQUIRE(rounds.size() == 2);
    CHECK(stage[cut]["seconds"] == std::min(rounds[0].get<double>(), rounds[1].get<double>()));
  }
  CHECK(stage["sweep"][0]["parts"][0] == 1);
}

TEST_CASE("times of cuts are compared within rounds") {
  using eigen_g::apps::bench::HybridCut;
  HybridCut a, b;
  a.rounds = {1, 3, 30};
  b.rounds = {2, 2, 10, 5};  // half, one and a half, three times
  CHECK(ratio(a, b) == 1.5);
  CHECK(ratio(b, a) == 2.0 / 3);
  a.rounds.pop_back();  // of two the mean
  CHECK(ratio(a, b) == 1);
  CHECK(ratio(HybridCut{}, b) == 0);
}

TEST_CASE("what bench hybrid does not take") {
  fail_with(2, {"bench", "hybrid", "--n", "1"});
  fail_with(2, {"bench", "hybrid", "--n", "1000,x"});
  fail_with(2, {"bench", "hybrid", "--gpu-sms", "0"});
  fail_with(2, {"bench", "hybrid", "--cpu-percents", "101"});
  if (eigen_g::gpu_count() == 0) fail_with(6, {"bench", "hybrid"});
}
