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

#include "apps/cli/report.hpp"
#include "apps/cli/solve_prediction.hpp"
#include "apps/cli/sparse_input.hpp"
#include "apps/io/eigenpairs_file.hpp"
#include "apps/io/input_file.hpp"
#include "apps/io/text_number.hpp"
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

FewOptions library_options(const FewSolve& request) {
  const FewCommandOptions& few = request.few;
  FewOptions options;
  options.end = few.above         ? End::above
                : few.below       ? End::below
                : few.near_given  ? End::nearest
                : few.highest > 0 ? End::highest
                                  : End::lowest;
  options.count = few.near_given ? std::max<std::int64_t>(1, few.count)
                                 : std::max<std::int64_t>(1, std::max(few.lowest, few.highest));
  options.target = few.near;
  options.method = few.method == "dense"          ? FewMethod::dense
                   : few.method == "lanczos"      ? FewMethod::lanczos
                   : few.method == "shift-invert" ? FewMethod::shift_invert
                                                  : FewMethod::automatic;
  options.tolerance = few.tolerance;
  if (few.max_products > 0) options.max_products = few.max_products;
  options.proof = proof_of(few.proof).value();
  options.library = request.library;
  options.buckling = few.buckling;
  return options;
}

const char* end_name(End end) {
  return end == End::lowest    ? "lowest"
         : end == End::highest ? "highest"
         : end == End::above   ? "above"
         : end == End::below   ? "below"
                               : "near";
}

std::string few_row(const char* name, const std::string& text) {
  return left_column(name, 16) + text + "\n";
}

struct FewResult {
  std::string matrix, format;
  std::int64_t n = 0, nnz = -1;  // number of nonzeros; -1: a grid has no stored matrix
  std::string b;                 // the file of M; "": a standard problem
  std::int64_t b_nnz = -1;       // -1: a diagonal
  std::string interval;          // "A:B"; "": not an interval
  FewOptions options;
  FewReport report;
  std::vector<double> values;
  int threads = 0;
  double read = 0, write = 0, total = 0;
  std::optional<Verification> check;
  std::string values_file, vectors_file;
};

bool not_proven(const FewReport& few, const FewOptions& options) {
  return options.proof == Proof::counts && few.status == Status::converged && !few.proven;
}

// The rows about the factorisation, the shift and the counts; "": no matrix was factorised.
std::string factorisation_rows(const FewReport& few, const FewOptions& options) {
  if (few.library == FactorLibrary::none) return "";
  std::string text = few_row(
      "library", std::string(name(few.library)) +
                     print(", %lld entries of L, ", static_cast<long long>(few.factor_entries)) +
                     bytes_text(few.factor_bytes) +
                     print(", %lld factorisations, %lld solves", static_cast<long long>(few.factorisations),
                           static_cast<long long>(few.products)));
  text += few_row("shift", few.shift_reason.empty()
                               ? print("%.10g", few.shift_used)
                               : print("%.10g wished, %.10g used: ", few.shift_wished, few.shift_used) +
                                     few.shift_reason);
  if (options.proof == Proof::none) return text + few_row("proof", "none");
  if (!few.proven)
    return text + few_row("proof", "not proven" + (few.proof_reason.empty() ? "" : ": " + few.proof_reason));
  const bool from_below = !std::isfinite(few.low);
  return text +
         few_row("proof", print("%lld values ", static_cast<long long>(few.count_high - few.count_low)) +
                              (from_below ? print("below %.6g", few.high)
                                          : print("from %.6g to %.6g", few.low, few.high)) +
                              print(", %lld found", static_cast<long long>(few.found)) +
                              (few.repaired > 0 ? print(", %lld of them after the counts",
                                                        static_cast<long long>(few.repaired))
                                                : ""));
}

std::string matrix_rows(const FewResult& r) {
  std::string text = few_row("matrix", r.matrix);
  if (!r.format.empty()) text += few_row("  format", r.format);
  text += few_row("  n", std::to_string(r.n));
  if (r.nnz >= 0) text += few_row("  non-zeros", std::to_string(r.nnz));
  if (!r.b.empty())
    text += few_row("b", r.b) +
            few_row("  non-zeros", r.b_nnz < 0 ? std::string("a diagonal") : std::to_string(r.b_nnz));
  return text;
}

