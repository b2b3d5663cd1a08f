// eigen_g bench: the interface of a benchmark. bench.cpp has the runner, report.hpp the report, apps/cli/benchmarks.cpp the list.
//
// A benchmark is a class and a row of the list. It states its options, the cases that these options make, the limits that a case must
// hold, and the columns of its tables. The runner works on one case after the other: it constructs the case, times its calls in turn
// (eigen_g's and the peers', timing.hpp), lets it check the results, and prints the report.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apps/bench/report.hpp"
#include "apps/support/exit_codes.hpp"
#include "apps/support/named_files.hpp"
#include "apps/support/run_options.hpp"
#include "apps/support/timing.hpp"

namespace CLI {
class App;
}

namespace eigen_g::apps::bench {

class Cusolver;

struct Session {
  const Queue& queue;
  Cusolver* cusolver;                                                      // null: a build without it
  std::function<void(const std::string& what, double fraction)> progress;  // null: a build without cuSOLVER
};

// The calls and checks of a case, with its operands in memory.
struct Case {
  std::vector<Call> calls;  // in the order of their turns
  // Checks the results of the calls after all of them were timed. `result` is the case's JSON with the times; check() adds to it.
  std::function<void(Json& result)> check;
};

// The case of a State(arguments...), which has calls() and check(result). It lives as long as the case.
template <class State, class... Arguments>
Case case_of(Arguments&&... arguments) {
  const auto state = std::make_shared<State>(std::forward<Arguments>(arguments)...);
  return {state->calls(), [state](Json& result) { state->check(result); }};
}

// Device memory that each call of a case fills with its result. CUDA builds only.
struct Result {
  const Queue& queue;
  void* data;
  std::uint64_t bytes;
  void take(const Call& call) const;  // prepares, fills the memory with NaN, makes call number 0 and waits
  std::vector<unsigned char> bits_of(const Call& call) const;
  bool same_bits(const Call& call, int runs) const;
  // Takes the result of each call that did not fail, and sets "error" in the call's JSON to error(its number), else to null.
  void add_errors(const std::vector<Call>& calls, Json& list,
                  const std::function<Json(std::size_t call)>& error) const;
};

// A row of the table of cases.
struct CaseOptions {
  Json parameters;  // first fields of the case's JSON
  TimingRule rule;
  std::function<Case()> make;
  std::string skipped = {};  // reason why the case is left out; empty: it runs
};

struct About {
  std::string name, what, examples;  // examples: lines, each begins with a newline
  std::string list = "calls";        // JSON name of the list of a case's calls
  int version = 1;                   // version of the JSON
  std::vector<Limit> limits = {};    // limits of every case
  std::vector<Table> tables = {};
};

class Benchmark {
 public:
  explicit Benchmark(About description) : about(std::move(description)) {}
  virtual ~Benchmark() = default;
  virtual void add_options(CLI::App& command) = 0;
  virtual std::vector<NamedFile> inputs() const { return {}; }
  // `head` gets fields of the report that precede its cases. Overridden in CUDA builds; without CUDA there is nothing to measure.
  virtual std::vector<CaseOptions> cases(const Session&, Json& /*head*/) { return {}; }
  // The benchmark to run instead of this one, by the current options. Null: this one.
  virtual std::shared_ptr<Benchmark> instead() const { return nullptr; }
  // True if the benchmark, with its current options, runs without a GPU. Its cases are then host_cases(), which time themselves in check().
  virtual bool on_host() const { return false; }
  virtual std::vector<CaseOptions> host_cases(Json& /*head*/) { return {}; }
  // Adds the fields of a case that follow from its other fields.
  virtual void conclude(Json& /*c*/) const {}
  virtual std::vector<Limit> limits(const Json& /*c*/) const { return about.limits; }
  virtual std::vector<Table> tables(const Json& /*report*/) const { return about.tables; }
  virtual std::string title(const Json& c) const {
    return (c.contains("type") ? "type " + c["type"].get<std::string>() + ", " : "") + "n = " + c["n"].dump();
  }

  const About about;
  RunOptions run;

 protected:
  void add_sizes(CLI::App& command, const std::string& option, const std::string& all,
                 const std::string& what, std::int64_t least = 1, std::int64_t most = 10'000'000);
  void add_rounds(CLI::App& command, const std::string& help, int least, int most = 10000);
  // --types: letters of s, d, c and z (default: d). what: for the message that refuses others.
  void add_types(CLI::App& command, const std::string& what);
  // A row for each of scalar_types and each of sizes.
  std::vector<CaseOptions> each_case(const std::function<CaseOptions(char type, std::int64_t n)>& row) const;
  TimingRule rule_for_long_calls(std::int64_t n) const;  // for benchmarks in which a round is one call

  std::vector<std::int64_t> sizes;
  std::vector<char> scalar_types{'d'};  // letters of --types
  int rounds = 0;                       // 0: the benchmark's own number
  bool brief = false;                   // the option for large sizes
};

using Benchmarks = std::vector<std::shared_ptr<Benchmark>>;

// Reason to skip a case that needs `bytes` bytes of GPU memory: more than `percent` % of what is free now. "": it fits.
std::string too_large(std::uint64_t bytes, int percent = 95);

// max |w - w'| / (n ulp max |w|) over n eigenvalues; NaN if one of them is NaN.
template <class R>
double distance(const std::vector<R>& w, const std::vector<R>& other);

void add_tflops(Json& calls);  // to each call that has gflops

}  // namespace eigen_g::apps::bench

namespace eigen_g::apps {

// Adds the subcommand `bench` with these benchmarks to the command.
void add_bench(CLI::App& app, Action& action, const bench::Benchmarks& benchmarks);

}  // namespace eigen_g::apps
