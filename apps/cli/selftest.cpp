// eigen_g selftest: checks if this build solves correctly on this machine. It solves matrices that are hard for eigensolvers, in every
// way and type, and checks each result.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/cli/command.hpp"
#include "apps/cli/selftest_case.hpp"
#include "apps/io/scalar_type.hpp"
#include "apps/support/help.hpp"
#include "apps/support/named_files.hpp"
#include "apps/support/progress.hpp"
#include "apps/support/run_options.hpp"
#include "apps/support/text.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/machine/device.hpp"
#include "solver/verify/verify.hpp"

namespace eigen_g::apps {

namespace {

using Json = nlohmann::ordered_json;

struct SelftestOptions {
  RunOptions run;
  bool many = false, full = false, cases = false;
  std::string types = "sdcz";
};

struct Ratios {
  double residual = 0, orthogonality = 0, values = 0;
  void raise(const SelftestCase& c) {
    residual = std::max(residual, c.residual);
    orthogonality = std::max(orthogonality, c.orthogonality);
    values = std::max(values, c.values);
  }
};

// Worst ratios by family and type; the families in the order of their first case.
struct WorstRatios {
  std::vector<std::string> families;
  std::map<std::string, std::map<char, Ratios>> ratios;

  void add(const SelftestCase& c) {
    if (!ratios.contains(c.family)) families.push_back(c.family);
    ratios[c.family][c.type].raise(c);
  }

  std::string table(const std::string& types) const {
    constexpr std::size_t width = 34;
    std::string text = "\n" + left_column("worst: residual, orthog., values", width);
    for (const char type : types) text += print("%8c%16s", type, "");
    text += "\n";
    for (const std::string& family : families) {
      text += left_column(family, width);
      for (const char type : types) {
        const auto& of_family = ratios.at(family);
        const auto found = of_family.find(type);
        if (found == of_family.end())
          text += print("%8s%16s", "-", "");
        else
          text += print("%8.2g%8.2g%8.2g", found->second.residual, found->second.orthogonality,
                        found->second.values);
      }
      text += "\n";
    }
    return text + "\n";
  }

