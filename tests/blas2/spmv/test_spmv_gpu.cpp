// blas2/spmv/spmv: the operator in every format, chosen by model and by trial; the GPU's row statistics.
#include "blas2/spmv/spmv.hpp"

#include "blas2/spmv/crs_device.hpp"
#include "blas2/spmv/row_statistics.hpp"
#include "hybrid/stream/queue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sparse.hpp"
#include "tests/support/sparse_device.hpp"

using namespace eigen_g;
using namespace eigen_g::blas2;

TEMPLATE_TEST_CASE("the operator multiplies in every format, and chooses by model and trial", "", float,
                   double) {
  NEEDS_GPU();
  using T = TestType;
  const Queue queue;
  for (const CrsMatrix<T>& a : support::ragged_matrices<T>()) {
    const CrsOnDevice<T> a_dev(queue, a.view());
    for (const SpmvFormat format :
         {SpmvFormat::automatic, SpmvFormat::crs, SpmvFormat::jds, SpmvFormat::sell})
      for (const SpmvChoice choice : {SpmvChoice::model, SpmvChoice::trial}) {
        const SpmvOperator<T> op(queue, a_dev.view(), format, choice);
        if (format != SpmvFormat::automatic) CHECK(op.chosen().format == format);
        CHECK(op.chosen().format != SpmvFormat::ccs);
        support::check_product_dev<T>(queue, a.view(), [&](int k, T alpha, const T* x, T beta, T* y) {
          op.multiply(queue, k, alpha, x, beta, y);
        });
      }
  }
}

TEST_CASE("a trial times what it considered, the fastest is taken") {
  NEEDS_GPU();
  const Queue queue;
  const CrsMatrix<double> a =
      support::random_crs<double>(support::ragged_lengths(20000, 20000, 30, 9000, 3), 20000, 4);
  const CrsOnDevice<double> a_dev(queue, a.view());
  const SpmvOperator<double> op(queue, a_dev.view(), SpmvFormat::automatic, SpmvChoice::trial);
  REQUIRE(op.trials().size() > 1);
  for (const SpmvTrial& trial : op.trials()) {
    CHECK(trial.seconds > 0);
    CHECK(op.trials().front().seconds <= trial.seconds);
  }
}

TEST_CASE("the GPU's row statistics are the CPU's") {
  NEEDS_GPU();
  const Queue queue;
  for (const CrsMatrix<double>& a : support::ragged_matrices<double>()) {
    const CrsOnDevice<double> a_dev(queue, a.view());
    const RowStatistics d = row_statistics(queue, a_dev.view()), h = row_statistics(a.view());
    CHECK(d.longest == h.longest);
    CHECK(d.long_rows == h.long_rows);
    CHECK(d.long_entries == h.long_entries);
    CHECK(d.padded == h.padded);
  }
}
