#include "solver/api/sparse.hpp"

#include <filesystem>
#include <numeric>

#include "apps/io/matrix_file.hpp"
#include "solver/api/eigen_g.hpp"
#include "solver/sparse/few_prediction.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/closed_forms.hpp"
#include "tests/support/matrices.hpp"

using namespace eigen_g;
using support::SparseCase;

namespace {

struct Found {
  FewReport report;
  std::vector<double> w, z;
};

template <class Matrix>
Found solve(const Matrix& a, const FewOptions& options, const Devices& devices = {}) {
  Found found;
  found.w.assign(static_cast<std::size_t>(options.count), support::nan);
  found.z.assign(static_cast<std::size_t>(options.count * a.n), support::nan);
  found.report = solve_few(a, found.w.data(), found.z.data(), a.n, options, devices);
  return found;
}

FewOptions lanczos_for(std::int64_t count, End end = End::lowest) {
  FewOptions options;
  options.count = count;
  options.end = end;
  options.method = FewMethod::lanczos;
  return options;
}

// Values, residuals and orthogonality by definition.
void check_pairs(const SparseCase& a, const Found& found, const FewOptions& options) {
  const std::int64_t n = a.n(), k = options.count;
  const std::size_t first = options.end == End::highest ? static_cast<std::size_t>(n - k) : 0;
  const double norm = std::max(std::abs(a.values.front()), std::abs(a.values.back()));
  CHECK(found.report.status == Status::converged);
  CHECK(found.report.m == k);
  for (std::int64_t c = 0; c < k; ++c) {
    const double* const z = found.z.data() + c * n;
    CHECK(std::abs(found.w[static_cast<std::size_t>(c)] - a.values[first + static_cast<std::size_t>(c)]) <=
          1e-9 * norm);
    const std::vector<double> az = a.times(z);
    double residual = 0;
    for (std::int64_t i = 0; i < n; ++i)
      residual += std::pow(az[static_cast<std::size_t>(i)] - found.w[static_cast<std::size_t>(c)] * z[i], 2);
    CHECK(std::sqrt(residual) <= 1.01 * found.report.tolerance * norm + 1e-15 * norm + 1e-300);
    CHECK(found.report.residuals[static_cast<std::size_t>(c)] <= found.report.tolerance * found.report.norm);
    for (std::int64_t d = 0; d <= c; ++d) {
      const double product = std::inner_product(z, z + n, found.z.data() + d * n, 0.0);
      CHECK(std::abs(product - (c == d)) <= 1e-12);
    }
  }
}

}  // namespace

TEST_CASE("few pairs of matrices whose spectra are known, with all their multiplicities", "[closed]") {
  const SparseCase a = GENERATE(support::cube(9), support::grid({10, 9, 8}), support::hypercube(9),
                                support::star(700), support::complete(500), support::identity(400, 1.0),
                                support::identity(400, 0.0), support::two_components(350));
  const std::int64_t k = GENERATE(1, 5, 30);
  const End end = GENERATE(End::lowest, End::highest);
  CAPTURE(a.name, k, end == End::lowest);
  const FewOptions options = lanczos_for(k, end);
  const Found found = solve(a.rows(), options);
  CHECK(found.report.method == FewMethod::lanczos);
  CHECK(found.report.probed);
  check_pairs(a, found, options);
}

TEST_CASE("few pairs that end within a value of more copies than the kept vectors need few products") {
  // The copies: 1, m, m (m - 1) / 2, ... for a hypercube of dimension m.
  const SparseCase a = GENERATE(support::hypercube(8), support::hypercube(9), support::hypercube(10));
  const std::int64_t k = GENERATE(20, 30, 40);
  const End end = GENERATE(End::lowest, End::highest);
  CAPTURE(a.n(), k, end == End::lowest);
  const FewOptions options = lanczos_for(k, end);
  const Found found = solve(a.rows(), options);
  check_pairs(a, found, options);
  CHECK(found.report.products < 5000);
}

