// The parts of the benchmarks that need no GPU: sizes, statistics, tables, JSON.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/bench/gemm_measure.hpp"
#include "apps/bench/gemm_report.hpp"
#include "apps/bench/machine.hpp"
#include "apps/bench/sizes.hpp"
#include "apps/bench/statistics.hpp"
#include "apps/bench/symv_report.hpp"
#include "apps/bench/symv_tuning.hpp"
#include "apps/bench/text_table.hpp"
#include "apps/cli/exit_codes.hpp"
#include "tests/support/catch.hpp"

using namespace eigen_g;
using namespace eigen_g::apps;
using namespace eigen_g::apps::bench;
using blas2::SymvType;

TEST_CASE("quantiles") {
  CHECK(quantile({3}, 0.5) == 3);
  CHECK(quantile({4, 1, 2, 3}, 0.5) == 2.5);
  CHECK(quantile({5, 1, 2}, 0.5) == 2);
  CHECK(quantile({5, 1, 2}, 0) == 1);
  CHECK(quantile({5, 1, 2}, 1) == 5);
  CHECK(quantile({1, 2, 3, 4, 5}, 0.25) == 2);
  CHECK_THROWS_AS(quantile({}, 0.5), InvalidArgument);
  CHECK_THROWS_AS(quantile({1}, 1.5), InvalidArgument);
}

TEST_CASE("lists of sizes, types and triangles") {
  using Sizes = std::vector<std::int64_t>;
  CHECK(parse_sizes("5", "--sizes") == Sizes{5});
  CHECK(parse_sizes("2000,1000,100:300:100,200", "--sizes") == Sizes{2000, 1000, 100, 200, 300});
  CHECK(parse_sizes("1:10:4", "--sizes") == Sizes{1, 5, 9});
  for (const char* bad :
       {"", "a", "0", "-5", "1,", "1:2", "5:1:1", "1:5:0", "1:10000000:1", "99999999999999999999", "1 "})
    CHECK_THROWS_AS(parse_sizes(bad, "--sizes"), UsageError);
  CHECK_THROWS_WITH(parse_sizes("x", "--sizes"), ContainsSubstring("--sizes: 'x'"));

  CHECK(parse_types("wds") == std::vector<SymvType>{SymvType::w, SymvType::d, SymvType::s});
  CHECK(parse_types("dd").size() == 1);
  CHECK_THROWS_AS(parse_types(""), UsageError);
  CHECK_THROWS_AS(parse_types("dx"), UsageError);
  CHECK(parse_triangles("both").size() == 2);
  CHECK(parse_triangles("U") == std::vector<Uplo>{Uplo::upper});
  CHECK_THROWS_AS(parse_triangles("X"), UsageError);
}

TEST_CASE("the tuner's sizes") {
  for (const std::int64_t n_max : {64, 100, 1000, 20000, 32768}) {
    CAPTURE(n_max);
    const auto few = first_sieve_sizes(n_max);
    REQUIRE_FALSE(few.empty());
    CHECK(std::is_sorted(few.begin(), few.end()));
    CHECK(few.back() <= n_max);

    const auto many = second_sieve_sizes(n_max);
    REQUIRE(many.least >= 1);
    REQUIRE(many.least <= many.n.size());
    auto sorted = many.n;
    std::sort(sorted.begin(), sorted.end());
    CHECK(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end());
    CHECK(sorted.back() == n_max);
    CHECK(sorted.front() >= 48);
    CHECK(sorted.front() <= 96);
    for (std::size_t i = 1; i < sorted.size(); ++i)  // no gap of more than about a third
      CHECK(static_cast<double>(sorted[i]) <= 1.34 * static_cast<double>(sorted[i - 1]) + 8);
    std::vector<std::int64_t> least(many.n.begin(), many.n.begin() + static_cast<std::ptrdiff_t>(many.least));
    std::sort(least.begin(), least.end());
    for (std::size_t i = 1; i < least.size(); ++i)
      CHECK(static_cast<double>(least[i]) <= 2.4 * static_cast<double>(least[i - 1]) + 8);
  }
  CHECK(second_sieve_sizes(32768).n.size() > 30);
}

