// eigen_g tune, and eigen_g tune symv: measures SYMV's configurations on this GPU and writes a table of the fastest.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <limits>
#include <memory>
#include <string>

#include "apps/cli/command.hpp"
#include "apps/cli/symv_tuning.hpp"
#include "apps/io/output_file.hpp"
#include "apps/support/help.hpp"
#include "apps/support/lists.hpp"
#include "apps/support/named_files.hpp"
#include "apps/support/progress.hpp"
#include "apps/support/run_options.hpp"
#include "apps/support/symv_tables.hpp"
#include "apps/support/text.hpp"
#include "apps/support/text_table.hpp"
#include "solver/api/eigen_g.hpp"

namespace eigen_g::apps {

namespace {

struct TuneSymvOptions {
  std::string types = "sdczw";
  std::string uplo = "both";
  std::int64_t n_max = 32768;
  double budget = 480;
  bool one_matrix = false;
  std::string output;
  bool force = false;
  bool quiet = false;
};

constexpr const char* tune_examples = R"(
  eigen_g tune symv                             all types, into the cache folder
  eigen_g tune symv --types d --budget 60
  eigen_g tune symv -o symv_nvidia_h200.txt     for data/perf or for --table
  eigen_g calibrate                           rates of the CPU, the GPUs and their links)";

std::filesystem::path symv_table_file(const TuneSymvOptions& o, const Device& gpu) {
  if (!o.output.empty()) return o.output;
  const auto cached = cached_symv_table(gpu);
  if (cached.empty())
    throw UsageError("tune symv: neither XDG_CACHE_HOME nor HOME is set; name the table with -o FILE");
  std::filesystem::create_directories(cached.parent_path());
  return cached;
}

// Rows of the existing table for the types and triangles that this run does not tune.
std::vector<blas2::SymvTableRow> rows_to_keep(const std::filesystem::path& file, const Device& gpu,
                                              const SymvTuningOptions& plan) {
  std::vector<blas2::SymvTableRow> rows;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return rows;
  try {
    rows = read_symv_table(file, gpu).table.rows;
  } catch (const io::FileError& e) {
    warn(std::string(e.what()) + "; it will be replaced");
  }
  rows.erase(std::remove_if(rows.begin(), rows.end(),
                            [&](const blas2::SymvTableRow& row) {
                              const auto& t = plan.types;
                              const auto& u = plan.triangles;
                              return std::find(t.begin(), t.end(), row.type) != t.end() &&
                                     std::find(u.begin(), u.end(), row.uplo) != u.end();
                            }),
             rows.end());
  return rows;
}

std::string rate_text(double rate) {
  return rate > 0 ? print("%.0f", rate * 1e-9) : "-";
}

std::string symv_summary(const std::vector<SymvTuned>& tuned) {
  TextTable table({"type", "uplo", "from", "to", "config", "GB/s", "default", "at n"});
  for (const SymvTuned& t : tuned)
    for (const SymvTunedRow& r : t.rows)
      table.add({std::string(1, static_cast<char>(r.row.type)), std::string(1, static_cast<char>(r.row.uplo)),
                 std::to_string(r.row.n_from),
                 r.row.n_to == std::numeric_limits<std::int64_t>::max() ? "inf" : std::to_string(r.row.n_to),
                 name(r.row.config), rate_text(r.rate), rate_text(r.default_rate),
                 r.n_measured > 0 ? std::to_string(r.n_measured) : "-"});
  return table.text();
}

ExitCode tune_symv(const TuneSymvOptions& o) {
  SymvTuningOptions plan;
  plan.types = parse_types(o.types);
  plan.triangles = parse_triangles(o.uplo);
  plan.n_max = o.n_max;
  plan.seconds = o.budget;
  plan.one_matrix = o.one_matrix;
  if (gpu_count() == 0) throw DeviceError("tune symv needs a GPU; none was found");
  const Device gpu = gpu_device(current_gpu());
  require_apart({}, {{"-o", o.output}}, o.force);
  const auto target = symv_table_file(o, gpu);
  blas2::SymvTableFile file{
      gpu.name, gpu.compute_major, gpu.compute_minor, gpu.multiprocessors, version(), today(), {}};
  auto& rows = file.table.rows;
  rows = rows_to_keep(target, gpu, plan);
  io::OutputFile out(target, existing_files(o.force || o.output.empty()));

  std::vector<SymvTuned> tuned;
  {
    Progress progress(!o.quiet);
    plan.progress = [&progress](double fraction) { progress.at("tune symv", fraction); };
    tuned = measure_symv_configs(plan);
  }
  bool sound = true;
  for (const SymvTuned& t : tuned) {
    for (const std::string& failed : t.failed)
      warn(print("%c %c, left out: ", static_cast<char>(t.type), static_cast<char>(t.uplo)) + failed);
    if (t.rows.empty()) sound = false;
    for (const SymvTunedRow& r : t.rows) rows.push_back(r.row);
  }
  if (!sound) throw DeviceError("tune symv: all configurations of a type failed; no table is written");
  std::stable_sort(rows.begin(), rows.end(), [](const blas2::SymvTableRow& a, const blas2::SymvTableRow& b) {
    auto place = [](blas2::SymvType t) {
      return std::find(std::begin(blas2::all_symv_types), std::end(blas2::all_symv_types), t);
    };
    return place(a.type) != place(b.type) ? place(a.type) < place(b.type) : a.uplo < b.uplo;
  });
  out.write(to_text(file));
  out.commit();
  std::cout << symv_summary(tuned);
  if (!o.quiet) warn("written: " + target.string());
  return ExitCode::done;
}

}  // namespace

void add_tune(CLI::App& app, Action& action) {
  CLI::App& command =
      *app.add_subcommand("tune", "Find the fastest configurations of a kernel on this machine.");
  set_help(command, "eigen_g tune symv [OPTIONS]", tune_examples);
  command.require_subcommand(0, 1);
  command.callback([&command] {
    if (command.get_subcommands().empty()) throw CLI::CallForHelp();
  });

  auto options = std::make_shared<TuneSymvOptions>();
  CLI::App& symv =
      *command.add_subcommand("symv",
                              "Symmetric matrix-vector product: measure all configurations at a "
                              "few sizes and the best ones at many, and write a "
                              "table of the fastest configuration for each n. Rows of an existing "
                              "table for types and triangles that are not tuned now "
                              "are kept.");
  set_help(symv, "eigen_g tune symv [OPTIONS]", tune_examples);
  symv.add_option("--types", options->types, "Letters of s d c z w (default: all)")->option_text("LETTERS");
  symv.add_option("--uplo", options->uplo, "Triangle: L, U or both (default)")->option_text("L|U|both");
  symv.add_option("--max-n", options->n_max, "Largest order measured (default: 32768)")
      ->check(CLI::Range(std::int64_t{64}, std::int64_t{1'000'000}))
      ->option_text("N");
  symv.add_option("--budget", options->budget, "Approximate duration in seconds (default: 480)")
      ->check(CLI::Range(1.0, 1e6))
      ->option_text("SECONDS");
  symv.add_flag(
      "--one-matrix", options->one_matrix,
      "Use one matrix, which the L2 holds for small n (default: rotate through many, beyond the L2)");
  named_output(
      symv.add_option(
          "-o,--output", options->output,
          "Output file (default: $XDG_CACHE_HOME/eigen_g/symv_<device>.txt, which the commands read)"))
      ->option_text("FILE");
  add_force_option(symv, options->force);
  add_quiet_option(symv, options->quiet);
  symv.callback([options, &action] { action = [options] { return tune_symv(*options); }; });
}

}  // namespace eigen_g::apps
