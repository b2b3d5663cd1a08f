#include "apps/cli/few.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <variant>

#include "apps/cli/matrix_input.hpp"
#include "apps/cli/report.hpp"
#include "apps/cli/solve_prediction.hpp"
#include "apps/io/input_file.hpp"
#include "apps/io/sparse_file.hpp"
#include "apps/support/named_files.hpp"
#include "apps/support/stopwatch.hpp"
#include "apps/support/text.hpp"
#include "blas2/spmv/sparse_matrix.hpp"
#include "hybrid/machine/device.hpp"
#include "solver/devices/calibration.hpp"
#include "solver/verify/verify.hpp"

namespace eigen_g::apps {

namespace {

using Json = nlohmann::ordered_json;

// The dense matrix in compressed rows, without its zeros.
blas2::CrsMatrix<double> rows_of(const io::SymmetricMatrix& matrix) {
  const std::int64_t n = matrix.n;
  const auto at = [&](std::int64_t i, std::int64_t j) {
    const bool stored = matrix.uplo == Uplo::lower ? i >= j : i <= j;
    return stored ? matrix.data[i + j * matrix.lda] : matrix.data[j + i * matrix.lda];
  };
  std::int64_t nnz = 0;
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) nnz += at(i, j) != 0;
  blas2::CrsMatrix<double> rows(n, n, nnz);
  std::int64_t p = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      if (at(i, j) == 0) continue;
      rows.col[p] = static_cast<std::int32_t>(j);
      rows.value[p++] = at(i, j);
    }
    rows.row_offsets[i + 1] = p;
  }
  return rows;
}

struct FileInRows {
  blas2::CrsMatrix<double> a;
  std::string format;
};

// Reads a file of any format into compressed rows; a sparse file never becomes dense. Throws FileError for NaN and infinity, as a
// dense solve does.
FileInRows read_rows(const MatrixOptions& options, int threads, Progress& progress) {
  progress.at("read");
  const auto reading = [&] {
    try {
      return io::read_sparse_or_dense(options.file, read_options(options, threads, progress));
    } catch (const io::FileError& error) {
      if (error.reason().find("a real matrix is required") == std::string::npos) throw;
      throw io::FileError(error.path(), error.line(),
                          error.reason() + "; --lowest, --highest and --near solve real matrices only");
    }
  };
  auto read = reading();
  if (const auto* const dense = std::get_if<io::SymmetricMatrix>(&read)) {
    require_finite(options, *dense);
    return {rows_of(*dense), dense->format_name};
  }
  auto& sparse = std::get<io::SparseMatrix>(read);
  require_finite(options, sparse);
  return {std::move(sparse.a), std::move(sparse.format_name)};
}

FewOptions library_options(const FewCommandOptions& few) {
  FewOptions options;
  options.end = few.near_given ? End::nearest : few.highest > 0 ? End::highest : End::lowest;
  options.count = few.near_given ? std::max<std::int64_t>(1, few.count)
                                 : std::max<std::int64_t>(1, std::max(few.lowest, few.highest));
  options.target = few.near;
  options.method = few.method == "dense"     ? FewMethod::dense
                   : few.method == "lanczos" ? FewMethod::lanczos
                                             : FewMethod::automatic;
  options.tolerance = few.tolerance;
  if (few.max_products > 0) options.max_products = few.max_products;
  return options;
}

const char* end_name(End end) {
  return end == End::lowest ? "lowest" : end == End::highest ? "highest" : "near";
}

std::string few_row(const char* name, const std::string& text) {
  return left_column(name, 16) + text + "\n";
}

struct FewResult {
  std::string matrix, format;
  std::int64_t n = 0, nnz = -1;  // number of nonzeros; -1: a grid has no stored matrix
  FewOptions options;
  FewReport report;
  std::vector<double> values;
  int threads = 0;
  double read = 0, write = 0, total = 0;
  std::optional<Verification> check;
  std::string values_file, vectors_file;
};

