#include "solver/api/sparse.h"

#include "tests/support/catch.hpp"
#include "tests/support/closed_forms.hpp"

TEST_CASE("eigen_g_dsfew finds both ends, and its info names a wrong argument by its place") {
  support::SparseCase a = support::grid({9, 10});
  const std::int64_t n = a.n();
  std::vector<double> w(3), z(static_cast<std::size_t>(3 * n)), residuals(3);
  const auto call = [&](char end, std::int64_t count, double tolerance, std::int64_t ldz) {
    return eigen_g_dsfew(end, n, count, a.row_offsets.data(), a.column.data(), a.value.data(), tolerance,
                         w.data(), z.data(), ldz, residuals.data());
  };
  REQUIRE(call('L', 3, 0, n) == 0);
  for (std::size_t i = 0; i < 3; ++i) CHECK(w[i] == Approx(a.values[i]));
  REQUIRE(call('h', 3, 1e-10, n) == 0);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(w[i] == Approx(a.values[a.values.size() - 3 + i]));
    CHECK(residuals[i] <= 1e-9);
  }
  CHECK(call('x', 3, 0, n) == -1);
  CHECK(call('L', 0, 0, n) == -3);
  CHECK(call('L', 3, 2, n) == -7);
  CHECK(call('L', 3, 0, n - 1) == -10);
  a.value[5] = std::numeric_limits<double>::infinity();
  CHECK(call('L', 3, 0, n) == -4);
}

TEST_CASE("eigen_g_dsfew_verify passes the pairs of eigen_g_dsfew and no others") {
  const support::SparseCase a = support::grid({50, 40});
  const std::int64_t n = a.n();
  std::vector<double> w(3), z(static_cast<std::size_t>(3 * n));
  REQUIRE(eigen_g_dsfew('L', n, 3, a.row_offsets.data(), a.column.data(), a.value.data(), 0, w.data(),
                        z.data(), n, nullptr) == 0);
  double residual = -1, orthogonality = -1;
  const auto call = [&](std::int64_t count, std::int64_t ldz) {
    return eigen_g_dsfew_verify(n, count, a.row_offsets.data(), a.column.data(), a.value.data(), w.data(),
                                z.data(), ldz, &residual, &orthogonality);
  };
  CHECK(call(3, n) == 0);
  CHECK((residual >= 0 && residual <= 10));
  CHECK((orthogonality >= 0 && orthogonality <= 10));
  CHECK(call(n + 1, n) == -2);
  CHECK(call(3, n - 1) == -8);
  z[5] += 1e-6;
  CHECK(call(3, n) == 1);
  CHECK(residual > 10);
}
