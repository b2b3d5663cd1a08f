// The order of diagonal pivoting on a GPU, compared with LAPACK's on the CPU, and copies in an order.
#include <algorithm>
#include <complex>
#include <numeric>
#include <random>
#include <vector>

#include "gemm_df/engines/products.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/generalised/order.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/generalised.hpp"
#include "tests/support/sanitized.hpp"

using namespace eigen_g;

namespace {

template <class T>
DeviceBuffer<T> on_device(const std::vector<T>& host) {
  DeviceBuffer<T> memory(static_cast<std::int64_t>(host.size()));
  EIGEN_G_CUDA(cudaMemcpy(memory.data(), host.data(), memory.bytes(), cudaMemcpyHostToDevice));
  return memory;
}
template <class T>
std::vector<T> on_host(const DeviceBuffer<T>& memory) {
  std::vector<T> host(static_cast<std::size_t>(memory.size()));
  EIGEN_G_CUDA(cudaMemcpy(host.data(), memory.data(), memory.bytes(), cudaMemcpyDeviceToHost));
  return host;
}

// Both triangles of a positive definite matrix whose pivots differ by more than rounding errors.
template <class T>
std::vector<T> both_triangles(std::int64_t n) {
  std::vector<double> full = support::positive_definite(n, 100);
  std::mt19937_64 random(3);
  std::vector<double> scale(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) scale[i] = 1 + 0.1 * static_cast<double>(i);
  std::shuffle(scale.begin(), scale.end(), random);
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i) full[i + j * n] *= scale[i] * scale[j];
  const support::Matrix<T> lower(full, n, Uplo::lower, 0, 0.3), upper(full, n, Uplo::upper, 0, 0.3);
  std::vector<T> b(full.size());
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i)
      b[i + j * n] = i == j  ? T(std::real(lower.a[i + j * n]))
                     : i > j ? lower.a[i + j * n]
                             : upper.a[i + j * n];
  return b;
}

}  // namespace

TEMPLATE_TEST_CASE("the order of diagonal pivoting on a GPU is LAPACK's", "[gpu]", double, float,
                   std::complex<double>, std::complex<float>) {
  NEEDS_GPU();
  using T = TestType;
  for (const std::int64_t n : support::sizes({1, 2, 127, 128, 129, 300, 513}, {33})) {
    CAPTURE(n);
    std::vector<T> b = both_triangles<T>(n);
    const DeviceBuffer<T> b_dev = on_device(b), again_dev = on_device(b);
    const DeviceBuffer<std::byte> scratch(static_cast<std::int64_t>(pivoted_order_scratch<T>(n)));
    const Queue queue;
    const Products<T> products(queue);
    const RowOrder order = pivoted_order(products, {b_dev.data(), n, n, n}, scratch.data());
    CHECK(order == pivoted_order(products, {again_dev.data(), n, n, n}, scratch.data()));
    CHECK(order == pivoted_order<T>({b.data(), n, n, n}));
  }
}

TEST_CASE("the order of diagonal pivoting of a matrix of low rank names every row once", "[gpu]") {
  NEEDS_GPU();
  const std::int64_t n = support::sanitized() ? 40 : 200;
  const DeviceBuffer<double> b_dev = on_device(std::vector<double>(static_cast<std::size_t>(n * n), 1.0));
  const DeviceBuffer<std::byte> scratch(static_cast<std::int64_t>(pivoted_order_scratch<double>(n)));
  const Queue queue;
  RowOrder order = pivoted_order(Products<double>(queue), {b_dev.data(), n, n, n}, scratch.data());
  std::sort(order.begin(), order.end());
  RowOrder all(order.size());
  std::iota(all.begin(), all.end(), 0);
  CHECK(order == all);
}

TEMPLATE_TEST_CASE("gather() takes rows and columns in their order", "[gpu]", double, std::complex<float>) {
  NEEDS_GPU();
  using T = TestType;
  const std::int64_t m = 300, n = 70;
  std::vector<T> from(static_cast<std::size_t>(m * n));
  for (std::size_t k = 0; k < from.size(); ++k) from[k] = T(static_cast<real_t<T>>(k));
  RowOrder rows(static_cast<std::size_t>(m)), cols(static_cast<std::size_t>(n));
  std::iota(rows.rbegin(), rows.rend(), 0);
  std::iota(cols.begin(), cols.end(), 0);
  std::rotate(cols.begin(), cols.begin() + 11, cols.end());
  const DeviceBuffer<T> from_dev = on_device(from), to_dev(m * n);
  const DeviceBuffer<std::int64_t> rows_dev = on_device(rows), cols_dev = on_device(cols);
  const Queue queue;
  for (const bool all_columns : {false, true}) {
    gather<T>(queue, rows_dev.data(), all_columns ? nullptr : cols_dev.data(), {from_dev.data(), m, n, m},
              {to_dev.data(), m, n, m});
    queue.wait();
    const std::vector<T> to = on_host(to_dev);
    std::int64_t wrong = 0;
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < m; ++i)
        wrong += to[i + j * m] != from[rows[i] + (all_columns ? j : cols[j]) * m];
    CHECK(wrong == 0);
  }
}
