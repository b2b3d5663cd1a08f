// blas2/spmv/sell on a GPU: conversion and product against long double.
#include "blas2/spmv/sell.hpp"

#include <algorithm>
#include <vector>

#include "blas2/spmv/crs_device.hpp"
#include "hybrid/stream/queue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sparse.hpp"
#include "tests/support/sparse_device.hpp"

using namespace eigen_g;
using namespace eigen_g::blas2;

namespace {

constexpr std::int64_t no_cut = std::int64_t{1} << 31;

// Number of stored entries: groups of 32 rows, each row as long as the longest of its group, in the order that the conversion
// must find.
std::int64_t stored_entries(const CrsView<double>& a, const SellConfig& config) {
  std::vector<std::int64_t> lengths;
  std::int64_t stored = 0;
  for (std::int64_t i = 0; i < a.rows; ++i) {
    const std::int64_t length = a.row_offsets[i + 1] - a.row_offsets[i];
    lengths.push_back(length > config.cut ? 0 : length);
    if (length > config.cut) stored += length;
  }
  for (auto first = lengths.begin(); first != lengths.end();) {
    const auto last = first + std::min<std::int64_t>(config.sigma, lengths.end() - first);
    std::sort(first, last, std::greater<>());
    first = last;
  }
  for (std::size_t s = 0; s < lengths.size(); s += 32)
    stored += 32 * *std::max_element(
                       lengths.begin() + static_cast<std::ptrdiff_t>(s),
                       lengths.begin() + static_cast<std::ptrdiff_t>(std::min(s + 32, lengths.size())));
  return stored;
}

}  // namespace

TEMPLATE_TEST_CASE("SELL products on a GPU: unsorted, sorted by windows and whole, long rows split off",
                   "[gpu]", float, double) {
  NEEDS_GPU();
  using T = TestType;
  const Queue queue;
  for (const CrsMatrix<T>& a : support::ragged_matrices<T>()) {
    const CrsOnDevice<T> a_dev(queue, a.view());
    for (const SellConfig& config :
         {SellConfig{1, no_cut, 512}, SellConfig{64, no_cut, 512}, SellConfig{1, 20, 64},
          SellConfig{128, 20, 33}, SellConfig{1 << 20, 100, 512}, SellConfig{4096, 0, 512},
          SellConfig{1, no_cut, 512, 7}, SellConfig{4096, 20, 64, 100}}) {
      const Sell<T> sell(queue, a_dev.view(), config);
      support::check_product_dev<T>(queue, a.view(), [&](int k, T alpha, const T* x, T beta, T* y) {
        sell_multiply<T>(queue, k, alpha, sell, x, beta, y);
      });
    }
  }
}

TEST_CASE("SELL stores what its configuration says, and the same again", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  const CrsMatrix<double> a =
      support::random_crs<double>(support::ragged_lengths(5000, 3000, 30, 2000, 3), 3000, 4);
  const CrsOnDevice<double> a_dev(queue, a.view());
  for (const SellConfig& config :
       {SellConfig{1, no_cut, 512}, SellConfig{256, no_cut, 512}, SellConfig{4096, 24, 100}}) {
    const Sell<double> sell(queue, a_dev.view(), config), again(queue, a_dev.view(), config);
    CHECK(sell.stored() == stored_entries(a.view(), config));
    const auto columns = [&](const Sell<double>& s) {
      std::vector<std::int32_t> col(static_cast<std::size_t>(s.stored()));
      EIGEN_G_CUDA(cudaMemcpy(col.data(), s.view().col, col.size() * 4, cudaMemcpyDeviceToHost));
      return col;
    };
    CHECK(columns(sell) == columns(again));
  }
}
