// eigen_g selftest: does this build solve correctly on this machine? Matrices that are hard for eigensolvers, asked for in every
// way, each checked.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <functional>
#include <iostream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/command.hpp"
#include "apps/cli/common_options.hpp"
#include "apps/cli/help.hpp"
#include "apps/cli/named_files.hpp"
#include "apps/cli/text.hpp"
#include "apps/generate/matrices.hpp"
#include "hybrid/machine/device.hpp"
#include "solver/verify/verify.hpp"

namespace eigen_g::apps {

namespace {

using Json = nlohmann::ordered_json;

struct SelftestOptions {
  RunOptions run;
  bool quick = false, full = false;
};

// n x n, both triangles, leading dimension n; and its eigenvalues where they are known.
struct Matrix {
  std::vector<double> a;
  std::optional<std::vector<double>> exact;
};

struct Family {
  std::string name;
  std::function<std::optional<Matrix>(std::int64_t n)> make;  // nothing: there is none of that order
};

Matrix generated(const generate::Spec& spec) {
  Matrix m{std::vector<double>(static_cast<std::size_t>(spec.n * spec.n)), generate::exact(spec)};
  generate::fill(spec, m.a.data(), std::max<std::int64_t>(1, spec.n));
  return m;
}

enum class Scaling { none, huge, tiny };

double factor(Scaling scaling, std::int64_t n) {
  return scaling == Scaling::huge   ? generate::huge_scale(n)
         : scaling == Scaling::tiny ? generate::tiny_scale(n)
                                    : 1;
}

// LAPACK's types of ddrvst, by the number that it gives them.
Family lapack_type(int type, const char* kind, bool rotate, Scaling scaling) {
  return {"lapack " + std::to_string(type) + " " + kind + (rotate ? "" : " diagonal"),
          [=](std::int64_t n) -> std::optional<Matrix> {
            generate::Spec spec;
            spec.kind = kind;
            spec.n = n;
            spec.seed = static_cast<std::uint64_t>(1000 * type + n);
            spec.cond = 1 / DBL_EPSILON;
            spec.random_signs = true;
            spec.rotate = rotate;
            spec.scale = factor(scaling, n);
            return generated(spec);
          }};
}

// Entries of a uniform matrix near the diagonal; the width follows from n.
Family band(int type, Scaling scaling) {
  return {"lapack " + std::to_string(type) + " band", [=](std::int64_t n) -> std::optional<Matrix> {
            generate::Spec spec;
            spec.kind = "uniform";
            spec.n = n;
            spec.scale = factor(scaling, n);
            Matrix m = generated(spec);
            for (std::int64_t j = 0; j < n; ++j)
              for (std::int64_t i = 0; i < n; ++i)
                if (std::abs(i - j) > n % 7 + n / 10) m.a[static_cast<std::size_t>(i + j * n)] = 0;
            return m;
          }};
}

// A spectrum turned at random; value(i, n) is the i-th from 1.
Family spectrum(const char* name, double (*value)(std::int64_t, std::int64_t)) {
  return {name, [=](std::int64_t n) -> std::optional<Matrix> {
            generate::Spec spec;
            spec.kind = "values";
            spec.n = n;
            for (std::int64_t i = 1; i <= n; ++i) spec.values.push_back(value(i, n));
            return generated(spec);
          }};
}

Family closed_form(const char* kind, bool (*exists)(std::int64_t)) {
  return {kind, [=](std::int64_t n) -> std::optional<Matrix> {
            if (!exists(n)) return std::nullopt;
            generate::Spec spec;
            spec.kind = kind;
            spec.n = n;
            return generated(spec);
          }};
}

// A matrix of few different entries, by a formula.
Family equal_entries(const char* name, double (*entry)(std::int64_t, std::int64_t, std::int64_t)) {
  return {name, [=](std::int64_t n) -> std::optional<Matrix> {
            Matrix m{std::vector<double>(static_cast<std::size_t>(n * n)), std::nullopt};
            for (std::int64_t j = 0; j < n; ++j)
              for (std::int64_t i = 0; i < n; ++i) m.a[static_cast<std::size_t>(i + j * n)] = entry(i, j, n);
            return m;
          }};
}

std::vector<Family> families() {
  const auto of_any_order = [](std::int64_t) { return true; };
  const auto square = [](std::int64_t n) {
    const auto side = static_cast<std::int64_t>(std::llround(std::sqrt(static_cast<double>(n))));
    return side * side == n;
  };
  return {
      lapack_type(1, "zero", true, Scaling::none),
      lapack_type(2, "identity", true, Scaling::none),
      lapack_type(3, "arithmetic", false, Scaling::none),
      lapack_type(4, "geometric", false, Scaling::none),
      lapack_type(5, "clustered", false, Scaling::none),
      lapack_type(6, "geometric", false, Scaling::huge),
      lapack_type(7, "geometric", false, Scaling::tiny),
      lapack_type(8, "arithmetic", true, Scaling::none),
      lapack_type(9, "geometric", true, Scaling::none),
      lapack_type(10, "clustered", true, Scaling::none),
      lapack_type(11, "arithmetic", true, Scaling::huge),
      lapack_type(12, "arithmetic", true, Scaling::tiny),
      lapack_type(13, "uniform", true, Scaling::none),
      lapack_type(14, "uniform", true, Scaling::huge),
      lapack_type(15, "uniform", true, Scaling::tiny),
      band(16, Scaling::none),
      band(17, Scaling::huge),
      band(18, Scaling::tiny),
      spectrum(
          "stetester 7: ulp i, 1",
          [](std::int64_t i, std::int64_t n) { return i < n ? DBL_EPSILON * static_cast<double>(i) : 1; }),
      spectrum("stetester 8: 1 + sqrt(ulp) i",
               [](std::int64_t i, std::int64_t n) {
                 return i == 1   ? DBL_EPSILON
                        : i == n ? 2
                                 : 1 + std::sqrt(DBL_EPSILON) * static_cast<double>(i - 1);
               }),
      spectrum(
          "stetester 9: 1 + 100 ulp i",
          [](std::int64_t i, std::int64_t) { return 1 + 100 * DBL_EPSILON * static_cast<double>(i - 1); }),
      closed_form("random", of_any_order),
      closed_form("minij", of_any_order),
      closed_form("1-2-1", of_any_order),
      closed_form("clement", of_any_order),
      closed_form("wilkinson", of_any_order),
      closed_form("glued-wilkinson", [](std::int64_t n) { return n > 0 && n % 21 == 0; }),
      closed_form("kms", of_any_order),
      closed_form("poisson2d", square),
      closed_form("hueckel-ring", [](std::int64_t n) { return n >= 3; }),
      equal_entries("ones", [](std::int64_t, std::int64_t, std::int64_t) { return 1.0; }),
      equal_entries("two blocks", [](std::int64_t i, std::int64_t j,
                                     std::int64_t n) { return (2 * i < n) == (2 * j < n) ? 3.0 : 0.1; }),
      equal_entries("constant, other diagonal",
                    [](std::int64_t i, std::int64_t j, std::int64_t) { return i == j ? 0.7 : 0.1; }),
  };
}

// How a matrix is asked for; what is not named is as usual.
struct Way {
  std::string name;
  Options options;
  std::int64_t padding = 0;  // of both leading dimensions
};

// One after the other, so that each family meets each way at some order.
std::vector<Way> ways(std::int64_t n, bool on_gpu) {
  std::vector<Way> list(6);
  list[0].name = "lower";
  list[1].name = "upper, padded";
  list[1].options.uplo = Uplo::upper;
  list[1].padding = 3;
  list[2].name = "values";
  list[2].options.vectors = false;
  list[3].name = "a third by number";
  list[3].options.subset = Subset::numbers((n + 2) / 3, (2 * n + 2) / 3);
  list[4].name = "above 0, upper";
  list[4].options.uplo = Uplo::upper;
  list[4].options.subset = Subset::values(0, std::numeric_limits<double>::infinity());
  list[5].name = "in place of A";
  if (!on_gpu) return list;
  for (const Engine engine : engines())
    if (engine != Engine::native && engine_built(engine)) {
      list.push_back({std::string("engine ") + name(engine), {}, 0});
      list.back().options.engine = engine;
    }
  return list;
}

struct Case {
  std::string family, way;
  std::int64_t n = 0, m = 0;
  double residual = 0, orthogonality = 0;  // verify()'s ratios by LAPACK
  double values = 0;  // against the exact ones, or those of a solve on the CPU; 0: neither
  bool passed = false;
};

constexpr double values_limit = 10;

// max |w_k - truth_(first + k)| / (n ulp max |truth|)
double distance(const std::vector<double>& w, std::int64_t m, const std::vector<double>& truth,
                std::int64_t first) {
  double worst = 0, largest = DBL_MIN;
  for (const double value : truth) largest = std::max(largest, std::fabs(value));
  for (std::int64_t k = 0; k < m; ++k) {
    const double off = std::fabs(w[static_cast<std::size_t>(k)] - truth[static_cast<std::size_t>(first + k)]);
    if (!(off <= worst)) worst = off;
  }
  return worst / largest / (static_cast<double>(truth.size()) * DBL_EPSILON);
}

Case solved(const Family& family, const Way& way, std::int64_t n, const Matrix& matrix,
            const Devices& devices, bool on_gpu) {
  Case c{family.name, way.name, n};
  const std::int64_t ld = std::max<std::int64_t>(1, n) + way.padding, most = way.options.subset.most(n);
  std::vector<double> a(static_cast<std::size_t>(ld * n), std::numeric_limits<double>::quiet_NaN());
  for (std::int64_t j = 0; j < n; ++j)  // the triangle that is not asked for holds NaN
    for (std::int64_t i = 0; i < n; ++i)
      if (way.options.uplo == Uplo::lower ? i >= j : i <= j)
        a[static_cast<std::size_t>(i + j * ld)] = matrix.a[static_cast<std::size_t>(i + j * n)];
  std::vector<double> w(static_cast<std::size_t>(most)),
      z = way.name == "in place of A" ? a : std::vector<double>();
  const bool in_place = !z.empty();
  if (way.options.vectors && !in_place) z.resize(static_cast<std::size_t>(ld * most));
  const Report report = eigen_g(n, in_place ? z.data() : a.data(), ld, w.data(),
                                way.options.vectors ? z.data() : nullptr, ld, way.options, devices);
  c.m = report.m;
  bool good = report.status == Status::converged;
  if (good && way.options.vectors) {
    const Verification v = verify(way.options.uplo, n, a.data(), ld, report.m, w.data(), z.data(), ld,
                                  devices.place, devices.threads);
    c.residual = v.lapack_residual;
    c.orthogonality = v.lapack_orthogonality;
    good = passed(v);
  }
  std::optional<std::vector<double>> truth = matrix.exact;
  if (good && !truth && (on_gpu || !way.options.vectors) && n > 0) {
    truth.emplace(static_cast<std::size_t>(n));
    std::vector<double> vectors(static_cast<std::size_t>(n * n));
    good =
        eigen_g(n, matrix.a.data(), n, truth->data(), vectors.data(), n, {}, {.place = Place::cpu}).status ==
        Status::converged;
  }
  if (good && truth && n > 0) {
    c.values = distance(w, report.m, *truth, report.first - 1);
    good = c.values <= values_limit;
  }
  c.passed = good;
  return c;
}

std::string row(const Case& c) {
  return left_column(c.family, 34) + print("%6lld  ", static_cast<long long>(c.n)) + left_column(c.way, 19) +
         print("%10.3g %10.3g %10.3g  ", c.residual, c.orthogonality, c.values) +
         (c.passed ? "pass" : "FAILED") + "\n";
}

Json json_of(const std::vector<Case>& cases, bool on_gpu) {
  Json list = Json::array();
  for (const Case& c : cases)
    list.push_back({{"type", c.family},
                    {"n", c.n},
                    {"way", c.way},
                    {"m", c.m},
                    {"lapack_residual", c.residual},
                    {"lapack_orthogonality", c.orthogonality},
                    {"values", c.values},
                    {"passed", c.passed}});
  return {{"format", "eigen_g-selftest"}, {"version", 1}, {"eigen_g", version()}, {"on_gpu", on_gpu},
          {"limit", lapack_ratio_limit},  {"cases", list}};
}

ExitCode selftest(const SelftestOptions& options) {
  require_apart({}, {{"--json", options.run.json}}, options.run.force);
  ReportSink sink(options.run);
  Devices devices;
  devices.place = place_of(options.run);
  devices.threads = threads_used(options.run);
  // Small orders too go where large ones do.
  const bool on_gpu = devices.place != Place::cpu && gpu_count() > 0;
  if (on_gpu) devices.place = Place::gpu;
  std::vector<std::int64_t> orders{0, 1, 2, 3, 5, 21, 31, 32, 33, 63, 64, 65, 127, 128, 129};
  if (!options.quick) orders.insert(orders.end(), {252, 255, 256, 257, 400});
  if (options.full) orders.insert(orders.end(), {511, 512, 513, 1008, 1023, 1024, 1025, 2049});

  sink.tell(left_column("type", 34) + "     n  " + left_column("asked for", 19) +
            "  residual  orthogon.     values  verdict\n");
  std::vector<Case> cases;
  std::int64_t failures = 0;
  std::size_t turn = 0;
  Case worst;
  for (const Family& family : families())
    for (const std::int64_t n : orders) {
      const std::optional<Matrix> matrix = family.make(n);
      if (!matrix) continue;
      const std::vector<Way> list = ways(n, on_gpu);
      const Way& way = list[n == 0 ? 0 : turn++ % list.size()];
      cases.push_back(solved(family, way, n, *matrix, devices, on_gpu));
      const Case& c = cases.back();
      if (!c.passed) ++failures;
      worst.residual = std::max(worst.residual, c.residual);
      worst.orthogonality = std::max(worst.orthogonality, c.orthogonality);
      worst.values = std::max(worst.values, c.values);
      if (!options.run.quiet || !c.passed) sink.tell(row(c));
    }
  sink.put(
      print("%zu cases on the %s, worst ratios: residual %.3g, orthogonality %.3g, values %.3g (limit %g): ",
            cases.size(), on_gpu ? "GPU" : "CPU", worst.residual, worst.orthogonality, worst.values,
            lapack_ratio_limit) +
          (failures == 0 ? "pass\n" : std::to_string(failures) + " FAILED\n"),
      json_of(cases, on_gpu).dump(1) + "\n");
  return failures == 0 ? ExitCode::done : ExitCode::not_verified;
}

constexpr const char* examples = R"(
  eigen_g selftest --quick               orders up to 129, seconds
  eigen_g selftest                       up to 400
  eigen_g selftest --full --json st.json up to 2049
  eigen_g selftest --device cpu -q       the verdict, and what failed)";

}  // namespace

void add_selftest(CLI::App& app, Action& action) {
  auto options = std::make_shared<SelftestOptions>();
  CLI::App& command = *app.add_subcommand(
      "selftest",
      "Solve matrices that are hard for eigensolvers, and check every result (exit code 4: one failed).");
  set_help(command, "eigen_g selftest [--quick|--full] [OPTIONS]", examples);
  CLI::Option* quick = command.add_flag("--quick", options->quick, "Orders up to 129");
  command.add_flag("--full", options->full, "Orders up to 2049 (default: 400)")->excludes(quick);
  add_run_options(command, options->run);
  command.callback([options, &action] { action = [options] { return selftest(*options); }; });
}

}  // namespace eigen_g::apps
