// Q^T A Q = T, checked as the property it is, on the CPU and on a GPU: Q is formed by the back-transformation of I.
#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "hybrid/machine/device.hpp"
#include "solver/back/back_transform.hpp"
#include "solver/reduction/one_stage/tridiagonalize.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/tolerances.hpp"
#ifdef EIGEN_G_HAVE_CUDA
#include "gemm_df/rank_2k/syr2k.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/prepare/pack.hpp"
#endif

using namespace eigen_g;

namespace {

using Matrix = std::vector<double>;  // n x n, column-major

struct Reduction {
  std::vector<double> d, e;
  Matrix q;
};

Matrix identity(std::int64_t n) {
  Matrix q(static_cast<std::size_t>(n * n), 0);
  for (std::int64_t i = 0; i < n; ++i) q[static_cast<std::size_t>(i + i * n)] = 1;
  return q;
}

Reduction reduce_on_cpu(const Matrix& a, std::int64_t n, Uplo uplo) {
  Matrix work = a;
  Reduction r{std::vector<double>(static_cast<std::size_t>(n)),
              std::vector<double>(static_cast<std::size_t>(n)), identity(n)};
  std::vector<double> tau(static_cast<std::size_t>(n));
  tridiagonalize(uplo, {work.data(), n, n, n}, r.d.data(), r.e.data(), tau.data());
  back_transform(uplo, MatrixView<const double>{work.data(), n, n, n}, tau.data(), {r.q.data(), n, n, n});
  return r;
}

#ifdef EIGEN_G_HAVE_CUDA
std::size_t bytes(std::int64_t count) {
  return sizeof(double) * static_cast<std::size_t>(count);
}

Reduction reduce_on_gpu(const Matrix& a, std::int64_t n, Uplo uplo, int multiprocessors = 0) {
  Queue queue;
  const std::int64_t lda =
      (n + tridiagonalize_row_multiple - 1) / tridiagonalize_row_multiple * tridiagonalize_row_multiple;
  DeviceBuffer<double> given(n * n), matrix(lda * n), d(n), e(n), tau(n), z(n * n);
  DeviceBuffer<double> workspace(
      std::max(tridiagonalize_workspace(n, queue.multiprocessors()), back_transform_workspace(n, n)));
  Reduction r{std::vector<double>(static_cast<std::size_t>(n)),
              std::vector<double>(static_cast<std::size_t>(n)), identity(n)};
  // Whatever is not written must show.
  EIGEN_G_CUDA(cudaMemset(matrix.data(), 0xff, matrix.bytes()));
  EIGEN_G_CUDA(cudaMemset(workspace.data(), 0xff, workspace.bytes()));
  for (const auto* buffer : {&d, &e, &tau}) EIGEN_G_CUDA(cudaMemset(buffer->data(), 0xff, buffer->bytes()));
  EIGEN_G_CUDA(cudaMemcpy(given.data(), a.data(), given.bytes(), cudaMemcpyHostToDevice));
  EIGEN_G_CUDA(cudaMemcpy(z.data(), r.q.data(), z.bytes(), cudaMemcpyHostToDevice));
  EIGEN_G_CUDA(cudaDeviceSynchronize());  // the queue does not wait for the default stream
  const MatrixView<double> working{matrix.data(), n, n, lda};
  pack_lower(queue, uplo, MatrixView<const double>{given.data(), n, n, n}, working);
  tridiagonalize(queue, working, d.data(), e.data(), tau.data(), workspace.data(), {}, multiprocessors);
  back_transform(queue, working, tau.data(), {z.data(), n, n, n}, workspace.data());
  queue.wait();
  EIGEN_G_CUDA(cudaMemcpy(r.d.data(), d.data(), bytes(n), cudaMemcpyDeviceToHost));
  EIGEN_G_CUDA(cudaMemcpy(r.e.data(), e.data(), bytes(n - 1), cudaMemcpyDeviceToHost));
  EIGEN_G_CUDA(cudaMemcpy(r.q.data(), z.data(), z.bytes(), cudaMemcpyDeviceToHost));
  return r;
}
#endif

//   ||A - Q T Q^T||_F          ||Q^T Q - I||_F
//   -----------------          ---------------
//    n ||A||_F ulp                  n ulp
struct Ratios {
  double backward, orthogonality;
};

Ratios ratios(const Matrix& a, std::int64_t n, const Reduction& r) {
  const auto at = [n](const Matrix& m, std::int64_t i, std::int64_t j) {
    return m[static_cast<std::size_t>(i + j * n)];
  };
  Matrix qt(static_cast<std::size_t>(n * n), 0), product = a, gram = identity(n);
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i) {
      double sum = at(r.q, i, j) * r.d[static_cast<std::size_t>(j)];
      if (j > 0) sum += at(r.q, i, j - 1) * r.e[static_cast<std::size_t>(j - 1)];
      if (j + 1 < n) sum += at(r.q, i, j + 1) * r.e[static_cast<std::size_t>(j)];
      qt[static_cast<std::size_t>(i + j * n)] = sum;
    }
  const auto order = static_cast<int>(n);
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, order, order, order, -1, qt.data(), order, r.q.data(),
              order, 1, product.data(), order);
  cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, order, order, order, -1, r.q.data(), order, r.q.data(),
              order, 1, gram.data(), order);
  const auto norm = [](const Matrix& m) {
    double sum = 0;
    for (const double x : m) sum += x * x;
    return std::sqrt(sum);
  };
  const double scale = static_cast<double>(n) * 0x1p-52, size = std::max(norm(a), 1e-300);
  return {norm(product) / (scale * size), norm(gram) / scale};
}

