// Tests of the benchmarks that need no GPU: lists, statistics, tables, and the verdicts on the reports in data/perf.
#include <cmath>
#include <fstream>

#include "apps/bench/bench.hpp"
#include "apps/cli/benchmarks.hpp"
#include "tests/support/catch.hpp"

using namespace eigen_g;
using namespace eigen_g::apps::bench;

namespace {

std::shared_ptr<Benchmark> benchmark(const std::string& name) {
  for (const auto& b : apps::benchmarks())
    if (b->about.name == name) return b;
  FAIL("no benchmark " << name);
  return nullptr;
}

Json shipped(const std::string& name) {
  std::ifstream file(std::string(EIGEN_G_DATA_DIR) + "/perf/" + name + "_nvidia_h200.json");
  REQUIRE(file);
  return Json::parse(file);
}

bool good(const Benchmark& b, const Json& report) {
  return passed(report, [&](const Json& c) { return b.limits(c); });
}
std::string table(const Benchmark& b, const Json& report) {
  return to_text(report, b.tables(report), [&](const Json& c) { return b.title(c); });
}

// True if the report still passes after a change to its first case.
template <class Change>
bool passes_with(const Benchmark& b, Json report, Change change) {
  change(report["cases"][0]);
  return good(b, report);
}

Json& call(Json& c, const char* list, const char* name) {
  for (Json& element : c[list])
    if (element["name"] == name) return element;
  FAIL("no call " << name);
  return c;
}

}  // namespace

TEST_CASE("paths lead to fields and to calls that did not fail") {
  const Json c = Json::parse(R"({"n": 5, "checks": {"trace": 0.5, "bits": null},
    "calls": [{"name": "a", "seconds": 2, "failure": null}, {"name": "b", "seconds": null, "failure": "no room"},
              {"name": "c", "seconds": 6, "failure": null}, {"name": "d", "seconds": 5, "failure": null}]})");
  CHECK(at(c, "n") == 5);
  CHECK(number_at(c, "checks/trace").value() == 0.5);
  CHECK(at(c, "a/seconds") == 2);
  CHECK(at(c, "checks/bits").is_null());
  CHECK(at(c, "b").is_null());
  CHECK(at(c, "e/seconds").is_null());
  CHECK(quotient(c, {"c/seconds", "d/seconds"}, "a/seconds") == 2.5);  // the fastest
  CHECK(quotient(c, {"c/seconds", "b/seconds"}, "a/seconds") == 3);
  CHECK(quotient(c, {"b/seconds", "e/seconds"}, "a/seconds").is_null());
  CHECK(quotient(c, {"a/seconds"}, "b/seconds").is_null());
}

TEST_CASE("the distance of eigenvalues, in units of n ulp of the largest") {
  const double ulp = 0x1p-52;
  CHECK(distance<double>({-8, 1}, {-8, 1}) == 0);
  CHECK(distance<double>({-8, 1}, {-8, 1 + 16 * ulp}) == 1);
  CHECK(std::isnan(distance<double>({-8, 1}, {std::nan(""), 1})));
}

TEST_CASE("a table of columns") {
  const Json report = Json::parse(R"({"cases": [
    {"n": 20000, "skipped": null, "some": true, "shares": [0.25, 0.5], "kind": "two_words",
     "calls": [{"name": "a", "seconds": 0.0125, "calls": 3, "failure": null}, {"name": "b_c", "failure": "no room"}]},
    {"n": 7, "skipped": "too large", "calls": []}]})");
  const auto title = [](const Json& c) { return "n = " + c["n"].dump(); };
  CHECK(to_text(report, {{"n = n; GB/s = rate %.0f", "below\n"}}, title) ==
        "    n  GB/s\n20000     -\nbelow\nfailed: n = 20000 b c: no room\nskipped: n = 7: too large\n");
  const std::string text = to_text(
      report,
      {{"time = a/seconds time; us = a/seconds us; bits = some bits; % = shares %.0f 100; kind = kind"}},
      title);
  CHECK_THAT(text, ContainsSubstring("12.50 ms  12500.0  same  25 50  two words"));
  CHECK_THAT(to_text(report, {{"call = name; n = n; none = stages/here", "", "seconds", true}}, title),
             ContainsSubstring("call      n  none\n   a  20000     -\n"));
  CHECK(to_text(report, {{"n = n", "below", "missing"}}, title).find("below") == std::string::npos);
}

