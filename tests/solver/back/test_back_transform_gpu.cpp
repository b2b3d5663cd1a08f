// Compares Z := H_1 ... H_{n-1} Z with one reflector after the other in long double.
#include "solver/back/back_transform.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <vector>

#include "hybrid/cuda_check.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device_copy.hpp"
#include "tests/support/matrices.hpp"
#include "tests/support/reflectors.hpp"
#include "tests/support/scratch.hpp"
#include "tests/support/tolerances.hpp"

using namespace eigen_g;

namespace {

using support::Reflectors;

struct Problem {
  Reflectors reflectors;
  std::int64_t n, m, ldz;
  std::vector<double> z;
};

Problem random_problem(std::int64_t n, std::int64_t m, std::int64_t ldz) {
  Problem p{support::random_reflectors(n), n, m, ldz, {}};
  const std::vector<double> columns = support::random_rectangle(n, m, static_cast<std::uint64_t>(m));
  p.z.assign(static_cast<std::size_t>(ldz * m), std::nan(""));
  for (std::int64_t c = 0; c < m; ++c)
    std::copy_n(&columns[static_cast<std::size_t>(c * n)], n, &p.z[static_cast<std::size_t>(c * ldz)]);
  return p;
}

std::vector<double> on_gpu(const Problem& p, const std::function<void(ColumnRange)>& columns_ready = {}) {
  Queue queue;
  const Reflectors& r = p.reflectors;
  DeviceBuffer<double> a(r.lda * p.n), tau(p.n), z(p.ldz * p.m);
  const support::DeviceScratch scratch(back_transform_bytes<double>(p.n, p.m));
  const auto up = [](const DeviceBuffer<double>& to, const std::vector<double>& from) {
    support::upload(to.data(), from.data(), to.bytes());
  };
  up(a, r.a);
  up(tau, r.tau);
  up(z, p.z);
  EIGEN_G_CUDA(cudaDeviceSynchronize());  // the queue's stream does not wait for the default one
  back_transform<double>(queue, MatrixView<const double>{a.data(), p.n, p.n, r.lda}, tau.data(),
                         {z.data(), p.n, p.m, p.ldz}, scratch, nullptr, columns_ready);
  queue.wait();
  std::vector<double> got(p.z.size());
  EIGEN_G_CUDA(cudaMemcpy(got.data(), z.data(), z.bytes(), cudaMemcpyDeviceToHost));
  return got;
}

// Worst of every `stride`-th column:
//
//   ||z - truth||_2
//   ---------------
//   ||z||_2 n ulp
void check(std::int64_t n, std::int64_t m, std::int64_t stride = 1, std::int64_t padding = 0,
           const std::function<void(ColumnRange)>& columns_ready = {}) {
  CAPTURE(n, m, padding);
  const Problem p = random_problem(n, m, n + padding);
  const std::vector<double> got = on_gpu(p, columns_ready), again = on_gpu(p, columns_ready);
  REQUIRE(std::memcmp(got.data(), again.data(), got.size() * sizeof(double)) == 0);
  double worst = 0;
  for (std::int64_t c = 0; c < m; c += stride) {
    const double* const given = &p.z[static_cast<std::size_t>(c * p.ldz)];
    const double* const z = &got[static_cast<std::size_t>(c * p.ldz)];
    std::vector<long double> truth(given, given + n);
    for (std::int64_t j = n - 2; j >= 0; --j) {
      const double* const v = p.reflectors.column(j);
      long double dot = 0;
      for (std::int64_t i = j + 1; i < n; ++i) dot += v[i] * truth[static_cast<std::size_t>(i)];
      dot *= p.reflectors.tau[static_cast<std::size_t>(j)];
      for (std::int64_t i = j + 1; i < n; ++i) truth[static_cast<std::size_t>(i)] -= v[i] * dot;
    }
    long double error = 0, size = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const long double exact = truth[static_cast<std::size_t>(i)], off = z[i] - exact;
      error += off * off;
      size += exact * exact;
    }
    const double ratio =
        static_cast<double>(std::sqrt(error / size)) / (static_cast<double>(n) * support::limits::ulp);
    worst = std::max(worst, std::isnan(ratio) ? INFINITY : ratio);
    for (std::int64_t i = n; i < p.ldz; ++i) REQUIRE(std::isnan(z[i]));
  }
  CHECK(worst < support::limits::back_transform);
}

}  // namespace

TEST_CASE("back_transform on a GPU: every small size", "[gpu]") {
  NEEDS_GPU();
  for (std::int64_t n = 1; n <= 40; ++n) check(n, n);
  for (const std::int64_t n : {63, 64, 65, 66, 95, 96, 97, 98, 127, 128, 129, 130, 257})
    for (const std::int64_t m : {1, 7, 8, 9, 30}) check(n, m, 1, n % 3);
  check(50, 0);
}

TEST_CASE("back_transform on a GPU: sizes around every edge", "[gpu][large]") {
  NEEDS_GPU();
  for (const std::int64_t n :
       {511, 512, 513, 514, 700, 1000, 1024, 1279, 1280, 1281, 1282, 1537, 2049, 2050, 3001, 3500})
    for (const std::int64_t m : {1, 20, 300}) check(n, m, 1 + m / 8, n % 2);
}

TEST_CASE("back_transform on a GPU: reports every column once, in order", "[gpu][large]") {
  NEEDS_GPU();
  for (const auto& [n, m, groups] : std::vector<std::array<std::int64_t, 3>>{
           {1, 1, 1}, {50, 0, 0}, {50, 30, 1}, {1500, 1500, 1}, {3001, 3001, 2}, {6100, 3333, 3}}) {
    std::vector<ColumnRange> told;
    check(n, m, 1 + m / 12, n % 2, [&](ColumnRange columns) { told.push_back(columns); });
    REQUIRE(told.size() == static_cast<std::size_t>(2 * groups));  // check() solves twice
    std::int64_t next = 0;
    for (const ColumnRange columns : told) {
      CHECK(columns.first == next % std::max<std::int64_t>(m, 1));
      CHECK(columns.count > 0);
      next += columns.count;
    }
    CHECK(next == 2 * m);
  }
}

TEST_CASE("back_transform on a GPU: all columns of a large Z", "[gpu][large]") {
  NEEDS_GPU();
  for (const std::int64_t n : {1100, 2500, 4500}) check(n, n, n / 20);
}
