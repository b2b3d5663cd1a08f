// Options of a run that several subcommands share (device, threads, report), and ReportSink, which prints a run's report.
#pragma once

#include <memory>
#include <string>

#include "apps/io/output_file.hpp"
#include "solver/api/types.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace eigen_g::apps {

// Options of a run: --device, --threads, --json, --force, --quiet.
struct RunOptions {
  std::string device = "auto";
  int threads = 0;
  std::string json;  // "": no JSON; "-": stdout
  bool force = false;
  bool quiet = false;
};
void add_run_options(CLI::App& command, RunOptions& options);
void add_report_options(CLI::App& command, RunOptions& options);  // --json, --force and --quiet only
void add_quiet_option(CLI::App& command, bool& quiet);
void add_force_option(CLI::App& command, bool& force);
io::Existing existing_files(bool force);
// The option names a file to write. "", "-" and a name that ends in / are refused as wrong usage.
CLI::Option* named_output(CLI::Option* option);
// The option's text must not be empty: "" does not mean that the option is absent.
CLI::Option* not_empty(CLI::Option* option);
// The option's number must be greater than 0 and finite.
CLI::Option* positive(CLI::Option* option);
void add_threads_option(CLI::App& command, int& threads);

DeviceChoice device_of(const RunOptions& options);
// With --device auto: says once on stderr which devices the solve used. Prints nothing with --quiet, or in a build without CUDA, where
// there is no choice.
void report_device(const RunOptions& options, const std::string& taken);
// Says on stderr that a solve on the CPU does not use `options_of_gpu`, "--engine, --precision". Prints nothing with --quiet or if the list is
// empty.
void report_unused(const RunOptions& options, const std::string& options_of_gpu);
int threads_used(const RunOptions& options);  // reports on stderr if fewer threads are used than requested

// Prints one line on stderr: "eigen_g: ...".
void warn(const std::string& message);

// Prints the report of a run. Without --json: the table on stdout. With --json FILE: the table on stdout, the JSON in FILE. With
// --json -: the JSON on stdout, the table on stderr (not printed with --quiet).
class ReportSink {
 public:
  // Opens FILE, so that a file that cannot be written is an error before the work.
  explicit ReportSink(const RunOptions& options);
  ~ReportSink();
  void put(const std::string& table, const std::string& json);
  void print_before(const std::string& text);  // prints to the table's stream, before the report

 private:
  RunOptions options_;
  std::unique_ptr<io::OutputFile> file_;
};

}  // namespace eigen_g::apps