TEST_CASE("every benchmark describes itself, and judges an empty report as failed") {
  for (const auto& b : apps::benchmarks()) {
    CAPTURE(b->about.name);
    CHECK_FALSE(b->about.what.empty());
    CHECK_THAT(b->about.examples, ContainsSubstring("\n  eigen_g bench " + b->about.name));
    CHECK_FALSE(good(*b, Json{{"cases", Json::array()}}));
    for (const Table& t : b->tables({{"cases", Json::array()}}))
      CHECK_THAT(t.columns, ContainsSubstring("n = n") || ContainsSubstring("matrix = matrix") ||
                                ContainsSubstring("= size"));
  }
}

TEST_CASE("bench solve on several GPUs: ratios, tables and the verdict") {
  const auto b = benchmark("solve");
  Json report = Json::parse(
      R"({"cases": [{"type": "d", "brief": false, "n": 10000, "gpus": [1, 2], "skipped": null, "calls": [
    {"name": "gpus_1", "seconds": 0.5, "failure": null, "gpus": 1, "passed": true, "verified": 10000, "residual": 0.01, "orthogonality": 0.4,
     "device_bytes": 2e9, "stages": {"full_to_band": 0.07}},
    {"name": "gpus_2", "seconds": 0.25, "failure": null, "gpus": 2, "passed": true, "verified": 512, "residual": 0.01, "orthogonality": 0.4,
     "device_bytes": 3e9, "stages": {"full_to_band": 0.05, "chase": 0.03}},
    {"name": "gpus_1_values", "seconds": 0.2, "failure": null, "gpus": 1}, {"name": "gpus_2_values", "seconds": 0.15, "failure": null, "gpus": 2},
    {"name": "cusolvermg_2", "seconds": 5, "failure": null}], "bit_for_bit": true, "values": 0.5}]})");
  b->conclude(report["cases"][0]);
  CHECK(at(report["cases"][0], "gpus_2/over_one") == 0.5);
  CHECK(at(report["cases"][0], "gpus_2/cusolvermg_over") == 20);
  CHECK(at(report["cases"][0], "gpus_2_values/over_one").get<double>() == Approx(0.75));
  CHECK(at(report["cases"][0], "gpus_1/cusolvermg_over").is_null());
  CHECK(good(*b, report));
  const std::string text = table(*b, report);
  for (const char* part :
       {"gpus 2", "250.00 ms", "20.00", "512", "full to band", "50.00", "30.00", "cusolvermg 2"})
    CHECK_THAT(text, ContainsSubstring(part));
  const auto passes = [&](auto change) { return passes_with(*b, report, change); };
  CHECK_FALSE(passes([](Json& c) { call(c, "calls", "gpus_2")["passed"] = false; }));
  CHECK_FALSE(passes([](Json& c) { call(c, "calls", "gpus_2")["failure"] = "no room"; }));
  CHECK_FALSE(passes([](Json& c) { c["bit_for_bit"] = false; }));
  CHECK_FALSE(passes([](Json& c) { c["values"] = 4; }));
  CHECK(passes([](Json& c) { call(c, "calls", "cusolvermg_2")["failure"] = "no library"; }));
}

