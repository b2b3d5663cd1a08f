// verify() of pairs of a sparse matrix against verify() of the same matrix stored dense.
#include <cmath>

#include "solver/api/eigen_g.hpp"
#include "solver/api/sparse.hpp"
#include "solver/verify/verify.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/closed_forms.hpp"
#include "tests/support/matrices.hpp"

using namespace eigen_g;
using support::SparseCase;

namespace {

std::vector<double> dense(const SparseCase& a, double scale) {
  const std::int64_t n = a.n();
  std::vector<double> full(static_cast<std::size_t>(n * n));
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t p = a.row_offsets[i]; p < a.row_offsets[i + 1]; ++p)
      full[static_cast<std::size_t>(i + a.column[p] * n)] = scale * a.value[p];
  return full;
}

struct Pairs {
  std::vector<double> w, z;
};

Pairs pairs_of(const std::vector<double>& full, std::int64_t n, std::int64_t m) {
  Options options;
  options.subset = Subset::by_index(1, m);
  Solution<double> solution = eigen_g::solve(n, full.data(), n, options);
  return {std::move(solution.values), std::move(solution.vectors)};
}

void check_alike(double sparse, double dense, double unit) {
  CHECK(std::abs(sparse - dense) <= unit + 1e-6 * std::abs(dense));
}

}  // namespace

TEST_CASE("verify of a sparse matrix measures what verify of the same dense matrix measures") {
  const double scale = GENERATE(1.0, 1e300, 1e-300);
  const double error = GENERATE(0.0, 1e-11, 1e-3);
  SparseCase a = GENERATE(support::grid({7, 9, 3}), support::star(50), support::grid({130}));
  CAPTURE(a.name, scale, error);
  const std::int64_t n = a.n(), m = 7;
  const std::vector<double> full = dense(a, scale);
  Pairs pairs = pairs_of(full, n, m);
  for (double& value : a.value) value *= scale;
  pairs.z[3] += error;
  pairs.w[5] *= 1 + error;
  const Verification by_products = verify(a.rows(), m, pairs.w.data(), pairs.z.data(), n),
                     by_dense = verify(Uplo::lower, n, full.data(), n, m, pairs.w.data(), pairs.z.data(), n,
                                       DeviceChoice::cpu);
  CHECK(passed(by_products) == passed(by_dense));
  CHECK(passed(by_products) == (error == 0));
  CHECK(by_products.n == n);
  CHECK(by_products.m == m);
  CHECK(by_products.reconstruction == -1);
  CHECK(by_products.norm_one == Approx(by_dense.norm_one));
  CHECK(by_products.norm_frobenius == Approx(by_dense.norm_frobenius));
  check_alike(by_products.lapack_residual, by_dense.lapack_residual, 1);
  check_alike(by_products.lapack_orthogonality, by_dense.lapack_orthogonality, 1);
  check_alike(by_products.worst_residual, by_dense.worst_residual, 1e-15);
  check_alike(by_products.residual_frobenius / by_dense.norm_frobenius,
              by_dense.residual_frobenius / by_dense.norm_frobenius, 1e-15);
  if (error > 1e-10) CHECK(by_products.worst_index == by_dense.worst_index);
}

TEST_CASE("verify of a grid measures what verify of its matrix measures") {
  const int points = GENERATE(7, 19);
  const SparseCase a = support::box({9, 8, 7}, points);
  const std::int64_t n = a.n(), m = 5;
  const Pairs pairs = pairs_of(dense(a, 1), n, m);
  const Verification matrix = verify(a.rows(), m, pairs.w.data(), pairs.z.data(), n),
                     grid = verify(SparseGrid{9, 8, 7, points}, m, pairs.w.data(), pairs.z.data(), n);
  CHECK(passed(grid));
  CHECK(grid.norm_one == matrix.norm_one);
  CHECK(grid.norm_frobenius == Approx(matrix.norm_frobenius));
  check_alike(grid.lapack_residual, matrix.lapack_residual, 1);
  CHECK_THROWS_AS(verify(SparseGrid{9, 8, 7, 5}, m, pairs.w.data(), pairs.z.data(), n), InvalidArgument);
}

TEST_CASE("verify of a sparse matrix shows NaN, descending values and invalid arguments") {
  const SparseCase a = support::grid({30});
  const std::int64_t n = a.n();
  Pairs pairs = pairs_of(dense(a, 1), n, 3);
  const auto check = [&](std::int64_t m, std::int64_t ldz) {
    return verify(a.rows(), m, pairs.w.data(), pairs.z.data(), ldz);
  };
  CHECK(passed(check(3, n)));
  CHECK(passed(check(0, n)));
  CHECK_THROWS_AS(check(n + 1, n), InvalidArgument);
  CHECK_THROWS_AS(check(3, n - 1), InvalidArgument);
  std::swap(pairs.w[0], pairs.w[1]);
  CHECK_FALSE(check(3, n).ascending);
  pairs.z[40] = support::nan;
  CHECK_FALSE(check(3, n).finite);
  CHECK_FALSE(passed(check(3, n)));
}

TEST_CASE("pairs that Lanczos calls converged with the default tolerance pass the verification") {
  const SparseCase a = GENERATE(
      support::grid({40, 39}), support::grid({14, 13, 12}), support::cube(11),
      support::diagonal(1500, [](std::int64_t i) { return std::pow(static_cast<double>(i + 1), -0.5); }));
  const End end = GENERATE(End::lowest, End::highest);
  CAPTURE(a.name, end == End::lowest);
  FewOptions options;
  options.count = 8;
  options.end = end;
  options.method = FewMethod::lanczos;
  std::vector<double> w(8), z(static_cast<std::size_t>(8 * a.n()));
  const FewReport report = solve_few(a.rows(), w.data(), z.data(), a.n(), options);
  CHECK(report.status == Status::converged);
  CHECK(report.tolerance == few_tolerance(a.n()));
  CHECK(passed(verify(a.rows(), 8, w.data(), z.data(), a.n())));
}
