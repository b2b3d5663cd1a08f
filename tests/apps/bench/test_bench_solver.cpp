// The reports of `bench tridiagonalize` and `bench solve`: what they say, and what they take for a failure.
#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/bench/machine.hpp"
#include "apps/bench/solve_report.hpp"
#include "apps/bench/tridiagonalize_report.hpp"
#include "tests/support/catch.hpp"
#ifdef EIGEN_G_HAVE_CUDA
#include "apps/bench/timing.hpp"
#include "hybrid/stream/grid_barrier_seconds.hpp"
#endif

using namespace eigen_g;
using namespace eigen_g::apps::bench;
using Json = nlohmann::ordered_json;

namespace {

TimedCall call(const char* name, double seconds) {
  TimedCall c;
  c.name = name;
  c.seconds = c.low = c.high = seconds;
  c.rounds = 7;
  c.device_bytes = 1000;
  return c;
}

TimedCall failed(const char* name) {
  TimedCall c = call(name, 1);
  c.failure = "no room";
  return c;
}

TridiagonalizeBench reductions() {
  TridiagonalizeCase c;
  c.n = 1000;
  c.lda = 1024;
  c.calls = {call("eigen_g", 0.004), call("cusolver", 0.009), call("cusolver_nondeterministic", 0.008)};
  c.backward = 0.1;
  c.orthogonality = 0.2;
  c.trace = 0.3;
  c.squares = 0.4;
  c.eigenvalues = 0.5;
  c.bit_for_bit = true;
  c.breakdown = TridiagonalizeBreakdown{0.004, 0.0001, 0.001, 0.0005, 0.002, 200, 64, 264, 12};
  return {12004, {c}};
}

SolveBench solves() {
  SolveCase c;
  c.n = 500;
  for (const char* name : {"device_vectors", "device_values", "host_vectors", "host_values"}) {
    c.calls.push_back(call(name, 0.01));
    c.stages[name] = std::vector<double>(all_stages.size(), 0.00125);
  }
  c.calls.push_back(call("cusolver_vectors", 0.02));
  c.calls.push_back(failed("cusolver_nondeterministic_vectors"));
  c.checks["device_vectors"] = c.checks["host_vectors"] = {0.02, 0.3};
  c.values = 0.1;
  c.bit_for_bit = true;
  return {12004, {c}};
}

}  // namespace

TEST_CASE("calls by name, and the ratio to the fastest peer that ran") {
  const std::vector<TimedCall> calls{call("a", 2), call("b", 6), call("c", 5), failed("d")};
  CHECK(find(calls, "a") == calls.data());
  CHECK(find(calls, "d") == nullptr);
  CHECK(find(calls, "e") == nullptr);
  CHECK(ratio(calls, "a", {"b", "c"}).value() == 2.5);
  CHECK(ratio(calls, "a", {"b", "d"}).value() == 3);
  CHECK_FALSE(ratio(calls, "a", {"d", "e"}).has_value());
  CHECK_FALSE(ratio(calls, "d", {"a"}).has_value());
  CHECK(json_of(calls[0])["seconds"] == 2);
  CHECK(json_of(calls[3])["seconds"].is_null());
  CHECK(json_of(calls[3])["failure"] == "no room");
  CHECK(seconds_text(find(calls, "a")) == "2.000 s");
  CHECK(seconds_text(nullptr) == "-");
}

TEST_CASE("bench tridiagonalize: JSON and table") {
  const Json json = Json::parse(json_of(reductions(), machine_json()).dump());
  CHECK(json["format"] == "eigen_g-bench-tridiagonalize");
  CHECK(json["version"] == 1);
  CHECK(json["machine"].contains("cublas"));
  CHECK(json["cusolver"] == 12004);
  const Json& c = json["cases"][0];
  CHECK(c["gbytes_per_second"].get<double>() == Approx(4.0 / 3 / 0.004));
  CHECK(c["ratio"].get<double>() == Approx(2));
  CHECK(c["checks"]["backward"] == 0.1);
  CHECK(c["checks"]["bit_for_bit"] == true);
  CHECK(c["breakdown"]["panel"].get<double>() == Approx(0.0004));
  const std::string text = to_table(reductions());
  CHECK_THAT(text, ContainsSubstring("4.00 ms"));
  CHECK_THAT(text, ContainsSubstring("2.00"));
  CHECK_THAT(text, ContainsSubstring("synchronisation"));

  TridiagonalizeBench bare = reductions();
  bare.cases[0].breakdown.reset();
  bare.cases[0].backward.reset();
  bare.cases[0].calls.resize(1);
  CHECK(json_of(bare, {})["cases"][0]["breakdown"].is_null());
  CHECK(json_of(bare, {})["cases"][0]["checks"]["backward"].is_null());
  CHECK(json_of(bare, {})["cases"][0]["ratio"].is_null());
  CHECK(to_table(bare).find("synchronisation") == std::string::npos);
}

