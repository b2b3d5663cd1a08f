// Compares blocks of reflectors over a team of devices with sums in long double.
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/memory/memory.hpp"
#include "solver/back/team_reflectors.hpp"
#include "tests/support/device_copy.hpp"
#include "tests/support/matrices.hpp"

using namespace eigen_g;

namespace {

using Matrix = std::vector<double>;

std::size_t size(std::int64_t count) {
  return static_cast<std::size_t>(count);
}

Matrix random_scaled(std::int64_t count, double scale, unsigned seed) {
  Matrix m = support::random_rectangle(count, 1, seed);
  for (double& x : m) x *= scale;
  return m;
}

DeviceBuffer<double> on_gpu(const Matrix& host) {
  DeviceBuffer<double> device(static_cast<std::int64_t>(host.size()));
  if (!host.empty()) support::upload(device.data(), host.data(), device.bytes());
  EIGEN_G_CUDA(cudaDeviceSynchronize());  // a queue does not wait for the default stream
  return device;
}

// Blocks as in a back-transformation: block s begins at row first(s), and the last one is applied first. The scale is such that a
// step changes Z by at most about its own size.
struct Problem {
  std::int64_t n, m, width, count;
  Matrix v, t, z;
  Problem(std::int64_t rows, std::int64_t columns, std::int64_t k, std::int64_t blocks)
      : n(rows),
        m(columns),
        width(k),
        count(blocks),
        v(random_scaled(n * k * count, 1 / std::sqrt(static_cast<double>(n)), 1)),
        t(random_scaled(k * k * count, 1 / static_cast<double>(k), 2)),
        z(random_scaled(n * m, 1, 3)) {}
  std::int64_t first(std::int64_t s) const { return (count - 1 - s) * width + 1; }

  Matrix truth() const {
    std::vector<long double> result(z.begin(), z.end());
    const auto at = [&](std::int64_t i, std::int64_t j) -> long double& { return result[size(i + j * n)]; };
    for (std::int64_t s = 0; s < count; ++s) {
      const auto v_at = [&](std::int64_t i, std::int64_t l) { return v[size(i + (s * width + l) * n)]; };
      const auto t_at = [&](std::int64_t l, std::int64_t p) { return t[size(l + (s * width + p) * width)]; };
      for (std::int64_t j = 0; j < m; ++j) {
        std::vector<long double> vz(size(width)), tvz(size(width));
        for (std::int64_t l = 0; l < width; ++l)
          for (std::int64_t i = first(s); i < n; ++i) vz[size(l)] += v_at(i, l) * at(i, j);
        for (std::int64_t l = 0; l < width; ++l)
          for (std::int64_t p = 0; p < width; ++p) tvz[size(l)] += t_at(l, p) * vz[size(p)];
        for (std::int64_t i = first(s); i < n; ++i)
          for (std::int64_t l = 0; l < width; ++l) at(i, j) -= v_at(i, l) * tvz[size(l)];
      }
    }
    return {result.begin(), result.end()};
  }
  Matrix by(ColumnTeam<double>& team, const Queue& queue, const std::vector<double>& parts) const {
    const DeviceBuffer<double> v_dev = on_gpu(v), t_dev = on_gpu(t), z_dev = on_gpu(z);
    std::vector<ReflectorBlock<double>> blocks;
    for (std::int64_t s = 0; s < count; ++s)
      blocks.push_back({first(s),
                        {v_dev.data() + first(s) + s * width * n, n - first(s), width, n},
                        {t_dev.data() + s * width * width, width, width, width}});
    apply_reflectors(team, parts, blocks, {z_dev.data(), n, m, n});
    queue.wait();
    Matrix result(z.size());
    EIGEN_G_CUDA(cudaMemcpy(result.data(), z_dev.data(), z_dev.bytes(), cudaMemcpyDeviceToHost));
    return result;
  }
};

double difference(const Matrix& a, const Matrix& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = std::fabs(a[i] - b[i]);
    if (std::isnan(d)) return d;
    largest = std::max(largest, d);
  }
  return largest;
}

// Sums of n terms of size 1 / sqrt(n) and of `width` of size 1 / width, a few of them: some roundoffs of entries below 10.
constexpr double roundoff = 1e-13;

void check(const Helpers& members, const std::vector<std::vector<double>>& shares) {
  const Queue queue;
  ColumnTeam<double> team(queue, members);
  for (const std::int64_t count : {0, 1, 2, 5}) {
    const Problem problem(203, 177, 16, count);
    const Matrix truth = problem.truth();
    for (const auto& parts : shares) {
      CAPTURE(parts, count);
      const Matrix once = problem.by(team, queue, parts);
      CHECK(difference(once, truth) <= roundoff);
      CHECK(problem.by(team, queue, parts) == once);
    }
  }
}

}  // namespace

TEST_CASE("reflectors over a GPU and the CPU", "[gpu]") {
  NEEDS_GPU();
  check({{}, true, 0}, {{1, 0}, {2, 1}, {0, 1}});
}

TEST_CASE("reflectors over several GPUs", "[gpu]") {
  NEEDS_GPU();
  if (gpu_count() < 2) SKIP_TEST("fewer than two GPUs");
  check({{1}, false, 0}, {{1, 1}, {0, 1}, {3, 1}});
  check({{1}, true, 0}, {{4, 4, 1}, {1, 0, 1}});
}
