// Tests of the prediction of the stages of a solve, and of the options that it follows.
#include "apps/cli/solve_prediction.hpp"

#include <nlohmann/json.hpp>

#include "hybrid/machine/device.hpp"
#include "solver/calibrate/calibrate.hpp"
#include "solver/path/team_model.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"

using namespace eigen_g;
using namespace support;
using nlohmann::json;

namespace {

apps::SolvePrediction sample() {
  apps::SolvePrediction plan{8000,   8000, "rates.json", {"a GPU (8 of 132 multiprocessors)", "a CPU"},
                             "auto", {}};
  plan.prediction.engine = Engine::native;
  plan.prediction.times = {
      {"tridiagonalize", 1.5, {}}, {"divide and conquer", 0.25, {6000, 2000}}, {"back-transform", 0.5, {}}};
  plan.prediction.seconds = 2.25;
  plan.other = Prediction{Path::two_stage, Engine::native, {}, 1.125};
  return plan;
}

}  // namespace

TEST_CASE("a plan as people read it") {
  const std::string text = to_table(sample());
  for (const char* part :
       {"n = 8000, 8000 vectors, products native, one-stage path, ratio auto", "rates.json", "8 of 132",
        "a CPU", "1.5000", "75:25", "first GPU", "2.2500", "by the two-stage path"})
    CHECK_THAT(text, ContainsSubstring(part));
  CHECK(sample().seconds_of(Stage::divide_and_conquer) == 0.25);
  CHECK(sample().seconds_of(Stage::load) == 0);
}

TEST_CASE("a plan says where the matrices are") {
  apps::SolvePrediction plan = sample();
  CHECK_THAT(to_table(plan), !ContainsSubstring("memory"));
  plan.mode = MemoryMode::slabs;
  plan.bytes = {3000000000, 5000000000};
  CHECK_THAT(to_table(plan),
             ContainsSubstring("slabs, 5.0 GB on the GPU, 3.0 GB on the host; the times are for in_core"));
  plan.mode = MemoryMode::in_core;
  CHECK_THAT(to_table(plan), !ContainsSubstring("the times are for"));
}

TEST_CASE("a plan of several GPUs that divide all stages") {
  apps::SolvePrediction plan = sample();
  plan.prediction = predict_team(measured_machine("nvidia_h200"), {20000, 20000, 2});
  plan.bytes_of_gpus = {11000000000, 9000000000};
  const std::string text = to_table(plan);
  for (const char* part : {"11.0 GB on GPU 1 of 2", "9.0 GB on GPU 2 of 2", "two-stage path",
                           "band to tridiagonal", "first GPU", "divided", "store"})
    CHECK_THAT(text, ContainsSubstring(part));
  CHECK(plan.seconds_of(Stage::chase) == plan.prediction.times[2].seconds);
  CHECK(plan.seconds_of(Stage::store) == plan.prediction.times[6].seconds);
}

TEST_CASE("without a calibration nothing is planned") {
  CHECK_FALSE(apps::predict_solve(Options{}, Devices{}, 100, "").has_value());
}

TEST_CASE("solve reports a wrong ratio, number of GPUs or calibration, and the devices without a GPU") {
  const TemporaryFolder folder;
  const std::string path = folder / "m.npy";
  succeed({"generate", "minij", "30", "-o", path});
  CHECK_THAT(fail_with(2, {"solve", path, "--ratio", "27:x"}).err, ContainsSubstring("is not a ratio"));
  CHECK_THAT(fail_with(2, {"solve", path, "--ratio", "1:1:1"}).err, ContainsSubstring("there are 2 devices"));
  CHECK_THAT(fail_with(2, {"solve", path, "--ratio", "1:1", "--device", "cpu"}).err,
             ContainsSubstring("the device is the CPU"));
  fail_with(2, {"solve", path, "--gpus", "-1"});
  CHECK_THAT(fail_with(2, {"solve", path, "--gpus", "0", "--ratio", "1:1"}).err,
             ContainsSubstring("because gpus is 0"));
  CHECK_THAT(succeed({"solve", path, "--gpus", "0"}).out, ContainsSubstring("eigenvalues"));
  fail_with(2, {"solve", path, "--multiprocessors", "0"});
  const ProcessResult explained = succeed({"solve", path, "--predict", "--device", "cpu", "-q"});
  CHECK_THAT(explained.out, ContainsSubstring("the CPU alone"));
  CHECK(explained.out.find("plan") < explained.out.find("eigenvalues"));
  const json d = json::parse(succeed({"solve", path, "-q", "--json", "-"}).out);
  CHECK(d["seconds"]["predicted"].is_null());
  REQUIRE(d["devices"].size() == 1);
  CHECK(d["devices"][0]["share"] == 1);
}

TEST_CASE("solve by a ratio and with the cached rates: plan, work, predicted next to measured", "[gpu]") {
  NEEDS_GPU();
  const TemporaryFolder folder;
  const std::string path = folder / "m.npy";
  const Environment environment{{"XDG_CACHE_HOME", folder / "cache"}};
  succeed({"generate", "random", "1300", "-o", path});
  const auto solve = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments{"solve", path, "--device", "gpu", "--verify", "-q", "--json", "-"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProcessResult outcome = eigen_g_command(arguments, environment);
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    return json::parse(outcome.out);
  };
  json d = solve({"--ratio", "3:1", "--multiprocessors", "8"});
  CHECK(d["ratio"] == "3:1");
  REQUIRE(d["devices"].size() == 2);
  CHECK(d["devices"][1]["share"].get<double>() == Approx(0.25));
  CHECK(d["seconds"]["predicted"].is_null());

  REQUIRE(eigen_g_command({"calibrate", "--quick", "-q"}, environment).code == 0);
  d = solve({});
  for (const char* stage : {"tridiagonalize", "divide_and_conquer", "back_transform"})
    CHECK(d["seconds"]["predicted"][stage].get<double>() > 0);
  CHECK_THAT(d["seconds"]["predicted"]["calibration"].get<std::string>(),
             ContainsSubstring("calibration.json"));
  const ProcessResult explained =
      eigen_g_command({"solve", path, "--device", "gpu", "--predict", "--ratio", "1:1", "-q"}, environment);
  CHECK(explained.code == 0);
  CHECK_THAT(explained.out, ContainsSubstring("50:50") && ContainsSubstring("predicted"));

  std::ofstream(folder / "cache/eigen_g/calibration.json") << "{";
  const ProcessResult damaged = eigen_g_command({"solve", path, "--device", "gpu"}, environment);
  CHECK(damaged.code == 0);
  CHECK_THAT(damaged.err, ContainsSubstring("is damaged") && ContainsSubstring("it is ignored"));
  CHECK(eigen_g_command(
            {"solve", path, "--device", "gpu", "--calibration", folder / "cache/eigen_g/calibration.json"},
            environment)
            .code == 3);
}
