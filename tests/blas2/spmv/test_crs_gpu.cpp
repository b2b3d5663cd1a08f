// blas2/spmv/crs on a GPU against long double.
#include "blas2/spmv/crs.hpp"

#include <vector>

#include "blas2/spmv/crs_device.hpp"
#include "hybrid/stream/queue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sparse.hpp"
#include "tests/support/sparse_device.hpp"

using namespace eigen_g;
using namespace eigen_g::blas2;

TEMPLATE_TEST_CASE("CSR products on a GPU by every number of threads a row", "[gpu]", float, double) {
  NEEDS_GPU();
  using T = TestType;
  const Queue queue;
  for (const CrsMatrix<T>& a : support::ragged_matrices<T>()) {
    const CrsOnDevice<T> a_dev(queue, a.view());
    for (const int group : {1, 2, 4, 8, 16, 32})
      support::check_product_dev<T>(queue, a.view(), [&](int k, T alpha, const T* x, T beta, T* y) {
        crs_multiply_by<T>(queue, group, k, alpha, a_dev.view(), x, beta, y);
      });
    support::check_product_dev<T>(queue, a.view(), [&](int k, T alpha, const T* x, T beta, T* y) {
      crs_multiply<T>(queue, k, alpha, a_dev.view(), x, beta, y);
    });
  }
}

TEST_CASE("CSR products on a GPU: a copied slice", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  const CrsMatrix<double> a =
      support::random_crs<double>(support::ragged_lengths(5000, 900, 20, 900, 3), 900, 4);
  const CrsView<double> part = slice(a.view(), 1234, 3000);
  const CrsOnDevice<double> part_dev(queue, part);
  CHECK(part_dev.view().nnz == part.nnz);
  support::check_product_dev<double>(queue, part,
                                     [&](int k, double alpha, const double* x, double beta, double* y) {
                                       crs_multiply(queue, k, alpha, part_dev.view(), x, beta, y);
                                     });
}

TEST_CASE("a block of 4 vectors on a GPU that is not aligned is refused", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  const CrsOnDevice<double> a_dev(queue, support::random_crs<double>({1}, 1, 1).view());
  const DeviceBuffer<double> x(8), y(8);
  CHECK_THROWS_AS(crs_multiply(queue, 4, 1.0, a_dev.view(), x.data() + 1, 0.0, y.data()), InvalidArgument);
  CHECK_THROWS_AS(crs_multiply(queue, 4, 1.0, a_dev.view(), x.data(), 0.0, y.data() + 1), InvalidArgument);
  CHECK_THROWS_AS(crs_multiply(queue, 3, 1.0, a_dev.view(), x.data(), 0.0, y.data()), InvalidArgument);
}