TEST_CASE("bench solve: the shipped report passes, and changed ones fail") {
  const auto b = benchmark("solve");
  const Json report = shipped("bench_solve");
  CHECK(good(*b, report));
  const std::string text = table(*b, report);
  for (const char* part : {"eigen_g", "divide and conquer", "host pointers", "same", "device vectors"})
    CHECK_THAT(text, ContainsSubstring(part));
  const auto passes = [&](auto change) { return passes_with(*b, report, change); };
  CHECK_FALSE(passes([](Json& c) { call(c, "calls", "device_vectors")["residual"] = 11; }));
  CHECK_FALSE(passes([](Json& c) { call(c, "calls", "host_vectors")["orthogonality"] = std::nan(""); }));
  CHECK_FALSE(passes([](Json& c) { call(c, "calls", "host_vectors")["residual"] = nullptr; }));
  CHECK_FALSE(passes([](Json& c) { c["values"] = nullptr; }));
  CHECK_FALSE(passes([](Json& c) { c["values"] = 4; }));
  CHECK_FALSE(passes([](Json& c) { c["bit_for_bit"] = false; }));
  CHECK_FALSE(passes([](Json& c) { c["bit_for_bit"] = nullptr; }));
  CHECK_FALSE(passes([](Json& c) { call(c, "calls", "host_values")["failure"] = "out of memory"; }));
  CHECK(passes([](Json& c) { call(c, "calls", "cusolver_vectors")["failure"] = "no room"; }));
  CHECK(passes([](Json& c) { c["skipped"] = "too large"; }));

  Json c = report["cases"][0];
  const Json ratios = c["ratios"];
  c.erase("ratios");
  b->conclude(c);
  CHECK(c["ratios"] == ratios);
  call(c, "calls", "cusolver_values")["failure"] =
      call(c, "calls", "cusolver_nondeterministic_values")["failure"] = "no";
  b->conclude(c);
  CHECK(c["ratios"]["values"].is_null());
}

TEST_CASE("bench batched: a report passes, and changed ones fail") {
  const auto b = benchmark("batched");
  Json report = Json::parse(
      R"({"cases": [{"set": "", "type": "d", "n": 16, "batch": 1000, "orders": [[16, 1000]], "skipped": null,
    "calls": [{"name": "cusolver_vectors", "seconds": 0.25, "failure": null, "residual": 40, "orthogonality": 1, "wrong": 3, "values": 1},
              {"name": "jacobi_vectors", "seconds": 0.125, "failure": null, "residual": 1, "orthogonality": 1, "wrong": 0, "values": 1},
              {"name": "values", "seconds": 0.0625, "failure": null, "values": 0.5},
              {"name": "vectors", "seconds": 0.0625, "failure": null, "residual": 1, "orthogonality": 1, "wrong": 0, "values": 0}]}]})");
  b->conclude(report["cases"][0]);
  const Json& c = report["cases"][0];
  CHECK(c["ratios"]["vectors"] == 2);
  CHECK(c["ratios"]["values"].is_null());
  CHECK(number_at(c, "vectors/us_per_matrix").value() == 62.5);
  CHECK(good(*b, report));
  CHECK_THAT(table(*b, report), ContainsSubstring("XsyevBatched") && ContainsSubstring("62.5"));
  const auto passes = [&](auto change) { return passes_with(*b, report, change); };
  CHECK_FALSE(passes([](Json& x) { call(x, "calls", "vectors")["wrong"] = 1; }));
  CHECK_FALSE(passes([](Json& x) { call(x, "calls", "vectors")["residual"] = 11; }));
  CHECK_FALSE(passes([](Json& x) { call(x, "calls", "vectors")["orthogonality"] = std::nan(""); }));
  CHECK_FALSE(passes([](Json& x) { call(x, "calls", "values")["values"] = 4; }));
  CHECK_FALSE(passes([](Json& x) { call(x, "calls", "values")["failure"] = "no room"; }));
  CHECK(passes([](Json& x) { call(x, "calls", "cusolver_vectors")["failure"] = "no room"; }));
}

TEST_CASE("bench batched: a loop over a part of a batch of generalised problems") {
  const auto b = benchmark("batched");
  Json report = Json::parse(
      R"({"cases": [{"set": "", "type": "d", "n": 16, "batch": 1000, "orders": [[16, 1000]], "generalised": true, "skipped": null,
    "calls": [{"name": "cusolver_vectors", "seconds": 0.125, "failure": null, "residual": 1, "orthogonality": 1, "wrong": 0, "values": 1, "matrices": 50},
              {"name": "values", "seconds": 0.0625, "failure": null, "values": 0.5},
              {"name": "vectors", "seconds": 0.0625, "failure": null, "residual": 1, "orthogonality": 1, "wrong": 0, "values": 0}]}]})");
  b->conclude(report["cases"][0]);
  CHECK(report["cases"][0]["ratios"]["vectors"] == 40);
  CHECK(good(*b, report));
  CHECK_THAT(table(*b, report), ContainsSubstring("sygvd, a loop") && ContainsSubstring("2500"));
}

