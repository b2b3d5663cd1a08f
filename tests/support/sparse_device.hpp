// Checks a product on a GPU against the truth on the CPU.
#pragma once

#include <limits>
#include <vector>

#include "hybrid/cuda_check.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device_copy.hpp"
#include "tests/support/sparse.hpp"
#include "tests/support/tolerances.hpp"

namespace support {

// multiply(k, alpha, x_dev, beta, y_dev) queues y := alpha A x + beta y. Checks k = 1 and 4, beta = 0 with NaN in y and beta != 0,
// the elements around y, and that it gives the same bits again.
template <class T, class Multiply>
void check_product_dev(const eigen_g::Queue& queue, const eigen_g::blas2::CrsView<T>& a, Multiply multiply) {
  constexpr T nan = std::numeric_limits<T>::quiet_NaN();
  constexpr std::int64_t guards = 8;
  for (const int k : {1, 4}) {
    const std::vector<T> x = random_block<T>(a.cols * k, 7), y0 = random_block<T>(a.rows * k, 8);
    const eigen_g::DeviceBuffer<T> x_dev(a.cols * k + 1), y_dev(a.rows * k + 2 * guards);
    const auto bytes = [](std::int64_t count) { return static_cast<std::size_t>(count) * sizeof(T); };
    support::upload(x_dev.data(), x.data(), bytes(a.cols * k));
    const auto product = [&](T alpha, T beta, const std::vector<T>& before) {
      std::vector<T> y(static_cast<std::size_t>(a.rows * k + 2 * guards), T(12345));
      std::copy(before.begin(), before.end(), y.begin() + guards);
      support::upload(y_dev.data(), y.data(), bytes(a.rows * k + 2 * guards));
      EIGEN_G_CUDA(cudaDeviceSynchronize());
      multiply(k, alpha, x_dev.data(), beta, y_dev.data() + guards);
      queue.wait();
      EIGEN_G_CUDA(
          cudaMemcpy(y.data(), y_dev.data(), bytes(a.rows * k + 2 * guards), cudaMemcpyDeviceToHost));
      for (std::int64_t g = 0; g < guards; ++g) {
        CHECK(y[static_cast<std::size_t>(g)] == T(12345));
        CHECK(y[y.size() - 1 - static_cast<std::size_t>(g)] == T(12345));
      }
      return std::vector<T>(y.begin() + guards, y.end() - guards);
    };
    const std::vector<T> y = product(T(1), T(0), std::vector<T>(y0.size(), nan));
    CHECK(spmv_error(a, k, 1.0, x, 0.0, y0, y) < limits::spmv);
    const std::vector<T> z = product(T(-0.75), T(1.5), y0);
    CHECK(spmv_error(a, k, -0.75, x, 1.5, y0, z) < limits::spmv);
    CHECK(product(T(-0.75), T(1.5), y0) == z);
  }
}

}  // namespace support