std::string to_table(const FewResult& r) {
  const FewReport& few = r.report;
  std::string text = matrix_rows(r);
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
  text += factorisation_rows(few, r.options);
  const double limit = few.tolerance * few.norm;
  text += few_row("|A|", print("%.10g", few.norm));
  if (!r.b.empty()) text += few_row("|B|", print("%.10g", few.mass_norm));
  text += few_row("limit", r.b.empty() ? print("|Az-wz| <= %.3g", limit)
                                       : print("|Az-wBz| <= %.3g (|A| + |w| |B|) |z|", few.tolerance));
  text += few_row("eigenvalues", print("%lld, ", static_cast<long long>(few.m)) +
                                     (r.interval.empty() ? end_name(r.options.end) : "in " + r.interval));
  for (std::size_t i = 0; i < r.values.size(); ++i) {
    const bool within =
        i < few.backward_errors.size() ? few.backward_errors[i] <= few.tolerance : few.residuals[i] <= limit;
    text += print("  %23.16g   %s %.2e", r.values[i], r.b.empty() ? "|Az-wz|" : "|Az-wBz|", few.residuals[i]);
    if (i < few.error_bounds.size()) text += print("   bound %.2e", few.error_bounds[i]);
    text += within || few.status == Status::converged ? "\n" : "   not converged\n";
  }
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

Json mass_json(const std::string& file, std::int64_t nnz) {
  if (file.empty()) return {};
  return {{"file", file}, {"form", nnz < 0 ? "diagonal" : "matrix"}, {"nnz", nnz < 0 ? Json() : Json(nnz)}};
}

Json matrix_json(const std::string& file, const std::string& format, std::int64_t n, std::int64_t nnz) {
  return {{"file", file}, {"format", name_or_null(format)}, {"n", n}, {"nnz", nnz >= 0 ? Json(nnz) : Json()}};
}

// The fields about the factorisation, the shift and the counts.
void add_factorisation(Json& json, const FewReport& few) {
  const bool factorised = few.library != FactorLibrary::none;
  const auto or_null = [&](Json value) { return factorised ? std::move(value) : Json(); };
  json["library"] = or_null(name(few.library));
  json["bounds"] = or_null(few.error_bounds);
  json["shift"] = or_null(
      {{"wished", few.shift_wished}, {"used", few.shift_used}, {"reason", name_or_null(few.shift_reason)}});
  json["proof"] = or_null({{"proven", few.proven},
                           {"low", finite_or_null(few.low)},
                           {"count_low", few.count_low},
                           {"high", finite_or_null(few.high)},
                           {"count_high", few.count_high},
                           {"found", few.found},
                           {"repaired", few.repaired},
                           {"reason", name_or_null(few.proof_reason)}});
  json["factorisation"] = or_null({{"count", few.factorisations},
                                   {"entries", few.factor_entries},
                                   {"bytes", few.factor_bytes},
                                   {"seconds",
                                    {{"analysis", few.analysis_seconds},
                                     {"factorisation", few.factorisation_seconds},
                                     {"solves", few.solve_seconds}}}});
}

std::string few_json(const FewResult& r) {
  const FewReport& few = r.report;
  Json json{{"format", "eigen_g-solve_few"}, {"version", 1}, {"eigen_g", version()}};
  json["matrix"] = matrix_json(r.matrix, r.format, r.n, r.nnz);
  json["b"] = mass_json(r.b, r.b_nnz);
  const bool by_end = r.interval.empty(), by_target = by_end && r.options.end > End::highest;
  json["wanted"] = {{"count", by_end ? Json(r.options.count) : Json()},
                    {"end", by_end ? Json(end_name(r.options.end)) : Json()},
                    {"near", by_target ? Json(r.options.target) : Json()},
                    {"interval", name_or_null(r.interval)},
                    {"buckling", r.options.buckling},
                    {"proof", name(r.options.proof)}};
  json["method"] = name(few.method);
  json["status"] = few.status != Status::converged ? "not_converged"
                   : not_proven(few, r.options)    ? "not_proven"
                                                   : "converged";
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
  add_factorisation(json, few);
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
template <class Call>
auto refused_by_option(const std::string& mass_file, const Call& call) {
  try {
    return call();
  } catch (const InvalidArgument& error) {
    const std::string& parameter = error.parameter();
    if (parameter == "m") throw io::FileError(mass_file, 0, error.reason());
    if (error.argument() != Argument::other && parameter != "library") throw;
    const std::string option = parameter == "count"          ? "--lowest, --highest or --count"
                               : parameter == "max_products" ? "--max-products"
                               : parameter == "max_pairs"    ? "--max-pairs"
                               : parameter == "library"      ? "--library"
                               : parameter == "end" || parameter == "target" ? "--near"
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

// The rows of a file, with M or without, or the operator on a grid; solve() passes either to the library.
struct FewMatrix {
  SparseGrid grid;
  FileInRows file;
  MassInRows mass;
  std::string mass_file;
  bool is_grid = false;
  std::int64_t n() const { return is_grid ? grid.nx * grid.ny * grid.nz : file.a.rows; }
  std::int64_t nnz() const { return is_grid ? -1 : file.a.nnz; }
  FewReport solve(double* w, double* z, const FewOptions& options, const Devices& devices) const {
    const std::int64_t ldz = std::max<std::int64_t>(1, n());
    return refused_by_option(mass_file, [&] {
      return is_grid      ? solve_few(grid, w, z, ldz, options, devices)
             : mass.given ? solve_few(file.rows(), mass.mass(), w, z, ldz, options, devices)
                          : solve_few(file.rows(), w, z, ldz, options, devices);
    });
  }
  SparseSolver<double> solver(const FewOptions& options, const Devices& devices) const {
    return refused_by_option(mass_file, [&] {
      return SparseSolver<double>(file.rows(), mass.given ? mass.mass() : SparseMass<double>(), options,
                                  devices);
    });
  }
  Verification verify_pairs(std::int64_t m, const double* w, const double* z, bool buckling,
                            int threads) const {
    const std::int64_t ldz = std::max<std::int64_t>(1, n());
    return is_grid      ? verify(grid, m, w, z, ldz, threads)
           : mass.given ? verify(file.rows(), mass.mass(), m, w, z, ldz, buckling, threads)
                        : verify(file.rows(), m, w, z, ldz, threads);
  }
};

std::string gibibytes(std::uint64_t bytes) {
  return print("%.3g GiB", static_cast<double>(bytes) / (1 << 30));
}

// True if the pairs come from shift-invert and a library for it is there.
bool by_factorisation(const FewMatrix& matrix, const FewOptions& options) {
  const bool automatic = options.method == FewMethod::automatic;
  const bool needed = matrix.mass.given || options.end > End::highest || options.buckling;
  return !matrix.is_grid && available(options.library) && options.library != FactorLibrary::none &&
         (options.method == FewMethod::shift_invert || (automatic && needed));
}

// Text of --predict. With shift-invert: the size of the factor. If the dense method is used: its time by the model. Otherwise a short
// Lanczos run gives the number of products and the time of one.
// At an end of the spectrum the closest eigenvalues converge last, so a short run predicts too few products. The bounds
// `least` and `most` times the predicted number come from measured solves (data/perf/README.md).
std::string few_prediction_text(const FewMatrix& matrix, const FewOptions& options, const Devices& devices) {
  constexpr double least = 0.9, most = 11;
  const std::int64_t products_of_a_look = 1500 + 60 * options.count;
  if (by_factorisation(matrix, options)) {
    const SparseSolver<double> solver = matrix.solver(options, devices);
    return few_row("plan", print("pairs of order %lld by the %s method", static_cast<long long>(matrix.n()),
                                 name(FewMethod::shift_invert))) +
           few_row("  factor", print("%lld entries of L, ", static_cast<long long>(solver.factor_entries())) +
                                   gibibytes(solver.factor_bytes()));
  }
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

struct ValueCounts {
  std::vector<double> asked;
  std::vector<EigenvalueCount> counts;
  std::int64_t factor_entries = 0;
  std::uint64_t factor_bytes = 0;
};

// The numbers of eigenvalues below the ends of --interval, or below the value of --near.
ValueCounts count_values(const FewSolve& request, const FewMatrix& matrix, const FewOptions& options,
                         const Devices& devices, Progress& progress) {
  if (matrix.is_grid) throw UsageError("--count-only: requires MATRIX");
  ValueCounts result;
  if (request.few.interval.empty()) {
    result.asked = {request.few.near};
  } else {
    const auto [low, high] = parse_interval(request.few.interval);
    result.asked = {low, high};
  }
  progress.at("count");
  SparseSolver<double> solver = matrix.solver(options, devices);
  result.factor_entries = solver.factor_entries();
  result.factor_bytes = solver.factor_bytes();
  for (const double s : result.asked)
    result.counts.push_back(refused_by_option(matrix.mass_file, [&] { return solver.count(s); }));
  return result;
}

std::string to_table(const FewResult& r, const ValueCounts& counts) {
  std::string text = matrix_rows(r);
  for (std::size_t i = 0; i < counts.counts.size(); ++i) {
    const EigenvalueCount& count = counts.counts[i];
    text += few_row("below", print("%.10g: %lld values", count.at, static_cast<long long>(count.below)) +
                                 (count.moved ? print(" (%.10g is a value)", counts.asked[i]) : ""));
  }
  if (counts.counts.size() == 2)
    text += few_row("within",
                    r.interval + print(": %lld values", static_cast<long long>(counts.counts[1].below -
                                                                               counts.counts[0].below)));
  text += few_row("factor", print("%lld entries of L, ", static_cast<long long>(counts.factor_entries)) +
                                bytes_text(counts.factor_bytes));
  return text + few_row("seconds", print("read %.4f, total %.4f", r.read, r.total));
}

std::string counts_json(const FewResult& r, const ValueCounts& counts) {
  Json json{{"format", "eigen_g-count"}, {"version", 1}, {"eigen_g", version()}};
  json["matrix"] = matrix_json(r.matrix, r.format, r.n, r.nnz);
  json["b"] = mass_json(r.b, r.b_nnz);
  json["counts"] = Json::array();
  for (std::size_t i = 0; i < counts.counts.size(); ++i)
    json["counts"].push_back(
        {{"asked", counts.asked[i]}, {"at", counts.counts[i].at}, {"below", counts.counts[i].below}});
  json["within"] = counts.counts.size() == 2 ? Json(counts.counts[1].below - counts.counts[0].below) : Json();
  json["factorisation"] = {{"entries", counts.factor_entries}, {"bytes", counts.factor_bytes}};
  json["seconds"] = {{"read", r.read}, {"total", r.total}};
  return json_text(json);
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
  if (few.count_only && !few.near_given && few.interval.empty())
    throw UsageError("--count-only: requires --near or --interval");
  if (few.count_only && (!request.prefix.empty() || few.count > 0))
    throw UsageError("--count-only: computes no pairs; omit -o and --count");
  if (!few.interval.empty()) parse_interval(few.interval);
  if (few.stencil > 0 && few.grid.empty()) throw UsageError("--stencil: requires --grid");
  const ResultNames names = result_names(request.prefix, request.format, !request.values_only);
  require_apart({{"MATRIX", request.matrix.file}, {"--b", request.b.file}, {"--start", few.start}},
                {{"-o", names.values}, {"-o", names.vectors}, {"--json", request.run.json}},
                request.run.force);
  ReportSink sink(request.run);
  Progress progress(!request.run.quiet);
  FewResult result;
  result.threads = threads_used(request.run);
  result.options = library_options(request);
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
    matrix.mass = read_mass(request.b, request.matrix, matrix.n(), request.run.threads, progress);
    matrix.mass_file = request.b.file;
    result.b = request.b.file;
    if (matrix.mass.given && matrix.mass.diagonal.empty()) result.b_nnz = matrix.mass.matrix.a.nnz;
  }
  result.n = matrix.n();
  result.nnz = matrix.nnz();
  result.interval = few.interval;
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
  if (few.count_only) {
    const ValueCounts counts = count_values(request, matrix, result.options, devices, progress);
    result.total = total.seconds();
    progress.finish();
    sink.put(to_table(result, counts), counts_json(result, counts));
    return ExitCode::done;
  }
  if (request.predict) {
    progress.at("plan");
    if (request.gpus > 1)
      if (auto chosen = choose_calibration("", uncalibrated_machine()); chosen.calibration)
        devices.calibration = std::make_shared<const Calibration>(*std::move(chosen.calibration));
    const std::string plan = few_prediction_text(matrix, result.options, devices);
    progress.finish();
    sink.print_before(plan + "\n");
  }

  std::optional<ResultFiles> files;
  const auto files_for = [&](std::int64_t count) {
    files.emplace(request.prefix, request.format,
                  ResultShape{result.n, count, !request.values_only || request.verify, true},
                  existing_files(request.run.force));
  };
  if (!request.run.quiet)
    result.options.before_dense = [&] {
      const std::string cost = dense_warning(result.options, devices, result.n);
      if (cost.empty()) return;
      progress.finish();
      warn(result.matrix + cost);
    };
  result.options.progress = [&progress](double fraction) { progress.at("few pairs", fraction); };
  progress.at("few pairs");
  if (few.interval.empty()) {
    files_for(result.options.count);
    result.report = matrix.solve(files->values(), files->vectors(), result.options, devices);
  } else {
    const auto [low, high] = parse_interval(few.interval);
    SparseSolver<double> solver = matrix.solver(result.options, devices);
    std::vector<double> w, z;
    result.report = refused_by_option(matrix.mass_file, [&] {
      return solver.interval(low, high, few.max_pairs, w, request.values_only ? nullptr : &z);
    });
    files_for(result.report.m);
    std::copy(w.begin(), w.end(), files->values());
    std::copy(z.begin(), z.end(), files->vectors());
  }
  ResultFiles& results = *files;
  result.values.assign(results.values(), results.values() + result.report.m);
  const bool converged = result.report.status == Status::converged;
  if (request.verify && converged) {
    progress.at("verify");
    result.check = matrix.verify_pairs(result.report.m, results.values(), results.vectors(), few.buckling,
                                       request.run.threads);
  }
  const bool unproven = not_proven(result.report, result.options);
  const bool good = converged && !unproven && (!result.check || passed(*result.check));
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
  warn(result.matrix +
       (!converged ? ": some pairs did not converge"
        : unproven ? ": it is not proven that no pair is missing"
                   : ": verification FAILED") +
       (request.prefix.empty() || few.keep_unconverged ? "" : ", no result is written"));
  return ExitCode::not_verified;
}

}  // namespace eigen_g::apps
