// eigen_g calibrate: measures all devices of this machine and writes the calibration.
#include "apps/cli/command.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

#include "apps/io/output_file.hpp"
#include "apps/support/help.hpp"
#include "apps/support/named_files.hpp"
#include "apps/support/progress.hpp"
#include "apps/support/run_options.hpp"
#include "apps/support/text.hpp"
#include "apps/support/text_table.hpp"
#include "solver/calibrate/calibrate.hpp"

namespace eigen_g::apps {

namespace {

struct CalibrateOptions {
  bool quick = false;
  int threads = 0;
  std::string output;
  bool force = false;
  bool quiet = false;
};

constexpr const char* calibrate_examples = R"(
  eigen_g calibrate                      every device, into the cache folder
  eigen_g calibrate --quick              the few rates that a first solve needs
  eigen_g calibrate -o machine.json)";

std::filesystem::path calibration_file(const CalibrateOptions& o) {
  if (!o.output.empty()) return o.output;
  const auto cached = cached_calibration();
  if (cached.empty())
    throw UsageError("calibrate: neither XDG_CACHE_HOME nor HOME is set; name the file with -o FILE");
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
                    "halo GB/s", "halo us", "team overhead us"});
  for (const DeviceRates& r : calibration.devices) {
    for (const ProductRate& p : r.products)
      products.add({device_title(r), p.engine, std::to_string(p.m), std::to_string(p.n), std::to_string(p.k),
                    giga(p.flops)});
    for (const TeamRate& t : r.team)
      team.add({device_title(r), t.work == TeamWork::product ? "product" : "reflectors",
                t.multiprocessors > 0 ? std::to_string(t.multiprocessors) : "-", std::to_string(t.rows),
                std::to_string(t.columns), std::to_string(t.inner), giga(t.flops)});
    memory.add({device_title(r), giga(r.symv_bytes_per_second), giga(r.to_device), giga(r.from_device),
                r.latency > 0 ? print("%.1f", r.latency * 1e6) : "-", giga(r.from_first), giga(r.to_first),
                giga(r.halo_bytes_per_second), r.halo_latency > 0 ? print("%.1f", r.halo_latency * 1e6) : "-",
                r.team_overhead_seconds > 0 ? print("%.1f", r.team_overhead_seconds * 1e6) : "-"});
  }
  return products.text() + "\n" + team.text() + "\n" + memory.text();
}

ExitCode calibrate(const CalibrateOptions& o) {
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
  if (!o.quiet) warn("written: " + target.string());
  return ExitCode::done;
}

}  // namespace

void add_calibrate(CLI::App& app, Action& action) {
  auto options = std::make_shared<CalibrateOptions>();
  CLI::App& command = *app.add_subcommand("calibrate",
                                          "Measure this machine's devices: rates of the matrix products of "
                                          "each engine at the shapes of a solve, bandwidth of the symmetric "
                                          "product, of the links and between GPUs. Writes the calibration, "
                                          "which solve and predict read. Takes less than two "
                                          "minutes; nothing else should run at the same time.");
  set_help(command, "eigen_g calibrate [OPTIONS]", calibrate_examples);
  command.add_flag("--quick", options->quick, "Fewer and smaller measurements, about one second");
  add_threads_option(command, options->threads);
  named_output(
      command.add_option("-o,--output", options->output,
                         "Output file (default: $XDG_CACHE_HOME/eigen_g/calibration.json, which the commands "
                         "read)"))
      ->option_text("FILE");
  add_force_option(command, options->force);
  add_quiet_option(command, options->quiet);
  command.callback([options, &action] { action = [options] { return calibrate(*options); }; });
}

}  // namespace eigen_g::apps
