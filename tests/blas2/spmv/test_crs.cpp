// blas2/spmv/crs on the CPU against long double.
#include "blas2/spmv/crs.hpp"

#include <limits>
#include <vector>

#include "hybrid/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sparse.hpp"
#include "tests/support/tolerances.hpp"

using namespace eigen_g;
using namespace eigen_g::blas2;

namespace {

template <class T>
void check_product(const CrsView<T>& a) {
  constexpr T nan = std::numeric_limits<T>::quiet_NaN();
  for (const int k : {1, 4}) {
    const std::vector<T> x = support::random_block<T>(a.cols * k, 7),
                         y0 = support::random_block<T>(a.rows * k, 8);
    std::vector<T> y(y0.size(), nan);
    crs_multiply(k, T(1), a, x.data(), T(0), y.data());
    CHECK(support::spmv_error(a, k, 1.0, x, 0.0, y0, y) < support::limits::spmv);
    y = y0;
    crs_multiply(k, T(-0.75), a, x.data(), T(1.5), y.data(), 1);
    CHECK(support::spmv_error(a, k, -0.75, x, 1.5, y0, y) < support::limits::spmv);
    for (const int threads : {2, 3, 5}) {
      std::vector<T> again = y0;
      crs_multiply(k, T(-0.75), a, x.data(), T(1.5), again.data(), threads);
      CHECK(again == y);
    }
  }
}

}  // namespace

TEMPLATE_TEST_CASE("CRS products agree with long double, the same bits by any number of threads", "", float,
                   double) {
  for (const std::int64_t rows : {0, 1, 2, 63, 1000, 4001}) {
    const std::int64_t cols = rows / 2 + 1;
    check_product(
        support::random_crs<TestType>(support::ragged_lengths(rows, cols, 11, 700, 1), cols, 2).view());
  }
}

TEST_CASE("CRS products of slices and of rows without entries") {
  const CrsMatrix<double> a =
      support::random_crs<double>(support::ragged_lengths(5000, 900, 20, 900, 3), 900, 4);
  check_product(slice(a.view(), 1234, 3000));
  check_product(support::random_crs<double>(std::vector<std::int64_t>(5000, 0), 10, 1).view());
  check_product(support::random_crs<double>({0, 0, 30000, 0, 1}, 30000, 1).view());
}

TEST_CASE("a block of another width than 1 or 4 is refused") {
  const CrsMatrix<double> a = support::random_crs<double>({1}, 1, 1);
  double x[2] = {1, 1}, y[2] = {0, 0};
  CHECK_THROWS_AS(crs_multiply(2, 1.0, a.view(), x, 0.0, y), InvalidArgument);
}