std::string to_table(const FewResult& r) {
  const FewReport& few = r.report;
  std::string text = few_row("matrix", r.matrix);
  if (!r.format.empty()) text += few_row("  format", r.format);
  text += few_row("  n", std::to_string(r.n));
  if (r.nnz >= 0) text += few_row("  non-zeros", std::to_string(r.nnz));
  text += few_row("method", std::string(name(few.method)) + (few.on_gpu ? " on the GPU" : " on the CPU"));
  if (few.method == FewMethod::lanczos) {
    text += few_row("  products",
                    print("%lld of A with a vector, %lld restarts", static_cast<long long>(few.products),
                          static_cast<long long>(few.restarts)));
    text += few_row("  filter", print("degree %d, damps %.6g to %.6g", few.filter_degree, few.filter_cut,
                                      few.filter_upper));
    text += few_row("  probe",
                    few.probed ? print("random start vectors found no more pairs at this end (%lld before)",
                                       static_cast<long long>(few.probe_found))
                               : std::string("not done"));
  }
  const double limit = few.tolerance * few.norm;
  text += few_row("|A|", print("%.10g", few.norm)) + few_row("limit", print("|Az-wz| <= %.3g", limit));
  text += few_row("eigenvalues", print("%lld, %s", static_cast<long long>(few.m), end_name(r.options.end)));
  for (std::size_t i = 0; i < r.values.size(); ++i)
    text += print("  %23.16g   |Az-wz| %.2e%s\n", r.values[i], few.residuals[i],
                  few.residuals[i] <= limit || few.status == Status::converged ? "" : "   not converged");
  if (few.status != Status::converged && few.predicted_products > 0)
    text += few_row("predicted", print("%.3g products in all", few.predicted_products));
  if (!r.values_file.empty())
    text += few_row("written", joined(r.vectors_file.empty() ? std::vector{r.values_file}
                                                             : std::vector{r.values_file, r.vectors_file}));
  if (r.check) text += check_rows(*r.check);
  text += few_row("seconds", print("solve %.4f, read %.4f, write %.4f, total %.4f", few.seconds, r.read,
                                   r.write, r.total));
  return text;
}

Json finite_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

std::string few_json(const FewResult& r) {
  const FewReport& few = r.report;
  Json json{{"format", "eigen_g-solve_few"}, {"version", 1}, {"eigen_g", version()}};
  json["matrix"] = {{"file", r.matrix},
                    {"format", r.format.empty() ? Json() : Json(r.format)},
                    {"n", r.n},
                    {"nnz", r.nnz >= 0 ? Json(r.nnz) : Json()}};
  json["wanted"] = {{"count", r.options.count},
                    {"end", end_name(r.options.end)},
                    {"near", r.options.end == End::nearest ? Json(r.options.target) : Json()}};
  json["method"] = name(few.method);
  json["status"] = few.status == Status::converged ? "converged" : "not_converged";
  json["on_gpu"] = few.on_gpu;
  json["threads"] = r.threads;
  json["values"] = r.values;
  json["residuals"] = few.residuals;
  json["limit"] = few.tolerance * few.norm;
  json["norm"] = few.norm;
  json["orthogonality"] = few.method == FewMethod::lanczos ? Json(few.orthogonality) : Json();
  json["products"] = few.products;
  json["predicted_products"] = finite_or_null(few.predicted_products);
  json["restarts"] = few.restarts;
  json["filter"] =
      few.method == FewMethod::lanczos
          ? Json{{"degree", few.filter_degree}, {"cut", few.filter_cut}, {"upper", few.filter_upper}}
          : Json();
  json["probe"] = {{"done", few.probed}, {"found", few.probe_found}};
  json["verification"] = r.check ? verification_json(*r.check) : Json();
  json["seconds"] = {{"read", r.read},
                     {"solve", few.seconds},
                     {"verify", r.check ? Json(r.check->seconds) : Json()},
                     {"write", r.write},
                     {"total", r.total}};
  json["bytes"] = {{"host", few.bytes.host}, {"device", few.bytes.device}};
  const auto file = [](const std::string& path) { return path.empty() ? Json() : Json(path); };
  json["outputs"] = {{"values", file(r.values_file)}, {"vectors", file(r.vectors_file)}};
  return json_text(json);
}

// Calls solve(); renames the library's arguments in its errors to the options of the command line.
FewReport refused_by_option(const std::function<FewReport()>& solve) {
  try {
    return solve();
  } catch (const InvalidArgument& error) {
    if (error.argument() != Argument::other) throw;
    const std::string& parameter = error.parameter();
    const std::string option = parameter == "count"          ? "--lowest, --highest or --count"
                               : parameter == "max_products" ? "--max-products"
                               : parameter == "end"          ? "--near"
                                                             : "--" + parameter;
    throw UsageError(option + ": " + error.reason());
  }
}

}  // namespace

SparseGrid parse_grid(const std::string& text) {
  std::int64_t sides[3] = {1, 1, 1};
  const char* p = text.data();
  const char* const end = p + text.size();
  int count = 0;
  bool good = true;
  do {
    good = count < 3 && (count == 0 || *p++ == 'x');
    if (!good) break;
    const auto [next, error] = std::from_chars(p, end, sides[count++]);
    good = error == std::errc();
    p = next;
  } while (good && p != end);
  good =
      good && std::all_of(sides, sides + 3, [](std::int64_t side) { return side >= 1 && side <= (1 << 20); });
  if (!good) throw UsageError("--grid: " + text + " must be NXxNYxNZ, each from 1 to 1048576");
  return {sides[0], sides[1], sides[2]};
}

