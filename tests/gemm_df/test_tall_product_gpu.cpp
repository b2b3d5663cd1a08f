#include <cuda_runtime.h>

#include "gemm_df/tall_product.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device_copy.hpp"
#include "tests/support/matrices.hpp"

using namespace eigen_g;

namespace {

DeviceBuffer<double> to_device(const std::vector<double>& x) {
  DeviceBuffer<double> buffer(static_cast<std::int64_t>(x.size()));
  support::upload(buffer.data(), x.data(), x.size() * sizeof(double));
  return buffer;
}
std::vector<double> to_host(const DeviceBuffer<double>& buffer) {
  std::vector<double> x(static_cast<std::size_t>(buffer.size()));
  EIGEN_G_CUDA(cudaDeviceSynchronize());
  EIGEN_G_CUDA(cudaMemcpy(x.data(), buffer.data(), x.size() * sizeof(double), cudaMemcpyDeviceToHost));
  return x;
}
double largest_difference(const std::vector<double>& x, const std::vector<double>& y) {
  double worst = x.size() == y.size() ? 0 : support::infinity;
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i)
    worst = std::isfinite(x[i]) ? std::max(worst, std::abs(x[i] - y[i])) : support::infinity;
  return worst;
}

}  // namespace

TEST_CASE("products of tall blocks on the GPU equal the CPU's, and repeat bit for bit", "[gpu]") {
  NEEDS_GPU();
  const std::int64_t n = GENERATE(1, 2, 127, 129, 2047, 2049, 70001), p = GENERATE(1, 3, 4, 9, 17, 34),
                     out = GENERATE(1, 5);
  CAPTURE(n, p, out);
  const Queue queue;
  const auto v = support::random_rectangle(4 * p, n, 1), w = support::random_rectangle(4, n, 2),
             small = support::random_rectangle(4 * p, 4 * out, 3);
  const auto v_dev = to_device(v), small_dev = to_device(small);
  const std::vector<double> poison(static_cast<std::size_t>(16 * p), support::nan);
  const DeviceBuffer<double> work =
      to_device(std::vector<double>(static_cast<std::size_t>(tall_work(n, p)), support::nan));
  const double tolerance = 1e-15 * static_cast<double>(n + 4 * p);

  std::vector<double> c(poison), g(16), rest = w, scaled = w, z(static_cast<std::size_t>(4 * out * n));
  tall_gram_on_cpu(n, p, v.data(), w.data(), c.data());
  tall_subtract_on_cpu(n, p, v.data(), small.data(), rest.data(), g.data());
  tall_times_on_cpu(n, scaled.data(), small.data());
  tall_combine_on_cpu(n, p, v.data(), small.data(), out, z.data());

  std::vector<double> before;
  for (int pass = 0; pass < 2; ++pass) {
    const auto c_dev = to_device(poison), g_dev = to_device(std::vector<double>(16, support::nan)),
               w_dev = to_device(w), scaled_dev = to_device(w),
               z_dev = to_device(std::vector<double>(z.size(), support::nan));
    tall_gram(queue, n, p, v_dev.data(), w_dev.data(), c_dev.data(), work.data());
    tall_subtract(queue, n, p, v_dev.data(), small_dev.data(), w_dev.data(), g_dev.data(), work.data());
    tall_times(queue, n, scaled_dev.data(), small_dev.data());
    tall_combine(queue, n, p, v_dev.data(), small_dev.data(), out, z_dev.data());
    std::vector<double> all = to_host(c_dev);
    CHECK(largest_difference(all, c) <= tolerance);
    const std::vector<double> gram = to_host(g_dev);
    CHECK(largest_difference(gram, g) <= 100 * tolerance * static_cast<double>(p));
    CHECK(largest_difference(to_host(w_dev), rest) <= 1e-14 * static_cast<double>(p));
    CHECK(largest_difference(to_host(scaled_dev), scaled) <= 1e-14);
    CHECK(largest_difference(to_host(z_dev), z) <= 1e-14 * static_cast<double>(p));
    all.insert(all.end(), gram.begin(), gram.end());
    if (pass == 1) CHECK(all == before);
    before = all;
  }
}
