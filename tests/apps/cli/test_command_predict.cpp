// Tests of 'eigen_g predict' and 'eigen_g calibrate' as processes.
#include <nlohmann/json.hpp>
#include <string_view>

#include "solver/devices/calibration.hpp"
#include "tests/support/command.hpp"

using namespace support;
using nlohmann::json;

namespace {

const std::vector<std::string> gtx1080{"predict", "--fp64", "280", "--fp32", "7700", "--bandwidth", "250"};

std::vector<std::string> with(std::vector<std::string> line, const std::vector<std::string>& more) {
  line.insert(line.end(), more.begin(), more.end());
  return line;
}

const json& prediction(const json& report, std::string_view path, std::string_view engine) {
  for (const json& p : report["predictions"])
    if (p["path"] == path && p["engine"] == engine) return p;
  throw std::out_of_range(std::string(engine));
}

}  // namespace

TEST_CASE("model of a GPU by its figures") {
  const json alone = json::parse(succeed(with(gtx1080, {"-q", "--json", "-"})).out);
  CHECK(alone["format"] == "eigen_g-predict");
  CHECK(alone["source"] == "figures");
  CHECK(alone["n"] == 10000);
  CHECK(alone["vectors"] == 10000);
  CHECK(alone["rates"]["products"]["df"].get<double>() == Approx(510.8e9));
  CHECK(alone["predictions"].size() == 4);
  CHECK(alone["predictions"][alone["choice"].get<std::size_t>()]["engine"] == "df");
  CHECK(prediction(alone, "one_stage", "native")["times"][2]["shares"].is_null());
  REQUIRE(alone["mixed"].size() == 2);
  CHECK(alone["mixed"][1]["engine"] == "df");
  CHECK(alone["mixed"][1]["seconds"].get<double>() ==
        Approx(alone["mixed"][1]["float_seconds"].get<double>() +
               alone["mixed"][1]["refinement_seconds"].get<double>()));

  const json helped = json::parse(succeed(with(gtx1080, {"--cpu", "145.2", "-q", "--json", "-"})).out);
  const json& shares = prediction(helped, "one_stage", "native")["times"][2]["shares"];
  CHECK(shares[0].get<double>() / shares[1].get<double>() == Approx(27.0 / 14).epsilon(1e-3));
  CHECK(prediction(helped, "one_stage", "native")["seconds"].get<double>() <
        prediction(alone, "one_stage", "native")["seconds"].get<double>());

  const ProcessResult table = succeed(with(gtx1080, {"--cpu", "145", "--n", "20000", "--emulated", "600"}));
  CHECK_THAT(table.out, ContainsSubstring("seconds at n = 20000") &&
                            ContainsSubstring("emulated: back-transform") &&
                            ContainsSubstring("choice: two-stage path, emulated"));
  CHECK_THAT(succeed(with(gtx1080, {"--n", "20000", "--ozaki", "6000"})).out,
             ContainsSubstring("path, ozaki"));
  CHECK_THAT(succeed(with(gtx1080, {"--n", "20000", "--ozaki-fp8", "6000"})).out,
             ContainsSubstring("path, ozaki-fp8"));
  const json values = json::parse(succeed(with(gtx1080, {"--vectors", "0", "-q", "--json", "-"})).out);
  CHECK(prediction(values, "one_stage", "native")["times"][2]["seconds"] == 0);
  CHECK(values["mixed"].empty());
}

TEST_CASE("model of a machine that was measured gives back its solve") {
  const json report = json::parse(succeed({"predict", "--machine", "nvidia_h200", "-q", "--json", "-"}).out);
  CHECK(report["source"] == "nvidia_h200");
  CHECK(report["rates"]["products"].size() == 5);
  CHECK(report["rates"]["helpers"][0]["name"] == "CPU");
  const json& times = prediction(report, "one_stage", "native")["times"];
  CHECK(times[0]["seconds"].get<double>() == Approx(0.459557801));
  CHECK(times[1]["seconds"].get<double>() == Approx(0.035287619));
  CHECK(times[2]["seconds"].get<double>() == Approx(0.065755282));
  // Efficiencies of a machine by its name, by its short name, and by default.
  const json by_default = json::parse(succeed(with(gtx1080, {"-q", "--json", "-"})).out);
  for (const char* name : {"h200", "nvidia_h200"})
    CHECK(json::parse(succeed(with(gtx1080, {"--efficiencies", name, "-q", "--json", "-"})).out) ==
          by_default);
}

