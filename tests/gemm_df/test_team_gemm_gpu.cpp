// Compares a product cut over a GPU, the CPU and helper GPUs with a product in long double.
#include "tests/support/catch.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include "gemm_df/team_gemm.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/memory/memory.hpp"
#include "tests/support/device_copy.hpp"
#include "tests/support/matrices.hpp"

using namespace eigen_g;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double guard = -7.25e77;

// A host matrix with `padding` guards between its columns, and its copy on the GPU.
struct Operand {
  std::int64_t rows, cols, lda;
  std::vector<double> host;
  DeviceBuffer<double> device;

  Operand(std::int64_t r, std::int64_t c, std::int64_t padding, unsigned seed)
      : rows(r),
        cols(c),
        lda(std::max<std::int64_t>(1, r + padding)),
        host(static_cast<std::size_t>(lda * c), guard),
        device(lda * c) {
    const std::vector<double> entries = support::random_rectangle(r, c, seed);
    for (std::int64_t j = 0; j < c; ++j)
      for (std::int64_t i = 0; i < r; ++i)
        at(i, j) = seed == 0 ? not_a_number : entries[static_cast<std::size_t>(i + j * r)];
    upload();
  }
  double& at(std::int64_t i, std::int64_t j) { return host[static_cast<std::size_t>(i + j * lda)]; }
  void upload() {
    if (!host.empty()) support::upload(device.data(), host.data(), device.bytes());
    EIGEN_G_CUDA(cudaDeviceSynchronize());  // a queue does not wait for the default stream
  }
  std::vector<double> download() const {
    std::vector<double> back(host.size());
    if (!back.empty())
      EIGEN_G_CUDA(cudaMemcpy(back.data(), device.data(), device.bytes(), cudaMemcpyDeviceToHost));
    return back;
  }
  MatrixView<double> view() const { return {device.data(), rows, cols, lda}; }
};

struct Shape {
  std::int64_t m, n, k;
};

// Checks C of a cut product entry by entry: |error| <= (k + 3) u (|alpha| |A||B| + |beta C|), which holds for any order of
// summation.
std::vector<double> check_product(ColumnTeam<double>& team, const Queue& queue,
                                  const std::vector<double>& parts, Shape s, Op op_a, Op op_b, double alpha,
                                  double beta, std::int64_t padding) {
  CAPTURE(parts, s.m, s.n, s.k, static_cast<char>(op_a), static_cast<char>(op_b), alpha, beta, padding);
  const auto stored = [&](Op op, std::int64_t rows, std::int64_t cols, unsigned seed) {
    return op == Op::none ? Operand(rows, cols, padding, seed) : Operand(cols, rows, padding, seed);
  };
  Operand a = stored(op_a, s.m, s.k, 1), b = stored(op_b, s.k, s.n, 2);
  Operand c(s.m, s.n, padding, beta == 0 ? 0 : 3);  // with beta = 0: poisoned
  team_gemm(team, parts, op_a, op_b, alpha, a.view(), b.view(), beta, c.view());
  queue.wait();
  const std::vector<double> got = c.download();
  double worst = 0;
  std::int64_t touched = 0;
  for (std::int64_t j = 0; j < s.n; ++j) {
    for (std::int64_t i = 0; i < s.m; ++i) {
      long double sum = beta == 0 ? 0 : static_cast<long double>(beta) * c.at(i, j), size = std::fabs(sum);
      for (std::int64_t l = 0; l < s.k; ++l) {
        const long double term = static_cast<long double>(alpha) *
                                 (op_a == Op::none ? a.at(i, l) : a.at(l, i)) *
                                 (op_b == Op::none ? b.at(l, j) : b.at(j, l));
        sum += term;
        size += std::fabs(term);
      }
      const auto error = static_cast<double>(std::fabs(sum - got[static_cast<std::size_t>(i + j * c.lda)]));
      const auto bound = static_cast<double>(size) * static_cast<double>(s.k + 3) * 0x1p-53;
      worst = std::max(worst, error == 0 ? 0 : error / bound);
      if (std::isnan(error)) worst = std::numeric_limits<double>::infinity();
    }
    for (std::int64_t i = s.m; i < c.lda; ++i)
      touched += got[static_cast<std::size_t>(i + j * c.lda)] != guard;
  }
  CHECK(worst <= 1);
  CHECK(touched == 0);
  return got;
}

void check_team(const Helpers& members, const std::vector<std::vector<double> >& shares) {
  const Queue queue;
  ColumnTeam<double> team(queue, members);
  for (const auto& parts : shares) {
    for (const Op op_a : {Op::none, Op::transpose})
      for (const Op op_b : {Op::none, Op::transpose})
        for (const Shape s : {Shape{70, 129, 33}, Shape{65, 200, 1030}})
          check_product(team, queue, parts, s, op_a, op_b, -1.5, 0.5, 3);
    for (const Shape s : {Shape{1, 1, 1}, Shape{64, 64, 64}, Shape{130, 31, 512}, Shape{33, 97, 513},
                          Shape{0, 5, 5}, Shape{5, 0, 5}, Shape{0, 5, 0}})
      for (const double beta : {0.0, 1.0})
        check_product(team, queue, parts, s, Op::none, Op::none, 1, beta, 0);
  }
}

}  // namespace

TEST_CASE("a product cut over a GPU and the CPU", "[gpu]") {
  NEEDS_GPU();
  check_team({{}, true, 0}, {{1, 1}, {3, 1}, {0, 1}, {1, 0}, {1, 1e-9}});
}

TEST_CASE("a product without terms is refused", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  ColumnTeam<double> team(queue, {{}, true, 0});
  const Operand a(4, 0, 0, 1), b(0, 6, 0, 1), c(4, 6, 0, 1);
  CHECK_THROWS_AS(team_gemm(team, {1, 1}, Op::none, Op::none, 1, a.view(), b.view(), 0, c.view()),
                  InvalidArgument);
}

TEST_CASE("a team of one GPU", "[gpu]") {
  NEEDS_GPU();
  check_team({}, {{1}});
}

TEST_CASE("a product cut over several GPUs and the CPU", "[gpu]") {
  NEEDS_GPU();
  if (gpu_count() < 2) SKIP_TEST("fewer than two GPUs");
  check_team({{1}, false, 0}, {{1, 1}, {0, 1}, {5, 2}});
  check_team({{1}, true, 0}, {{4, 4, 1}, {0, 1, 1}, {1, 0, 1}});
}

TEST_CASE("a cut product repeats bit for bit, and its first device's columns equal the uncut product's",
          "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  ColumnTeam<double> team(queue, {{}, true, 0});
  const Shape s{300, 256, 1100};
  const auto once = check_product(team, queue, {1, 1}, s, Op::transpose, Op::none, 1, 0, 0);
  for (int round = 0; round < 3; ++round) {
    const auto again = check_product(team, queue, {1, 1}, s, Op::transpose, Op::none, 1, 0, 0);
    REQUIRE(std::memcmp(once.data(), again.data(), once.size() * sizeof(double)) == 0);
  }
  CHECK(team.pinned_bytes() > 0);
  CHECK(team.device_bytes() == 0);
  const std::vector<double> seconds = team.take_seconds();
  REQUIRE(seconds.size() == 2);
  CHECK(seconds[0] > 0);
  CHECK(seconds[1] > 0);
  CHECK(team.take_seconds() == std::vector<double>{0, 0});
}
