// Tests of eigen_g bench and eigen_g tune as processes.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/support/command.hpp"

using support::fail_with;
using support::succeed;

TEST_CASE("bench names its benchmarks") {
  const auto outcome = succeed({"bench", "--list"});
  for (const char* name : {"symv", "gemm", "gemm-accuracy", "tridiagonalize", "solve", "devices", "spmv",
                           "himeno", "generalised", "batched"})
    CHECK_THAT(outcome.out, ContainsSubstring(name));
  CHECK(outcome.err.empty());
}

TEST_CASE("wrong usage of bench and tune") {
  fail_with(2, {"bench"});
  fail_with(2, {"bench", "nonsense"});
  for (const char* command : {"bench", "tune"}) {
    fail_with(2, {command, "symv", "--types", "dx"});
    fail_with(2, {command, "symv", "--uplo", "X"});
  }
  fail_with(2, {"bench", "symv", "--sizes", "10,0"});
  fail_with(2, {"bench", "symv", "--rounds", "1"});
  for (const char* benchmark : {"gemm", "tridiagonalize", "solve", "generalised", "batched"}) {
    fail_with(2, {"bench", benchmark, "--sizes", "0"});
    fail_with(2, {"bench", benchmark, "--rounds", "0"});
    fail_with(2, {"bench", benchmark, "nonsense"});
  }
  fail_with(2, {"bench", "solve", "--gpus", "0"});
  fail_with(2, {"bench", "solve", "--gpus", "1,x"});
  fail_with(2, {"bench", "solve", "--device", "cpu", "--gpus", "2"});
  fail_with(2, {"bench", "gemm-accuracy", "--n", "0"});
  fail_with(2, {"bench", "devices", "--n", "1"});
  fail_with(2, {"bench", "devices", "--n", "1000,x"});
  fail_with(2, {"bench", "devices", "--multiprocessors", "0"});
  fail_with(2, {"bench", "devices", "--cpu-shares", "101"});
  fail_with(2, {"bench", "spmv", "--block", "3"});
  fail_with(2, {"bench", "himeno", "--size", "XXL"});
  fail_with(2, {"bench", "himeno", "--device", "tpu"});
  fail_with(2, {"bench", "batched", "--set", "nonsense"});
  fail_with(2, {"bench", "batched", "--device", "cpu", "--set", "optimiser"});
  fail_with(2, {"bench", "batched", "--batch", "0"});
  fail_with(2, {"tune", "symv", "--budget", "0"});
  fail_with(2, {"tune", "symv", "--max-n", "10"});
}

TEST_CASE("without a GPU bench and tune say so and write nothing") {
  if (support::have_gpu()) SKIP_TEST("there is a GPU");
  const support::TemporaryFolder folder;
  for (const char* benchmark : {"symv", "gemm", "gemm-accuracy", "tridiagonalize", "devices", "spmv",
                                "himeno", "generalised", "batched"})
    fail_with(6, {"bench", benchmark, "--json", folder / "b.json"});
  fail_with(6, {"bench", "solve", "--device", "gpu", "--json", folder / "b.json"});
  fail_with(6, {"tune", "symv", "-o", folder / "t.txt"});
  CHECK(folder.names().empty());
}

TEST_CASE("bench spmv runs on the CPU, every format right and the same again") {
  const support::TemporaryFolder folder;
  const std::string json = folder / "spmv.json",
                    file = std::string(EIGEN_G_DATA_DIR) + "/valid/rosser_coo.npz";
  const auto outcome =
      succeed({"bench", "spmv", file, "--device", "cpu", "--rounds", "3", "--json", json, "-q"});
  CHECK_THAT(outcome.out, ContainsSubstring("one thread of the CPU"));
  const auto report = nlohmann::json::parse(support::text_of_file(json));
  const auto& result = report["cases"][0];
  CHECK(result["bit_for_bit"] == true);
  CHECK(result["worst_error"] < report["error_limit"]);
  for (const char* format : {"crs", "ccs", "jds"}) CHECK(result[format] > 0.0);
  fail_with(2, {"bench", "spmv", file, "--device", "cpu", "--solve"});
}

TEST_CASE("bench batched runs on the CPU in every type, beside a loop of LAPACKE, and checks every result") {
  const support::TemporaryFolder folder;
  const std::string json = folder / "batched.json";
  const auto outcome = succeed({"bench", "batched", "--device", "cpu", "--types", "sdcz", "--sizes", "1,3,40",
                                "--batch", "1,7", "--rounds", "2", "--json", json, "-q"});
  CHECK_THAT(outcome.out, ContainsSubstring("LAPACKE") && ContainsSubstring("residual"));
  const auto report = nlohmann::json::parse(support::text_of_file(json));
  CHECK(report["cases"].size() == 4 * 3 * 2);
  for (const auto& c : report["cases"]) {
    REQUIRE(c["calls"].size() == 4);
    for (const auto& call : c["calls"]) {
      CHECK(call["seconds"].get<double>() > 0);
      CHECK(call["us_per_matrix"].get<double>() ==
            call["seconds"].get<double>() * 1e6 / c["batch"].get<double>());
      CHECK(call["values"].get<double>() <= 3);
      if (call.contains("residual")) CHECK(call["wrong"] == 0);
    }
    CHECK(c["ratios"]["vectors"].get<double>() > 0);
  }
}

