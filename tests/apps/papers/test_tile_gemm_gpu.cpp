// apps/papers/tile_gemm: the paper's checksum, and random matrices against long double.
#include "apps/papers/tile_gemm.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "hybrid/cuda_check.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device_copy.hpp"

using namespace eigen_g;
using namespace eigen_g::papers;

namespace {

template <class T>
std::vector<T> product(const Queue& queue, int tile, std::int64_t n, const DeviceBuffer<T>& a,
                       const DeviceBuffer<T>& b) {
  const DeviceBuffer<T> c(n * n);
  EIGEN_G_CUDA(cudaMemset(c.data(), 0xff, c.bytes()));
  EIGEN_G_CUDA(cudaDeviceSynchronize());
  tile_gemm<T>(queue, tile, n, a.data(), b.data(), c.data());
  queue.wait();
  std::vector<T> host(static_cast<std::size_t>(n * n));
  EIGEN_G_CUDA(cudaMemcpy(host.data(), c.data(), c.bytes(), cudaMemcpyDeviceToHost));
  return host;
}

template <class T>
DeviceBuffer<T> random_matrix(std::int64_t n, unsigned seed, std::vector<T>& host) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> number(-1, 1);
  host.resize(static_cast<std::size_t>(n * n));
  for (T& x : host) x = static_cast<T>(number(random));
  DeviceBuffer<T> dev(n * n);
  support::upload(dev.data(), host.data(), dev.bytes());
  return dev;
}

}  // namespace

TEST_CASE("the checksum of n = 4000 is the paper's", "[gpu]") {
  CHECK(std::abs(tile_gemm_checksum(4000) - 16017339334.25) < 1e-3);
}

TEMPLATE_TEST_CASE("the square of the paper's operand has its checksum", "[gpu]", float, double) {
  NEEDS_GPU();
  using T = TestType;
  const Queue queue;
  for (const std::int64_t n : {1, 31, 300}) {
    const DeviceBuffer<T> a(n * n);
    fill_tile_gemm(queue, n, a.data());
    for (const int tile : {1, 16, 32}) {
      long double sum = 0;
      for (const T x : product<T>(queue, tile, n, a, a)) sum += x;
      const double exact = tile_gemm_checksum(n), u = std::numeric_limits<T>::epsilon();
      CHECK(std::abs(static_cast<double>(sum) - exact) <=
            2 * u * std::sqrt(static_cast<double>(n) + 2) * exact);
    }
  }
}

TEMPLATE_TEST_CASE("ragged tiles against long double, the same bits by every tile", "[gpu]", float, double) {
  NEEDS_GPU();
  using T = TestType;
  const Queue queue;
  for (const std::int64_t n : {1, 2, 15, 16, 17, 31, 32, 33, 67}) {
    std::vector<T> a, b;
    const DeviceBuffer<T> a_dev = random_matrix<T>(n, 1, a), b_dev = random_matrix<T>(n, 2, b);
    const std::vector<T> first = product<T>(queue, 1, n, a_dev, b_dev);
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j) {
        long double t = 0, s = 0;
        for (std::int64_t k = 0; k < n; ++k) {
          const long double term = static_cast<long double>(a[static_cast<std::size_t>(i * n + k)]) *
                                   b[static_cast<std::size_t>(k * n + j)];
          t += term;
          s += std::abs(term);
        }
        const double u = std::numeric_limits<T>::epsilon() / 2;
        REQUIRE(std::abs(first[static_cast<std::size_t>(i * n + j)] - t) <=
                3 * u * std::sqrt(static_cast<double>(n) + 2) * s);
      }
    for (const int tile : {16, 32}) CHECK(product<T>(queue, tile, n, a_dev, b_dev) == first);
  }
}