// A case of `bench solve --path auto,one,two`: the calls of the shipped report, and both paths with these seconds. Automatic takes the one-stage
// path, which is the faster one with vectors and the slower one for values only.
TEST_CASE("bench solve --path auto,one,two: the automatic path against the faster one") {
  const auto b = benchmark("solve");
  Json report = shipped("bench_solve");
  Json& cases = report["cases"];
  cases.erase(cases.begin() + 1, cases.end());
  Json& c = cases[0];
  c.update({{"path", "auto"}, {"engine", "df"}, {"compared", true}});
  const auto add = [&](const char* name, const char* of, double over_automatic) {
    Json forced = call(c, "calls", of);
    forced["name"] = name;
    forced["seconds"] = over_automatic * forced["seconds"].get<double>();
    c["calls"].push_back(forced);
  };
  add("device_vectors_one_stage", "device_vectors", 0.98);
  add("device_vectors_two_stage", "device_vectors", 16);
  add("device_values_one_stage", "device_values", 1.275);
  add("device_values_two_stage", "device_values", 1.25);
  for (const char* name : {"device_vectors", "device_values"}) call(c, "calls", name)["path"] = "one_stage";
  CHECK_FALSE(good(*b, report));  // not concluded: there is no ratio
  b->conclude(c);
  const auto over = [](const Json& of, const char* what) {
    return number_at(of, std::string("automatic_over_faster/") + what).value();
  };
  CHECK(over(c, "vectors") == 1);
  CHECK(over(c, "values") == Approx(1.02));
  CHECK(good(*b, report));
  const std::string text = table(*b, report);
  for (const char* part : {"auto / faster path", "two-stage: residual", "1.000", "1.020", "df"})
    CHECK_THAT(text, ContainsSubstring(part));
  CHECK_THAT(table(*b, shipped("bench_solve")), !ContainsSubstring("auto / faster path"));

  const auto passes = [&](auto change) {
    return passes_with(*b, report, [&](Json& changed) {
      change(changed);
      b->conclude(changed);
    });
  };
  const auto times = [](Json& of, const char* name, double factor) {
    Json& seconds = call(of, "calls", name)["seconds"];
    seconds = factor * seconds.get<double>();
  };
  CHECK(passes([&](Json& x) { times(x, "device_values_one_stage", 1.009); }));
  CHECK_FALSE(passes([&](Json& x) { times(x, "device_values_one_stage", 1.011); }));
  CHECK(passes([&](Json& x) { times(x, "device_values", 2); }));  // noise of the automatic call itself
  CHECK(passes([&](Json& x) { call(x, "calls", "device_values")["path"] = "two_stage"; }));
  CHECK_FALSE(passes([&](Json& x) { call(x, "calls", "device_vectors")["path"] = "two_stage"; }));
  CHECK_FALSE(passes([&](Json& x) { call(x, "calls", "device_vectors")["path"] = nullptr; }));
  for (const char* name : {"device_vectors_one_stage", "device_vectors_two_stage"}) {
    CHECK_FALSE(passes([&](Json& x) { call(x, "calls", name)["residual"] = 11; }));
    CHECK_FALSE(passes([&](Json& x) { call(x, "calls", name)["orthogonality"] = nullptr; }));
  }
  CHECK_FALSE(passes([&](Json& x) { call(x, "calls", "device_values_two_stage")["failure"] = "no room"; }));
  CHECK(passes([&](Json& x) {
    x["compared"] = false;
    call(x, "calls", "device_vectors")["path"] = "two_stage";
  }));
}

TEST_CASE("bench solve --brief: the shipped report passes, and changed ones fail") {
  const auto b = benchmark("solve");
  const Json report = shipped("bench_solve_large");
  REQUIRE(report["cases"][0]["brief"] == true);
  CHECK(good(*b, report));
  CHECK_FALSE(passes_with(*b, report, [](Json& c) { c["bit_for_bit"] = false; }));
  CHECK_FALSE(
      passes_with(*b, report, [](Json& c) { call(c, "calls", "device_vectors")["residual"] = nullptr; }));
  CHECK_FALSE(passes_with(*b, report, [](Json& c) { call(c, "calls", "device_vectors")["failure"] = "no"; }));
  Json nothing = report;
  for (Json& c : nothing["cases"]) c["skipped"] = "too large";
  CHECK_FALSE(good(*b, nothing));
  CHECK_THAT(table(*b, nothing), ContainsSubstring("skipped: type d, n = 20000: too large"));
}

