#include "apps/cli/stack.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "apps/cli/launcher.hpp"
#include "apps/cli/matrix_input.hpp"
#include "apps/cli/stack_report.hpp"
#include "apps/io/stack_file.hpp"
#include "apps/support/exit_codes.hpp"
#include "apps/support/solve_text.hpp"
#include "apps/support/text.hpp"

namespace eigen_g::apps {

namespace {

// Refuses options that have no meaning for a batch.
void require_options_of_stack(const SolveOptions& options) {
  const SolveOptions usual;
  const std::pair<bool, const char*> others[] = {
      {!options.subset_by_value.empty(), "--subset-by-value"},
      {options.path == "two", "--path two"},
      {options.engine != usual.engine, "--engine"},
      {options.precision != usual.precision, "--precision"},
      {options.ratio != usual.ratio, "--ratio"},
      {options.gpus != usual.gpus, "--gpus"},
      {options.multiprocessors != usual.multiprocessors, "--multiprocessors"},
      {options.memory_limit != usual.memory_limit, "--memory-limit"},
      {!options.calibration.empty(), "--calibration"},
      {options.predict, "--predict"},
      {options.generalised.itype != 1, "--itype 2 and 3"},
      {!options.plot.empty(), "--plot"},
      {options.print, "--print"},
      {result_format(options) != ResultFormat::npy && result_format(options) != ResultFormat::hdf5,
       "--format mtx, txt and csv"}};
  for (const auto& [given, what] : others)
    if (given)
      throw UsageError(options.matrix.file + " is a stack of matrices, to which " + what + " does not apply");
}

// The matrices A, and the matrices B of generalised problems in the same triangle.
template <class T>
struct PencilStack {
  io::HermitianStack<T> a, b;
  bool generalised = false;
};

// Moves the matrices to the other triangle.
template <class T>
void turn(io::HermitianStack<T>& stack) {
  const std::int64_t n = stack.n, square = n * n;
  const bool lower = stack.uplo == Uplo::lower;
  const std::shared_ptr<T[]> memory(host_array<T>(square * stack.count).release(), FreeHost());
  for (std::int64_t k = 0; k < stack.count; ++k)
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = lower ? j : 0; i < (lower ? n : j + 1); ++i)
        memory[k * square + j + i * n] = io::mirrored(stack.data[k * square + i + j * n]);
  stack.uplo = lower ? Uplo::upper : Uplo::lower;
  stack.data = memory.get();
  stack.owner = memory;
}

// Both open files, and the type in which they are read.
struct OpenStacks {
  const MatrixOptions& of_a;
  MatrixOptions of_b;
  OpenMatrix a, b;
  io::ScalarType type;
};
OpenStacks open_stacks(const MatrixOptions& matrix, const GeneralisedOptions& generalised,
                       const StackRun& run) {
  OpenStacks opened{matrix, {}, run.opened, {}, run.opened.type};
  if (!generalised.wanted()) return opened;
  opened.of_b.file = generalised.file;
  opened.of_b.format = "auto";
  opened.b = open_matrix(opened.of_b, run.progress, io::DatasetShape::square_matrices);
  if (!io::is_stack(opened.b.file, read_options(opened.of_b, 1, run.progress)))
    throw io::FileError(generalised.file, 0, "must hold a stack, because " + matrix.file + " holds one");
  opened.type = io::common_type(opened.a.type, opened.b.type);
  return opened;
}

template <class T>
PencilStack<T> read_stacks(const OpenStacks& opened, int threads, Progress& progress) {
  PencilStack<T> p;
  p.a = io::read_stack<T>(opened.a.file, read_options(opened.of_a, threads, progress));
  p.generalised = opened.b.file != nullptr;
  if (!p.generalised) return p;
  p.b = io::read_stack<T>(opened.b.file, read_options(opened.of_b, threads, progress));
  if (p.b.n != p.a.n || p.b.leading != p.a.leading)
    throw io::FileError(opened.of_b.file, 0, "must have the shape of " + opened.of_a.file);
  if (p.b.uplo != p.a.uplo) turn(p.b);
  return p;
}

template <class T>
StackFacts stack_facts(const OpenStacks& opened, const PencilStack<T>& p) {
  return {{opened.of_a.file, p.a.format_name, p.a.n, p.a.uplo, opened.of_a.symmetrize, p.a.asymmetry,
           io::scalar_type<T>},
          p.a.leading,
          p.a.count,
          opened.of_b.file};
}

template <class T>
BatchVerification verify_pairs(const PencilStack<T>& p, std::int64_t m, const real_t<T>* w, const T* z,
                               const RunOptions& run) {
  const std::int64_t n = p.a.n, ld = std::max<std::int64_t>(1, n);
  if (p.generalised)
    return verify_generalised_batched(p.a.uplo, n, p.a.count, p.a.data, ld, p.b.data, ld, m, w, z, ld, {},
                                      run.threads);
  return verify_batched(p.a.uplo, n, p.a.count, p.a.data, ld, m, w, z, ld, {}, device_of(run), run.threads);
}

template <class T>
void solve_stack_as(const SolveOptions& options, const OpenStacks& opened, const StackRun& run,
                    StackSolveReport& report) {
  run.progress.at("read");
  const PencilStack<T> p = read_stacks<T>(opened, options.run.threads, run.progress);
  const io::HermitianStack<T>& stack = p.a;
  report.seconds.read = run.reading.seconds();
  report.stack = stack_facts(opened, p);
  report.subset = subset_of(options, stack.n);
  report.vectors = !options.values_only;
  report.status.resize(static_cast<std::size_t>(stack.count));

  const std::int64_t m = report.subset.max_count(stack.n), ld = std::max<std::int64_t>(1, stack.n);
  ResultFilesOf<T> results(options.prefix, result_format(options),
                           {stack.n, m, report.vectors, true, stack.leading},
                           existing_files(options.run.force));
  Options wanted;
  wanted.uplo = stack.uplo;
  wanted.vectors = report.vectors;
  wanted.subset = report.subset;
  Devices devices;
  devices.device = device_of(options.run);
  devices.threads = options.run.threads;
  run.progress.at("solve");
  report.batch = p.generalised
                     ? sygvd_batched(stack.n, stack.count, stack.data, ld, p.b.data, ld, results.values(),
                                     results.vectors(), ld, report.status.data(), {}, wanted, devices)
                     : eigen_g_batched(stack.n, stack.count, stack.data, ld, results.values(),
                                       results.vectors(), ld, report.status.data(), {}, wanted, devices);
  if (options.verify) {
    const Stopwatch checking;
    run.progress.at("verify");
    report.check = verify_pairs(p, m, results.values(), results.vectors(), options.run);
    report.seconds.verify = checking.seconds();
  }
  if (!options.prefix.empty() && (succeeded(report) || options.few.keep_unconverged)) {
    const Stopwatch writing;
    run.progress.at("write");
    results.commit(m, options.run.threads);
    report.seconds.write = writing.seconds();
    report.values_file = results.values_file();
    report.vectors_file = results.vectors_file();
  }
}

// Requires `good`, and the leading dimensions of the stack.
template <class T>
void require_shape(const std::string& file, const io::DenseStack<T>& found, const StackFacts& stack,
                   bool good, const std::string& expected) {
  if (found.leading == stack.shape && good) return;
  std::string shape;
  for (const std::int64_t extent : stack.shape) shape += std::to_string(extent) + ", ";
  throw io::FileError(file, 0, "must have the shape (" + shape + expected);
}

template <class T>
void verify_stack_as(const OpenStacks& opened, const RunOptions& options, const StackRun& run,
                     StackVerifyReport& report) {
  const PencilStack<T> p = read_stacks<T>(opened, options.threads, run.progress);
  const io::HermitianStack<T>& stack = p.a;
  report.stack = stack_facts(opened, p);
  run.progress.at("read the result");
  const auto values = io::read_dense_stack<real_t<T>>(report.values_file, true, options.threads);
  const auto vectors = io::read_dense_stack<T>(report.vectors_file, false, options.threads);
  report.m = vectors.cols;
  require_shape(
      report.vectors_file, vectors, report.stack,
      vectors.rows == stack.n && report.m <= stack.n && (report.m > 0 || stack.n == 0),
      print("%lld, m), 1 <= m <= %lld", static_cast<long long>(stack.n), static_cast<long long>(stack.n)));
  require_shape(report.values_file, values, report.stack, values.rows == report.m,
                std::to_string(report.m) + ")");
  report.seconds.read = run.reading.seconds();
  const Stopwatch checking;
  run.progress.at("verify");
  report.check = verify_pairs(p, report.m, values.data, vectors.data, options);
  report.seconds.verify = checking.seconds();
}

}  // namespace