TEST_CASE("few pairs of a box's operators, on the CPU") {
  const int points = GENERATE(7, 19);
  const End end = GENERATE(End::lowest, End::highest);
  const FewOptions options = lanczos_for(7, end);
  const SparseCase a = support::box({13, 12, 11}, points);
  Found found;
  found.w.assign(7, support::nan);
  found.z.assign(static_cast<std::size_t>(7 * a.n()), support::nan);
  found.report = solve_few(SparseGrid{13, 12, 11, points}, found.w.data(), found.z.data(), a.n(), options);
  check_pairs(a, found, options);
  CHECK_THROWS_AS(solve_few(SparseGrid{5, 5, 5, 27}, found.w.data(), nullptr, 125, options), InvalidArgument);
}

TEST_CASE("a plan reports the method, its bytes and its limit of products, and a solve follows it") {
  const SparseCase a = support::grid({30, 28, 2});
  const auto nnz = static_cast<std::int64_t>(a.column.size());
  FewOptions options = lanczos_for(5);
  const Devices cpu{.device = DeviceChoice::cpu};
  const FewPrediction plan = predict_few(a.n(), nnz, options, cpu);
  CHECK(plan.method == FewMethod::lanczos);
  CHECK_FALSE(plan.dense_follows);
  CHECK(plan.max_products == options.max_products);
  CHECK(plan.lanczos_bytes == solve(a.rows(), options, cpu).report.bytes.host);
  options.method = FewMethod::automatic;
  const FewPrediction automatic = predict_few(a.n(), nnz, options);
  CHECK(automatic.dense_follows);
  CHECK(automatic.max_products < options.max_products);
  CHECK(static_cast<double>(automatic.max_products) * automatic.product_seconds ==
        Approx(automatic.dense_seconds).epsilon(1e-2));
  CHECK(predict_few(1000, 5000, options).method == FewMethod::dense);
  options.end = End::nearest;
  if (available(FactorLibrary::automatic))
    CHECK(predict_few(100000, 500000, options).method == FewMethod::shift_invert);
  options.library = FactorLibrary::none;
  CHECK_THROWS_AS(predict_few(100000, 500000, options), InvalidArgument);
}

TEST_CASE("a plan for several GPUs counts their exchanges") {
  const FewOptions options = lanczos_for(10);
  constexpr std::int64_t n = 10000000, nnz = 7 * n;
  const FewPrediction one = few_prediction(n, nnz, options, true, 1),
                      two = few_prediction(n, nnz, options, true, 1, {2}),
                      slow = few_prediction(n, nnz, options, true, 1, {2, 1e9, 1e-3});
  CHECK(one.gpus == 1);
  CHECK(one.halo_seconds == 0);
  CHECK(two.gpus == 2);
  CHECK(two.halo_seconds > 0);
  CHECK(two.product_seconds < 0.7 * one.product_seconds);
  CHECK(slow.halo_seconds > two.halo_seconds + 2e-4);
  CHECK(slow.product_seconds == slow.halo_seconds);
  CHECK(few_prediction(50000, 350000, options, true, 1, {2}).product_seconds >
        few_prediction(50000, 350000, options, true, 1).product_seconds);
}

TEST_CASE("problems for which Lanczos would take longer go to the dense solver") {
  const SparseCase a =
      support::diagonal(1200, [](std::int64_t i) { return std::pow(static_cast<double>(i) / 1200, 8); });
  FewOptions options;
  options.count = 5;
  options.tolerance = 1e-13;
  const Found found = solve(a.rows(), options);
  CHECK(found.report.method == FewMethod::dense);
  CHECK(found.report.status == Status::converged);
}

TEST_CASE(
    "the limit of products ends a solve of every method but the dense one, which no solve then starts") {
  const SparseCase a = support::grid({60, 50});
  FewOptions options;
  options.count = 5;
  options.before_dense = [] { FAIL("a dense solve began"); };
  for (const std::int64_t limit : {100, 500}) {
    options.max_products = limit;
    const Found found = solve(a.rows(), options);
    CHECK(found.report.method == FewMethod::lanczos);
    CHECK(found.report.status == Status::not_converged);
    CHECK(found.report.products <= limit);
    CHECK(found.report.residuals.size() == 5);
  }
}