TEST_CASE("a text table") {
  TextTable table({"n", "GB/s"});
  table.add({"20000", "7"});
  CHECK(table.text() == "    n  GB/s\n20000     7\n");
}

namespace {

SymvFigure figure(const char* name, double bytes, double seconds) {
  SymvFigure f;
  f.name = name;
  f.bytes = bytes;
  f.flops = 2e6;
  f.seconds = f.low = f.high = seconds;
  f.calls = 10;
  f.rounds = 21;
  f.graph = true;
  f.error = 0.5;
  return f;
}

SymvBench sample() {
  SymvCase c;
  c.type = SymvType::d;
  c.uplo = Uplo::upper;
  c.n = c.lda = 1000;
  c.rotation = 45;
  c.past_l2 = true;
  c.config = "some-config";
  c.repeats = 20;
  c.bit_for_bit = true;
  c.figures = {figure("eigen_g", 4004000, 2e-6), figure("cublas", 4004000, 4e-6)};
  c.figures[0].in_l2_seconds = 1.5e-6;
  SymvFigure failed;
  failed.name = "cublas_atomics";
  failed.failure = "did not run";
  c.figures.push_back(failed);
  SymvBench bench;
  bench.table = "default";
  bench.cases = {c};
  return bench;
}

}  // namespace

TEST_CASE("the report as JSON") {
  const auto json = nlohmann::ordered_json::parse(json_of(sample(), machine_json()).dump());
  CHECK(json["format"] == "eigen_g-bench-symv");
  CHECK(json["version"] == 1);
  for (const char* key :
       {"date", "eigen_g", "gpu", "cpu", "driver", "cuda_driver", "cuda_toolkit", "cublas", "openblas"})
    CHECK(json["machine"].contains(key));
  const auto& c = json["cases"][0];
  CHECK(c["type"] == "d");
  CHECK(c["uplo"] == "U");
  CHECK(c["half_bytes"] == 4004000);
  CHECK(c["bit_for_bit"] == true);
  CHECK(c["figures"][0]["gbytes_per_second"].get<double>() == Approx(2002));
  CHECK(c["figures"][0]["gflops"].get<double>() == Approx(1000));
  CHECK(c["figures"][0]["in_l2_seconds"] == 1.5e-6);
  CHECK(c["figures"][1]["in_l2_seconds"].is_null());
  CHECK(c["figures"][2]["seconds"].is_null());
  CHECK(c["figures"][2]["gbytes_per_second"].is_null());
  CHECK(c["figures"][2]["failure"] == "did not run");
}

TEST_CASE("the report for people") {
  const std::string text = to_table(sample());
  CHECK_THAT(text, ContainsSubstring("2002"));
  CHECK_THAT(text, ContainsSubstring("2.00"));  // times cuBLAS
  CHECK_THAT(text, ContainsSubstring("same"));
  CHECK_THAT(text, ContainsSubstring("failed: d U n = 1000 cublas_atomics: did not run"));
}

TEST_CASE("what makes a benchmark fail") {
  CHECK(passed(sample()));
  auto wrong = sample();
  wrong.cases[0].figures[0].error = 3.5;
  CHECK_FALSE(passed(wrong));
  wrong.cases[0].figures[0].error = std::nan("");
  CHECK_FALSE(passed(wrong));
  wrong.cases[0].figures[0].error.reset();
  CHECK_FALSE(passed(wrong));
  auto unsteady = sample();
  unsteady.cases[0].bit_for_bit = false;
  CHECK_FALSE(passed(unsteady));
  auto none = sample();
  none.cases[0].figures[0].failure = "out of memory";
  CHECK_FALSE(passed(none));
  auto skipped = sample();  // one that does not fit the memory is no failure, nothing at all is
  skipped.cases.push_back({});
  skipped.cases[1].skipped = "too large";
  CHECK(passed(skipped));
  CHECK_THAT(to_table(skipped), ContainsSubstring("skipped: d L n = 0: too large"));
  CHECK(json_of(skipped, {})["cases"][1]["skipped"] == "too large");
  skipped.cases.erase(skipped.cases.begin());
  CHECK_FALSE(passed(skipped));
  CHECK_FALSE(passed(SymvBench{}));
  auto peer = sample();  // a peer's error is shown, and not ours
  peer.cases[0].figures[1].error = 1e9;
  CHECK(passed(peer));
}