TEST_CASE("bench solve runs on the CPU in every type, beside LAPACK, and checks every result") {
  const support::TemporaryFolder folder;
  const std::string json = folder / "solve.json";
  const auto outcome = succeed({"bench", "solve", "--device", "cpu", "--types", "sdcz", "--sizes", "1,60,100",
                                "--rounds", "2", "--threads", "1", "--json", json, "-q"});
  CHECK_THAT(outcome.out, ContainsSubstring("LAPACK") && ContainsSubstring("divide and conquer"));
  const auto report = nlohmann::json::parse(support::text_of_file(json));
  CHECK(report["cases"].size() == 4 * 3);
  for (const auto& c : report["cases"]) {
    REQUIRE(c["calls"].size() == 4);
    for (const auto& call : c["calls"]) {
      CHECK(call["seconds"].get<double>() > 0);
      CHECK(call["values"].get<double>() <= 3);
      if (call.contains("passed")) CHECK(call["passed"] == true);
    }
    CHECK(c["bit_for_bit"] == true);
    CHECK(c["ratios"]["vectors"].get<double>() > 0);
    CHECK(c["calls"][0]["stages"].contains("tridiagonalize"));
  }
  fail_with(2, {"bench", "solve", "--device", "cpu", "--path", "two"});
  fail_with(2, {"bench", "solve", "--device", "cpu", "--energy"});
}

TEST_CASE("bench himeno runs on the CPU, with the digits of gosa") {
  const support::TemporaryFolder folder;
  const std::string json = folder / "h.json";
  const auto outcome =
      succeed({"bench", "himeno", "--size", "S", "--device", "cpu", "--rounds", "1", "--json", json});
  CHECK_THAT(outcome.out, ContainsSubstring("GFLOP/s"));
  const auto report = nlohmann::json::parse(support::text_of_file(json));
  CHECK(report["cases"][0]["digits"] <= 1);
  CHECK(report["cases"][0]["bit_for_bit"] == true);
}

TEST_CASE("tune writes a table that bench reads", "[gpu]") {
  NEEDS_GPU();
  const support::TemporaryFolder folder;
  const std::string table = folder / "t.txt", json = folder / "b.json";
  succeed({"tune", "symv", "--types", "d", "--uplo", "L", "--max-n", "600", "--budget", "5", "-o", table});
  const std::string first = support::text_of_file(table);
  CHECK_THAT(first, ContainsSubstring("\nd L 0 "));
  succeed({"tune", "symv", "--types", "s", "--uplo", "U", "--max-n", "600", "--budget", "5", "-o", table,
           "--force"});
  const std::string both = support::text_of_file(table);
  CHECK_THAT(both, ContainsSubstring("\ns U 0 "));
  CHECK_THAT(both, ContainsSubstring(first.substr(first.find("\nd L 0 "))));

  succeed({"bench", "symv", "--sizes", "65,600", "--rounds", "3", "--repeats", "3", "--table", table,
           "--json", json});
  const auto report = nlohmann::json::parse(support::text_of_file(json));
  CHECK(report["table"] == table);
  CHECK(report["cases"].size() == 20);
  for (const auto& c : report["cases"])
    for (const auto& f : c["figures"]) {
      CAPTURE(c["type"], c["uplo"], c["n"], f["name"]);
      CHECK(f["failure"].is_null());
      CHECK(f["seconds"] > 0);
    }
}

TEST_CASE("bench tridiagonalize and bench solve measure, check and report", "[gpu]") {
  NEEDS_GPU();
  const support::TemporaryFolder folder;
  const std::string reduction = folder / "t.json", solve = folder / "s.json";
  succeed({"bench", "tridiagonalize", "--sizes", "1,2,65,400", "--rounds", "3", "--breakdown", "--json",
           reduction});
  const auto first = nlohmann::json::parse(support::text_of_file(reduction));
  CHECK(first["cases"].size() == 4);
  for (const auto& c : first["cases"]) {
    CAPTURE(c["n"]);
    CHECK(c["calls"][0]["seconds"] > 0);
    CHECK(c["checks"]["backward"] >= 0);
    CHECK(c["checks"]["eigenvalues"] <= 3);
    CHECK(c["breakdown"]["total"] > 0);
    CHECK(c["breakdown"]["on_chip"] > 0);  // all of the matrix
    for (const char* part : {"product", "update", "synchronisation", "panel"})
      CHECK(c["breakdown"][part].is_null());
  }
  succeed({"bench", "solve", "--sizes", "1,2,65,400", "--rounds", "3", "--json", solve});
  const auto second = nlohmann::json::parse(support::text_of_file(solve));
  CHECK(second["cases"].size() == 4);
  for (const auto& c : second["cases"]) {
    CAPTURE(c["n"]);
    for (int k = 0; k < 4; ++k) CHECK(c["calls"][k]["seconds"] > 0);
    CHECK(c["calls"][0]["residual"] >= 0);
    CHECK(c["bit_for_bit"] == true);
  }
}