TEST_CASE("before_dense is called before a dense solve and can refuse it") {
  const SparseCase a = support::grid({40});
  FewOptions options;
  int calls = 0;
  options.before_dense = [&] { ++calls; };
  static_cast<void>(solve(a.rows(), options));
  CHECK(calls == 1);
  struct Refused {};
  options.before_dense = [] { throw Refused{}; };
  CHECK_THROWS_AS(solve(a.rows(), options), Refused);
}

TEST_CASE("small orders and all pairs go to the dense solver") {
  const std::int64_t n = GENERATE(1, 2, 3, 5, 30);
  const SparseCase a = support::grid({n});
  for (const std::int64_t k : {std::int64_t{1}, n}) {
    const FewOptions options = lanczos_for(k, GENERATE(End::lowest, End::highest));
    const Found found = solve(a.rows(), options);
    CHECK(found.report.method == FewMethod::dense);
    check_pairs(a, found, options);
  }
}

TEST_CASE("pairs near a value come from the dense solver") {
  const SparseCase a = support::grid({40});
  FewOptions options;
  options.count = 6;
  options.end = End::nearest;
  options.target = 1.3;
  const Found found = solve(a.rows(), options);
  std::vector<double> nearest = a.values;
  std::sort(nearest.begin(), nearest.end(),
            [](double x, double y) { return std::abs(x - 1.3) < std::abs(y - 1.3); });
  nearest.resize(6);
  std::sort(nearest.begin(), nearest.end());
  for (std::size_t i = 0; i < 6; ++i) CHECK(found.w[i] == Approx(nearest[i]));
  options.method = FewMethod::lanczos;
  CHECK_THROWS_AS(solve(a.rows(), options), InvalidArgument);
}

TEST_CASE("a callback gives the pairs of its matrix, the same bits twice, and its exception passes through") {
  const SparseCase a = support::grid({15, 10, 8});
  int calls = 0;
  const SparseOperator<double> product{a.n(), [&](const double* x, double* y) {
                                         ++calls;
                                         a.times(x, y);
                                       }};
  const FewOptions options = lanczos_for(5);
  const Found first = solve(product, options), second = solve(product, options);
  check_pairs(a, first, options);
  CHECK(first.w == second.w);
  CHECK(first.z == second.z);
  CHECK(calls * 4 == first.report.products * 2);

  struct Stop {};
  const SparseOperator<double> stops{a.n(), [&](const double* x, double* y) {
                                       if (--calls % 50 == 0) throw Stop{};
                                       a.times(x, y);
                                     }};
  CHECK_THROWS_AS(solve(stops, options), Stop);
  const SparseOperator<double> broken{a.n(), [&](const double* x, double* y) {
                                        a.times(x, y);
                                        y[7] = support::nan;
                                      }};
  CHECK_THROWS_AS(solve(broken, options), InvalidArgument);
  const SparseOperator<double> skew{a.n(), [&](const double* x, double* y) {
                                      a.times(x, y);
                                      for (int j = 0; j < 4; ++j) y[j] += 1e-3 * x[400 + j];
                                    }};
  CHECK_THROWS_AS(solve(skew, options), InvalidArgument);
}

TEST_CASE("start vectors shorten a solve, and no exact one misleads it") {
  const SparseCase a = support::grid({15, 10, 8});
  FewOptions options = lanczos_for(5);
  const Found cold = solve(a.rows(), options);
  options.start = cold.z.data();
  options.start_count = 5;
  options.start_ld = a.n();
  const Found warm = solve(a.rows(), options);
  check_pairs(a, warm, options);
  CHECK(warm.report.products < cold.report.products);
}

