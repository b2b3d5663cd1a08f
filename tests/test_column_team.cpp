// A team of devices on columns of one matrix: a stage of several steps, ordering, and what is thrown.
#include "tests/support/catch.hpp"

#ifndef EIGEN_G_HAVE_CUDA

TEST_CASE("a team of devices") {
  SKIP_TEST("built without CUDA");
}

#else

#include <cblas.h>

#include <cmath>
#include <random>
#include <stdexcept>

#include "gemm_df/gemm.hpp"
#include "hybrid/column_team.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/device.hpp"
#include "hybrid/memory.hpp"

using namespace eigen_g;

namespace {

using Matrix = std::vector<double>;

std::size_t size(std::int64_t count) {
  return static_cast<std::size_t>(count);
}

Matrix random_matrix(std::int64_t rows, std::int64_t cols, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> entry(-1, 1);
  Matrix m(size(rows * cols));
  for (double& x : m) x = entry(random);
  return m;
}

DeviceBuffer<double> on_gpu(const Matrix& host) {
  DeviceBuffer<double> device(static_cast<std::int64_t>(host.size()));
  EIGEN_G_CUDA(cudaMemcpy(device.data(), host.data(), device.bytes(), cudaMemcpyHostToDevice));
  return device;
}

Matrix on_host(const DeviceBuffer<double>& device) {
  Matrix host(size(device.size()));
  EIGEN_G_CUDA(cudaMemcpy(host.data(), device.data(), device.bytes(), cudaMemcpyDeviceToHost));
  return host;
}

// As the back-transformation does it: Z := (I - V_s T_s V_s^T) Z for s = 0, 1, ..., all V_s beside each other in V.
struct Reflections {
  std::int64_t n, m, width, steps;
  Matrix v, t, z;
  Reflections(std::int64_t rows, std::int64_t cols, std::int64_t k, std::int64_t count)
      : n(rows),
        m(cols),
        width(k),
        steps(count),
        v(random_matrix(n, k * count, 1)),
        t(random_matrix(k, k * count, 2)),
        z(random_matrix(n, cols, 3)) {
    for (double& x : v) x /= std::sqrt(static_cast<double>(n));  // steps neither grow nor shrink Z much
    for (double& x : t) x /= static_cast<double>(k);
  }

  void step_on_cpu(MatrixView<const double> vs, MatrixView<const double> ts,
                   MatrixView<double> columns) const {
    const auto k = static_cast<blasint>(width), c = static_cast<blasint>(columns.cols),
               rows = static_cast<blasint>(n);
    Matrix vz(size(width * columns.cols)), tvz(vz.size());
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, k, c, rows, 1, vs.data, static_cast<blasint>(vs.lda),
                columns.data, static_cast<blasint>(columns.lda), 0, vz.data(), k);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, k, c, k, 1, ts.data, static_cast<blasint>(ts.lda),
                vz.data(), k, 0, tvz.data(), k);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, rows, c, k, -1, vs.data,
                static_cast<blasint>(vs.lda), tvz.data(), k, 1, columns.data,
                static_cast<blasint>(columns.lda));
  }
  Matrix truth() const {
    Matrix result = z;
    for (std::int64_t s = 0; s < steps; ++s)
      step_on_cpu({v.data() + s * width * n, n, width, n},
                  {t.data() + s * width * width, width, width, width}, {result.data(), n, m, n});
    return result;
  }
};

struct OnTeam {
  const Reflections& r;
  DeviceBuffer<double> v = on_gpu(r.v), t = on_gpu(r.t), z = on_gpu(r.z);
  std::vector<DeviceBuffer<double> > products;  // of each GPU that takes part

  explicit OnTeam(const Reflections& reflections) : r(reflections) {}

