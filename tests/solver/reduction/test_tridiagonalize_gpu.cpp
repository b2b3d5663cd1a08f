// Tests Q^T A Q = T on a GPU. The back-transformation of I makes Q.
#include "solver/reduction/one_stage/tridiagonalize.hpp"

#include "gemm_df/rank_2k/syr2k.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/round_up.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/back/back_transform.hpp"
#include "solver/prepare/pack.hpp"
#include "solver/reduction/one_stage/tridiagonalize_in_cluster.hpp"
#include "tests/support/device_copy.hpp"
#include "tests/support/reflector_columns.hpp"
#include "tests/support/scratch.hpp"

using namespace eigen_g;
using namespace support::reduction;
using support::random_symmetric;

namespace {

std::size_t bytes(std::int64_t count) {
  return sizeof(double) * static_cast<std::size_t>(count);
}

Reduction reduce_on_gpu(const Matrix& a, std::int64_t n, Uplo uplo, int multiprocessors = 0) {
  Queue queue;
  const std::int64_t lda = round_up(n, tridiagonalize_row_multiple);
  DeviceBuffer<double> given(n * n), matrix(lda * n), d(n), e(n), tau(n), z(n * n);
  const support::DeviceScratch scratch(
      std::max(tridiagonalize_bytes<double>(n, queue.multiprocessors()), back_transform_bytes<double>(n, n)));
  Reduction r{std::vector<double>(static_cast<std::size_t>(n)),
              std::vector<double>(static_cast<std::size_t>(n)), identity(n)};
  // NaN shows elements that are not written.
  EIGEN_G_CUDA(cudaMemset(matrix.data(), 0xff, matrix.bytes()));
  for (const auto* buffer : {&d, &e, &tau}) EIGEN_G_CUDA(cudaMemset(buffer->data(), 0xff, buffer->bytes()));
  support::upload(given.data(), a.data(), given.bytes());
  support::upload(z.data(), r.q.data(), z.bytes());
  EIGEN_G_CUDA(cudaDeviceSynchronize());  // the queue does not wait for the default stream
  const MatrixView<double> working{matrix.data(), n, n, lda};
  pack_lower<double>(queue, uplo, MatrixView<const double>{given.data(), n, n, n}, working);
  tridiagonalize<double>(queue, working, d.data(), e.data(), tau.data(), scratch, {}, {}, multiprocessors);
  back_transform<double>(queue, working, tau.data(), {z.data(), n, n, n}, scratch);
  queue.wait();
  EIGEN_G_CUDA(cudaMemcpy(r.d.data(), d.data(), bytes(n), cudaMemcpyDeviceToHost));
  EIGEN_G_CUDA(cudaMemcpy(r.e.data(), e.data(), bytes(n - 1), cudaMemcpyDeviceToHost));
  EIGEN_G_CUDA(cudaMemcpy(r.q.data(), z.data(), z.bytes(), cudaMemcpyDeviceToHost));
  return r;
}
void check_random_on_gpu(std::int64_t n, Uplo uplo, int multiprocessors = 0) {
  CAPTURE(multiprocessors);
  const double limit = n < 60 ? support::limits::reduction : support::limits::reduction_random;
  const auto reduce = [&](const Matrix& a, std::int64_t order, Uplo triangle) {
    return reduce_on_gpu(a, order, triangle, multiprocessors);
  };
  check_reduction(random_symmetric(n, 1), n, uplo, reduce, limit);
}

template <class T>
ReflectorColumns<T> reduce_in_cluster(const std::vector<Truth<T>>& a, std::int64_t n, bool clears) {
  Queue queue;
  ReflectorColumns<T> r(a, n);
  DeviceBuffer<T> matrix(r.lda * n), tau(n);
  DeviceBuffer<real_t<T>> d(n), e(n);
  const auto copy = [&](auto& from, auto& to) { support::upload(to.data(), from.data(), to.bytes()); };
  copy(r.a, matrix), copy(r.d, d), copy(r.e, e), copy(r.tau, tau);
  EIGEN_G_CUDA(cudaDeviceSynchronize());  // the queue does not wait for the default stream
  tridiagonalize_in_cluster<T>(queue, {matrix.data(), n, n, r.lda}, d.data(), e.data(), tau.data(), clears);
  queue.wait();
  const auto back = [&](auto& to, auto& from) {
    EIGEN_G_CUDA(cudaMemcpy(to.data(), from.data(), from.bytes(), cudaMemcpyDeviceToHost));
  };
  back(r.a, matrix), back(r.d, d), back(r.e, e), back(r.tau, tau);
  r.check_written(clears);
  return r;
}
template <class T>
void check_in_cluster(const char* kind, std::int64_t n) {
  CAPTURE(kind, n);
  const std::vector<Truth<T>> a = family_of<Truth<T>>(kind, n);
  const ReflectorColumns<T> found = reduce_in_cluster<T>(a, n, true);
  CHECK(reduce_in_cluster<T>(a, n, false) == found);
  found.check_ratios(a);
}
bool has_clusters() {
  return max_in_cluster<double>(gpu_facts(current_gpu()).multiprocessors) > 0;
}

}  // namespace