TEST_CASE("bench tridiagonalize: what makes it fail") {
  CHECK(passed(reductions()));
  const auto fails = [](auto&& change) {
    TridiagonalizeBench bench = reductions();
    change(bench.cases[0]);
    return !passed(bench);
  };
  using Case = TridiagonalizeCase;
  CHECK(fails([](Case& c) { c.backward = 1.1; }));
  CHECK(fails([](Case& c) { c.orthogonality = std::nan(""); }));
  CHECK(fails([](Case& c) { c.trace = 4; }));
  CHECK(fails([](Case& c) { c.squares = std::nan(""); }));
  CHECK(fails([](Case& c) { c.eigenvalues = 4; }));
  CHECK(fails([](Case& c) { c.bit_for_bit = false; }));
  CHECK(fails([](Case& c) { c.bit_for_bit.reset(); }));
  CHECK(fails([](Case& c) { c.trace.reset(); }));
  const auto brief = [](Case& c) {
    c.brief = true;
    c.backward.reset(), c.orthogonality.reset(), c.trace.reset(), c.squares.reset(), c.bit_for_bit.reset();
  };
  CHECK_FALSE(fails(brief));
  CHECK(fails([&](Case& c) { brief(c), c.eigenvalues = 4; }));
  CHECK(fails([&](Case& c) { brief(c), c.eigenvalues.reset(); }));
  CHECK(fails([](Case& c) { c.calls[0].failure = "out of memory"; }));
  CHECK(fails([](Case& c) { c.skipped = "too large"; }));   // nothing was measured
  CHECK_FALSE(fails([](Case& c) { c.backward.reset(); }));  // too large for it
  CHECK_FALSE(fails([](Case& c) { c.calls[1].failure = "a peer's"; }));
  CHECK_FALSE(fails([](Case& c) {
    c.n = 20;
    c.backward = 5;
  }));
  TridiagonalizeBench more = reductions();
  more.cases.push_back({});
  more.cases[1].n = 99999;
  more.cases[1].skipped = "too large";
  CHECK(passed(more));
  CHECK_THAT(to_table(more), ContainsSubstring("skipped: n = 99999: too large"));
  CHECK(json_of(more, {})["cases"][1]["skipped"] == "too large");
  CHECK_FALSE(passed(TridiagonalizeBench{}));
}

TEST_CASE("bench solve: JSON and table") {
  const Json json = Json::parse(json_of(solves(), machine_json()).dump());
  CHECK(json["format"] == "eigen_g-bench-solve");
  CHECK(json["version"] == 1);
  const Json& c = json["cases"][0];
  CHECK(c["ratios"]["vectors"] == 2);
  CHECK(c["ratios"]["values"].is_null());
  CHECK(c["calls"][0]["stages"]["tridiagonalize"] == 0.00125);
  CHECK(c["calls"][0]["residual"] == 0.02);
  CHECK(c["calls"][1]["residual"].is_null());
  CHECK_FALSE(c["calls"][4].contains("stages"));
  const std::string text = to_table(solves());
  CHECK_THAT(text, ContainsSubstring("10.00 ms"));
  CHECK_THAT(text, ContainsSubstring("divide and conquer"));
  CHECK_THAT(text, ContainsSubstring("failed: n = 500 cusolver nondeterministic vectors: no room"));
}

TEST_CASE("bench solve: what makes it fail") {
  CHECK(passed(solves()));
  const auto fails = [](auto&& change) {
    SolveBench bench = solves();
    change(bench.cases[0]);
    return !passed(bench);
  };
  using Case = SolveCase;
  CHECK(fails([](Case& c) { c.checks["device_vectors"].residual = 11; }));
  CHECK(fails([](Case& c) { c.checks["host_vectors"].orthogonality = std::nan(""); }));
  CHECK(fails([](Case& c) { c.checks.erase("host_vectors"); }));
  CHECK(fails([](Case& c) { c.values.reset(); }));
  CHECK(fails([](Case& c) { c.values = 4; }));
  CHECK(fails([](Case& c) { c.bit_for_bit = false; }));
  CHECK(fails([](Case& c) { c.bit_for_bit.reset(); }));
  CHECK(fails([](Case& c) { c.calls[3].failure = "out of memory"; }));
  CHECK(fails([](Case& c) { c.skipped = "too large"; }));
  const auto brief = [](Case& c) {
    c.brief = true;
    c.calls.erase(c.calls.begin() + 1, c.calls.begin() + 4);
    c.checks.erase("host_vectors");
    c.values.reset();
    c.bit_for_bit.reset();
  };
  CHECK_FALSE(fails(brief));
  CHECK(fails([&](Case& c) { brief(c), c.checks.clear(); }));
  CHECK(fails([&](Case& c) { brief(c), c.bit_for_bit = false; }));
  CHECK(fails([&](Case& c) { brief(c), c.calls[0].failure = "out of memory"; }));
  CHECK_FALSE(fails([](Case& c) { c.calls[4].failure = "no room for cuSOLVER"; }));
  CHECK_FALSE(passed(SolveBench{}));
}

#ifdef EIGEN_G_HAVE_CUDA
TEST_CASE("a call with a preparation: each round prepares, and a failure ends its rounds alone", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  int prepared = 0, called = 0, failing = 0;
  TimingRule rule;
  rule.rounds = 4;
  const auto timings = time_in_turns(queue,
                                     {{[&](std::int64_t) { ++called; }, 1, false, [&] { ++prepared; }},
                                      {[&](std::int64_t) {
                                         if (++failing == 3) throw DeviceError("third time");
                                       },
                                       1, false, [] {}}},
                                     rule);
  CHECK(prepared == 5);  // one warms up
  CHECK(called == 5);
  CHECK(timings[0].rounds == 4);
  CHECK(timings[0].failure.empty());
  CHECK(timings[1].failure == "third time");
  CHECK(failing == 3);
}

TEST_CASE("a barrier over the grid costs between 0.1 and 100 microseconds", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  const double seconds = grid_barrier_seconds(queue, queue.multiprocessors(), 128);
  CHECK(seconds > 1e-7);
  CHECK(seconds < 1e-4);
}
#endif