TEST_CASE("bench batched on a GPU: every class of orders in every type, and a ragged batch", "[gpu]") {
  NEEDS_GPU();
  const support::TemporaryFolder folder;
  const std::string json = folder / "b.json";
  succeed({"bench", "batched", "--types", "sdcz", "--sizes", "1,3,16,32,48,96,128,150", "--batch", "1,50",
           "--rounds", "2", "--json", json, "-q"});
  auto report = nlohmann::json::parse(support::text_of_file(json));
  CHECK(report["cases"].size() == 4 * 8 * 2);
  for (const auto& c : report["cases"])
    for (const auto& call : c["calls"]) {
      CAPTURE(c["type"], c["n"], c["batch"], call["name"]);
      const std::string name = call["name"];
      if (name != "vectors" && name != "values") continue;
      CHECK(call["failure"].is_null());
      CHECK(call["values"].get<double>() <= 3);
      if (name == "vectors") CHECK(call["wrong"] == 0);
    }
  succeed({"bench", "batched", "--set", "optimiser", "--rounds", "1", "--json", json, "--force", "-q"});
  report = nlohmann::json::parse(support::text_of_file(json));
  CHECK(report["cases"].size() == 6);
  CHECK(report["cases"].back()["orders"].size() == 6);
}

TEST_CASE("bench solve compares the automatic path with both others, by each engine", "[gpu]") {
  NEEDS_GPU();
  const support::TemporaryFolder folder;
  for (const char* engine : {"native", "df"}) {
    CAPTURE(engine);
    const std::string json = folder / (std::string(engine) + ".json");
    // The exit code depends on the time, so it is not checked.
    (void)support::eigen_g_command({"bench", "solve", "--engine", engine, "--path", "auto,one,two", "--sizes",
                                    "65,1300", "--rounds", "3", "--json", json});
    const auto report = nlohmann::json::parse(support::text_of_file(json));
    REQUIRE(report["cases"].size() == 2);
    for (const auto& c : report["cases"]) {
      CAPTURE(c["n"]);
      CHECK(c["engine"] == engine);
      CHECK(c["automatic_over_faster"]["vectors"] > 0);
      CHECK(c["automatic_over_faster"]["values"] > 0);
      std::int64_t forced = 0;
      for (const auto& call : c["calls"]) {
        const std::string name = call["name"];
        if (!name.ends_with("_stage")) continue;
        ++forced;
        CHECK(call["failure"].is_null());
        CHECK(name.ends_with(call["path"].get<std::string>()));
        if (!name.starts_with("device_vectors")) continue;
        CHECK(call["residual"] >= 0);
        if (c["n"] == 1300) CHECK_THAT(call["ran"].get<std::string>(), ContainsSubstring(engine));
      }
      CHECK(forced == 4);
    }
  }
  support::fail_with(2, {"bench", "solve", "--engine", "df", "--types", "s", "--sizes", "65"});
}

TEST_CASE("bench gemm judges every engine", "[gpu]") {
  NEEDS_GPU();
  const support::TemporaryFolder folder;
  const std::string json = folder / "g.json";
  succeed({"bench", "gemm", "--sizes", "130,500", "--rounds", "3", "--json", json});
  const auto report = nlohmann::json::parse(support::text_of_file(json));
  CHECK(report["rates"]["df"]["flops_per_second"] > 0);
  const auto has = [&](const char* op, int m, int n, int k) {
    return std::count_if(report["cases"].begin(), report["cases"].end(), [&](const auto& c) {
             return c["op"] == op && c["m"] == m && c["n"] == n && c["k"] == k;
           }) == 1;
  };
  CHECK(has("NN", 500, 500, 500));
  CHECK(has("TN", 130, 130, 130));
  CHECK(has("NT", 500, 500, 128));
  CHECK(has("TN", 256, 500, 500));
  CHECK(has("SYR2K", 500, 500, 64));
  for (const auto& c : report["cases"])
    for (const auto& f : c["figures"]) {
      CAPTURE(c["op"], c["m"], c["k"], f["name"]);
      CHECK(f["failure"].is_null());
      CHECK(f["seconds"] > 0);
    }
}

