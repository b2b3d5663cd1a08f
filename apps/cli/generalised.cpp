#include "apps/cli/generalised.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "apps/cli/generalised_report.hpp"
#include "apps/cli/launcher.hpp"
#include "apps/io/eigenpairs_file.hpp"
#include "apps/support/named_files.hpp"
#include "apps/support/solve_picture.hpp"
#include "apps/support/stopwatch.hpp"
#include "apps/support/text.hpp"
#include "hybrid/machine/cpu.hpp"
#include "solver/api/generalised.hpp"
#include "solver/devices/calibration.hpp"
#include "solver/driver/arguments.hpp"
#include "solver/verify/verify_generalised.hpp"

namespace eigen_g::apps {

namespace {

// Returns b stored by its other triangle.
template <class T>
io::HermitianMatrix<T> turned(const io::HermitianMatrix<T>& b) {
  const std::int64_t n = b.n;
  const std::shared_ptr<T[]> memory(host_array<T>(n * n).release(), FreeHost());
  const bool lower = b.uplo == Uplo::lower;
#pragma omp parallel for schedule(dynamic, 32) if (n >= smallest_parallel_order)
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = lower ? j : 0; i < (lower ? n : j + 1); ++i)
      memory[j + i * n] = io::mirrored(b.data[i + j * b.lda]);
  io::HermitianMatrix<T> t = b;
  t.uplo = lower ? Uplo::upper : Uplo::lower;
  t.lda = std::max<std::int64_t>(1, n);
  t.data = memory.get();
  t.owner = memory;
  t.transposed = !b.transposed;
  return t;
}

// Both open files, and the type in which they are read: that of --type, else the smallest type that holds both.
struct OpenPencil {
  MatrixOptions of_b;
  OpenMatrix a, b;
  io::ScalarType type = io::ScalarType::d;
};
OpenPencil open_pencil(const GeneralisedOptions& options, const MatrixOptions& of_a, const OpenMatrix& a,
                       Progress& progress) {
  OpenPencil p{of_a, a, {}};
  p.of_b.file = options.file;
  p.of_b.format = "auto";  // the content of B's file decides its format
  p.b = open_matrix(p.of_b, progress);
  p.type = io::common_type(p.a.type, p.b.type);
  return p;
}

// A and B with the same order and triangle, both without NaN and infinity.
template <class T>
struct Pencil {
  io::HermitianMatrix<T> a, b;
};
template <class T>
Pencil<T> read_pencil(const OpenPencil& opened, const MatrixOptions& of_a, int threads, Progress& progress) {
  Pencil<T> p;
  p.a = read<T>(of_a, opened.a, threads, progress);
  require_finite(of_a, p.a);
  p.b = read<T>(opened.of_b, opened.b, threads, progress);
  if (p.b.n != p.a.n)
    throw io::FileError(opened.of_b.file, 0,
                        print("B has order %lld, but A has order %lld", static_cast<long long>(p.b.n),
                              static_cast<long long>(p.a.n)));
  require_finite(opened.of_b, p.b);
  if (p.b.uplo != p.a.uplo) p.b = turned(p.b);
  return p;
}

// Text of --predict: the flops in addition to the standard problem's, and the workspace of the whole solve.
template <class T>
std::string plan_text(const GeneralisedSolve& request, std::int64_t n, const Options& options) {
  const double cube = std::pow(static_cast<double>(n), 3);
  const auto m = static_cast<double>(options.vectors ? options.subset.max_count(n) : 0);
  const bool on_gpu = use_gpu(request.devices.device, n);
  const WorkspaceBytes bytes = generalised_workspace_bytes<T>(n, {request.b.itype}, options, on_gpu);
  return report_row("type", io::name(io::scalar_type<T>)) +
         report_row("plan", std::string("on the ") + (on_gpu ? "GPU" : "CPU") + ", workspace at most " +
                                bytes_text(bytes.host) + " host, " + bytes_text(bytes.device) + " device") +
         report_row("  Cholesky", print("%.3g flops: B = L L^T", cube / 3)) +
         report_row("  standard form", print("%.3g flops: C from A and L", cube)) +
         report_row("  solve", "C y = w y, as solve without --b") +
         (options.vectors
              ? report_row("  vectors", print("%.3g flops: x from y", cube / static_cast<double>(n) * m))
              : "") +
         "\n";
}

template <class T>
GeneralisedReport solve_pencil(const GeneralisedSolve& request, const Pencil<T>& p, const Options& options,
                               const ResultFilesOf<T>& results) {
  try {
    return sygvd({request.b.itype}, p.a.n, p.a.data, p.a.lda, const_cast<T*>(p.b.data), p.b.lda,
                 results.values(), results.vectors(), std::max<std::int64_t>(1, p.a.n), options,
                 request.devices);
  } catch (const InvalidArgument& error) {
    if (error.parameter() == "b") throw io::FileError(request.b.file, 0, "B: " + error.reason());
    throw;
  }
}

// Reads A and B as Ts, solves, verifies and writes.
template <class T>
void solve_pencil_as(const GeneralisedSolve& request, const OpenPencil& opened, const Stopwatch& reading,
                     ReportSink& sink, Progress& progress, GeneralisedFound& r) {
  const Pencil<T> p = read_pencil<T>(opened, request.matrix, request.run.threads, progress);
  r.read = reading.seconds();
  r.n = p.a.n;
  Options options = request.options;
  options.uplo = p.a.uplo;
  options.subset = request.subset(r.n);
  options.progress = [&progress](Stage stage, double fraction) { progress.at(words(name(stage)), fraction); };
  if (!request.options_of_gpu.empty() && !use_gpu(request.devices.device, r.n)) {
    progress.finish();
    check_devices(request.devices);
    report_unused(request.run, request.options_of_gpu);
  }
  if (request.predict) {
    progress.finish();
    sink.print_before(plan_text<T>(request, r.n, options));
  }
  ResultFilesOf<T> results(
      request.prefix, request.format,
      {r.n, options.subset.max_count(r.n), options.vectors, options.subset.by != Subset::By::value},
      existing_files(request.run.force));
  r.report = solve_pencil(request, p, options, results);
  r.vectors = request.options.vectors;
  if (r.report.status == Status::converged) {
    r.values.assign(results.values(), results.values() + r.report.m);
    r.infinite = !std::all_of(r.values.begin(), r.values.end(), [](double w) { return std::isfinite(w); });
  }
  if (request.verify && r.solved()) {
    const Stopwatch checking;
    progress.at("verify");
    r.check = verify_generalised(request.b.itype, p.a.uplo, r.n, p.a.data, p.a.lda, p.b.data, p.b.lda,
                                 r.report.m, results.values(), results.vectors(),
                                 std::max<std::int64_t>(1, r.n), request.devices.device, request.run.threads);
    r.verify = checking.seconds();
  }
  if (r.good() && !request.prefix.empty()) {
    const Stopwatch writing;
    progress.at("write");
    results.commit(r.report.m, request.run.threads);
    r.write = writing.seconds();
    r.values_file = results.values_file();
    r.vectors_file = results.vectors_file();
  }
}

template <class T>
void verify_pencil_as(const GeneralisedVerify& request, const OpenPencil& opened, const Stopwatch& reading,
                      Progress& progress, GeneralisedFound& r) {
  const Pencil<T> p = read_pencil<T>(opened, request.matrix, request.run.threads, progress);
  progress.at("read the result");
  const std::vector<real_t<T>> values = io::read_values<real_t<T>>(request.values);
  const io::Dense<T> z = io::read_vectors<T>(request.vectors, request.run.threads);
  r.n = p.a.n;
  const auto columns = static_cast<std::int64_t>(values.size());
  if (z.rows != r.n || z.cols != columns || columns > r.n || (columns == 0 && r.n > 0))
    throw io::FileError(
        request.vectors, 0,
        print("holds %lld x %lld vectors; there are %lld values, and the matrix has order %lld",
              static_cast<long long>(z.rows), static_cast<long long>(z.cols), static_cast<long long>(columns),
              static_cast<long long>(r.n)));
  r.read = reading.seconds();

  const Stopwatch checking;
  progress.at("verify");
  r.check = verify_generalised(request.b.itype, p.a.uplo, r.n, p.a.data, p.a.lda, p.b.data, p.b.lda, columns,
                               values.data(), z.data, z.ld, device_of(request.run), request.run.threads);
  r.verify = checking.seconds();
}

}  // namespace