Matrix random_symmetric(std::int64_t n, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::normal_distribution<double> normal;
  Matrix a(static_cast<std::size_t>(n * n));
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = j; i < n; ++i)
      a[static_cast<std::size_t>(i + j * n)] = a[static_cast<std::size_t>(j + i * n)] = normal(generator);
  return a;
}

Matrix family(const std::string& kind, std::int64_t n) {
  Matrix a = random_symmetric(n, 7);
  const auto entry = [&](std::int64_t i, std::int64_t j) -> double& {
    return a[static_cast<std::size_t>(i + j * n)];
  };
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i) {
      const double x = static_cast<double>(i) / static_cast<double>(n),
                   y = static_cast<double>(j) / static_cast<double>(n);
      if (kind == "zero") entry(i, j) = 0;
      if (kind == "identity") entry(i, j) = i == j;
      if (kind == "ones") entry(i, j) = 1;
      if (kind == "graded down") entry(i, j) *= std::pow(10, -15 * (x + y));
      if (kind == "graded up") entry(i, j) *= std::pow(10, -15 * (2 - x - y));
      if (kind == "rank two")
        entry(i, j) = std::cos(9 * x) * std::cos(9 * y) - 2 * std::sin(5 * x) * std::sin(5 * y);
      if (kind == "near identity") entry(i, j) = (i == j) + 1e-13 * entry(i, j);
      if (kind == "arrow" && i != j && i != 0 && j != 0) entry(i, j) = 0;
      if (kind == "tridiagonal" && std::abs(i - j) > 1) entry(i, j) = 0;
      if (kind == "dominant diagonal" && i == j) entry(i, j) = 1e6 * (1 + x);
      if (kind == "blocks" && (i < n / 2) != (j < n / 2)) entry(i, j) = 0;
      if (kind == "tiny") entry(i, j) *= 0x1p-99;
      if (kind == "large") entry(i, j) *= 0x1p98;
    }
  return a;
}

const char* const families[] = {"random",      "zero",        "identity",          "ones",
                                "graded down", "graded up",   "rank two",          "near identity",
                                "arrow",       "tridiagonal", "dominant diagonal", "blocks",
                                "tiny",        "large"};

template <class Reduce>
void check(const Matrix& a, std::int64_t n, Uplo uplo, Reduce&& reduce,
           double limit = support::limits::reduction) {
  // The triangle that is not named must not matter.
  Matrix poisoned = a;
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i)
      if (uplo == Uplo::lower ? i < j : i > j) poisoned[static_cast<std::size_t>(i + j * n)] = std::nan("");
  const Ratios found = ratios(a, n, reduce(poisoned, n, uplo));
  CAPTURE(n, static_cast<char>(uplo), found.backward, found.orthogonality);
  CHECK(found.backward < limit);
  CHECK(found.orthogonality < limit);
}

}  // namespace

TEST_CASE("tridiagonalize: Q T Q^T = A on the CPU") {
  for (const Uplo uplo : {Uplo::lower, Uplo::upper})
    for (const std::int64_t n : {1, 2, 3, 33, 100}) check(random_symmetric(n, 1), n, uplo, reduce_on_cpu);
  for (const char* kind : families) check(family(kind, 100), 100, Uplo::lower, reduce_on_cpu);
}

