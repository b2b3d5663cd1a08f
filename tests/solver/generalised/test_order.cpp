// The Cholesky factor with diagonal pivoting on the CPU.
#include "solver/generalised/order.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/generalised.hpp"

using namespace eigen_g;

TEST_CASE("pivoted_cholesky() returns the order and the factor of B in this order") {
  const std::int64_t n = 90;
  const std::vector<double> b = support::positive_definite(n, 1e6);
  std::vector<double> u = b;
  const RowOrder order = pivoted_cholesky<double>({u.data(), n, n, n});
  REQUIRE(order.size() == static_cast<std::size_t>(n));
  double worst = 0, rises = 0;
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i <= j; ++i) {
      double sum = 0;
      for (std::int64_t k = 0; k <= i; ++k) sum += u[k + i * n] * u[k + j * n];
      worst = std::max(worst, std::fabs(sum - b[order[i] + order[j] * n]));
      rises = std::max(rises, u[j * (n + 1)] - u[i * (n + 1)]);
    }
  CHECK(worst <= 1e-14);
  CHECK(rises <= 1e-14);
}

TEST_CASE("pivoted_cholesky() returns no order if B is not positive definite") {
  std::vector<double> b{1, 2, 2, 1};
  CHECK(pivoted_cholesky<double>({b.data(), 2, 2, 2}).empty());
}
