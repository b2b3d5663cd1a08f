// apps/papers/jds on a GPU: conversion and product against long double, and the CPU's arrays.
#include <vector>

#include "apps/papers/jds.hpp"
#include "blas2/spmv/crs_device.hpp"
#include "hybrid/stream/queue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sparse.hpp"
#include "tests/support/sparse_device.hpp"

using namespace eigen_g;
using namespace eigen_g::papers;
using blas2::CrsMatrix;
using blas2::CrsOnDevice;

TEMPLATE_TEST_CASE("JDS products on a GPU", "[gpu]", float, double) {
  NEEDS_GPU();
  using T = TestType;
  const Queue queue;
  for (const CrsMatrix<T>& a : support::ragged_matrices<T>()) {
    const CrsOnDevice<T> a_dev(queue, a.view());
    const JdsOnDevice<T> jds(queue, a_dev.view());
    support::check_product_dev<T>(queue, a.view(), [&](int k, T alpha, const T* x, T beta, T* y) {
      jds_multiply<T>(queue, k, alpha, jds.view(), x, beta, y);
    });
  }
}

TEST_CASE("the GPU's conversion to JDS gives the CPU's arrays", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  const CrsMatrix<double> a =
      support::random_crs<double>(support::ragged_lengths(3001, 2000, 30, 1500, 3), 2000, 4);
  const CrsOnDevice<double> a_dev(queue, a.view());
  const JdsOnDevice<double> device(queue, a_dev.view());
  const Jds<double> host(a.view());
  const JdsView<double> d = device.view(), h = host.view();
  REQUIRE(d.diagonals == h.diagonals);
  const auto same = []<class U>(const U* dev, const U* expected, std::int64_t count) {
    std::vector<U> got(static_cast<std::size_t>(count));
    EIGEN_G_CUDA(cudaMemcpy(got.data(), dev, got.size() * sizeof(U), cudaMemcpyDeviceToHost));
    return got == std::vector<U>(expected, expected + count);
  };
  CHECK(same(d.diagonal_begin, h.diagonal_begin, h.diagonals + 1));
  CHECK(same(d.order, h.order, h.rows));
  CHECK(same(d.col, h.col, h.nnz));
  CHECK(same(d.value, h.value, h.nnz));
}