#ifdef EIGEN_G_HAVE_CUDA
void check_random_on_gpu(std::int64_t n, Uplo uplo, int multiprocessors = 0) {
  CAPTURE(multiprocessors);
  const double limit = n < 60 ? support::limits::reduction : support::limits::reduction_random;
  const auto reduce = [&](const Matrix& a, std::int64_t order, Uplo triangle) {
    return reduce_on_gpu(a, order, triangle, multiprocessors);
  };
  check(random_symmetric(n, 1), n, uplo, reduce, limit);
}
#endif

TEST_CASE("tridiagonalize on a GPU: Q T Q^T = A, small", "[gpu]") {
  NEEDS_GPU();
#ifdef EIGEN_G_HAVE_CUDA
  for (const std::int64_t n : {1, 2, 3, 4, 5, 7, 8, 9, 31, 33, 63, 64, 65, 66, 129})
    check_random_on_gpu(n, Uplo::lower);
  check_random_on_gpu(130, Uplo::upper);
  check_random_on_gpu(150, Uplo::lower, 1);
#endif
}

// Small enough for a tool that watches every access to shared memory: a panel by two blocks and the rest on one
// multiprocessor; then all of it on two.
TEST_CASE("tridiagonalize on a GPU: few columns, few blocks", "[gpu][racecheck]") {
  NEEDS_GPU();
#ifdef EIGEN_G_HAVE_CUDA
  for (const int multiprocessors : {1, 2}) check_random_on_gpu(40, Uplo::lower, multiprocessors);
#endif
}

TEST_CASE("tridiagonalize on a GPU: sizes around every edge", "[gpu][large]") {
  NEEDS_GPU();
#ifdef EIGEN_G_HAVE_CUDA
  for (const std::int64_t n :
       {32, 127, 128, 130, 200, 255, 256, 257, 258, 511, 512, 513, 514, 577, 640, 1023, 1025})
    for (const Uplo uplo : {Uplo::lower, Uplo::upper}) check_random_on_gpu(n, uplo);
  for (const std::int64_t n : {1537, 2047, 2049, 2304, 2501, 2700}) check_random_on_gpu(n, Uplo::lower);
#endif
}

// Some panels are followed by an update that makes the next column's product, the later ones not.
TEST_CASE("tridiagonalize on a GPU: products beside the updates", "[gpu][large]") {
  NEEDS_GPU();
#ifdef EIGEN_G_HAVE_CUDA
  REQUIRE(syr2k_product_scratch(5250) > 0);
  check_random_on_gpu(5250, Uplo::lower);
#endif
}

// The fewer multiprocessors take part, the less fits on the chip, and the more rows of a panel has a block: with very
// few only the first columns of a panel stay in shared memory, and a block has as much of the product as of a large
// matrix.
TEST_CASE("tridiagonalize on a GPU: few multiprocessors", "[gpu][large]") {
  NEEDS_GPU();
#ifdef EIGEN_G_HAVE_CUDA
  for (const std::int64_t n : {65, 300, 500, 513, 700, 1100})
    for (const int multiprocessors : {1, 2, 3, 20, 33, 64})
      check_random_on_gpu(n, Uplo::lower, multiprocessors);
  check_random_on_gpu(1450, Uplo::upper, 1);
  check_random_on_gpu(2011, Uplo::lower, 2);
#endif
}

TEST_CASE("tridiagonalize on a GPU: families", "[gpu][large]") {
  NEEDS_GPU();
#ifdef EIGEN_G_HAVE_CUDA
  for (const char* kind : families)
    for (const std::int64_t n : {60, 300}) {
      INFO(kind);
      check(family(kind, n), n, Uplo::lower,
            [](const Matrix& a, std::int64_t order, Uplo uplo) { return reduce_on_gpu(a, order, uplo); });
    }
#endif
}

TEST_CASE("tridiagonalize on a GPU: repeats bit for bit", "[gpu][large]") {
  NEEDS_GPU();
#ifdef EIGEN_G_HAVE_CUDA
  for (const auto& [n, multiprocessors] : {std::pair<std::int64_t, int>{700, 0}, {1450, 1}}) {
    const Matrix a = random_symmetric(n, 5);
    const Reduction first = reduce_on_gpu(a, n, Uplo::lower, multiprocessors);
    for (int repeat = 0; repeat < 5; ++repeat) {
      const Reduction again = reduce_on_gpu(a, n, Uplo::lower, multiprocessors);
      REQUIRE(again.d == first.d);
      REQUIRE(std::equal(first.e.begin(), first.e.end() - 1, again.e.begin()));
      REQUIRE(again.q == first.q);
    }
  }
#endif
}