ExitCode solve_generalised(GeneralisedSolve request) {
  require_one_process();
  const Stopwatch total;
  const ResultNames names = result_names(request.prefix, request.format, request.options.vectors);
  require_apart(
      {{"MATRIX", request.matrix.file}, {"--b", request.b.file}, {"--calibration", request.calibration}},
      {{"-o", names.values}, {"-o", names.vectors}, {"--json", request.run.json}, {"--plot", request.plot}},
      request.run.force);
  ReportSink sink(request.run);
  std::optional<io::OutputFile> plot;
  if (!request.plot.empty()) plot.emplace(request.plot, existing_files(request.run.force));
  Progress progress(!request.run.quiet);
  GeneralisedFound r(request.matrix, request.b);
  r.threads = threads_used(request.run);
  r.print_all = request.print;
  if (!request.calibration.empty())  // a solve on the CPU does not use it, but an invalid file is an error
    request.devices.calibration = std::make_shared<const Calibration>(
        *choose_calibration(request.calibration, uncalibrated_machine()).calibration);

  const Stopwatch reading;
  const OpenPencil opened = open_pencil(request.b, request.matrix, request.opened, progress);
  r.type = opened.type;
  io::with_type(opened.type,
                [&]<class T>(T) { solve_pencil_as<T>(request, opened, reading, sink, progress, r); });
  progress.finish();
  report_device(request.run, devices_text(r.report));
  r.total = total.seconds();
  if (plot && r.good()) {
    plot->write(solve_picture(request.matrix.file, r.values, r.report));
    plot->commit();
  }
  sink.put(solve_table(r), solve_json(r));
  if (r.good()) return ExitCode::done;
  warn(request.matrix.file + ": " + why_not(r) + (request.prefix.empty() ? "" : ", no result is written"));
  return ExitCode::not_verified;
}

ExitCode verify_generalised_files(const GeneralisedVerify& request) {
  const Stopwatch total;
  require_apart({{"MATRIX", request.matrix.file},
                 {"--b", request.b.file},
                 {"--values", request.values},
                 {"--vectors", request.vectors}},
                {{"--json", request.run.json}}, request.run.force);
  ReportSink sink(request.run);
  Progress progress(!request.run.quiet);
  GeneralisedFound r(request.matrix, request.b);
  r.threads = threads_used(request.run);

  const Stopwatch reading;
  const OpenPencil opened = open_pencil(request.b, request.matrix, request.opened, progress);
  r.type = opened.type;
  io::with_type(opened.type, [&]<class T>(T) { verify_pencil_as<T>(request, opened, reading, progress, r); });
  progress.finish();
  report_device(request.run, r.check->on_gpu ? "the GPU" : "the CPU");
  r.total = total.seconds();
  sink.put(verify_table(r), verify_json(r));
  if (passed(*r.check)) return ExitCode::done;
  warn(request.matrix.file + ": verification FAILED");
  return ExitCode::not_verified;
}

}  // namespace eigen_g::apps
