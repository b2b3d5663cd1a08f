// eigen_g solve: a matrix file in, eigenvalues and eigenvectors out.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

#include "apps/cli/command.hpp"
#include "apps/cli/common_options.hpp"
#include "apps/cli/exit_codes.hpp"
#include "apps/cli/help.hpp"
#include "apps/cli/launcher.hpp"
#include "apps/cli/named_files.hpp"
#include "apps/cli/solve_options.hpp"
#include "apps/cli/stopwatch.hpp"
#include "apps/cli/text.hpp"
#include "apps/io/input_file.hpp"
#include "solver/calibrate/calibrate.hpp"
#include "solver/driver/arguments.hpp"

namespace eigen_g::apps {

namespace {

// What is wanted, and where; the triangle and the subset follow when the matrix is there.
struct Wishes {
  Options options;
  Devices devices;
};

Wishes wishes_of(const SolveOptions& options) {
  Wishes wishes;
  wishes.options.vectors = !options.values_only;
  wishes.options.path = path_of(options.path).value();
  wishes.options.engine = engine_of(options.gemm).value();
  wishes.options.precision = precision_of(options.precision).value();
  wishes.devices.place = place_of(options.run);
  wishes.devices.threads = options.run.threads;
  wishes.devices.gpus = options.gpus;
  wishes.devices.multiprocessors = options.gpu_sms;
  wishes.devices.ratio = parse_ratio(options.ratio);
  return wishes;
}

// Rates of this machine for the solve, and what they let expect, which is known of double alone: as it was calibrated; where it was
// not, and is asked to explain, as it is measured now.
std::optional<SolvePlan> plan(const SolveOptions& options, io::ScalarType type, Wishes& wishes,
                              std::int64_t n, apps::Progress& progress) {
  const bool predicted = type == io::ScalarType::d;
  ChosenCalibration chosen = choose_calibration(options.calibration, uncalibrated_machine());
  if (!chosen.refused.empty()) complain(chosen.refused);
  if (!chosen.calibration && options.explain && predicted) {
    progress.at("calibrate");
    chosen.source = "measured now; 'eigen_g tune hybrid' keeps a better one";
    chosen.calibration = calibration_of_process(wishes.devices.threads);
  }
  if (!chosen.calibration) return std::nullopt;
  wishes.devices.calibration = std::make_shared<const Calibration>(*std::move(chosen.calibration));
  if (!predicted) return std::nullopt;
  return plan_solve(wishes.options, wishes.devices, n, chosen.source);
}

std::string explained(const std::optional<SolvePlan>& plan, io::ScalarType type, bool on_gpu) {
  const std::string of_type = left_column("type", 14) + io::name(type) + "\n";
  if (plan) return of_type + to_table(*plan);
  return of_type + left_column("plan", 14) +
         (!on_gpu                     ? "the CPU alone, by LAPACK: nothing is predicted\n"
          : type == io::ScalarType::d ? "an engine without rates here: nothing is predicted\n"
                                      : "on the GPU; predictions are of double alone\n");
}

template <class T>
Report run_solver(const SolveOptions& options, const Wishes& wishes, const io::HermitianMatrix<T>& matrix,
                  const ResultFilesOf<T>& results) {
  try {
    return ::eigen_g::eigen_g(matrix.n, matrix.data, matrix.lda, results.values(), results.vectors(),
                              std::max<std::int64_t>(1, matrix.n), wishes.options, wishes.devices);
  } catch (const NonFiniteEntry& entry) {
    throw named_in_file(entry, options.matrix, matrix);
  }
}

// A GPU that the matrix may go to starts while the file is read. A small file may hold a matrix that stays on the CPU. Of HDF5 the
// file is read by a child process, which no thread should be in the way of (isolated.hpp).
std::future<void> start_beside_reading(const std::string& file, Place place) {
  constexpr std::uintmax_t least_bytes = std::uintmax_t{1} << 20;
  std::error_code unreadable;
  const std::uintmax_t bytes = std::filesystem::file_size(file, unreadable);
  if (place == Place::cpu || unreadable || bytes < least_bytes) return {};
  if (io::begins_as_hdf5(io::MappedFile(file).text())) return {};
  return std::async(std::launch::async, [] {
    try {
      start_gpu();
    } catch (const Error&) {  // the solve meets the same trouble, or does not need the GPU
    }
  });
}

// A few pairs alone: by their own method, with their own report.
ExitCode solve_few_of(const SolveOptions& options) {
  require_one_process();
  if (!options.range_index.empty() || !options.range_value.empty())
    throw UsageError("--range-index and --range-value do not go with --lowest, --highest and --near");
  if (options.gpus > 1 && !options.few.grid.empty()) throw UsageError("--gpus: a grid takes one GPU");
  if (options.generalised.wanted()) throw UsageError("--b does not go with --lowest, --highest and --near");
  const SolveOptions usual;
  const std::pair<bool, const char*> others[] = {
      {options.verify, "--verify, which few pairs do not need: their residuals are measured"},
      {options.path != usual.path, "--path"},
      {options.gemm != usual.gemm, "--gemm"},
      {options.precision != usual.precision, "--precision"},
      {options.ratio != usual.ratio, "--ratio"},
      {options.gpu_sms != usual.gpu_sms, "--gpu-sms"},
      {!options.calibration.empty(), "--calibration"},
      {!options.matrix.type.empty(), "--type"}};
  for (const auto& [given, what] : others)
    if (given) throw UsageError("--lowest, --highest, --near and --grid do not go with " + std::string(what));
  if (!options.few.grid.empty()) require_no_file(options.matrix, "--grid");
  FewRequest request{options.few, options.matrix, options.run, options.prefix, result_format(options)};
  request.gpus = options.gpus;
  request.values_only = options.values_only;
  request.explain = options.explain;
  return solve_few_pairs(request);
}

// A x = w B x: by its own calls, with its own report.
ExitCode solve_generalised_of(const SolveOptions& options) {
  GeneralisedSolve request;
  request.b = options.generalised;
  request.matrix = options.matrix;
  request.run = options.run;
  request.prefix = options.prefix;
  request.format = result_format(options);
  request.calibration = options.calibration;
  Wishes wishes = wishes_of(options);
  request.options = std::move(wishes.options);
  request.devices = std::move(wishes.devices);
  request.subset = [&options](std::int64_t n) { return subset_of(options, n); };
  request.verify = options.verify;
  request.explain = options.explain;
  return solve_generalised(request);
}

// Reads the matrix as Ts, solves, checks and writes.
template <class T>
void solve_as(const SolveOptions& options, const OpenMatrix& opened, const Stopwatch& reading, Wishes wishes,
              ReportSink& sink, Progress& progress, SolveReport& report) {
  const Place place = wishes.devices.place;
  const io::HermitianMatrix<T> matrix = read<T>(options.matrix, opened, options.run.threads, progress);
  report.seconds.read = reading.seconds();
  report.matrix = facts_of(options.matrix, matrix);

  report.subset = subset_of(options, matrix.n);
  wishes.options.uplo = matrix.uplo;
  wishes.options.subset = report.subset;
  const bool on_gpu = take_gpu(place, matrix.n);
  if (on_gpu)
    report.plan = plan(options, opened.type, wishes, matrix.n, progress);
  else if (!options.calibration.empty())  // means nothing to the CPU, and is to be one
    static_cast<void>(choose_calibration(options.calibration, uncalibrated_machine()));
  if (options.explain) {
    progress.finish();
    std::string text = explained(report.plan, opened.type, on_gpu);
    if constexpr (std::is_same_v<T, double>)
      if (on_gpu) text += band_text(wishes.options, matrix);
    sink.tell(text + "\n");
  }
  wishes.options.progress = [&progress](Stage stage, double fraction) {
    progress.at(words(name(stage)), fraction);
  };
  ResultFilesOf<T> results(
      options.prefix, result_format(options),
      {matrix.n, report.subset.most(matrix.n), !options.values_only, report.subset.by != Subset::By::value},
      existing_files(options.run.force));
  report.ratio = wishes.devices.ratio;
  report.solve = run_solver(options, wishes, matrix, results);
  const std::int64_t m = report.solve.m;
  if (report.solve.status == Status::converged) {
    for (std::int64_t k = 0; k < m && report.infinite == 0; ++k)
      if (!std::isfinite(results.values()[k])) report.infinite = k + 1;
    report.values.assign(results.values(), results.values() + m);
    report.vectors = options.values_only ? 0 : m;
  }

  if (options.verify && report.solve.status == Status::converged && report.infinite == 0) {
    const Stopwatch checking;
    progress.at("verify");
    report.check = verify(matrix.uplo, matrix.n, matrix.data, matrix.lda, m, results.values(),
                          results.vectors(), std::max<std::int64_t>(1, matrix.n), place, options.run.threads);
    report.seconds.verify = checking.seconds();
  }
  if (succeeded(report) && !options.prefix.empty()) {
    const Stopwatch writing;
    progress.at("write");
    results.commit(m, options.run.threads);
    report.seconds.write = writing.seconds();
    report.values_file = results.values_file();
    report.vectors_file = results.vectors_file();
  }
}

ExitCode solve_file(const SolveOptions& options) {
  if (options.matrix.file.empty() && options.few.grid.empty())
    throw UsageError("MATRIX is required, or --grid");
  if (options.few.wanted()) return solve_few_of(options);
  if (options.few.only_for_few())
    throw UsageError(
        "--method, --tolerance, --start, --max-products, --keep-unconverged, --count and "
        "--stencil go with --lowest, --highest, --near or --grid");
  if (options.generalised.wanted()) return solve_generalised_of(options);
  require_one_process();
  const Stopwatch total;
  const ResultNames names = result_names(options.prefix, result_format(options), !options.values_only);
  require_apart({{"MATRIX", options.matrix.file}, {"--calibration", options.calibration}},
                {{"-o", names.values}, {"-o", names.vectors}, {"--json", options.run.json}},
                options.run.force);
  ReportSink sink(options.run);
  Progress progress(!options.run.quiet);
  Wishes wishes = wishes_of(options);
  SolveReport report;
  report.threads = threads_used(options.run);
  const Stopwatch reading;
  const std::future<void> starting = start_beside_reading(options.matrix.file, wishes.devices.place);
  const OpenMatrix opened = open_matrix(options.matrix, progress);
  io::with_type(opened.type, [&]<class T>(T) {
    solve_as<T>(options, opened, reading, std::move(wishes), sink, progress, report);
  });
  progress.finish();
  tell_device(options.run, devices_text(report.solve));
  report.seconds.total = total.seconds();
  sink.put(to_table(report), json_of(report));
  if (succeeded(report)) return ExitCode::done;
  const std::string range = io::name(io::real_type(opened.type));
  complain(options.matrix.file +
           (report.solve.status != Status::converged ? ": the divide and conquer did not converge"
            : report.infinite > 0
                ? ": eigenvalues are beyond the range of " + range + "; scale the matrix first"
                : ": verification FAILED") +
           (options.prefix.empty() ? "" : ", no result is written"));
  return ExitCode::not_verified;
}

constexpr const char* solve_examples = R"(
  eigen_g solve matrix.mtx                            eigenvalues and stage times, nothing written
  eigen_g solve matrix.npy -o result --verify         result.values.npy and result.vectors.npy, once checked
  eigen_g solve matrix.mtx -o result --values-only    no vectors: less time and memory
  eigen_g solve data.h5:/group/H -o result.h5         a dataset in, datasets values and vectors out
  eigen_g solve matrix.mtx -o result --range-index 1:10     the ten lowest pairs
  eigen_g solve matrix.mtx -o result --range-value -1:0.5   the pairs with -1 < w <= 0.5
  eigen_g solve a.mtx --b b.mtx -o result --verify    A x = w B x; --itype 2, 3: A B x = w x, B A x = w x
  eigen_g solve matrix.mtx --lowest 10 -o result      a few pairs of a large sparse matrix
  eigen_g solve --grid 100x100x100 --lowest 10        the same of the 7-point operator, without a matrix
  eigen_g solve matrix.npy --ratio 27:14 --explain    large products 27 : 14 over GPU and CPU; first what to expect
  eigen_g solve matrix.npy --gpus 2                   shares by the rates of GPUs and CPU
  eigen_g solve hermitian.mtx -o result --verify      complex Hermitian: real values, complex vectors
  eigen_g solve matrix.npy --type s                   in float; of c16: --type c
  eigen_g solve matrix.npy --precision mixed --gemm df      double's accuracy on a GPU that is slow in double
  eigen_g solve matrix.mtx -q --json - | jq .values   every eigenvalue as JSON
  eigen_g solve dense.raw --n 1000 --device cpu       raw doubles, on the CPU)";

}  // namespace

void add_solve(CLI::App& app, Action& action) {
  auto options = std::make_shared<SolveOptions>();
  CLI::App& command = *app.add_subcommand("solve", "All eigenvalues and eigenvectors of a matrix in a file.");
  set_help(command, "eigen_g solve MATRIX [-o PREFIX] [OPTIONS]", solve_examples);
  add_solve_options(command, *options);
  command.callback([options, &action] { action = [options] { return solve_file(*options); }; });
}

}  // namespace eigen_g::apps