namespace {

// The rows of a file or the operator on a grid; solve() passes either to the library.
struct FewMatrix {
  SparseGrid grid;
  FileInRows file;
  bool is_grid = false;
  std::int64_t n() const { return is_grid ? grid.nx * grid.ny * grid.nz : file.a.rows; }
  std::int64_t nnz() const { return is_grid ? -1 : file.a.nnz; }
  FewReport solve(double* w, double* z, const FewOptions& options, const Devices& devices) const {
    const std::int64_t ldz = std::max<std::int64_t>(1, n());
    return refused_by_option([&] {
      return is_grid ? solve_few(grid, w, z, ldz, options, devices)
                     : solve_few(rows(), w, z, ldz, options, devices);
    });
  }
  Verification verify_pairs(std::int64_t m, const double* w, const double* z, int threads) const {
    const std::int64_t ldz = std::max<std::int64_t>(1, n());
    return is_grid ? verify(grid, m, w, z, ldz, threads) : verify(rows(), m, w, z, ldz, threads);
  }

 private:
  CsrMatrix<double> rows() const {
    return {n(), file.a.row_offsets.get(), file.a.col.get(), file.a.value.get()};
  }
};

std::string gibibytes(std::uint64_t bytes) {
  return print("%.3g GiB", static_cast<double>(bytes) / (1 << 30));
}

// Text of --predict. If the dense method is used: its time by the model. Otherwise a short Lanczos run gives the number of products and
// the time of one.
// At an end of the spectrum the closest eigenvalues converge last, so a short run predicts too few products. The bounds
// `least` and `most` times the predicted number come from measured solves (data/perf/README.md).
std::string few_prediction_text(const FewMatrix& matrix, const FewOptions& options, const Devices& devices) {
  constexpr double least = 0.9, most = 11;
  const std::int64_t products_of_a_look = 1500 + 60 * options.count;
  const FewPrediction plan = predict_few(matrix.n(), matrix.nnz(), options, devices);
  std::string text = few_row(
      "plan", print("%lld pairs of order %lld by the %s method", static_cast<long long>(options.count),
                    static_cast<long long>(matrix.n()), name(plan.method)));
  if (plan.method == FewMethod::dense || plan.dense_follows) {
    Options dense;
    if (options.end != End::nearest) dense.subset = Subset::by_index(1, options.count);
    const DenseCost cost = dense_cost(dense, devices, matrix.n());
    text += few_row("  dense", print("%.3g s, an estimate, ", cost.seconds) + gibibytes(cost.bytes));
  }
  if (plan.method == FewMethod::dense) return text;
  if (plan.gpus > 1) {
    Devices one = devices;
    one.gpus = 1;
    text +=
        few_row("  GPUs",
                print("%d, rows divided: %.3g s a product, and %.3g s to exchange parts of vectors; one GPU: "
                      "%.3g s",
                      plan.gpus, plan.product_seconds, plan.halo_seconds,
                      predict_few(matrix.n(), matrix.nnz(), options, one).product_seconds)) +
        few_row("", devices.calibration ? "rates: this machine's calibration"
                                        : "rates: two H200s; 'eigen_g calibrate' measures this machine");
  }
  FewOptions look = options;
  look.method = FewMethod::lanczos;
  look.max_products = std::min(products_of_a_look, options.max_products);
  look.progress = {};
  std::vector<double> values(static_cast<std::size_t>(options.count));
  const FewReport report = matrix.solve(values.data(), nullptr, look, devices);
  const double expected =
      report.status == Status::converged ? static_cast<double>(report.products) : report.predicted_products;
  const double a_product = report.seconds / static_cast<double>(report.products);
  const bool known = report.status == Status::converged;
  const double low = known ? expected : std::max(least * expected, static_cast<double>(report.products)),
               high = known ? expected : most * expected;
  text +=
      few_row("  lanczos",
              print("%.2g to %.2g products, %.2g to %.2g s, ", low, high, low * a_product, high * a_product) +
                  gibibytes(plan.lanczos_bytes) +
                  print("; at most %lld products", static_cast<long long>(plan.max_products)) +
                  (plan.dense_follows ? ", then dense" : ""));
  return text + few_row("", print("from a trial of %lld products: %.3g s each",
                                  static_cast<long long>(report.products), a_product));
}

// The cost of a dense solve of order n and how to avoid it; "" if the cost is small.
std::string dense_warning(FewOptions options, const Devices& devices, std::int64_t n) {
  Options dense;
  if (options.end != End::nearest) dense.subset = Subset::by_index(1, options.count);
  const std::string cost = large_cost_text(dense, devices, n);
  if (cost.empty()) return "";
  const bool near = options.end == End::nearest;
  options.method = near ? FewMethod::automatic : FewMethod::lanczos;
  return ": the dense solver takes " + cost + "; " +
         (near ? "--lowest and --highest need no dense matrix"
          : predict_few(n, -1, options, devices).method == FewMethod::dense
              ? "fewer pairs need no dense matrix"
              : "--method lanczos avoids it");
}

}  // namespace