  Json json() const {
    Json list = Json::array();
    for (const std::string& family : families)
      for (const auto& [type, worst] : ratios.at(family))
        list.push_back({{"family", family},
                        {"type", std::string(1, type)},
                        {"lapack_residual", worst.residual},
                        {"lapack_orthogonality", worst.orthogonality},
                        {"values", worst.values}});
    return list;
  }
};

constexpr std::size_t family_width = 31, variant_width = 20;

std::string case_row(const SelftestCase& c) {
  return print("%c  ", c.type) + left_column(c.family, family_width) +
         print("%6lld  ", static_cast<long long>(c.n)) + left_column(c.variant, variant_width) +
         print("%10.3g %10.3g %10.3g  ", c.residual, c.orthogonality, c.values) +
         (c.passed ? "pass" : "FAILED") + "\n";
}

Json case_json(const SelftestCase& c) {
  return {{"type", std::string(1, c.type)},
          {"family", c.family},
          {"n", c.n},
          {"variant", c.variant},
          {"m", c.m},
          {"lapack_residual", c.residual},
          {"lapack_orthogonality", c.orthogonality},
          {"values", c.values},
          {"passed", c.passed}};
}

// Smaller orders use one thread, as the solver does: more threads would spin longer than they work.
constexpr std::int64_t min_order_for_threads = 300;

// Solves every matrix in one of the ways. The ways rotate, and each family and type starts with another one, so that every family and
// every order meets every way.
template <class T>
void solve_all(const std::vector<std::int64_t>& orders, std::size_t turn, Devices devices, bool on_gpu,
               const std::function<void(const SelftestCase&)>& done) {
  const int threads = devices.threads;
  for (const SelftestFamily<T>& family : selftest_families<T>()) {
    std::size_t variant = turn++;
    for (const std::int64_t n : orders) {
      devices.threads = n < min_order_for_threads ? 1 : threads;
      const ThreadLimit limit(devices.threads);
      const auto matrix = family.make(n);
      if (!matrix) continue;
      const std::vector<SelftestVariant> variants = selftest_variants<T>(n, on_gpu);
      done(solved(family.name, *matrix, n, variants[n == 0 ? 0 : variant++ % variants.size()], devices,
                  on_gpu));
    }
  }
}

// An order for each method of the kernels for batches.
constexpr std::array<std::int64_t, 5> orders_of_batches{3, 16, 48, 128, 200};

ExitCode selftest(const SelftestOptions& options) {
  require_apart({}, {{"--json", options.run.json}}, options.run.force);
  ReportSink sink(options.run);
  Devices devices;
  devices.device = device_of(options.run);
  devices.threads = threads_used(options.run);
  // Sends small orders to the GPU too; the automatic choice would solve them on the CPU.
  const bool on_gpu = devices.device != DeviceChoice::cpu && gpu_count() > 0;
  if (on_gpu) devices.device = DeviceChoice::gpu;
  std::vector<std::int64_t> orders{0, 1, 2, 3, 5, 9, 21, 31, 32, 33, 36, 63, 64, 65, 127, 128, 129};
  if (options.many || options.full) orders.insert(orders.end(), {252, 255, 256, 257, 324, 400});
  if (options.full) orders.insert(orders.end(), {511, 512, 513, 900, 1008, 1023, 1024, 1025, 2049});

  const std::string head = "   " + left_column("family", family_width) + "     n  " +
                           left_column("variant", variant_width) +
                           "  residual  orthogon.     values  verdict\n";
  if (options.cases) sink.print_before(head);
  Progress progress(!options.run.quiet);
  std::size_t count = 0, failures = 0;
  Ratios worst;
  WorstRatios by_family;
  Json cases = Json::array();
  const auto done = [&](const SelftestCase& c) {
    ++count;
    if (!c.passed) ++failures;
    worst.raise(c);
    by_family.add(c);
    cases.push_back(case_json(c));
    if (!c.passed && failures == 1 && !options.cases) sink.print_before(head);
    if (options.cases || !c.passed) {
      progress.finish();
      sink.print_before(case_row(c));
    }
    progress.at("type " + std::string(1, c.type) + ", " + c.family);
  };
  for (std::size_t k = 0; k < options.types.size(); ++k)
    io::with_type(*io::scalar_type_of(options.types.substr(k, 1)), [&]<class T>(T) {
      solve_all<T>(orders, k, devices, on_gpu, done);
      for (const std::int64_t n : orders_of_batches) done(solved_batch<T>(n, devices, on_gpu));
    });

  progress.finish();
  const Json report = {{"format", "eigen_g-selftest"}, {"version", 3},
                       {"eigen_g", version()},         {"on_gpu", on_gpu},
                       {"limit", lapack_ratio_limit},  {"values_limit", selftest_values_limit},
                       {"worst", by_family.json()},    {"cases", cases}};
  sink.put(
      by_family.table(options.types) +
          print(
              "%zu cases on the %s, worst ratios: residual %.3g, orthogonality %.3g (limit %g), values %.3g "
              "(limit %g): ",
              count, on_gpu ? "GPU" : "CPU", worst.residual, worst.orthogonality, lapack_ratio_limit,
              worst.values, selftest_values_limit) +
          (failures == 0 ? "pass\n" : std::to_string(failures) + " FAILED\n"),
      report.dump(1) + "\n");
  return failures == 0 ? ExitCode::done : ExitCode::not_verified;
}

// Checks --types: letters of types, each at most once.
std::string wrong_types(const std::string& types) {
  for (std::size_t k = 0; k < types.size(); ++k)
    if (!io::scalar_type_of(types.substr(k, 1)) || types.find(types[k], k + 1) != std::string::npos)
      return "'" + types + "' must be letters of sdcz, each at most once";
  return types.empty() ? "must name at least one type" : "";
}

constexpr const char* selftest_examples = R"(
  eigen_g selftest                       orders up to 129, seconds; the worst ratios, the verdict and the failed cases
  eigen_g selftest --long                up to 400
  eigen_g selftest --full --json st.json up to 2049
  eigen_g selftest --cases               a line for each case
  eigen_g selftest --types dz            double and complex double only)";

}  // namespace

void add_selftest(CLI::App& app, Action& action) {
  auto options = std::make_shared<SelftestOptions>();
  CLI::App& command = *app.add_subcommand(
      "selftest",
      "Solve matrices that are hard for eigensolvers, and check every result (exit code 4: a check failed).");
  set_help(command, "eigen_g selftest [--long|--full] [OPTIONS]", selftest_examples);
  CLI::Option* many = command.add_flag("--long", options->many, "Orders up to 400 (default: 129)");
  command.add_flag("--full", options->full, "Orders up to 2049")->excludes(many);
  command.add_flag("--cases", options->cases, "Print a line for each case (default: for failed ones)");
  command
      .add_option("--types", options->types,
                  "Types to test: float (s), double (d), complex float (c), complex double (z)")
      ->check(wrong_types)
      ->option_text("LETTERS");
  add_run_options(command, options->run);
  command.callback([options, &action] { action = [options] { return selftest(*options); }; });
}

}  // namespace eigen_g::apps