TEST_CASE("model of GPUs by their published peak rates, with the share of each stage") {
  const json report =
      json::parse(succeed({"predict", "--machine", "b300", "--n", "20000", "-q", "--json", "-"}).out);
  CHECK(report["source"] == "nvidia_b300");
  CHECK(report["rates"]["products"]["native"].get<double>() < 1.3e12);
  CHECK(report["rates"]["products"]["ozaki"].get<double>() >
        report["rates"]["products"]["native"].get<double>());
  // Its integer products are slow, but its double is slower.
  CHECK(prediction(report, "two_stage", "ozaki")["seconds"].get<double>() <
        prediction(report, "two_stage", "native")["seconds"].get<double>());
  CHECK(prediction(report, "two_stage", "ozaki-fp8")["seconds"].get<double>() <
        prediction(report, "two_stage", "ozaki")["seconds"].get<double>());
  for (const char* name :
       {"nvidia_b200", "nvidia_b300", "nvidia_l40s", "nvidia_rtx_4090", "nvidia_rtx_5090", "nvidia_rubin"}) {
    const ProcessResult table = succeed({"predict", "--machine", name, "--n", "20000"});
    CHECK_THAT(table.out, ContainsSubstring("by its published peak rates of 20") && ContainsSubstring("%") &&
                              ContainsSubstring("choice: "));
  }
  fail_with(2, {"predict", "--machine", "b300", "--efficiencies", "b300"});
}

TEST_CASE("model of several GPUs that divide all stages") {
  const json report = json::parse(
      succeed({"predict", "--machine", "h200", "--n", "32768", "--gpus", "1,2,8", "-q", "--json", "-"}).out);
  const json& teams = report["teams"];
  REQUIRE(teams.size() == 3);
  CHECK(teams[0]["bytes"].is_null());
  double before = 1e9;
  for (const json& team : teams) {
    double sum = 0;
    for (const json& stage : team["times"]) sum += stage["seconds"].get<double>();
    CHECK(team["seconds"].get<double>() == Approx(sum));
    CHECK(sum < before);
    before = sum;
    if (team["gpus"] == 1) continue;
    CHECK(team["bytes"].size() == team["gpus"]);
    CHECK(team["bytes"][0].get<double>() > team["bytes"][1].get<double>());
  }
  CHECK_THAT(succeed({"predict", "--machine", "b300", "--n", "20000", "--gpus", "4"}).out,
             ContainsSubstring("GPUs at n = 20000") && ContainsSubstring("band to dense"));
  CHECK(json::parse(succeed({"predict", "--machine", "h200", "-q", "--json", "-"}).out)["teams"].empty());
  fail_with(2, {"predict", "--machine", "h200", "--gpus", "9"});
  fail_with(2, {"predict", "--machine", "h200", "--gpus", "0"});
  fail_with(2, {"predict", "--nodes", "4", "--gpus", "2"});
}

