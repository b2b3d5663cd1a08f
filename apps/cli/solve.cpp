// eigen_g solve: reads a matrix from a file, computes eigenvalues and eigenvectors, writes them.
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
#include "apps/cli/launcher.hpp"
#include "apps/cli/matrix_input.hpp"
#include "apps/cli/solve_options.hpp"
#include "apps/cli/stack.hpp"
#include "apps/io/input_file.hpp"
#include "apps/io/stack_file.hpp"
#include "apps/io/stored_coordinates.hpp"
#include "apps/io/stored_matrix.hpp"
#include "apps/support/exit_codes.hpp"
#include "apps/support/help.hpp"
#include "apps/support/named_files.hpp"
#include "apps/support/run_options.hpp"
#include "apps/support/solve_picture.hpp"
#include "apps/support/stopwatch.hpp"
#include "apps/support/text.hpp"
#include "solver/calibrate/calibrate.hpp"
#include "solver/driver/arguments.hpp"

namespace eigen_g::apps {

namespace {

// Options of the library call; triangle and subset are set after the matrix is read.
struct LibraryOptions {
  Options options;
  Devices devices;
};

LibraryOptions library_options_of(const SolveOptions& options) {
  LibraryOptions given;
  given.options.vectors = !options.values_only;
  given.options.path = path_of(options.path).value();
  given.options.engine = engine_of(options.engine).value();
  given.options.precision = precision_of(options.precision).value();
  given.devices.device = device_of(options.run);
  given.devices.threads = options.run.threads;
  given.devices.gpus = options.gpus;
  given.devices.multiprocessors = options.multiprocessors;
  given.devices.memory_limit = options.memory_limit;
  given.devices.ratio = parse_ratio(options.ratio);
  return given;
}

// Sets the calibration of the solve and predicts its times (double only). Without a stored calibration, --predict measures one now.
std::optional<SolvePrediction> plan(const SolveOptions& options, io::ScalarType type, LibraryOptions& given,
                                    std::int64_t n, apps::Progress& progress) {
  const bool predicted = type == io::ScalarType::d;
  ChosenCalibration chosen = choose_calibration(options.calibration, uncalibrated_machine());
  if (!chosen.refused.empty()) warn(chosen.refused);
  if (!chosen.calibration && options.predict && predicted) {
    progress.at("calibrate");
    chosen.source = "measured now; 'eigen_g calibrate' makes and stores a better one";
    chosen.calibration = calibration_of_process(given.devices.threads);
  }
  if (chosen.calibration)
    given.devices.calibration = std::make_shared<const Calibration>(*std::move(chosen.calibration));
  if (!predicted) return std::nullopt;
  return predict_solve(given.options, given.devices, n, chosen.source);
}

std::string prediction_text(const std::optional<SolvePrediction>& plan, io::ScalarType type, bool on_gpu) {
  const std::string of_type = left_column("type", 14) + io::name(type) + "\n";
  if (plan) return of_type + to_table(*plan);
  return of_type + left_column("plan", 14) +
         (!on_gpu                     ? "the CPU alone, by LAPACK; predictions are for double only\n"
          : type == io::ScalarType::d ? "no rates of this engine: no prediction\n"
                                      : "on the GPU; predictions are for double only\n");
}

template <class T>
Report run_solver(const SolveOptions& options, const LibraryOptions& given,
                  const io::HermitianMatrix<T>& matrix, const ResultFilesOf<T>& results) {
  try {
    return ::eigen_g::eigen_g(matrix.n, matrix.data, matrix.lda, results.values(), results.vectors(),
                              std::max<std::int64_t>(1, matrix.n), given.options, given.devices);
  } catch (const NonFiniteEntry& entry) {
    throw named_in_file(entry, options.matrix, matrix);
  }
}

// Starts the GPU while the file is read, if the matrix may be solved there. A small file may hold a matrix that stays on the CPU.
// An HDF5 file is read by a forked child process, during which no other thread may hold a lock (isolated.hpp).
std::future<void> start_beside_reading(const std::string& file, DeviceChoice device) {
  constexpr std::uintmax_t least_bytes = std::uintmax_t{1} << 20;
  std::error_code unreadable;
  const std::uintmax_t bytes = std::filesystem::file_size(file, unreadable);
  if (device == DeviceChoice::cpu || unreadable || bytes < least_bytes) return {};
  if (io::begins_as_hdf5(io::MappedFile(file).text())) return {};
  return std::async(std::launch::async, [] {
    try {
      start_gpu();
    } catch (const Error&) {  // the solve meets the same error, or does not need the GPU
    }
  });
}

// Solves for few pairs, with their own method and report.
ExitCode solve_few_of(const SolveOptions& options) {
  require_one_process();
  if (!options.subset_by_index.empty() || !options.subset_by_value.empty())
    throw UsageError(
        "--subset-by-index and --subset-by-value cannot be combined with --lowest, --highest, --near and "
        "--interval");
  if (options.gpus > 1 && !options.few.grid.empty()) throw UsageError("--gpus: must be 1 with --grid");
  if (options.generalised.wanted() && !options.few.grid.empty())
    throw UsageError("--b cannot be combined with --grid");
  if (options.generalised.itype != 1)
    throw UsageError("--itype: must be 1 with --lowest, --highest, --near and --interval");
  const SolveOptions usual;
  const std::pair<bool, const char*> others[] = {
      {options.path != usual.path, "--path"},
      {options.engine != usual.engine, "--engine"},
      {options.precision != usual.precision, "--precision"},
      {options.ratio != usual.ratio, "--ratio"},
      {options.multiprocessors != usual.multiprocessors, "--multiprocessors"},
      {options.memory_limit != usual.memory_limit, "--memory-limit"},
      {!options.calibration.empty(), "--calibration"},
      {!options.plot.empty(), "--plot"},
      {!options.matrix.type.empty(), "--type"}};
  for (const auto& [given, what] : others)
    if (given)
      throw UsageError("--lowest, --highest, --near, --interval and --grid cannot be combined with " +
                       std::string(what));
  if (!options.few.grid.empty()) require_no_file(options.matrix, "--grid");
  FewSolve request;
  request.few = options.few;
  request.matrix = options.matrix;
  request.run = options.run;
  request.prefix = options.prefix;
  request.format = result_format(options);
  request.b = options.generalised;
  request.library = factor_library_of(options.library).value();
  request.gpus = options.gpus;
  request.values_only = options.values_only;
  request.predict = options.predict;
  request.verify = options.verify;
  return solve_few_pairs(request);
}

// Solves A x = w B x, with its own calls and report.
ExitCode solve_generalised_of(const SolveOptions& options, const OpenMatrix& opened) {
  GeneralisedSolve request;
  request.b = options.generalised;
  request.opened = opened;
  request.matrix = options.matrix;
  request.run = options.run;
  request.prefix = options.prefix;
  request.format = result_format(options);
  request.calibration = options.calibration;
  LibraryOptions given = library_options_of(options);
  request.options = std::move(given.options);
  request.devices = std::move(given.devices);
  request.subset = [&options](std::int64_t n) { return subset_of(options, n); };
  request.verify = options.verify;
  request.predict = options.predict;
  request.options_of_gpu = options_of_gpu(options);
  request.print = options.print;
  request.plot = options.plot;
  return solve_generalised(request);
}

// A real sparse file becomes a dense matrix. If this costs much, says so before it is read.
void warn_of_dense(const SolveOptions& options, const OpenMatrix& opened, const LibraryOptions& given,
                   Progress& progress) {
  const io::ReadOptions reading = read_options(options.matrix, 1, progress);
  if (options.run.quiet || opened.type != io::ScalarType::d || !io::holds_coordinates(*opened.file, reading))
    return;
  const std::int64_t n = io::order_of_coordinates(*opened.file, reading);
  static_cast<void>(io::allocate_matrix<double>(n, n));  // throws OutOfMemory if the matrix cannot be read
  Options subset = given.options;
  subset.subset = subset_of(options, n);
  const std::string cost = large_cost_text(subset, given.devices, n);
  if (cost.empty()) return;
  progress.finish();
  warn(options.matrix.file + ": the sparse matrix is solved as a dense one of order " + std::to_string(n) +
       ": " + cost + "; --lowest K and --highest K find K pairs without a dense matrix");
}

// Reads the matrix as Ts, solves, verifies and writes.
template <class T>
void solve_as(const SolveOptions& options, const OpenMatrix& opened, const Stopwatch& reading,
              LibraryOptions given, ReportSink& sink, Progress& progress, SolveReport& report) {
  const DeviceChoice device = given.devices.device;
  const io::HermitianMatrix<T> matrix = read<T>(options.matrix, opened, options.run.threads, progress);
  report.seconds.read = reading.seconds();
  report.matrix = facts_of(options.matrix, matrix);

  report.subset = subset_of(options, matrix.n);
  given.options.uplo = matrix.uplo;
  given.options.subset = report.subset;
  const bool on_gpu = use_gpu(device, matrix.n);
  if (!on_gpu && !options_of_gpu(options).empty()) {
    progress.finish();
    check_devices(given.devices);  // a wrong value is an error, and the only line
    report_unused(options.run, options_of_gpu(options));
  }
  if (on_gpu)
    report.plan = plan(options, opened.type, given, matrix.n, progress);
  else if (!options.calibration
                .empty())  // a solve on the CPU does not use it, but an invalid file is an error
    static_cast<void>(choose_calibration(options.calibration, uncalibrated_machine()));
  if (options.predict) {
    progress.finish();
    std::string text = prediction_text(report.plan, opened.type, on_gpu);
    if constexpr (std::is_same_v<T, double>)
      text = on_gpu ? text + band_text(given.options, given.devices, matrix)
                    : left_column("type", 14) + io::name(opened.type) + "\n" +
                          to_table(dense_cost(given.options, given.devices, matrix.n));
    sink.print_before(text + "\n");
  }
  given.options.progress = [&progress](Stage stage, double fraction) {
    progress.at(words(name(stage)), fraction);
  };
  ResultFilesOf<T> results(options.prefix, result_format(options),
                           {matrix.n, report.subset.max_count(matrix.n), !options.values_only,
                            report.subset.by != Subset::By::value},
                           existing_files(options.run.force));
  report.ratio = given.devices.ratio;
  report.solve = run_solver(options, given, matrix, results);
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
    report.check =
        verify(matrix.uplo, matrix.n, matrix.data, matrix.lda, m, results.values(), results.vectors(),
               std::max<std::int64_t>(1, matrix.n), device, options.run.threads);
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
    throw UsageError("MATRIX or --grid is required");
  if (options.few.wanted()) return solve_few_of(options);
  const auto require_few = [](bool given) {
    if (given)
      throw UsageError(
          "--method, --tolerance, --start, --max-products, --keep-unconverged, --count, --count-only, "
          "--buckling, "
          "--proof and --stencil require --lowest, --highest, --near, --interval or --grid");
  };
  require_few(options.few.only_for_few());
  if (options.library != SolveOptions().library)
    throw UsageError("--library requires --lowest, --highest, --near or --interval");
  std::optional<OpenMatrix> open_already;
  if (options.generalised.wanted()) {
    Progress silent(false);
    open_already = open_matrix(options.matrix, silent, io::DatasetShape::square_matrices);
    if (!io::is_stack(open_already->file, read_options(options.matrix, 1, silent))) {
      require_few(options.few.keep_unconverged);
      return solve_generalised_of(options, *open_already);
    }
  }
  require_one_process();
  const Stopwatch total;
  const ResultNames names = result_names(options.prefix, result_format(options), !options.values_only);
  require_apart(
      {{"MATRIX", options.matrix.file},
       {"--b", options.generalised.file},
       {"--calibration", options.calibration}},
      {{"-o", names.values}, {"-o", names.vectors}, {"--json", options.run.json}, {"--plot", options.plot}},
      options.run.force);
  ReportSink sink(options.run);
  std::optional<io::OutputFile> plot;
  if (!options.plot.empty()) plot.emplace(options.plot, existing_files(options.run.force));
  Progress progress(!options.run.quiet);
  LibraryOptions given = library_options_of(options);
  SolveReport report;
  report.print_all = options.print;
  report.threads = threads_used(options.run);
  const Stopwatch reading;
  const std::future<void> starting = start_beside_reading(options.matrix.file, given.devices.device);
  const OpenMatrix opened =
      open_already ? *open_already : open_matrix(options.matrix, progress, io::DatasetShape::square_matrices);
  if (io::is_stack(opened.file, read_options(options.matrix, 1, progress)))
    return solve_stack(options, {opened, total, reading, sink, progress});
  if (options.few.keep_unconverged)
    throw UsageError("--keep-unconverged requires --lowest, --highest, --near, --grid or a stack");
  warn_of_dense(options, opened, given, progress);
  io::with_type(opened.type, [&]<class T>(T) {
    solve_as<T>(options, opened, reading, std::move(given), sink, progress, report);
  });
  progress.finish();
  report_device(options.run, devices_text(report.solve));
  report.seconds.total = total.seconds();
  if (plot && succeeded(report)) {
    plot->write(solve_picture(options.matrix.file, report.values, report.solve));
    plot->commit();
  }
  sink.put(to_table(report), json_of(report));
  if (succeeded(report)) return ExitCode::done;
  const std::string range = io::name(io::real_type(opened.type));
  warn(options.matrix.file +
       (report.solve.status != Status::converged ? ": the divide and conquer did not converge"
        : report.infinite > 0 ? ": eigenvalues are beyond the range of " + range + "; scale the matrix first"
                              : ": verification FAILED") +
       (options.prefix.empty() ? "" : ", no result is written"));
  return ExitCode::not_verified;
}

constexpr const char* solve_examples = R"(
  eigen_g solve matrix.mtx                            eigenvalues and stage times, nothing written
  eigen_g solve matrix.npy -o result --verify         result.values.npy and result.vectors.npy, if the check passes
  eigen_g solve matrix.mtx -o result --values-only    no vectors: less time and memory
  eigen_g solve data.h5:/group/H -o result.h5         a dataset in, datasets values and vectors out
  eigen_g solve matrix.mtx -o result --subset-by-index 1:10     the ten lowest pairs
  eigen_g solve matrix.mtx -o result --subset-by-value -1:0.5   the pairs with -1 < w <= 0.5
  eigen_g solve a.mtx --b b.mtx -o result --verify    A x = w B x; --itype 2, 3: A B x = w x, B A x = w x
  eigen_g solve matrix.mtx --lowest 10 -o result      a few pairs of a large sparse matrix
  eigen_g solve k.mtx --b m.mtx --lowest 20 -o modes  K x = w M x with sparse matrices: vibrations of a structure
  eigen_g solve k.mtx --b m.npy --near 4e6 --count 8  the pairs nearest to 4e6; M is a diagonal
  eigen_g solve k.mtx --b m.mtx --interval 0:5e6      all pairs in an interval; --count-only: how many
  eigen_g solve --grid 100x100x100 --lowest 10        the same for the 7-point operator, without a matrix
  eigen_g solve matrix.npy --ratio 27:14 --predict    GPU and CPU share large products 27:14; print a prediction first
  eigen_g solve matrix.npy --gpus 2                   two GPUs divide all stages of a large matrix
  eigen_g solve matrix.npy --gpus 0 --predict         the number of GPUs that pays; print the prediction first
  eigen_g solve hermitian.mtx -o result --verify      complex Hermitian: real values, complex vectors
  eigen_g solve matrix.npy --type s                   in float; for a complex matrix: --type c
  eigen_g solve matrix.npy --precision mixed --engine df      double's accuracy on a GPU that is slow in double
  eigen_g solve stack.npy -o result --verify          a stack (..., n, n) of small matrices, as numpy.linalg.eigh takes it
  eigen_g solve a.npy --b b.npy -o result             stacks of the same shape: A x = w B x for each pair of matrices
  eigen_g solve matrix.csv --print                    a matrix of plain text, one row a line; every eigenvalue
  eigen_g solve matrix.npy --plot solve.svg           spectrum, density of states and stages as a picture
  eigen_g solve matrix.mtx -q --json - | jq .values.all    every eigenvalue as JSON
  eigen_g solve dense.raw --n 1000 --device cpu       raw doubles, on the CPU)";

}  // namespace

void add_solve(CLI::App& app, Action& action) {
  auto options = std::make_shared<SolveOptions>();
  CLI::App& command =
      *app.add_subcommand("solve", "Compute all or some eigenvalues and eigenvectors of a matrix in a file.");
  set_help(command, "eigen_g solve MATRIX [-o PREFIX] [OPTIONS]", solve_examples);
  add_solve_options(command, *options);
  command.callback([options, &action] { action = [options] { return solve_file(*options); }; });
}

}  // namespace eigen_g::apps
