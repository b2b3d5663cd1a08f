// eigen_g bench: a table of benchmarks, one runner (bench.cpp), one report (report.hpp).
//
// A benchmark is a class and a row of the table. It says which options it takes, which cases they make, what must hold, and
// which columns its tables have. The runner makes one case after the other, has its calls (ours, the peers') take turns
// (timing.hpp), lets it check their results, and puts the report.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "apps/bench/report.hpp"
#include "apps/cli/command.hpp"
#include "apps/cli/common_options.hpp"
#include "apps/cli/named_files.hpp"
#include "apps/cli/timing.hpp"

namespace eigen_g::apps::bench {

class Cusolver;

struct Session {
  const Queue& queue;
  Cusolver* cusolver;  // null: a build without it
  std::function<void(const std::string& what, double fraction)> progress;
};

class Case {  // its operands are in memory
 public:
  virtual ~Case() = default;
  virtual std::vector<Call> calls() = 0;  // in the order in which they take turns; may refer to the case
  // Checks what the calls left, once all were timed. `result`: the case's JSON with their times, to be added to.
  virtual void check(Json& result) = 0;
};

struct CasePlan {
  Json parameters;  // its JSON begins with them
  TimingRule rule;
  std::function<std::unique_ptr<Case>()> make;
  std::string skipped = {};  // not empty: why it is left out
};

struct About {
  std::string name, what, examples;  // examples: lines, each begins with a newline
  std::string list = "calls";        // what the JSON calls a case's calls
  int version = 1;                   // of the JSON
};

class Benchmark {
 public:
  explicit Benchmark(About description) : about(std::move(description)) {}
  virtual ~Benchmark() = default;
  virtual void add_options(CLI::App& command) = 0;
  virtual std::vector<NamedFile> inputs() const { return {}; }
  // `head`: fields of the report above its cases. Overridden in builds with CUDA; the others measure nothing.
  virtual std::vector<CasePlan> cases(const Session&, Json& /*head*/) { return {}; }
  // Whether it runs without a GPU, as its options have it; then these are its cases, which time themselves in check().
  virtual bool on_host() const { return false; }
  virtual std::vector<CasePlan> host_cases(Json& /*head*/) { return {}; }
  // Puts what follows from the other fields of a case.
  virtual void conclude(Json& /*c*/) const {}
  virtual std::vector<Limit> limits(const Json& c) const = 0;
  virtual std::vector<Table> tables(const Json& report) const = 0;
  virtual std::string title(const Json& c) const { return "n = " + c["n"].dump(); }

  const About about;
  RunOptions run;

 protected:
  void add_sizes(CLI::App& command, const std::string& option, const std::string& all,
                 const std::string& what, std::int64_t least = 1, std::int64_t most = 10'000'000);
  void add_rounds(CLI::App& command, const std::string& help, int least, int most = 10000);
  TimingRule rule_for_long_calls(std::int64_t n) const;  // where a round is one call

  std::vector<std::int64_t> sizes;
  int rounds = 0;      // 0: as many as the benchmark takes by itself
  bool brief = false;  // for large sizes
};

std::vector<std::shared_ptr<Benchmark>> benchmarks();  // all, in the order of the list
void add_benchmarks(CLI::App& bench, Action& action);  // a subcommand of `bench` for each of them

// Why a case that needs so much of the GPU's memory is skipped where it may take `percent` of what is free now; "": it fits.
std::string too_large(std::uint64_t bytes, int percent = 95);

// max |w - w'| / (n ulp max |w|) of n eigenvalues; NaN where one is.
template <class R>
double distance(const std::vector<R>& w, const std::vector<R>& other);

}  // namespace eigen_g::apps::bench
