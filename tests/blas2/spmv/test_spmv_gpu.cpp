// Tests of the operator in every format, chosen by model and by trial, and of the GPU's row statistics.
#include "blas2/spmv/spmv.hpp"

#include <limits>

#include "blas2/spmv/crs.hpp"
#include "blas2/spmv/crs_device.hpp"
#include "blas2/spmv/row_statistics.hpp"
#include "hybrid/stream/queue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device_copy.hpp"
#include "tests/support/sparse.hpp"
#include "tests/support/sparse_device.hpp"

using namespace eigen_g;
using namespace eigen_g::blas2;

TEMPLATE_TEST_CASE("the operator multiplies in every format, and chooses by model and trial", "[gpu]", float,
                   double) {
  NEEDS_GPU();
  using T = TestType;
  const Queue queue;
  for (const CrsMatrix<T>& a : support::ragged_matrices<T>()) {
    const CrsOnDevice<T> a_dev(queue, a.view());
    for (const SpmvFormat format : {SpmvFormat::automatic, SpmvFormat::crs, SpmvFormat::sell})
      for (const SpmvChoice choice : {SpmvChoice::model, SpmvChoice::trial}) {
        const SpmvOperator<T> op(queue, a_dev.view(), format, choice);
        if (format != SpmvFormat::automatic) CHECK(op.chosen().format == format);
        support::check_product_dev<T>(queue, a.view(), [&](int k, T alpha, const T* x, T beta, T* y) {
          op.multiply(queue, k, alpha, x, beta, y);
        });
      }
  }
}

TEMPLATE_TEST_CASE("the operator adds a multiple of X in every format", "[gpu]", float, double) {
  NEEDS_GPU();
  using T = TestType;
  const Queue queue;
  const CrsMatrix<T> a = support::random_crs<T>(support::ragged_lengths(4001, 4001, 40, 700, 3), 4001, 4);
  const CrsOnDevice<T> a_dev(queue, a.view());
  for (const int k : {1, 4}) {
    const std::vector<T> x = support::random_block<T>(a.cols * k, 7),
                         y0 = support::random_block<T>(a.rows * k, 8);
    std::vector<T> truth = y0;
    crs_multiply(k, T(-0.75), a.view(), x.data(), T(1.5), truth.data(), 0, T(0.25));
    const DeviceBuffer<T> x_dev(a.cols * k), y_dev(a.rows * k);
    support::upload(x_dev.data(), x.data(), x_dev.bytes());
    for (const SpmvCandidate& c : {SpmvCandidate{SpmvFormat::crs, 4}, SpmvCandidate{SpmvFormat::sell},
                                   SpmvCandidate{SpmvFormat::sell, 1, 4001, 32, 64}}) {
      CAPTURE(description(c), k);
      const SpmvOperator<T> op(queue, a_dev.view(), c);
      support::upload(y_dev.data(), y0.data(), y_dev.bytes());
      EIGEN_G_CUDA(cudaDeviceSynchronize());
      op.multiply(queue, k, T(-0.75), x_dev.data(), T(1.5), y_dev.data(), T(0.25));
      queue.wait();
      std::vector<T> y(y0.size());
      EIGEN_G_CUDA(cudaMemcpy(y.data(), y_dev.data(), y_dev.bytes(), cudaMemcpyDeviceToHost));
      double worst = 0;
      for (std::size_t i = 0; i < y.size(); ++i)
        worst = std::max(worst, static_cast<double>(std::abs(y[i] - truth[i])));
      CHECK(worst <= 700 * std::numeric_limits<T>::epsilon());
    }
  }
}

TEST_CASE("a trial times what it considered, the fastest is taken", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  const std::int64_t n = support::sanitized() ? 2000 : 20000;
  const CrsMatrix<double> a =
      support::random_crs<double>(support::ragged_lengths(n, n, 30, n / 2 - 1000, 3), n, 4);
  const CrsOnDevice<double> a_dev(queue, a.view());
  const SpmvOperator<double> op(queue, a_dev.view(), SpmvFormat::automatic, SpmvChoice::trial);
  REQUIRE(op.trials().size() > 1);
  for (const SpmvTrial& trial : op.trials()) {
    CHECK(trial.seconds > 0);
    CHECK(op.trials().front().seconds <= trial.seconds);
  }
}

TEST_CASE("the GPU's row statistics are the CPU's", "[gpu]") {
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