TEST_CASE("tridiagonalize on a GPU: Q T Q^T = A, small", "[gpu]") {
  NEEDS_GPU();
  for (const std::int64_t n : {1, 2, 3, 4, 5, 7, 8, 9, 31, 33, 63, 64, 65, 66, 129})
    check_random_on_gpu(n, Uplo::lower);
  check_random_on_gpu(130, Uplo::upper);
  check_random_on_gpu(150, Uplo::lower, 1);
}

// Small enough for racecheck: two blocks reduce a panel and one multiprocessor the rest; then two multiprocessors reduce
// everything.
TEST_CASE("tridiagonalize on a GPU: few columns, few blocks", "[gpu][racecheck]") {
  NEEDS_GPU();
  for (const int multiprocessors : {1, 2}) check_random_on_gpu(40, Uplo::lower, multiprocessors);
}

TEST_CASE("tridiagonalize on a GPU: sizes around every edge", "[gpu][large]") {
  NEEDS_GPU();
  for (const std::int64_t n :
       {32, 127, 128, 130, 200, 255, 256, 257, 258, 511, 512, 513, 514, 577, 640, 1023, 1025})
    for (const Uplo uplo : {Uplo::lower, Uplo::upper}) check_random_on_gpu(n, uplo);
  for (const std::int64_t n : {1537, 2047, 2049, 2304, 2501, 2700}) check_random_on_gpu(n, Uplo::lower);
}

// After some panels the update also makes the next column's product; after the later ones it does not.
TEST_CASE("tridiagonalize on a GPU: products during the updates", "[gpu][large]") {
  NEEDS_GPU();
  REQUIRE(syr2k_product_scratch<double>(5250) > 0);
  check_random_on_gpu(5250, Uplo::lower);
}

// With fewer multiprocessors a smaller matrix fits on the chip, and a block has more rows of a panel. With very few only the
// first columns of a panel stay in shared memory, and a block has the same amount of the product as for a large matrix.
TEST_CASE("tridiagonalize on a GPU: few multiprocessors", "[gpu][large]") {
  NEEDS_GPU();
  for (const std::int64_t n : {65, 300, 500, 513, 700, 1100})
    for (const int multiprocessors : {1, 2, 3, 20, 33, 64})
      check_random_on_gpu(n, Uplo::lower, multiprocessors);
  check_random_on_gpu(1450, Uplo::upper, 1);
  check_random_on_gpu(2011, Uplo::lower, 2);
}

TEST_CASE("tridiagonalize on a GPU: families", "[gpu][large]") {
  NEEDS_GPU();
  for (const char* kind : families)
    for (const std::int64_t n : {60, 300}) {
      INFO(kind);
      check_reduction(family(kind, n), n, Uplo::lower, [](const Matrix& a, std::int64_t order, Uplo uplo) {
        return reduce_on_gpu(a, order, uplo);
      });
    }
}

TEST_CASE("tridiagonalize on a GPU: repeats bit for bit", "[gpu][large]") {
  NEEDS_GPU();
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
}

TEMPLATE_TEST_CASE("tridiagonalize on a GPU: in a cluster, every order", "[gpu]", double, float,
                   std::complex<double>, std::complex<float>) {
  NEEDS_GPU();
  if (!has_clusters()) return;  // a GPU before compute capability 9.0
  const std::int64_t last = std::is_same_v<TestType, std::complex<double>> ? 192 : 256;
  for (std::int64_t n = 1; n <= last; n += n < 200 ? 1 : 7) check_in_cluster<TestType>("random", n);
  check_in_cluster<TestType>("random", last);
}

TEMPLATE_TEST_CASE("tridiagonalize on a GPU: in a cluster, families", "[gpu]", double, float,
                   std::complex<double>, std::complex<float>) {
  NEEDS_GPU();
  if (!has_clusters()) return;
  const bool narrow = std::is_same_v<real_t<TestType>, float>;
  for (const std::string kind : families)
    for (const std::int64_t n : {60, 130, 190})
      if (!narrow || (kind != "tiny" && kind != "large")) check_in_cluster<TestType>(kind.c_str(), n);
}

TEST_CASE("tridiagonalize on a GPU: six rows in a cluster", "[gpu][racecheck]") {
  NEEDS_GPU();
  if (has_clusters()) check_in_cluster<double>("random", 6);
}
