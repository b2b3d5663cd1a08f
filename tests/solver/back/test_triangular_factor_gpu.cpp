// Compares T of every block of reflectors with LAPACK's recurrence (dlarft) in long double.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "hybrid/cuda_check.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/back/triangular_factor.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device_copy.hpp"
#include "tests/support/reflectors.hpp"
#include "tests/support/tolerances.hpp"

using namespace eigen_g;

namespace {

// Column-major, k x k.
std::vector<long double> truth(const support::Reflectors& r, std::int64_t first, std::int64_t k) {
  std::vector<long double> t(static_cast<std::size_t>(k * k), 0), s(static_cast<std::size_t>(k));
  const auto at = [&](std::int64_t i, std::int64_t j) -> long double& {
    return t[static_cast<std::size_t>(i + j * k)];
  };
  for (std::int64_t j = 0; j < k; ++j) {
    const double tau = r.tau[static_cast<std::size_t>(first + j)];
    const double* const v = r.column(first + j);
    for (std::int64_t i = 0; i < j; ++i) {
      const double* const u = r.column(first + i);
      long double dot = 0;
      for (std::int64_t row = first + j + 1; row < r.n; ++row)
        dot += static_cast<long double>(u[row]) * v[row];
      s[static_cast<std::size_t>(i)] = dot;
    }
    for (std::int64_t i = 0; i < j; ++i)
      for (std::int64_t l = i; l < j; ++l) at(i, j) -= tau * at(i, l) * s[static_cast<std::size_t>(l)];
    at(j, j) = tau;
  }
  return t;
}

std::vector<double> on_gpu(const support::Reflectors& r, const ReflectorBlocks& blocks) {
  Queue queue;
  DeviceBuffer<double> a(r.lda * r.n), tau(r.n), s(blocks.elements()), t(blocks.elements());
  support::upload(a.data(), r.a.data(), a.bytes());
  support::upload(tau.data(), r.tau.data(), tau.bytes());
  for (const auto* buffer : {&s, &t}) EIGEN_G_CUDA(cudaMemset(buffer->data(), 0xff, buffer->bytes()));
  EIGEN_G_CUDA(cudaDeviceSynchronize());  // the queue's stream does not wait for the default one
  triangular_factors(queue, blocks, MatrixView<const double>{a.data(), r.n, r.n, r.lda}, tau.data(), s.data(),
                     t.data());
  queue.wait();
  std::vector<double> got(static_cast<std::size_t>(blocks.elements()));
  EIGEN_G_CUDA(cudaMemcpy(got.data(), t.data(), t.bytes(), cudaMemcpyDeviceToHost));
  return got;
}

//   max |T - truth|
//   ---------------
//   max |truth| n ulp
void check(std::int64_t n, std::int64_t width) {
  CAPTURE(n, width);
  const support::Reflectors r = support::random_reflectors(n);
  const ReflectorBlocks blocks{n, width};
  const std::vector<double> got = on_gpu(r, blocks), again = on_gpu(r, blocks);
  double worst = 0;
  for (std::int64_t b = 0; b < blocks.count(); ++b) {
    const std::int64_t k = blocks.columns(b);
    const std::vector<long double> exact = truth(r, blocks.first(b), k);
    long double largest = 0, off = 0;
    bool repeats = true;
    for (std::int64_t j = 0; j < k; ++j)
      for (std::int64_t i = 0; i < k; ++i) {
        const auto place = static_cast<std::size_t>(b * width * width + i + j * width);
        const long double t = exact[static_cast<std::size_t>(i + j * k)], error = std::fabs(got[place] - t);
        largest = std::max(largest, std::fabs(t));
        off = std::max(off, std::isnan(error) ? INFINITY : error);
        repeats = repeats && std::memcmp(&got[place], &again[place], sizeof(double)) == 0;
        if (i > j && got[place] != 0) off = INFINITY;
      }
    CHECK(repeats);
    if (largest > 0)
      worst = std::max(worst,
                       static_cast<double>(off / largest) / (static_cast<double>(n) * support::limits::ulp));
    else
      CHECK(off == 0);
  }
  CHECK(worst < support::limits::back_transform);
}

}  // namespace

TEST_CASE("triangular_factors: narrow blocks", "[gpu]") {
  NEEDS_GPU();
  for (const std::int64_t n : {2, 3, 5, 31, 32, 33, 34, 63, 64, 65, 66, 100, 129, 300}) check(n, 32);
}

TEST_CASE("triangular_factors: wide blocks", "[gpu]") {
  NEEDS_GPU();
  for (const std::int64_t width : {64, 96, 256, 384, 512})
    for (const std::int64_t n : {2, 33, 34, 65, 66, 97, 257, 258, 290, 513, 514, 600}) check(n, width);
}