ExitCode solve_stack(const SolveOptions& options, const StackRun& run) {
  require_options_of_stack(options);
  StackSolveReport report;
  report.threads = threads_used(options.run);
  const OpenStacks opened = open_stacks(options.matrix, options.generalised, run);
  io::with_type(opened.type, [&]<class T>(T) { solve_stack_as<T>(options, opened, run, report); });
  run.progress.finish();
  report_device(options.run, devices_text(report.batch.devices));
  report.seconds.total = run.total.seconds();
  run.sink.put(to_table(report), json_of(report));
  if (succeeded(report)) return ExitCode::done;
  const bool solved = report.batch.failed == 0, generalised = !report.stack.b.empty();
  const std::int64_t first = solved ? report.check->first_failed : report.batch.first_failed;
  const std::int32_t status = report.status[static_cast<std::size_t>(first)];
  warn(io::name_in_stack(options.matrix.file, report.stack.shape, first) +
       (solved                           ? ": verification FAILED"
        : status < 0 && generalised      ? ": a NaN or an infinity in A or B, or eigenvalues overflow"
        : status < 0                     ? ": has a NaN or an infinity"
        : status > report.stack.matrix.n ? ": B is not positive definite"
                                         : ": did not converge") +
       print("; failed matrices: %lld of %lld",
             static_cast<long long>(solved ? report.check->failed : report.batch.failed),
             static_cast<long long>(report.stack.count)) +
       (options.prefix.empty() || options.few.keep_unconverged ? "" : "; no result is written"));
  return ExitCode::not_verified;
}

ExitCode verify_stack(const MatrixOptions& matrix, const GeneralisedOptions& generalised,
                      const std::string& values, const std::string& vectors, const RunOptions& run_options,
                      const StackRun& run) {
  if (generalised.itype != 1)
    throw UsageError(matrix.file + " is a stack of matrices, to which --itype 2 and 3 does not apply");
  StackVerifyReport report;
  report.threads = threads_used(run_options);
  report.values_file = values;
  report.vectors_file = vectors;
  const OpenStacks opened = open_stacks(matrix, generalised, run);
  io::with_type(opened.type, [&]<class T>(T) { verify_stack_as<T>(opened, run_options, run, report); });
  run.progress.finish();
  report_device(run_options, report.check.on_gpu ? "the GPU" : "the CPU");
  report.seconds.total = run.total.seconds();
  run.sink.put(to_table(report), json_of(report));
  if (passed(report.check)) return ExitCode::done;
  warn(io::name_in_stack(matrix.file, report.stack.shape, report.check.first_failed) +
       ": verification FAILED");
  return ExitCode::not_verified;
}

}  // namespace eigen_g::apps
