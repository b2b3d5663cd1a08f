// The runner of benchmarks, and the subcommand `bench` with a subcommand for each of them.
#include "apps/bench/bench.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>

#include "apps/support/help.hpp"
#include "apps/support/lists.hpp"
#include "apps/support/machine.hpp"
#include "apps/support/progress.hpp"
#include "apps/support/text.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/machine/device.hpp"

#ifdef EIGEN_G_HAVE_CUDA
#include "apps/bench/peers.hpp"
#include "hybrid/cuda_check.hpp"
#endif

namespace eigen_g::apps::bench {

namespace {

// Runs one case after the other. time(calls, rule) returns the calls' times as JSON.
template <class Time>
Json run_cases(Benchmark& benchmark, std::vector<CaseOptions> plans, Progress& progress, Time time) {
  const auto work = [](const CaseOptions& plan) { return std::pow(plan.parameters.value("n", 1.0), 2); };
  double all = 0, done = 0;
  for (const CaseOptions& plan : plans) all += work(plan);
  Json results = Json::array();
  for (CaseOptions& plan : plans) {
    Json& result = results.emplace_back(plan.parameters);
    progress.at("bench " + benchmark.about.name + " " + benchmark.title(result), done / all);
    done += work(plan);
    result["skipped"] = plan.skipped.empty() ? Json() : Json(plan.skipped);
    result[benchmark.about.list] = Json::array();
    if (plan.skipped.empty()) {
      const Case c = plan.make();
      result[benchmark.about.list] = time(c.calls, plan.rule);
      c.check(result);
      benchmark.conclude(result);
    }
    plan.make = nullptr;  // frees everything that only this case and the cases before it shared
  }
  return results;
}

#ifdef EIGEN_G_HAVE_CUDA

Json call_json(const Call& call, const Timing& t) {
  const bool measured = t.failure.empty();
  const auto or_null = [&](double value) { return measured ? Json(value) : Json(); };
  Json object{{"name", call.name}, {"rounds", t.rounds}, {"calls", t.calls}, {"graph", t.graph}};
  for (const auto& [name, value] :
       {std::pair{"seconds", t.median}, {"low", t.low}, {"high", t.high}, {"least", t.least}})
    object[name] = or_null(value);
  object["failure"] = measured ? Json() : Json(t.failure);
  if (call.bytes > 0)
    object.update({{"bytes", call.bytes}, {"gbytes_per_second", or_null(call.bytes / t.median * 1e-9)}});
  if (call.flops > 0)
    object.update({{"flops", call.flops}, {"gflops", or_null(call.flops / t.median * 1e-9)}});
  return object;
}

Json timed(const Queue& queue, const std::vector<Call>& calls, const TimingRule& rule) {
  Json list = Json::array();
  const std::vector<Timing> timings = time_in_turns(queue, calls, rule);
  std::vector<Call> on_one_matrix;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    list.push_back(call_json(calls[i], timings[i]));
    if (!calls[i].fits_l2 || !timings[i].failure.empty()) continue;
    on_one_matrix.push_back(calls[i]);
    on_one_matrix.back().enqueue = [&calls, i](std::int64_t) { calls[i].enqueue(0); };
    on_one_matrix.back().rotation = 1;
  }
  const std::vector<Timing> in_l2 = time_in_turns(queue, on_one_matrix, rule);
  for (std::size_t k = 0; k < in_l2.size(); ++k)
    for (Json& call : list)
      if (call["name"] == on_one_matrix[k].name && in_l2[k].failure.empty())
        call["in_l2_seconds"] = in_l2[k].median;
  return list;
}

#endif

Json measured(Benchmark& benchmark) {
  Progress progress(!benchmark.run.quiet);
  Json report{{"format", "eigen_g-bench-" + benchmark.about.name},
              {"version", benchmark.about.version},
              {"machine", machine_json()}};
  if (benchmark.on_host()) {
    std::vector<CaseOptions> plans = benchmark.host_cases(report);
    report["cases"] = run_cases(benchmark, std::move(plans), progress,
                                [](const std::vector<Call>&, const TimingRule&) { return Json::array(); });
    return report;
  }
#ifdef EIGEN_G_HAVE_CUDA
  const Queue queue;
  const std::unique_ptr<Cusolver> cusolver = Cusolver::open(queue);
  const auto on_progress = [&](const std::string& what, double fraction) { progress.at(what, fraction); };
  std::vector<CaseOptions> plans = benchmark.cases({queue, cusolver.get(), on_progress}, report);
  report["cases"] = run_cases(
      benchmark, std::move(plans), progress,
      [&](const std::vector<Call>& calls, const TimingRule& rule) { return timed(queue, calls, rule); });
  return report;
#else
  throw DeviceError("this program is built without CUDA");
#endif
}

ExitCode run(Benchmark& benchmark) {
  require_apart(benchmark.inputs(), {{"--json", benchmark.run.json}}, benchmark.run.force);
  if (gpu_count() == 0 && !benchmark.on_host())
    throw DeviceError("bench " + benchmark.about.name + " needs a GPU, and there is none");
  ReportSink sink(benchmark.run);
  const Json report = measured(benchmark);
  const auto title = [&](const Json& c) { return benchmark.title(c); };
  sink.put(to_text(report, benchmark.tables(report), title), report.dump(1) + "\n");
  const auto limits = [&](const Json& c) { return benchmark.limits(c); };
  return passed(report, limits) ? ExitCode::done : ExitCode::not_verified;
}

constexpr const char* bench_examples = R"(
  eigen_g bench --list
  eigen_g bench symv --types d --sizes 2000,10000,20000
  eigen_g bench symv --json symv.json && scripts/plot_symv.py symv.json -o figures
  eigen_g bench tridiagonalize --breakdown
  eigen_g bench solve --json solve.json && scripts/plot_solver.py solve.json -o figures)";

}  // namespace