  void step_on_gpu(const Queue& queue, const Blocks& blocks, MatrixView<double> columns) {
    const DeviceBuffer<double>& memory = products.emplace_back(2 * r.width * columns.cols);
    const MatrixView<double> vz{memory.data(), r.width, columns.cols, r.width},
        tvz{memory.data() + r.width * columns.cols, r.width, columns.cols, r.width};
    gemm(queue, Op::transpose, Op::none, 1, blocks[0], columns, 0, vz);
    gemm(queue, Op::none, Op::none, 1, blocks[1], vz, 0, tvz);
    gemm(queue, Op::none, Op::none, -1, blocks[0], tvz, 1, columns);
  }
  Matrix run(ColumnTeam& team, const Queue& queue, const std::vector<double>& parts) {
    ColumnWork work;
    work.columns_dev = {z.data(), r.n, r.m, r.n};
    work.steps = r.steps;
    work.blocks = [&](std::int64_t s, ColumnRange) -> Blocks {
      return {{v.data() + s * r.width * r.n, r.n, r.width, r.n},
              {t.data() + s * r.width * r.width, r.width, r.width, r.width}};
    };
    work.on_first = [&](const Queue& q, ColumnRange range, MatrixView<double> columns) {
      for (std::int64_t s = 0; s < r.steps; ++s) step_on_gpu(q, work.blocks(s, range), columns);
    };
    work.on_gpu = [&](const Queue& q, std::int64_t, const Blocks& blocks, MatrixView<double> columns) {
      step_on_gpu(q, blocks, columns);
    };
    work.on_cpu = [&](std::int64_t, const Blocks& blocks, MatrixView<double> columns) {
      r.step_on_cpu(blocks[0], blocks[1], columns);
    };
    team.run(work, parts);
    queue.wait();
    return on_host(z);
  }
};

double difference(const Matrix& a, const Matrix& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = std::fabs(a[i] - b[i]);
    largest = d <= largest ? largest : d;  // a NaN stays
  }
  return largest;
}

// Steps of sums of n and of `width` terms of size 1 / sqrt(n) and 1 / width: a few roundoffs of entries below 10 each.
constexpr double roundoff = 1e-13;

void check_stage(const ColumnTeam::Members& members, const std::vector<std::vector<double> >& shares) {
  const Queue queue;
  ColumnTeam team(queue, members);
  for (const std::int64_t steps : {0, 1, 2, 5}) {
    const Reflections reflections(203, 77, 16, steps);
    const Matrix truth = reflections.truth();
    for (const auto& parts : shares) {
      CAPTURE(parts, steps);
      const Matrix once = OnTeam(reflections).run(team, queue, parts);
      CHECK(difference(once, truth) <= roundoff);
      CHECK(OnTeam(reflections).run(team, queue, parts) == once);
    }
  }
}

}  // namespace

TEST_CASE("a stage of several steps over a GPU and the CPU", "[gpu]") {
  NEEDS_GPU();
  check_stage({{}, true, 0}, {{1, 0}, {2, 1}, {0, 1}});
}

TEST_CASE("a stage of several steps over several GPUs", "[gpu]") {
  NEEDS_GPU();
  if (gpu_count() < 2) SKIP_TEST("fewer than two GPUs");
  check_stage({{1}, false, 0}, {{1, 1}, {0, 1}, {3, 1}});
  check_stage({{1}, true, 0}, {{4, 4, 1}, {1, 0, 1}});
}

TEST_CASE("what a device throws reaches the caller, and the team goes on", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  ColumnTeam team(queue, {{}, true, 0});
  const Reflections reflections(50, 20, 4, 2);
  OnTeam state(reflections);
  ColumnWork work;
  work.columns_dev = {state.z.data(), 50, 20, 50};
  work.blocks = [](std::int64_t, ColumnRange) { return Blocks{}; };
  work.on_first = [](const Queue&, ColumnRange, MatrixView<double>) {};
  work.on_cpu = [](std::int64_t, const Blocks&, MatrixView<double>) {
    throw std::runtime_error("CPU fault");
  };
  CHECK_THROWS_WITH(team.run(work, {1, 1}), "CPU fault");
  CHECK_NOTHROW(team.run(work, {1, 0}));
  work.on_cpu = [](std::int64_t, const Blocks&, MatrixView<double>) {};
  work.on_first = [](const Queue&, ColumnRange, MatrixView<double>) {
    throw std::runtime_error("GPU fault");
  };
  CHECK_THROWS_WITH(team.run(work, {1, 1}), "GPU fault");
  CHECK(difference(OnTeam(reflections).run(team, queue, {1, 1}), reflections.truth()) <= roundoff);
}

TEST_CASE("a team is refused where it cannot be", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  CHECK_THROWS_AS(ColumnTeam(queue, {{current_gpu()}, false, 0}), InvalidArgument);
  CHECK_THROWS_AS(ColumnTeam(queue, {{gpu_count()}, false, 0}), InvalidArgument);
  CHECK_THROWS_AS(ColumnTeam(queue, {{-1}, false, 0}), InvalidArgument);
  ColumnTeam team(queue, {{}, true, 0});
  CHECK(team.size() == 2);
  CHECK_THROWS_AS(team.run({}, {1}), InvalidArgument);
  CHECK_THROWS_AS(team.run({}, {0, 0}), InvalidArgument);
}

#endif
