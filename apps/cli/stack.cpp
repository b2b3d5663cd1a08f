#include "apps/cli/stack.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "apps/cli/launcher.hpp"
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
      {!options.calibration.empty(), "--calibration"},
      {options.predict, "--predict"},
      {result_format(options) == ResultFormat::mtx || result_format(options) == ResultFormat::txt,
       "--format mtx and txt"}};
  for (const auto& [given, what] : others)
    if (given)
      throw UsageError(options.matrix.file + " is a stack of matrices, to which " + what + " does not apply");
}

template <class T>
StackFacts stack_facts(const MatrixOptions& options, const io::HermitianStack<T>& stack) {
  return {{options.file, stack.format_name, stack.n, stack.uplo, options.symmetrize, stack.asymmetry,
           io::scalar_type<T>},
          stack.leading,
          stack.count};
}

template <class T>
BatchVerification verify_pairs(const io::HermitianStack<T>& a, std::int64_t m, const real_t<T>* w, const T* z,
                               const RunOptions& run) {
  const std::int64_t ld = std::max<std::int64_t>(1, a.n);
  return verify_batched(a.uplo, a.n, a.count, a.data, ld, m, w, z, ld, {}, device_of(run), run.threads);
}

template <class T>
void solve_stack_as(const SolveOptions& options, const StackRun& run, StackSolveReport& report) {
  run.progress.at("read");
  const io::HermitianStack<T> stack =
      io::read_stack<T>(run.opened.file, read_options(options.matrix, options.run.threads, run.progress));
  report.seconds.read = run.reading.seconds();
  report.stack = stack_facts(options.matrix, stack);
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
  report.batch = eigen_g_batched(stack.n, stack.count, stack.data, ld, results.values(), results.vectors(),
                                 ld, report.status.data(), {}, wanted, devices);
  if (options.verify) {
    const Stopwatch checking;
    run.progress.at("verify");
    report.check = verify_pairs(stack, m, results.values(), results.vectors(), options.run);
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
void verify_stack_as(const MatrixOptions& matrix, const RunOptions& options, const StackRun& run,
                     StackVerifyReport& report) {
  const io::HermitianStack<T> stack =
      io::read_stack<T>(run.opened.file, read_options(matrix, options.threads, run.progress));
  report.stack = stack_facts(matrix, stack);
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
  report.check = verify_pairs(stack, report.m, values.data, vectors.data, options);
  report.seconds.verify = checking.seconds();
}

}  // namespace

ExitCode solve_stack(const SolveOptions& options, const StackRun& run) {
  require_options_of_stack(options);
  StackSolveReport report;
  report.threads = threads_used(options.run);
  io::with_type(run.opened.type, [&]<class T>(T) { solve_stack_as<T>(options, run, report); });
  run.progress.finish();
  report_device(options.run, devices_text(report.batch.devices));
  report.seconds.total = run.total.seconds();
  run.sink.put(to_table(report), json_of(report));
  if (succeeded(report)) return ExitCode::done;
  const bool solved = report.batch.failed == 0;
  const std::int64_t first = solved ? report.check->first_failed : report.batch.first_failed;
  const std::int32_t status = report.status[static_cast<std::size_t>(first)];
  warn(io::name_in_stack(options.matrix.file, report.stack.shape, first) +
       (solved       ? ": verification FAILED"
        : status < 0 ? ": has a NaN or an infinity"
                     : ": did not converge") +
       print("; failed matrices: %lld of %lld",
             static_cast<long long>(solved ? report.check->failed : report.batch.failed),
             static_cast<long long>(report.stack.count)) +
       (options.prefix.empty() || options.few.keep_unconverged ? "" : "; no result is written"));
  return ExitCode::not_verified;
}

ExitCode verify_stack(const MatrixOptions& matrix, const std::string& values, const std::string& vectors,
                      const RunOptions& run_options, const StackRun& run) {
  StackVerifyReport report;
  report.threads = threads_used(run_options);
  report.values_file = values;
  report.vectors_file = vectors;
  io::with_type(run.opened.type, [&]<class T>(T) { verify_stack_as<T>(matrix, run_options, run, report); });
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