TEST_CASE("bench tridiagonalize: the shipped reports pass, and changed ones fail") {
  const auto b = benchmark("tridiagonalize");
  const Json report = shipped("bench_tridiagonalize"), large = shipped("bench_tridiagonalize_large");
  CHECK(good(*b, report));
  CHECK(good(*b, large));
  for (const char* part : {"orthog.", "synchronisation", "same"})
    CHECK_THAT(table(*b, report), ContainsSubstring(part));
  const auto passes = [&](auto change) { return passes_with(*b, report, change); };
  CHECK_FALSE(passes([](Json& c) { c["checks"]["backward"] = 1.1; }));
  CHECK_FALSE(passes([](Json& c) { c["checks"]["orthogonality"] = std::nan(""); }));
  CHECK_FALSE(passes([](Json& c) { c["checks"]["trace"] = 4; }));
  CHECK_FALSE(passes([](Json& c) { c["checks"]["squares"] = nullptr; }));
  CHECK_FALSE(passes([](Json& c) { c["checks"]["eigenvalues"] = 4; }));
  CHECK_FALSE(passes([](Json& c) { c["checks"]["bit_for_bit"] = false; }));
  CHECK_FALSE(passes([](Json& c) { call(c, "calls", "eigen_g")["failure"] = "out of memory"; }));
  CHECK(passes([](Json& c) { c["checks"]["backward"] = nullptr; }));  // too large for it
  CHECK(passes([](Json& c) { call(c, "calls", "cusolver")["failure"] = "a peer's"; }));
  CHECK(passes([](Json& c) { c["n"] = 20, c["checks"]["backward"] = 5; }));
  CHECK_FALSE(passes_with(*b, large, [](Json& c) { c["checks"]["eigenvalues"] = nullptr; }));

  Json c = report["cases"][0];
  const Json ratio = c["ratio"];
  call(c, "calls", "eigen_g")["gbytes_per_second"] = 321;
  b->conclude(c);
  CHECK(c["ratio"] == ratio);
  CHECK(c["gbytes_per_second"] == 321);
}

TEST_CASE(
    "bench tridiagonalize --breakdown: the panel is what the measured parts leave, and none without panels") {
  const auto b = benchmark("tridiagonalize");
  Json c = shipped("bench_tridiagonalize")["cases"][0];
  c["breakdown"] = {
      {"total", 8.0}, {"on_chip", 3.0}, {"product", 2.0}, {"update", 1.0}, {"synchronisation", 0.5}};
  c["breakdown"].update({{"panel", nullptr}, {"sizes_measured", 13}});
  b->conclude(c);
  CHECK(c["breakdown"]["panel"] == 1.5);
  for (const char* part : {"product", "update", "synchronisation", "panel"}) c["breakdown"][part] = nullptr;
  b->conclude(c);
  CHECK(c["breakdown"]["panel"].is_null());
  const Json report{{"cases", {c}}};
  CHECK_THAT(table(*b, report),
             ContainsSubstring("8000.00  3000.00        -      -       -                -"));
}

TEST_CASE("bench gemm: the shipped report passes, and changed ones fail") {
  const auto b = benchmark("gemm");
  const Json report = shipped("bench_gemm");
  CHECK(good(*b, report));
  CHECK_THAT(table(*b, report), ContainsSubstring("SYR2K"));
  const auto passes = [&](auto change) { return passes_with(*b, report, change); };
  CHECK_FALSE(passes([](Json& c) { call(c, "figures", "df")["error"] = 1.01; }));
  CHECK_FALSE(passes([](Json& c) { call(c, "figures", "native")["error"] = nullptr; }));
  CHECK_FALSE(passes([](Json& c) { call(c, "figures", "emulated")["failure"] = "no memory"; }));
  CHECK(passes([](Json& c) { call(c, "figures", "sgemm")["failure"] = "a peer's"; }));
  Json failed = report;
  call(failed["cases"][0], "figures", "native")["failure"] = "no memory";
  CHECK_THAT(table(*b, failed), ContainsSubstring("failed: NN 1024 x 1024, k = 1024 native: no memory"));

  Json c = report["cases"][0];
  for (Json& figure : c["figures"])
    if (!figure["tflops"].is_null()) figure["gflops"] = figure["tflops"].get<double>() * 1e3;
  const Json ratio = c["df_over_sgemm"];
  b->conclude(c);
  CHECK(c["df_over_sgemm"].get<double>() == Approx(ratio.get<double>()));
}

