// Tests of Bi-CGSTAB and MINRES on the CPU with systems whose solution is known.
#include <cmath>
#include <vector>

#include "apps/papers/bicgstab.hpp"
#include "apps/papers/minres.hpp"
#include "blas2/spmv/crs.hpp"
#include "tests/support/catch.hpp"

using namespace eigen_g;
using namespace eigen_g::papers;
using eigen_g::blas2::CrsMatrix;

namespace {

// The 1-2-1 matrix of order n minus `shift` on the diagonal.
CrsMatrix<double> second_difference(std::int64_t n, double shift) {
  CrsMatrix<double> a(n, n, 3 * n - 2);
  std::int64_t p = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = std::max<std::int64_t>(0, i - 1); j <= std::min(n - 1, i + 1); ++j) {
      a.col[p] = static_cast<std::int32_t>(j);
      a.value[p++] = i == j ? 2 - shift : -1;
    }
    a.row_offsets[i + 1] = p;
  }
  return a;
}

using Method = KrylovResult (*)(KrylovSpace&, const double*, double*, const KrylovRule&);

// Solves A x = A (1, ..., 1) and returns max |x - 1|.
double miss(Method method, const CrsMatrix<double>& a, const KrylovRule& rule, KrylovResult& result) {
  const auto product = [&](const double* x, double* y) { blas2::crs_multiply(1, 1.0, a.view(), x, 0.0, y); };
  const auto space = host_krylov_space(a.rows, product);
  const auto n = static_cast<std::size_t>(a.rows);
  std::vector<double> ones(n, 1.0), b(n), x(n, 0.0);
  product(ones.data(), b.data());
  result = method(*space, b.data(), x.data(), rule);
  double worst = 0;
  for (const double value : x) worst = std::max(worst, std::fabs(value - 1));
  return worst;
}

}  // namespace

TEST_CASE("a definite system is solved by both, an indefinite one by MINRES") {
  KrylovResult result;
  for (const std::int64_t n : {1, 2, 50, 400}) {
    CHECK(miss(bicgstab, second_difference(n, -0.5), {1e-12, 500}, result) < 1e-10);
    CHECK(result.end == KrylovEnd::converged);
    CHECK(result.residual < 1e-11);
    for (const double shift : {-0.5, 1.1}) {
      CHECK(miss(minres, second_difference(n, shift), {1e-12, 4000}, result) < 1e-8);
      CHECK(result.end == KrylovEnd::converged);
      CHECK(result.residual < 1e-11);
      CHECK(result.iterations <= 3 * n + 2);
    }
  }
}

TEST_CASE("what is not reached is said, with the residual that is true") {
  KrylovResult result;
  for (const Method method : {Method(bicgstab), Method(minres)}) {
    miss(method, second_difference(400, 0), {1e-12, 5}, result);
    CHECK(result.end == KrylovEnd::max_iterations);
    CHECK(result.iterations == 5);
    CHECK(result.residual == Approx(result.recurrence).epsilon(1e-6));
    CHECK(result.residual > 1e-3);
  }
}

TEST_CASE("a zero right side gives zero, a singular matrix ends") {
  const CrsMatrix<double> a = second_difference(20, 0);
  const auto space = host_krylov_space(
      20, [&](const double* x, double* y) { blas2::crs_multiply(1, 1.0, a.view(), x, 0.0, y); });
  const auto nothing = host_krylov_space(20, [](const double*, double* y) { std::fill_n(y, 20, 0.0); });
  for (const Method method : {Method(bicgstab), Method(minres)}) {
    std::vector<double> b(20, 0.0), x(20, 3.0);
    KrylovResult result = method(*space, b.data(), x.data(), {});
    CHECK(result.end == KrylovEnd::converged);
    CHECK(x == b);
    std::fill(b.begin(), b.end(), 1.0);
    result = method(*nothing, b.data(), x.data(), {});
    CHECK(result.end == KrylovEnd::breakdown);
    CHECK(result.residual == Approx(1));
  }
}
