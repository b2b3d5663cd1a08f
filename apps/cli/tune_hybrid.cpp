// eigen_g tune hybrid: measures every device of this machine and writes the calibration.
#include "apps/cli/tune_hybrid.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

#include "apps/cli/common_options.hpp"
#include "apps/cli/help.hpp"
#include "apps/cli/named_files.hpp"
#include "apps/cli/progress.hpp"
#include "apps/cli/text.hpp"
#include "apps/cli/text_table.hpp"
#include "apps/io/output_file.hpp"
#include "solver/calibrate/calibrate.hpp"

namespace eigen_g::apps {

namespace {

struct TuneHybridOptions {
  bool quick = false;
  int threads = 0;
  std::string output;
  bool force = false;
  bool quiet = false;
};

constexpr const char* tune_hybrid_examples = R"(
  eigen_g tune hybrid                      every device, into the cache folder
  eigen_g tune hybrid --quick              the few figures that a first solve needs
  eigen_g tune hybrid -o machine.json)";

std::filesystem::path calibration_file(const TuneHybridOptions& o) {
  if (!o.output.empty()) return o.output;
  const auto cached = cached_calibration();
  if (cached.empty())
    throw UsageError("tune hybrid: neither XDG_CACHE_HOME nor HOME is set; name the file with -o FILE");
  std::filesystem::create_directories(cached.parent_path());
  return cached;
}

std::string device_title(const DeviceRates& rates) {
  return rates.device.kind == DeviceKind::cpu ? "CPU" : "GPU " + std::to_string(rates.device.index);
}

std::string giga(double value) {
  return value > 0 ? print("%.4g", value * 1e-9) : "-";
}

std::string calibration_summary(const Calibration& calibration) {
  TextTable products({"device", "engine", "m", "n", "k", "GFLOP/s"});
  TextTable team({"device", "in a team", "multiprocessors", "rows", "columns", "inner", "GFLOP/s"});
  TextTable memory({"device", "symv GB/s", "to GB/s", "from GB/s", "latency us", "from GPU 0", "to GPU 0",
                    "halo GB/s", "halo us", "joining us"});
  for (const DeviceRates& r : calibration.devices) {
    for (const ProductRate& p : r.products)
      products.add({device_title(r), p.engine, std::to_string(p.m), std::to_string(p.n), std::to_string(p.k),
                    giga(p.flops)});
    for (const TeamRate& t : r.team)
      team.add({device_title(r), t.work == TeamWork::product ? "product" : "reflectors",
                t.multiprocessors > 0 ? std::to_string(t.multiprocessors) : "-", std::to_string(t.rows),
                std::to_string(t.columns), std::to_string(t.inner), giga(t.flops)});
    memory.add({device_title(r), giga(r.symv_bandwidth), giga(r.to_device), giga(r.from_device),
                r.latency > 0 ? print("%.1f", r.latency * 1e6) : "-", giga(r.from_first), giga(r.to_first),
                giga(r.halo_bandwidth), r.halo_latency > 0 ? print("%.1f", r.halo_latency * 1e6) : "-",
                r.joining > 0 ? print("%.1f", r.joining * 1e6) : "-"});
  }
  return products.text() + "\n" + team.text() + "\n" + memory.text();
}

ExitCode tune_hybrid(const TuneHybridOptions& o) {
  require_apart({}, {{"-o", o.output}}, o.force);
  const auto target = calibration_file(o);
  io::OutputFile out(target, existing_files(o.force || o.output.empty()));
  Calibration calibration;
  {
    Progress progress(!o.quiet);
    calibration = calibrate(
        o.quick ? Effort::quick : Effort::full, o.threads,
        [&](const std::string& device, double fraction) { progress.at("tune " + device, fraction); });
  }
  calibration.date = today();
  out.write(json_text_of(calibration));
  out.commit();
  std::cout << calibration_summary(calibration);
  if (!o.quiet) complain("written: " + target.string());
  return ExitCode::done;
}

}  // namespace

void add_tune_hybrid(CLI::App& tune, Action& action) {
  auto options = std::make_shared<TuneHybridOptions>();
  CLI::App& command = *tune.add_subcommand("hybrid",
                                           "The machine's devices: rates of matrix products by each engine "
                                           "at the shapes of a solve, bandwidth of the symmetric "
                                           "product, of the links and between GPUs. Writes the calibration, "
                                           "which 'eigen_g model' reads. Takes well under two "
                                           "minutes; nothing else should run meanwhile.");
  set_help(command, "eigen_g tune hybrid [OPTIONS]", tune_hybrid_examples);
  command.add_flag("--quick", options->quick, "Fewer and smaller measurements, about a second");
  add_threads_option(command, options->threads);
  named_output(command.add_option(
                   "-o,--output", options->output,
                   "The calibration (default: $XDG_CACHE_HOME/eigen_g/calibration.json, where the command "
                   "finds it again)"))
      ->option_text("FILE");
  add_force_option(command, options->force);
  add_quiet_option(command, options->quiet);
  command.callback([options, &action] { action = [options] { return tune_hybrid(*options); }; });
}

}  // namespace eigen_g::apps
