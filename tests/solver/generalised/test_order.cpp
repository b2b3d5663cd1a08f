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

TEST_CASE("an order is followed by its inverse and by the reversed rows") {
  CHECK(with_inverse_and_reverse({2, 0, 3, 1}) == RowOrder{2, 0, 3, 1, 1, 3, 0, 2, 3, 2, 1, 0});
  CHECK(with_inverse_and_reverse({}).empty());
}

TEST_CASE(
    "rows are nearly dependent if a diagonal entry of the factor is small beside that of B in its row") {
  const std::vector<double> b{1, 0, 0, 16}, factor{1, 0, 0, 0.99};
  const MatrixView<const double> of_b{b.data(), 2, 2, 2}, of_factor{factor.data(), 2, 2, 2};
  CHECK(rows_are_nearly_dependent({}, of_b, of_factor));            // 4 * 0.99 < sqrt(16)
  CHECK_FALSE(rows_are_nearly_dependent({0, 0}, of_b, of_factor));  // 4 * 0.99 >= sqrt(1)
  CHECK_FALSE(rows_are_nearly_dependent({}, of_factor, of_b));
}