TEST_CASE("start vectors in only a part of the space hide no pair") {
  // Two blocks: the start vectors are in [10, 20); the other block has the lowest eigenvalues and a very large one.
  const double far = GENERATE(50.0, 1e4, 1e100);
  const SparseCase a = support::diagonal(2000, [far](std::int64_t i) {
    const auto x = static_cast<double>(i % 500) / 500;
    return i < 1000 ? 10 + 5 * x + 5 * static_cast<double>(i / 500) : i < 1500 ? x : far * (1 - 0.1 * x);
  });
  FewOptions options = lanczos_for(4);
  std::vector<double> start(static_cast<std::size_t>(4 * a.n()));
  for (std::int64_t c = 0; c < 4; ++c)
    for (std::int64_t i = 0; i < 1000; ++i)
      start[static_cast<std::size_t>(i + c * a.n())] = std::sin(static_cast<double>(i * (c + 2)));
  options.start = start.data();
  options.start_count = 4;
  options.start_ld = a.n();
  CAPTURE(far);
  const Found found = solve(a.rows(), options);
  if (found.report.status == Status::converged) check_pairs(a, found, options);
  CHECK((far > 1e4 || found.report.status == Status::converged));
}

TEST_CASE(
    "start vectors with equal columns or overflowing squares are accepted, others that are not finite "
    "refused") {
  const SparseCase a = support::grid({154});
  FewOptions options = lanczos_for(2);
  std::vector<double> start(static_cast<std::size_t>(5 * a.n()), GENERATE(1.0, 1e200, 1e-300));
  options.start = start.data();
  options.start_count = 5;
  options.start_ld = a.n();
  check_pairs(a, solve(a.rows(), options), options);
  start[static_cast<std::size_t>(GENERATE(0, 2, 4) * a.n() + 9)] = support::nan;
  CHECK_THROWS_AS(solve(a.rows(), options), InvalidArgument);
}

TEST_CASE("few pairs of matrices whose squares overflow or vanish, to the ends of the range") {
  const double scale = GENERATE(2e307, 1e306, 1e300, 1e155, 1e-155, 1e-170, 1e-300, 5e-309, 1e-310);
  const auto method = GENERATE(FewMethod::dense, FewMethod::lanczos);
  const bool by_products = GENERATE(false, true);
  CAPTURE(scale, name(method), by_products);
  const SparseCase plain = support::grid({12, 11});
  SparseCase a = plain;
  for (double& value : a.value) value *= scale;
  FewOptions options = lanczos_for(4, End::highest);
  options.method = method;
  const SparseOperator<double> product{a.n(), [&](const double* x, double* y) { a.times(x, y); }};
  Found found = by_products ? solve(product, options) : solve(a.rows(), options);
  CHECK(found.report.norm > 0.9 * scale * plain.values.back());
  found.report.norm /= scale;
  for (double& residual : found.report.residuals) residual /= scale;
  for (double& value : found.w) value /= scale;
  check_pairs(plain, found, options);
}

TEST_CASE("the dense solver reports the norm of A and residuals beyond the tolerance") {
  FewOptions options = lanczos_for(3);
  options.method = FewMethod::dense;
  const SparseCase a = support::grid({300});
  const Found found = solve(a.rows(), options);
  CHECK(found.report.norm > 0.9 * a.values.back());
  CHECK(found.report.norm <= a.values.back() * (1 + 1e-12));
  options.tolerance = 1e-14;
  const SparseOperator<double> skew{a.n(), [&](const double* x, double* y) {  // by less than is refused
                                      a.times(x, y);
                                      for (int j = 0; j < 4; ++j) y[600 + j] += 1.9e-12 * x[604 + j];
                                    }};
  CHECK(solve(skew, options).report.status == Status::not_converged);
  const SparseOperator<double> broken{a.n(), [&](const double* x, double* y) {  // above the diagonal only
                                        a.times(x, y);
                                        for (int j = 1; j < 4; ++j) y[j] = support::nan;
                                      }};
  CHECK_THROWS_AS(solve(broken, options), InvalidArgument);
}