ExitCode solve_few_pairs(const FewSolve& request) {
  const Stopwatch total;
  const FewCommandOptions& few = request.few;
  if (!few.grid.empty() && !request.matrix.file.empty())
    throw UsageError("--grid: replaces MATRIX; omit " + request.matrix.file + " or --grid");
  if (few.count > 0 && !few.near_given) throw UsageError("--count: requires --near");
  if (few.stencil > 0 && few.grid.empty()) throw UsageError("--stencil: requires --grid");
  const ResultNames names = result_names(request.prefix, request.format, !request.values_only);
  require_apart({{"MATRIX", request.matrix.file}, {"--start", few.start}},
                {{"-o", names.values}, {"-o", names.vectors}, {"--json", request.run.json}},
                request.run.force);
  ReportSink sink(request.run);
  Progress progress(!request.run.quiet);
  FewResult result;
  result.threads = threads_used(request.run);
  result.options = library_options(few);
  Devices devices;
  devices.device = device_of(request.run);
  devices.threads = request.run.threads;
  devices.gpus = request.gpus;

  const Stopwatch reading;
  FewMatrix matrix;
  matrix.is_grid = !few.grid.empty();
  if (matrix.is_grid) {
    matrix.grid = parse_grid(few.grid);
    if (few.stencil > 0) matrix.grid.points = few.stencil;
    result.matrix = std::to_string(matrix.grid.points) + "-point operator " + few.grid;
  } else {
    matrix.file = read_rows(request.matrix, request.run.threads, progress);
    result.matrix = request.matrix.file;
    result.format = matrix.file.format;
  }
  result.n = matrix.n();
  result.nnz = matrix.nnz();
  if (result.options.count > result.n)
    throw UsageError("the matrix has " + std::to_string(result.n) + " pairs; " +
                     std::to_string(result.options.count) + " were requested");
  io::DenseMatrix start;
  if (!few.start.empty()) {
    start = io::read_npy_matrix(io::open_input(few.start, io::DatasetShape::matrix), request.run.threads);
    if (start.rows != result.n)
      throw io::FileError(
          few.start, 0,
          "has " + std::to_string(start.rows) + " rows; the matrix has " + std::to_string(result.n));
    result.options.start = start.data;
    result.options.start_count = start.cols;
    result.options.start_ld = start.ld;
  }
  result.read = reading.seconds();
  if (request.predict) {
    progress.at("plan");
    if (request.gpus > 1)
      if (auto chosen = choose_calibration("", uncalibrated_machine()); chosen.calibration)
        devices.calibration = std::make_shared<const Calibration>(*std::move(chosen.calibration));
    const std::string plan = few_prediction_text(matrix, result.options, devices);
    progress.finish();
    sink.tell(plan + "\n");
  }

  ResultFiles results(request.prefix, request.format,
                      {result.n, result.options.count, !request.values_only, true},
                      existing_files(request.run.force));
  if (!request.run.quiet)
    result.options.before_dense = [&] {
      const std::string cost = dense_warning(result.options, devices, result.n);
      if (cost.empty()) return;
      progress.finish();
      warn(result.matrix + cost);
    };
  result.options.progress = [&progress](double fraction) { progress.at("few pairs", fraction); };
  progress.at("few pairs");
  result.report = matrix.solve(results.values(), results.vectors(), result.options, devices);
  result.values.assign(results.values(), results.values() + result.report.m);
  const bool converged = result.report.status == Status::converged;
  if (request.verify && converged) {
    progress.at("verify");
    result.check =
        matrix.verify_pairs(result.report.m, results.values(), results.vectors(), request.run.threads);
  }
  const bool good = converged && (!result.check || passed(*result.check));
  if (!request.prefix.empty() && (good || few.keep_unconverged)) {
    const Stopwatch writing;
    progress.at("write");
    results.commit(result.report.m, request.run.threads);
    result.write = writing.seconds();
    result.values_file = results.values_file();
    result.vectors_file = results.vectors_file();
  }
  progress.finish();
  report_device(request.run, result.report.on_gpu ? "the GPU" : "the CPU");
  result.total = total.seconds();
  sink.put(to_table(result), few_json(result));
  if (good) return ExitCode::done;
  warn(result.matrix + (converged ? ": verification FAILED" : ": some pairs did not converge") +
       (request.prefix.empty() || few.keep_unconverged ? "" : ", no result is written"));
  return ExitCode::not_verified;
}

}  // namespace eigen_g::apps