void Benchmark::add_sizes(CLI::App& command, const std::string& option, const std::string& all,
                          const std::string& help, std::int64_t least, std::int64_t most) {
  sizes = parse_sizes(all, option);
  const auto read = [=, this](const std::string& text) {
    sizes = parse_sizes(text, option);
    for (const std::int64_t n : sizes)
      if (n < least || n > most)
        throw UsageError(option + ": a size must be from " + std::to_string(least) + " to " +
                         std::to_string(most));
  };
  command.add_option_function<std::string>(option, read, help)->option_text("LIST");
}

void Benchmark::add_rounds(CLI::App& command, const std::string& help, int least, int most) {
  command.add_option("--rounds", rounds, help)->check(CLI::Range(least, most))->option_text("N");
}

void Benchmark::add_types(CLI::App& command, const std::string& what) {
  const auto read = [this, what](const std::string& text) {
    scalar_types.clear();
    for (const blas2::SymvType type : parse_types(text)) {
      if (type == blas2::SymvType::w) throw UsageError("--types: " + what + " is of s, d, c or z");
      scalar_types.push_back(static_cast<char>(type));
    }
  };
  command.add_option_function<std::string>("--types", read, "Letters of s d c z (default: d)")
      ->option_text("TYPES");
}

// The first solve of a size loads cuBLAS kernels. So each size has a warm-up call; with --brief, sizes beyond 20000 except the first
// have none.
TimingRule Benchmark::rule_for_long_calls(std::int64_t n) const {
  const int wanted = rounds > 0 ? rounds : brief ? 1 : 7;
  return {.rounds = wanted,
          .least_rounds = std::min(3, wanted),
          .seconds = 6,
          .warm_up = !brief || n == sizes.front() || n <= 20000};
}

std::vector<CaseOptions> Benchmark::each_case(
    const std::function<CaseOptions(char type, std::int64_t n)>& row) const {
  std::vector<CaseOptions> rows;
  for (const char type : scalar_types)
    for (const std::int64_t n : sizes) rows.push_back(row(type, n));
  return rows;
}