TEST_CASE("a stiff problem ends unconverged, with its residuals and the products it would need") {
  // The lowest eigenvalues differ by 1e-9 of the spread.
  const SparseCase a =
      support::diagonal(3000, [](std::int64_t i) { return std::pow(static_cast<double>(i) / 3000, 8); });
  FewOptions options = lanczos_for(5);
  options.tolerance = 1e-13;
  options.max_products = 4000;
  const Found found = solve(a.rows(), options);
  CHECK(found.report.status == Status::not_converged);
  CHECK(found.report.products <= 4000 + 4 * 80);
  CHECK(found.report.predicted_products > 4000);
  REQUIRE(found.report.residuals.size() == 5);
  CHECK(found.report.residuals.back() > options.tolerance * found.report.norm);
  CHECK(std::isfinite(found.w[4]));
}

TEST_CASE("a few products give all requested pairs with their residuals") {
  const SparseCase a = support::grid({15, 10, 8});
  FewOptions options = lanczos_for(30);
  options.max_products = 1;
  const Found found = solve(a.rows(), options);
  CHECK(found.report.status == Status::not_converged);
  REQUIRE(found.report.residuals.size() == 30);
  CHECK(std::is_sorted(found.w.begin(), found.w.end()));
}

TEST_CASE("few pairs: invalid arguments are refused by name") {
  SparseCase a = support::grid({10, 10});
  const auto refused = [&](const FewOptions& options) -> std::string {
    try {
      static_cast<void>(solve(a.rows(), options));
    } catch (const InvalidArgument& error) {
      return error.parameter();
    }
    return "";
  };
  FewOptions options;
  options.count = 0;
  CHECK(refused(options) == "count");
  options.count = 101;
  CHECK(refused(options) == "count");
  options = {};
  options.tolerance = 1e-20;
  CHECK(refused(options) == "tolerance");
  options.tolerance = 1;
  CHECK(refused(options) == "");
  options = {};
  options.max_products = 0;
  CHECK(refused(options) == "max_products");
  options = {};
  options.start_count = 3;
  CHECK(refused(options) == "start");
  options = {};
  CHECK(refused(options) == "");
  a.value[7] = support::nan;
  CHECK(refused(options) == "a");
  a.value[7] = 5;  // not the value of its mirror image
  CHECK(refused(options) == "a");
}

TEST_CASE("few pairs of real matrices against the dense solver") {
  const std::string folder = support::matrices_folder();
  if (folder.empty()) SKIP_TEST("no real matrices");
  const std::string file =
      GENERATE("494_bus.mtx", "bcsstk02.mtx", "gr_30_30.mtx", "mesh1e1.mtx", "nos5.mtx", "journals.mtx",
               "A_real.csc", "H_real.csc", "S_real.csc", "Fann04.dat", "T_494_bus.dat");
  const auto dense = support::read_real(folder + "/" + file);
  const Solution<double> truth = eigen_g::solve(dense.n(), dense.full().data(), dense.n());
  const double norm = std::max(std::abs(truth.values.front()), std::abs(truth.values.back()));
  for (const std::int64_t k : {1, 5, 50}) {
    if (k > dense.n()) continue;
    for (const End end : {End::lowest, End::highest}) {
      CAPTURE(file, k, end == End::lowest);
      FewOptions options = lanczos_for(k, end);
      options.max_products = 6000;
      const Found found = solve(dense.rows(), options);
      const std::size_t first = end == End::lowest ? 0 : static_cast<std::size_t>(dense.n() - k);
      if (found.report.status != Status::converged) {  // stiff: the residuals must show it
        CHECK(*std::max_element(found.report.residuals.begin(), found.report.residuals.end()) >
              found.report.tolerance * found.report.norm);
        options.method = FewMethod::automatic;
      }
      const Found best = found.report.status == Status::converged ? found : solve(dense.rows(), options);
      REQUIRE(best.report.status == Status::converged);
      for (std::size_t i = 0; i < static_cast<std::size_t>(k); ++i)
        CHECK(std::abs(best.w[i] - truth.values[first + i]) <= 1.1e-9 * norm);
    }
  }
}
