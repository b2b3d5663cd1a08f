#include "apps/support/run_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <iostream>

#include "apps/support/help.hpp"
#include "apps/support/text.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/machine/device.hpp"

namespace eigen_g::apps {

void add_quiet_option(CLI::App& command, bool& quiet) {
  command.add_flag("-q,--quiet", quiet, "Print errors only: no progress, no other messages");
}

void add_force_option(CLI::App& command, bool& force) {
  command.add_flag("--force", force, "Replace existing output files (default: an existing file is an error)");
}

io::Existing existing_files(bool force) {
  return force ? io::Existing::replace : io::Existing::keep;
}

CLI::Option* named_output(CLI::Option* option) {
  return option->check([](const std::string& name) -> std::string {
    if (name == "-") return "- is not a file name; results are not written to stdout";
    if (name.empty()) return "a name is required";
    if (name.back() == '/') return name + " names a folder; must name a file";
    return "";
  });
}

CLI::Option* not_empty(CLI::Option* option) {
  return option->check(
      [](const std::string& text) { return std::string(text.empty() ? "must not be empty" : ""); });
}

CLI::Option* positive(CLI::Option* option) {
  return option->check([](const std::string& text) -> std::string {
    double number = 0;
    if (!CLI::detail::lexical_cast(text, number)) return text + " is not a number";
    return number > 0 && std::isfinite(number) ? "" : text + " must be greater than 0";
  });
}

void add_threads_option(CLI::App& command, int& threads) {
  command
      .add_option(
          "--threads", threads,
          "CPU threads, at most one for each core (default: OMP_NUM_THREADS, otherwise the physical cores "
          "within the CPU quota)")
      ->check(CLI::Range(1, 65536))
      ->option_text("N");
}

void add_report_options(CLI::App& command, RunOptions& options) {
  begin_group(command, "Report");
  not_empty(
      command.add_option("--json", options.json,
                         "Write the report as JSON; with - the JSON is on stdout and the table on stderr"))
      ->option_text("FILE");
  add_force_option(command, options.force);
  add_quiet_option(command, options.quiet);
}

void add_run_options(CLI::App& command, RunOptions& options) {
  begin_group(command, "Devices");
  command
      .add_option("--device", options.device,
                  "auto (default: a GPU if there is one, except for small matrices), cpu, gpu")
      ->check(CLI::IsMember({"auto", "cpu", "gpu"}))
      ->option_text("DEVICE");
  add_threads_option(command, options.threads);
  add_report_options(command, options);
}

DeviceChoice device_of(const RunOptions& options) {
  return options.device == "cpu"   ? DeviceChoice::cpu
         : options.device == "gpu" ? DeviceChoice::gpu
                                   : DeviceChoice::automatic;
}

void report_device(const RunOptions& options, const std::string& taken) {
  if (options.device != "auto" || options.quiet || cuda_toolkit_version().empty()) return;
  warn("--device auto used " + taken + (gpu_count() == 0 ? " (no GPU found)" : ""));
}

void report_unused(const RunOptions& options, const std::string& options_of_gpu) {
  if (options.quiet || options_of_gpu.empty()) return;
  warn("the solve is on the CPU, which does not use " + options_of_gpu);
}

int threads_used(const RunOptions& options) {
  if (options.threads == 0) return blas_threads();
  const int cores = usable_cores();
  if (options.threads > cores && !options.quiet)
    warn(print("--threads %d: limited to the %d available cores", options.threads, cores));
  return std::min(options.threads, cores);
}

void warn(const std::string& message) {
  std::cerr << "eigen_g: " << message << std::endl;
}

ReportSink::ReportSink(const RunOptions& options) : options_(options) {
  if (!options.json.empty() && options.json != "-")
    file_ = std::make_unique<io::OutputFile>(options.json, existing_files(options.force));
}

ReportSink::~ReportSink() = default;

void ReportSink::print_before(const std::string& text) {
  if (options_.json != "-")
    std::cout << text << std::flush;
  else if (!options_.quiet)
    std::cerr << text;
}

void ReportSink::put(const std::string& table, const std::string& json) {
  if (file_) {
    file_->write(json);
    file_->commit();
  }
  if (options_.json == "-") std::cout << json;
  print_before(table);
}

}  // namespace eigen_g::apps