namespace {

GemmFigure gemm_figure(const char* name, double seconds, double error) {
  GemmFigure f;
  f.name = name;
  f.seconds = f.low = f.high = seconds;
  f.rounds = 3;
  f.error = error;
  return f;
}

GemmBench gemm_bench() {
  GemmBench bench;
  bench.cases = gemm_cases({100});
  for (GemmCase& c : bench.cases) {
    c.figures = {gemm_figure("native", 1e-3, 0.1), gemm_figure("df", 4e-3, 0.5),
                 gemm_figure("sgemm", 0.5e-3, 0)};
    c.figures.back().error.reset();
  }
  return bench;
}

}  // namespace

TEST_CASE("bench gemm: squares, few terms, tall ones and rank-2k updates") {
  const auto cases = gemm_cases({300, 200});
  const auto has = [&](const char* op, std::int64_t m, std::int64_t n, std::int64_t k) {
    return std::count_if(cases.begin(), cases.end(), [&](const GemmCase& c) {
             return c.op == op && c.m == m && c.n == n && c.k == k;
           }) == 1;
  };
  CHECK(has("NN", 300, 300, 300));
  CHECK(has("TN", 200, 200, 200));
  for (const std::int64_t k : {64, 128, 256}) {
    CHECK(has("NN", 300, 300, k));
    CHECK(has("NT", 300, 300, k));
  }
  CHECK(has("TN", 256, 300, 300));
  CHECK(has("SYR2K", 300, 300, 64));
}

TEST_CASE("bench gemm: the report as a table and as JSON") {
  GemmBench bench = gemm_bench();
  CHECK(passed(bench));
  CHECK(bench.cases.front().flops() == 2e6);
  CHECK(*bench.cases.front().df_over_sgemm() == Approx(0.125));
  const auto json = json_of(bench, nullptr);
  CHECK(json["format"] == "eigen_g-bench-gemm");
  CHECK(json["cases"].size() == bench.cases.size());
  CHECK(json["cases"][0]["figures"][0]["tflops"].get<double>() == Approx(2e6 / 1e-3 * 1e-12));
  CHECK(json["cases"][0]["figures"][2]["error"].is_null());
  CHECK_THAT(to_table(bench), ContainsSubstring("SYR2K"));

  bench.cases[1].figures[0].failure = "no memory";
  CHECK_FALSE(passed(bench));
  CHECK(bench.cases[1].figure("native") == nullptr);
  CHECK(json_of(bench, nullptr)["cases"][1]["figures"][0]["seconds"].is_null());
  CHECK_THAT(to_table(bench), ContainsSubstring("no memory"));
}

TEST_CASE("bench gemm fails on an error beyond the limit, on a missing one, and where nothing ran") {
  GemmBench bench = gemm_bench();
  bench.cases[2].figures[1].error = 1.01;
  CHECK_FALSE(passed(bench));
  bench.cases[2].figures[1].error.reset();
  CHECK_FALSE(passed(bench));
  bench.cases[2].figures.clear();
  bench.cases[2].skipped = "too large";
  CHECK(passed(bench));
  CHECK_THAT(to_table(bench), ContainsSubstring("too large"));
  for (GemmCase& c : bench.cases) c.skipped = "too large";
  CHECK_FALSE(passed(bench));
}
