// blas2/spmv/crs on the CPU against long double.
#include "blas2/spmv/crs.hpp"

#include "hybrid/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sparse.hpp"

using namespace eigen_g;
using namespace eigen_g::blas2;

namespace {

template <class T>
void check_product(const CrsView<T>& a) {
  support::check_product_host<T>(a, [&](int k, T alpha, const T* x, T beta, T* y, int threads) {
    crs_multiply(k, alpha, a, x, beta, y, threads);
  });
}

}  // namespace

TEMPLATE_TEST_CASE("CSR products agree with long double, the same bits by any number of threads", "", float,
                   double) {
  for (const CrsMatrix<TestType>& a : support::ragged_matrices<TestType>()) check_product(a.view());
}

TEST_CASE("CSR products of a slice of a larger matrix") {
  const CrsMatrix<double> a =
      support::random_crs<double>(support::ragged_lengths(5000, 900, 20, 900, 3), 900, 4);
  check_product(slice(a.view(), 1234, 3000));
}

TEST_CASE("CSR products add a multiple of X") {
  const CrsMatrix<double> a =
      support::random_crs<double>(support::ragged_lengths(4001, 4001, 20, 700, 3), 4001, 4);
  for (const int k : {1, 4}) {
    const std::vector<double> x = support::random_block<double>(a.cols * k, 7),
                              y0 = support::random_block<double>(a.rows * k, 8);
    std::vector<double> y = y0, z = y0;
    crs_multiply(k, -0.75, a.view(), x.data(), 1.5, y.data());
    crs_multiply(k, -0.75, a.view(), x.data(), 1.5, z.data(), 0, 0.25);
    for (std::size_t i = 0; i < y.size(); ++i) CHECK(std::abs(z[i] - (y[i] + 0.25 * x[i])) <= 1e-13 * 30);
  }
}

TEST_CASE("a block of another width than 1 or 4 is refused") {
  const CrsMatrix<double> a = support::random_crs<double>({1}, 1, 1);
  double x[2] = {1, 1}, y[2] = {0, 0};
  CHECK_THROWS_AS(crs_multiply(2, 1.0, a.view(), x, 0.0, y), InvalidArgument);
}
