// The order of diagonal pivoting on a GPU, compared with LAPACK's on the CPU, and copies in an order.
#include <algorithm>
#include <complex>
#include <numeric>
#include <random>
#include <vector>

#include "gemm_df/engines/products.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/parts.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/generalised/order.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device_copy.hpp"
#include "tests/support/generalised.hpp"
#include "tests/support/sanitized.hpp"

using namespace eigen_g;

namespace {

template <class T>
DeviceBuffer<T> on_device(const std::vector<T>& host) {
  DeviceBuffer<T> memory(static_cast<std::int64_t>(host.size()));
  support::upload(memory.data(), host.data(), memory.bytes());
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

template <class T>
T entry(std::int64_t re, std::int64_t im) {
  if constexpr (is_complex<T>)
    return {static_cast<real_t<T>>(re), static_cast<real_t<T>>(im)};
  else
    return static_cast<T>(re);
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
    CHECK(order == pivoted_cholesky<T>({b.data(), n, n, n}));
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

TEMPLATE_TEST_CASE("take_rows() and take_in_order() take rows and columns in their order", "[gpu]", double,
                   std::complex<float>) {
  NEEDS_GPU();
  using T = TestType;
  const std::int64_t n = 300, cols = 70, ld = n + 1;
  std::vector<T> from(static_cast<std::size_t>(ld * n), T(-1));  // only the lower triangle counts
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = j; i < n; ++i) from[i + j * ld] = entry<T>(i + j * n, i == j ? 0 : i - j);
  RowOrder reverse(static_cast<std::size_t>(n)), rotated = reverse, all = reverse;
  std::iota(reverse.rbegin(), reverse.rend(), 0);
  std::iota(all.begin(), all.end(), 0);
  rotated = all;
  std::rotate(rotated.begin(), rotated.begin() + 11, rotated.end());
  const DeviceBuffer<T> from_dev = on_device(from), to_dev = on_device(std::vector<T>(from.size()));
  const Queue queue;
  for (const RowOrder& order : {reverse, rotated, all}) {
    const DeviceBuffer<std::int64_t> order_dev = on_device(order);
    const std::int64_t* const rows = order == all ? nullptr : order_dev.data();
    take_in_order<T>(queue, rows, {from_dev.data(), n, n, ld}, {to_dev.data(), n, n, n});
    queue.wait();
    const std::vector<T> triangle = on_host(to_dev);
    take_rows<T>(queue, rows, {from_dev.data(), n, cols, ld}, {to_dev.data(), n, cols, n});
    queue.wait();
    const std::vector<T> to = on_host(to_dev);
    std::int64_t wrong = 0;
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < n; ++i) {
        const std::int64_t low = std::max(order[i], order[j]), high = std::min(order[i], order[j]);
        const T stored = from[low + high * ld];
        wrong += i >= j && triangle[i + j * n] != (order[i] < order[j] ? conjugate(stored) : stored);
        wrong += j < cols && to[i + j * n] != from[order[i] + j * ld];
      }
    CHECK(wrong == 0);
  }
}

TEMPLATE_TEST_CASE("find_nearly_dependent() compares the factor with the diagonal of B in its order", "[gpu]",
                   double, std::complex<float>) {
  NEEDS_GPU();
  using T = TestType;
  const std::int64_t n = 300;
  std::vector<T> b(static_cast<std::size_t>(n * n)), l = b;
  RowOrder order(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) {
    order[i] = n - 1 - i;
    b[i * (n + 1)] = static_cast<real_t<T>>((i + 1) * (i + 1));
    l[(n - 1 - i) * (n + 1)] = static_cast<real_t<T>>(i + 1) / 4;  // not less than a quarter
  }
  const DeviceBuffer<std::int64_t> order_dev = on_device(order);
  const Queue queue;
  const auto found = [&](const std::int64_t* in_order, std::int64_t minor) {
    const DeviceBuffer<T> b_dev = on_device(b), l_dev = on_device(l);
    const DeviceBuffer<std::int64_t> minor_dev = on_device(std::vector<std::int64_t>{minor});
    find_nearly_dependent<T>(queue, in_order, {b_dev.data(), n, n, n}, {l_dev.data(), n, n, n},
                             minor_dev.data());
    queue.wait();
    return on_host(minor_dev)[0];
  };
  CHECK(found(order_dev.data(), 0) == 0);
  CHECK(found(nullptr, 0) == nearly_dependent);
  l[290 * (n + 1)] *= real_t<T>(0.99);
  CHECK(found(order_dev.data(), 0) == nearly_dependent);
  CHECK(found(order_dev.data(), 7) == 7);
}
