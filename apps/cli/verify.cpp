// eigen_g verify: checks if the eigenvalues and eigenvectors in two files belong to a matrix.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "apps/cli/command.hpp"
#include "apps/cli/generalised.hpp"
#include "apps/cli/matrix_input.hpp"
#include "apps/cli/sparse_input.hpp"
#include "apps/cli/stack.hpp"
#include "apps/io/eigenpairs_file.hpp"
#include "apps/io/stack_file.hpp"
#include "apps/io/stored_coordinates.hpp"
#include "apps/support/help.hpp"
#include "apps/support/named_files.hpp"
#include "apps/support/run_options.hpp"
#include "apps/support/stopwatch.hpp"
#include "apps/support/text.hpp"
#include "solver/verify/verify.hpp"

namespace eigen_g::apps {

namespace {

struct VerifyOptions {
  MatrixOptions matrix;
  GeneralisedOptions generalised;
  RunOptions run;
  std::string values;
  std::string vectors;
  bool proof = false;
};

// Requires n x m vectors and m values, 1 <= m <= n (0 for an empty matrix).
template <class T>
void require_shapes(const VerifyOptions& options, std::int64_t n, std::size_t values, const io::Dense<T>& z) {
  const auto rows = static_cast<long long>(z.rows), cols = static_cast<long long>(z.cols);
  if (z.rows != n)
    throw io::FileError(
        options.vectors, 0,
        print("vectors have %lld rows, but the matrix has order %lld", rows, static_cast<long long>(n)));
  if (z.cols != static_cast<std::int64_t>(values))
    throw io::FileError(
        options.values, 0,
        print("%zu values, but %s holds %lld vectors", values, options.vectors.c_str(), cols));
  if (z.cols > n || (z.cols == 0 && n > 0))
    throw io::FileError(
        options.vectors, 0,
        print("%lld vectors, but from 1 to %lld are expected", cols, static_cast<long long>(n)));
}

// Reads a sparse real matrix, M if there is one, values and vectors and checks them in sparse form. Returns false, without a report, if
// these are all pairs: the dense form then checks more.
bool verify_sparse(const VerifyOptions& options, const OpenMatrix& opened, Progress& progress,
                   const Stopwatch& reading, VerifyReport& report) {
  progress.at("read");
  const io::SparseMatrix matrix =
      io::read_sparse_matrix(*opened.file, read_options(options.matrix, options.run.threads, progress));
  require_finite(options.matrix, matrix);
  const MassInRows mass =
      read_mass(options.generalised, options.matrix, matrix.a.rows, options.run.threads, progress);
  progress.at("read the result");
  const std::vector<double> values = io::read_values<double>(options.values);
  const io::DenseMatrix vectors = io::read_vectors(options.vectors, options.run.threads);
  require_shapes(options, matrix.a.rows, values.size(), vectors);
  if (vectors.cols == matrix.a.rows && !options.proof) return false;
  report.seconds.read = reading.seconds();
  report.matrix = {options.matrix.file,       matrix.format_name, matrix.a.rows,    Uplo::lower,
                   options.matrix.symmetrize, matrix.asymmetry,   io::ScalarType::d};

  const Stopwatch checking;
  progress.at("verify");
  const CsrMatrix<double> a{matrix.a.rows, matrix.a.row_offsets.get(), matrix.a.col.get(),
                            matrix.a.value.get()};
  report.b_file = options.generalised.file;
  report.check = mass.given
                     ? verify(a, mass.mass(), vectors.cols, values.data(), vectors.data, vectors.ld, false,
                              options.run.threads)
                     : verify(a, vectors.cols, values.data(), vectors.data, vectors.ld, options.run.threads);
  if (options.proof && report.check.ascending && report.check.finite) {
    SparseSolver<double> solver(a, mass.given ? mass.mass() : SparseMass<double>());
    report.counts = verify_counts(solver, vectors.cols, values.data());
  }
  report.seconds.verify = checking.seconds();
  return true;
}

// Reads matrix, values and vectors as Ts and checks them.
template <class T>
void verify_as(const VerifyOptions& options, const OpenMatrix& opened, Progress& progress,
               const Stopwatch& reading, VerifyReport& report) {
  const io::HermitianMatrix<T> matrix = read<T>(options.matrix, opened, options.run.threads, progress);
  require_finite(options.matrix, matrix);
  progress.at("read the result");
  const std::vector<real_t<T>> values = io::read_values<real_t<T>>(options.values);
  const io::Dense<T> vectors = io::read_vectors<T>(options.vectors, options.run.threads);
  require_shapes(options, matrix.n, values.size(), vectors);
  report.seconds.read = reading.seconds();
  report.matrix = facts_of(options.matrix, matrix);

  const Stopwatch checking;
  progress.at("verify");
  report.check = verify(matrix.uplo, matrix.n, matrix.data, matrix.lda, vectors.cols, values.data(),
                        vectors.data, vectors.ld, device_of(options.run), options.run.threads);
  report.seconds.verify = checking.seconds();
}

ExitCode verify_files(const VerifyOptions& options) {
  const Stopwatch total;
  require_apart({{"MATRIX", options.matrix.file},
                 {"--b", options.generalised.file},
                 {"--values", options.values},
                 {"--vectors", options.vectors}},
                {{"--json", options.run.json}}, options.run.force);
  Progress progress(!options.run.quiet);
  VerifyReport report;
  report.threads = threads_used(options.run);
  report.values_file = options.values;
  report.vectors_file = options.vectors;

  const Stopwatch reading;
  const OpenMatrix opened = open_matrix(options.matrix, progress, io::DatasetShape::square_matrices);
  const bool stack = io::is_stack(opened.file, read_options(options.matrix, 1, progress));
  const bool in_rows = !stack && opened.type == io::ScalarType::d && options.generalised.itype == 1 &&
                       io::holds_coordinates(*opened.file, read_options(options.matrix, 1, progress)) &&
                       is_real_in_rows(options.generalised, options.matrix, progress);
  if (options.proof && !in_rows) throw UsageError("--proof: requires sparse real matrices, and --itype 1");
  const bool sparse = in_rows && verify_sparse(options, opened, progress, reading, report);
  if (options.generalised.wanted() && !stack && !sparse) {
    progress.finish();
    return verify_generalised_files(
        {options.generalised, options.matrix, opened, options.run, options.values, options.vectors});
  }
  ReportSink sink(options.run);
  if (stack)
    return verify_stack(options.matrix, options.generalised, options.values, options.vectors, options.run,
                        {opened, total, reading, sink, progress});
  if (!sparse)
    io::with_type(opened.type, [&]<class T>(T) { verify_as<T>(options, opened, progress, reading, report); });
  progress.finish();
  report_device(options.run, report.check.on_gpu ? "the GPU" : "the CPU");
  report.seconds.total = total.seconds();
  sink.put(to_table(report), json_of(report));
  if (passed(report)) return ExitCode::done;
  warn(options.matrix.file +
       (passed(report.check) ? ": pairs are missing among the given ones" : ": verification FAILED"));
  return ExitCode::not_verified;
}

constexpr const char* verify_examples = R"(
  eigen_g verify matrix.mtx --values result.values.npy --vectors result.vectors.npy
  eigen_g verify matrix.mtx --values w.txt --vectors z.npy --json -     from another program, as JSON
  eigen_g verify matrix.mtx --values r.h5:values --vectors r.h5:vectors result of solve -o r.h5
  eigen_g verify a.npy --type s --values w.npy --vectors z.npy          result of solve --type s, in float's roundoff
  eigen_g verify stack.npy --values w.npy --vectors z.npy               result of solve stack.npy: the worst of all matrices
  eigen_g verify sparse.mtx --values w.npy --vectors z.npy              result of solve --lowest 8; never stored dense
  eigen_g verify a.mtx --b b.mtx --values w.npy --vectors z.npy         A x = w B x, in the norm of B
  eigen_g verify k.mtx --b m.mtx --values w.npy --vectors z.npy --proof no pair is missing between the given ones)";

}  // namespace

void add_verify(CLI::App& app, Action& action) {
  auto options = std::make_shared<VerifyOptions>();
  CLI::App& command =
      *app.add_subcommand("verify", "Check eigenvalues and eigenvectors in files against the matrix.");
  set_help(command, "eigen_g verify MATRIX --values W --vectors Z [OPTIONS]", verify_examples);
  add_matrix_options(command, options->matrix);
  add_generalised_options(command, options->generalised);
  command
      .add_option("--values", options->values,
                  "m eigenvalues, ascending (.npy, HDF5, Matrix Market array or text)")
      ->required()
      ->option_text("FILE");
  command.add_option("--vectors", options->vectors, "The n x m eigenvectors, in the same order")
      ->required()
      ->option_text("FILE");
  command.add_flag(
      "--proof", options->proof,
      "Sparse matrices: also compare the number of values with counts by a factorisation, which shows "
      "missing pairs");
  add_run_options(command, options->run);
  command.callback([options, &action] { action = [options] { return verify_files(*options); }; });
}

}  // namespace eigen_g::apps