TEST_CASE("bench symv: JSON, table, and reports that fail") {
  const auto b = benchmark("symv");
  Json report =
      Json::parse(R"({"cases": [{"type": "d", "uplo": "U", "n": 1000, "past_l2": true, "config": "r8x1",
    "bit_for_bit": true, "skipped": null, "figures": [
      {"name": "eigen_g", "seconds": 2e-6, "gbytes_per_second": 2002, "gflops": 1000, "in_l2_seconds": 1.5e-6, "error": 0.5,
       "failure": null},
      {"name": "cublas", "seconds": 4e-6, "gbytes_per_second": 1001, "error": 1e9, "failure": null},
      {"name": "cublas_atomics", "seconds": null, "gbytes_per_second": null, "failure": "did not run"}]}]})");
  CHECK(good(*b, report));  // an error of cuSOLVER is no failure of the benchmark
  const std::string text = table(*b, report);
  for (const char* part :
       {"2.00", "2002", "1.50", "same", "r8x1", "failed: d U n = 1000 cublas atomics: did not run"})
    CHECK_THAT(text, ContainsSubstring(part));
  const auto passes = [&](auto change) { return passes_with(*b, report, change); };
  CHECK_FALSE(passes([](Json& c) { c["figures"][0]["error"] = 3.5; }));
  CHECK_FALSE(passes([](Json& c) { c["figures"][0]["error"] = std::nan(""); }));
  CHECK_FALSE(passes([](Json& c) { c["figures"][0]["error"] = nullptr; }));
  CHECK_FALSE(passes([](Json& c) { c["figures"][0]["failure"] = "out of memory"; }));
  CHECK_FALSE(passes([](Json& c) { c["bit_for_bit"] = false; }));
}

TEST_CASE("bench devices and gemm-accuracy: reports that fail") {
  const auto hybrid = benchmark("devices");
  Json report = Json::parse(R"({"cases": [{"n": 5000, "bit_for_bit": true, "skipped": null, "calls": [
    {"name": "automatic", "seconds": 0.2, "cut_seconds": 0.12, "residual": 0.01, "orthogonality": 0.1, "shares": [0.9, 0.1],
     "device_seconds": [0.05, 0.04], "failure": null},
    {"name": "first_alone", "seconds": 0.25, "cut_seconds": 0.15, "shares": [1, 0], "failure": null}]}]})");
  CHECK(good(*hybrid, report));
  CHECK_THAT(table(*hybrid, report), ContainsSubstring("90 10"));
  CHECK_THAT(table(*hybrid, report), ContainsSubstring("0.800"));  // fraction of the time of the GPU alone
  CHECK_FALSE(passes_with(*hybrid, report, [](Json& c) { c["bit_for_bit"] = false; }));
  CHECK_FALSE(passes_with(*hybrid, report, [](Json& c) { c["calls"][0]["residual"] = 11; }));
  CHECK_FALSE(passes_with(*hybrid, report, [](Json& c) { c["calls"][1]["failure"] = "no"; }));

  const auto accuracy = benchmark("gemm-accuracy");
  Json runs{{"cases", {{{"n", 100}, {"skipped", nullptr}, {"calls", Json::array()}}}}};
  for (const char* engine : {"native", "df", "emulated", "ozaki", "ozaki-fast"})
    runs["cases"][0]["calls"].push_back(
        {{"name", engine}, {"passed", true}, {"failure", nullptr}, {"seconds", 1}});
  CHECK(good(*accuracy, runs));
  CHECK_THAT(table(*accuracy, runs), ContainsSubstring("paper, double-float"));
  CHECK_FALSE(passes_with(*accuracy, runs, [](Json& c) { c["calls"][1]["passed"] = false; }));
  CHECK_FALSE(passes_with(*accuracy, runs, [](Json& c) { c["calls"].erase(2); }));
}