TEST_CASE("model of clusters by their published runs") {
  const json report = json::parse(succeed({"predict", "--nodes", "267", "-q", "--json", "-"}).out);
  CHECK(report["format"] == "eigen_g-predict-nodes");
  CHECK(report["predictions"].size() == 2 * report["clusters"].size());
  for (const json& cluster : report["clusters"]) CHECK(!cluster["source"].empty());
  const ProcessResult table =
      succeed({"predict", "--nodes", "266", "--cluster", "issp_kugui_elpa", "--n", "1000000"});
  CHECK_THAT(table.out, ContainsSubstring("does not fit: 267 nodes would do") &&
                            ContainsSubstring("elpa_gpu_check.md") && !ContainsSubstring("a100"));
  const json one = json::parse(succeed({"predict", "--nodes", "4", "--cluster", "issp_kugui_elpa", "--n",
                                        "63504", "-q", "--json", "-"})
                                   .out);
  CHECK(one["predictions"][0]["processes"] == 128);
  CHECK(one["predictions"][0]["seconds"].get<double>() == Approx(1375.9));  // the published run itself
  fail_with(2, {"predict", "--nodes", "0"});
  fail_with(2, {"predict", "--nodes", "4", "--cluster", "unknown"});
  fail_with(2, {"predict", "--cluster", "issp_kugui_elpa"});
  fail_with(2, with(gtx1080, {"--nodes", "4"}));
}

TEST_CASE("arguments that model refuses") {
  fail_with(2, {"predict", "--machine", "unknown"});
  fail_with(2, with(gtx1080, {"--machine", "nvidia_h200"}));
  fail_with(2, {"predict", "--fp64", "280"});
  fail_with(2, {"predict", "--bandwidth", "280"});
  fail_with(2, {"predict", "--fp64", "-1", "--bandwidth", "250"});
  fail_with(2, {"predict", "--fp64", "abc", "--bandwidth", "250"});
  fail_with(2, with(gtx1080, {"--n", "0"}));
  fail_with(2, with(gtx1080, {"--n", "100", "--vectors", "101"}));
  fail_with(2, with(gtx1080, {"--efficiencies", "best"}));
  fail_with(2, with(gtx1080, {"--calibration", "c.json"}));
  fail_with(3, {"predict", "--calibration", "/nonexistent/c.json"});
  fail_with(2, {"predict", "--machine", "nvidia_h200", "--calibration", ""});
}

TEST_CASE("calibrate writes a valid calibration, and a damaged one in its place is reported and ignored") {
  const TemporaryFolder folder;
  const Environment cache{{"XDG_CACHE_HOME", folder / "cache"}};
  const ProcessResult tuned = eigen_g_command({"calibrate", "--quick", "--threads", "1"}, cache);
  INFO(tuned.err);
  REQUIRE(tuned.code == 0);
  const std::string file = folder / "cache/eigen_g/calibration.json";
  CHECK_THAT(tuned.err, ContainsSubstring("written: " + file));
  CHECK_THAT(tuned.out, ContainsSubstring("GFLOP/s") && ContainsSubstring("symv GB/s"));
  const eigen_g::Calibration here = eigen_g::uncalibrated_machine();
  const eigen_g::Calibration written = eigen_g::read_calibration(file, here);
  CHECK_FALSE(written.full);
  CHECK(written.date.size() == 10);

  const bool gpu = here.devices.size() > 1;
  const ProcessResult modelled = eigen_g_command({"predict"}, cache);
  CHECK(modelled.code == (gpu ? 0 : 2));  // without a GPU: no rates
  if (gpu) CHECK_THAT(modelled.out, ContainsSubstring(file));

  json damaged = json::parse(text_of_file(file));
  damaged["devices"][0]["cores"] = 100000;
  write_file(file, damaged.dump());
  const ProcessResult refused = eigen_g_command({"predict"}, cache);
  CHECK_THAT(refused.err,
             ContainsSubstring(file + ": is for another device") && ContainsSubstring("; it is ignored"));
  CHECK(refused.code == (gpu ? 0 : 2));
  fail_with(3, {"predict", "--calibration", file});

  const ProcessResult again =
      eigen_g_command({"calibrate", "--quick", "-q", "-o", folder / "own.json"}, cache);
  CHECK(again.code == 0);
  CHECK(again.err.empty());
  CHECK(eigen_g::read_calibration(folder / "own.json", here).devices.size() == here.devices.size());
  fail_with(3, {"calibrate", "--quick", "-q", "-o", "/nonexistent/c.json"});
}