std::string too_large(std::uint64_t bytes, int percent) {
  const std::uint64_t free = gpu_memory_free(current_gpu());
  if (bytes < free / 100 * static_cast<std::uint64_t>(percent)) return "";
  return bytes_text(bytes) + " of GPU memory needed, " + bytes_text(free) + " free";
}

template <class R>
double distance(const std::vector<R>& w, const std::vector<R>& other) {
  double worst = 0, largest = 0;
  for (std::size_t k = 0; k < w.size(); ++k) {
    largest = std::max(largest, std::fabs(static_cast<double>(w[k])));
    const double difference = std::fabs(static_cast<double>(w[k]) - static_cast<double>(other.at(k)));
    if (std::isnan(difference) || difference > worst) worst = difference;
  }
  return worst / (static_cast<double>(w.size()) * std::numeric_limits<R>::epsilon() * largest);
}

EIGEN_G_INSTANTIATE(real_types, distance);

void add_tflops(Json& calls) {
  for (Json& call : calls)
    if (const auto rate = number_at(call, "gflops")) call["tflops"] = *rate * 1e-3;
}

#ifdef EIGEN_G_HAVE_CUDA

void Result::take(const Call& call) const {
  if (call.prepare) call.prepare();
  EIGEN_G_CUDA(cudaMemsetAsync(data, 0xff, bytes, queue.stream()));
  call.enqueue(0);
  queue.wait();
}
std::vector<unsigned char> Result::bits_of(const Call& call) const {
  take(call);
  std::vector<unsigned char> bits(bytes);
  EIGEN_G_CUDA(cudaMemcpy(bits.data(), data, bytes, cudaMemcpyDeviceToHost));
  return bits;
}
bool Result::same_bits(const Call& call, int runs) const {
  const std::vector<unsigned char> first = bits_of(call);
  for (int k = 1; k < runs; ++k)
    if (bits_of(call) != first) return false;
  return true;
}
void Result::add_errors(const std::vector<Call>& calls, Json& list,
                        const std::function<Json(std::size_t call)>& error) const {
  for (std::size_t i = 0; i < calls.size(); ++i) {
    list[i]["error"] = nullptr;
    if (!list[i]["failure"].is_null()) continue;
    take(calls[i]);
    list[i]["error"] = error(i);
  }
}

#endif

}  // namespace eigen_g::apps::bench

namespace eigen_g::apps {

void add_bench(CLI::App& app, Action& action, const bench::Benchmarks& benchmarks) {
  CLI::App& bench = *app.add_subcommand("bench", "Measure speed, and check the results that were timed.");
  set_help(bench, "eigen_g bench BENCHMARK [OPTIONS]", bench::bench_examples);
  auto list = std::make_shared<bool>(false);
  bench.add_flag("--list", *list, "List the benchmarks and exit");
  bench.require_subcommand(0, 1);
  for (const auto& benchmark : benchmarks) {
    const bench::About& about = benchmark->about;
    CLI::App& command = *bench.add_subcommand(about.name, about.what);
    set_help(command, "eigen_g bench " + about.name + " [OPTIONS]", about.examples);
    benchmark->add_options(command);
    add_report_options(command, benchmark->run);
    command.callback([benchmark, &action] {
      action = [benchmark] {
        const auto other = benchmark->instead();
        if (other) other->run = benchmark->run;
        return bench::run(other ? *other : *benchmark);
      };
    });
  }
  bench.callback([list, benchmarks, &bench, &action] {
    if (*list) {
      action = [benchmarks] {
        for (const auto& b : benchmarks) std::cout << left_column(b->about.name, 16) << b->about.what << "\n";
        return ExitCode::done;
      };
    } else if (bench.get_subcommands().empty()) {
      throw UsageError("bench: a benchmark or --list is required (see 'eigen_g bench --help')");
    }
  });
}

}  // namespace eigen_g::apps