TEST_CASE("bench gemm-accuracy verifies a solve with every engine", "[gpu]") {
  NEEDS_GPU();
  const support::TemporaryFolder folder;
  const std::string json = folder / "a.json";
  const auto outcome = succeed({"bench", "gemm-accuracy", "--n", "700", "--json", json});
  CHECK_THAT(outcome.out, ContainsSubstring("paper, double-float"));
  const auto report = nlohmann::json::parse(support::text_of_file(json));
  const auto& calls = report["cases"][0]["calls"];
  CHECK(calls.size() == 5);
  for (const auto& call : calls) {
    CAPTURE(call["name"]);
    CHECK(call["failure"].is_null());
    CHECK(call["passed"] == true);
  }
}

TEST_CASE("bench generalised measures, verifies and repeats bit for bit, in every type", "[gpu]") {
  NEEDS_GPU();
  const support::TemporaryFolder folder;
  const std::string json = folder / "g.json";
  const auto outcome = succeed(
      {"bench", "generalised", "--types", "sdcz", "--sizes", "65,400", "--rounds", "3", "--json", json});
  CHECK_THAT(outcome.out, ContainsSubstring("standard form"));
  const auto report = nlohmann::ordered_json::parse(support::text_of_file(json));
  CHECK(report["cases"].size() == 8);
  for (const auto& c : report["cases"]) {
    CAPTURE(c["type"], c["n"]);
    CHECK(c["bit_for_bit"] == true);
    for (const auto& call : c["calls"]) {
      CAPTURE(call["name"]);
      CHECK(call["failure"].is_null());
      CHECK(call["seconds"] > 0);
      std::string keys;
      for (const auto& field : call.items()) keys += field.key() + " ";
      CHECK_THAT(keys, ContainsSubstring(call["name"] == "device_vectors"
                                             ? "failure orthogonality residual stages condition passed "
                                             : "failure orthogonality residual "));
      CHECK((keys.find("stages") != std::string::npos) == (call["name"] == "device_vectors"));
    }
  }
}

TEST_CASE("bench devices solves by several ratios and repeats bit for bit", "[gpu]") {
  NEEDS_GPU();
  const support::TemporaryFolder folder;
  const auto outcome = support::eigen_g_command({"bench", "devices", "--n", "777,1500", "--rounds", "1",
                                                 "--cpu-shares", "0,40,100", "-q", "--json", "-"},
                                                {{"XDG_CACHE_HOME", folder / "cache"}});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const auto report = nlohmann::json::parse(outcome.out);
  CHECK(report["version"] == 5);
  CHECK(report["calibration"] == "measured now");
  REQUIRE(report["cases"].size() == 2);
  for (const auto& c : report["cases"]) {
    CAPTURE(c["n"]);
    CHECK(c["bit_for_bit"] == true);
    REQUIRE(c["calls"].size() == 5);
    for (const auto& call : c["calls"]) {
      CAPTURE(call["name"]);
      CHECK(call["failure"].is_null());
      CHECK(call["seconds"] > 0);
      CHECK(call["cut_seconds"] > 0);
    }
    CHECK(c["calls"][0]["residual"] >= 0);
    if (c["n"] == 777)
      continue;  // a small back-transformation is one kernel, and few of the merges are large
    const auto& call = c["calls"][3];
    CHECK(call["name"] == "cpu 40 %");
    REQUIRE(call["shares"].size() == 2);
    CHECK(call["shares"][1].get<double>() == Approx(0.4).epsilon(0.01));
    CHECK(call["device_seconds"][1] > 0);
  }
}

TEST_CASE("bench solve on several GPUs: each number of GPUs, verified, by stage and device", "[gpu]") {
  NEEDS_GPU();
  const support::TemporaryFolder folder;
  const std::string json = folder / "team.json";
  const auto outcome =
      succeed({"bench", "solve", "--gpus", "1,2,64", "--sizes", "900", "--rounds", "2", "--json", json});
  CHECK_THAT(outcome.out, ContainsSubstring("gpus 1") && ContainsSubstring("of one GPU"));
  const auto report = nlohmann::json::parse(support::text_of_file(json));
  CHECK(report["gpus_left_out"].back() == 64);
  const auto& c = report["cases"][0];
  CHECK(c["bit_for_bit"] == true);
  for (const auto& call : c["calls"]) {
    CAPTURE(call["name"]);
    if (!call.contains("gpus")) continue;  // a call of cuSOLVERMg
    CHECK(call["failure"].is_null());
    CHECK(call["devices"].size() == call["gpus"]);
    CHECK(call["stages"]["full_to_band"] > 0);
    const std::string name = call["name"];
    if (name.ends_with("_values")) continue;
    CHECK(call["passed"] == true);
    CHECK(call["verified"] == 900);
  }
}
