// apps/papers/ccs on a GPU: the conversion gives the CPU's arrays; the product, whose additions have no fixed order, agrees with
// long double.
#include <limits>
#include <vector>

#include "apps/papers/ccs.hpp"
#include "blas2/spmv/crs_device.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/stream/queue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device_copy.hpp"
#include "tests/support/sparse.hpp"
#include "tests/support/tolerances.hpp"

using namespace eigen_g;
using namespace eigen_g::papers;
using blas2::CrsMatrix;
using blas2::CrsOnDevice;

namespace {

template <class U>
std::vector<U> copied(const U* dev, std::int64_t count) {
  std::vector<U> got(static_cast<std::size_t>(count));
  if (count > 0) EIGEN_G_CUDA(cudaMemcpy(got.data(), dev, got.size() * sizeof(U), cudaMemcpyDeviceToHost));
  return got;
}
template <class U>
DeviceBuffer<U> uploaded(const std::vector<U>& from) {
  DeviceBuffer<U> to(static_cast<std::int64_t>(from.size()));
  if (to.size() > 0) support::upload(to.data(), from.data(), to.bytes());
  EIGEN_G_CUDA(
      cudaDeviceSynchronize());  // the last of it may still be on its way, and queues do not wait for it
  return to;
}

}  // namespace

TEMPLATE_TEST_CASE("CCS on a GPU: conversion and product", "[gpu]", float, double) {
  NEEDS_GPU();
  using T = TestType;
  const Queue queue;
  for (const CrsMatrix<T>& a : support::ragged_matrices<T>()) {
    const CrsOnDevice<T> a_dev(queue, a.view());
    const CcsOnDevice<T> device(queue, a_dev.view());
    const Ccs<T> host(a.view());
    const CcsView<T> d = device.view(), h = host.view();
    CHECK(copied(d.col_begin, d.cols + 1) ==
          std::vector<std::int64_t>(h.col_begin, h.col_begin + h.cols + 1));
    CHECK(copied(d.row, d.nnz) == std::vector<std::int32_t>(h.row, h.row + h.nnz));
    CHECK(copied(d.value, d.nnz) == std::vector<T>(h.value, h.value + h.nnz));
    for (const int k : {1, 4})
      for (const T beta : {T(0), T(1.5)}) {
        const std::vector<T> x = support::random_block<T>(a.cols * k, 7),
                             y0 = support::random_block<T>(a.rows * k, 8);
        const DeviceBuffer<T> x_dev = uploaded(x);
        const DeviceBuffer<T> y_dev =
            uploaded(beta == T(0) ? std::vector<T>(y0.size(), std::numeric_limits<T>::quiet_NaN()) : y0);
        ccs_multiply<T>(queue, k, T(-0.75), d, x_dev.data(), beta, y_dev.data());
        queue.wait();
        const std::vector<T> y = copied<T>(y_dev.data(), a.rows * k);
        CHECK(support::spmv_error(a.view(), k, -0.75, x, static_cast<double>(beta), y0, y) <
              support::limits::spmv);
      }
  }
}
