// Tests Q2^T A Q2 = T for band matrices on a GPU, and T's eigenvalues against LAPACK's.
#include "solver/reduction/two_stage/band_to_tridiagonal.hpp"

#include <lapacke.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "gemm_df/gemm.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/partition.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/round_up.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/transfer/copy_2d.hpp"
#include "tests/support/chase.hpp"
#include "tests/support/device_copy.hpp"
#include "tests/support/scratch.hpp"

using namespace eigen_g;
using namespace support::chase;

namespace {

template <class S = double>
struct ChaseResult {
  std::vector<double> d, e;
  ReflectorsOf<S> reflectors;
  bool operator==(const ChaseResult& other) const {
    return d == other.d && e == other.e && reflectors.v == other.reflectors.v &&
           reflectors.tau == other.reflectors.tau;
  }
};

template <class T = double, class S = support::wide_t<T>>
ChaseResult<S> chase(const Queue& queue, const std::vector<S>& a, std::int64_t n, std::int64_t b,
                     bool vectors, int multiprocessors = 0) {
  const ChaseTiles tiles = chase_tiles<T>(n, b);
  DeviceBuffer<T> band((b + 1) * n), v(vectors ? tiles.count() : 0), tau(vectors ? tiles.tau_count() : 0);
  DeviceBuffer<real_t<T>> d(n), e(n);
  const support::DeviceScratch scratch(band_to_tridiagonal_bytes<T>(n, b, queue.multiprocessors()), 256);
  for (const auto* buffer : {&v, &tau})
    if (buffer->size() > 0) EIGEN_G_CUDA(cudaMemset(buffer->data(), 0xff, buffer->bytes()));
  for (const auto* buffer : {&d, &e}) EIGEN_G_CUDA(cudaMemset(buffer->data(), 0xff, buffer->bytes()));
  support::upload_as(packed(a, n, b), band);
  EIGEN_G_CUDA(cudaDeviceSynchronize());  // the queue does not wait for the default stream
  band_to_tridiagonal<T>(queue, b, {band.data(), b + 1, n, b + 1}, d.data(), e.data(), {v.data(), tau.data()},
                         scratch, multiprocessors);
  queue.wait();
  CHECK(scratch.touched() == 0);
  using support::download_from;
  return {download_from(d, n),
          download_from(e, n - 1),
          {download_from(v, v.size()), download_from(tau, tau.size())}};
}

template <class T = double, class S = support::wide_t<T>>
ChaseResult<S> chase(const std::vector<S>& a, std::int64_t n, std::int64_t b, bool vectors,
                     int multiprocessors = 0) {
  return chase<T>(Queue(), a, n, b, vectors, multiprocessors);
}

template <class T = double>
void check(const std::string& kind, std::int64_t n, std::int64_t b, int multiprocessors = 0) {
  using S = support::wide_t<T>;
  CAPTURE(kind, n, b, multiprocessors);
  const std::vector<S> a = band_of<S>(kind, n, b);
  const ChaseResult<S> found = chase<T>(a, n, b, true, multiprocessors),
                       values = chase<T>(a, n, b, false, multiprocessors);
  CHECK(values.d == found.d);
  CHECK(values.e == found.e);
  support::reduction::ReductionOf<S> r{found.d, found.e, support::reduction::identity<S>(n)};
  apply<S>(n, chase_tiles<T>(n, b), found.reflectors, n, r.q);
  const auto [backward, orthogonality] = support::reduction::ratios(a, n, r);
  CAPTURE(backward, orthogonality);
  const double limit = (n < 60 ? support::limits::reduction : support::limits::reduction_random) *
                       (support::ulp_of<T> / support::limits::ulp);
  CHECK(backward < limit);
  CHECK(orthogonality < limit);
}

}  // namespace

TEST_CASE("band to tridiagonal: around every edge", "[gpu]") {
  NEEDS_GPU();
  for (const std::int64_t b : chase_bandwidths) {
    for (const std::int64_t n : {std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, std::int64_t{4}, b - 1, b,
                                 b + 1, b + 2, 2 * b - 1, 2 * b, 2 * b + 1, 3 * b + 5})
      check("random", n, b);
    for (const int multiprocessors : {1, 2}) check("random", 10 * b + 2, b, multiprocessors);  // each kernel
  }
}

TEST_CASE("band to tridiagonal: families", "[gpu]") {
  NEEDS_GPU();
  for (const std::int64_t b : {32, 64})
    for (const char* kind : support::reduction::families) check(kind, 3 * b + 7, b);
}

// tiny, large: the driver scales these entries, because their squares vanish or overflow in float.
TEST_CASE("band to tridiagonal in float: around every edge, families, bits", "[gpu]") {
  NEEDS_GPU();
  for (const std::int64_t b : chase_bandwidths) {
    for (const std::int64_t n :
         {std::int64_t{1}, std::int64_t{2}, b - 1, b, b + 1, b + 2, 2 * b + 1, 3 * b + 5})
      check<float>("random", n, b);
    check<float>("random", 5 * b + 2, b, 1);
  }
  for (const char* kind : {"zero", "identity", "ones", "rank two", "graded down", "graded up",
                           "near identity", "arrow", "tridiagonal", "blocks"})
    check<float>(kind, 199, 64);
  const Matrix a = band_of("random", 1500, 64);
  const ChaseResult<> found = chase<float>(a, 1500, 64, true);
  for (const int multiprocessors : {0, 3, 20})
    CHECK(chase<float>(a, 1500, 64, true, multiprocessors) == found);
}

TEMPLATE_TEST_CASE("band to tridiagonal of Hermitian matrices: edges, families, bits", "[gpu]",
                   std::complex<double>, std::complex<float>) {
  NEEDS_GPU();
  const std::int64_t b = 32;
  for (const std::int64_t n : {1, 2, 3, 4, 5, 31, 32, 33, 34, 63, 64, 65, 66, 97, 101, 199})
    check<TestType>("random", n, b);
  for (const int multiprocessors : {1, 2}) check<TestType>("random", 5 * b + 2, b, multiprocessors);
  for (const char* kind : {"zero", "identity", "ones", "rank two", "graded down", "graded up",
                           "near identity", "arrow", "tridiagonal", "blocks"})
    for (const std::int64_t n : {103, 199}) check<TestType>(kind, n, b);
  const auto a = band_of<std::complex<double>>("random", 1500, b);
  const auto found = chase<TestType>(a, 1500, b, true);
  for (const int multiprocessors : {0, 3, 20})
    CHECK(chase<TestType>(a, 1500, b, true, multiprocessors) == found);
}

// The v arrays are copied whenever the chase reports sweeps: then they are final. The results have the same bits.
template <class T>
void check_reported_sweeps(std::int64_t n, std::int64_t b, int multiprocessors, bool in_columns) {
  using S = support::wide_t<T>;
  CAPTURE(n, b, multiprocessors, in_columns);
  const Queue queue;
  const ChaseTiles tiles = chase_tiles<T>(n, b);
  const std::int64_t lda = round_up(n, 16), values = in_columns ? lda * n : tiles.count();
  const auto a = packed(band_of<S>("random", n, b), n, b);
  const auto run = [&](bool reports) {
    DeviceBuffer<T> band((b + 1) * n), v(values), tau(tiles.tau_count()), copy(values);
    DeviceBuffer<real_t<T>> d(n), e(n);
    const support::DeviceScratch scratch(band_to_tridiagonal_bytes<T>(n, b, queue.multiprocessors()), 256);
    for (const auto* buffer : {&v, &copy}) EIGEN_G_CUDA(cudaMemset(buffer->data(), 0, buffer->bytes()));
    support::upload_as(a, band);
    EIGEN_G_CUDA(cudaDeviceSynchronize());
    ChaseReflectors<T> out{v.data(), tau.data()};
    if (in_columns) out = {v.data() + (n - 1) * lda, tau.data(), -lda};
    std::vector<std::int64_t> told{0};
    const auto reached = [&](std::int64_t sweeps) {
      for (std::int64_t s = told.back(); s < sweeps; ++s) {
        const std::int64_t at = out.sweep(tiles, s) - v.data();
        copy_values(queue, copy.data() + at, v.data() + at, n - 1 - s);
      }
      told.push_back(sweeps);
    };
    band_to_tridiagonal<T>(queue, b, {band.data(), b + 1, n, b + 1}, d.data(), e.data(), out, scratch,
                           multiprocessors, reports ? reached : std::function<void(std::int64_t)>());
    queue.wait();
    if (reports) {
      CHECK(std::is_sorted(told.begin(), told.end()));
      CHECK(told.size() >= 5);
      CHECK(told.back() == tiles.sweeps());
      CHECK(support::download_from(copy, values) == support::download_from(v, values));
    }
    return ChaseResult<S>{support::download_from(d, n),
                          support::download_from(e, n - 1),
                          {support::download_from(v, values), support::download_from(tau, tau.size())}};
  };
  CHECK(run(true) == run(false));
}

TEMPLATE_TEST_CASE("band to tridiagonal: sweeps that are reported are final", "[gpu]", double, float,
                   std::complex<double>) {
  NEEDS_GPU();
  for (const std::int64_t n : {4, 70, 701, 1500})
    for (const bool in_columns : {false, true}) check_reported_sweeps<TestType>(n, 32, 0, in_columns);
  for (const int multiprocessors : {1, 3}) check_reported_sweeps<TestType>(701, 32, multiprocessors, true);
  if constexpr (!is_complex<TestType>) check_reported_sweeps<TestType>(1500, 64, 0, true);
}

TEST_CASE("band to tridiagonal: each kernel", "[gpu][racecheck]") {
  NEEDS_GPU();
  // On one multiprocessor of an H200 all kernels run in turn, as the number of positions falls.
  check("random", 300, 32, 1);
  check<std::complex<double>>("random", 230, 32, 1);
  for (const int multiprocessors : {1, 0}) {
    check("random", 70, 32, multiprocessors);
    check<std::complex<double>>("random", 70, 32, multiprocessors);
    check<std::complex<float>>("random", 70, 32, multiprocessors);
  }
}

//   max |w_k(T) - w_k(A)|
//   ---------------------
//     n ulp max |w(A)|
TEST_CASE("band to tridiagonal: eigenvalues are LAPACK's, bits repeat", "[gpu]") {
  NEEDS_GPU();
  for (const std::int64_t b : {32, 64}) {
    const std::int64_t n = 1500;
    CAPTURE(b);
    const Matrix a = band_of("random", n, b);
    Matrix band = packed(a, n, b);
    for (double& x : band)
      if (std::isnan(x)) x = 0;
    std::vector<double> w(static_cast<std::size_t>(n)), e(static_cast<std::size_t>(n));
    const auto order = static_cast<lapack_int>(n), width = static_cast<lapack_int>(b);
    double none = 0;
    REQUIRE(LAPACKE_dsbtrd(LAPACK_COL_MAJOR, 'N', 'L', order, width, band.data(), width + 1, w.data(),
                           e.data(), &none, 1) == 0);
    REQUIRE(LAPACKE_dsterf(order, w.data(), e.data()) == 0);
    const ChaseResult<> found = chase(a, n, b, true);
    std::vector<double> own = found.d, off = found.e;
    REQUIRE(LAPACKE_dsterf(order, own.data(), off.data()) == 0);
    double difference = 0;
    for (std::size_t k = 0; k < w.size(); ++k) difference = std::max(difference, std::abs(w[k] - own[k]));
    const double ratio = difference / (static_cast<double>(n) * support::limits::ulp *
                                       std::max(std::abs(w.front()), std::abs(w.back())));
    CAPTURE(ratio);
    CHECK(ratio < support::limits::eigenvalue);
    for (const int multiprocessors : {0, 3, 20}) CHECK(chase(a, n, b, true, multiprocessors) == found);
  }
}

// 20 positions on 2 multiprocessors, and on all multiprocessors while kernels of another stream run.
TEST_CASE("band to tridiagonal: on a part of the GPU, and under load", "[gpu]") {
  NEEDS_GPU();
  const std::int64_t n = 640, b = 32;
  const Matrix a = band_of("random", n, b);
  const ChaseResult<> whole = chase(a, n, b, true);
  std::optional<Partition> part;
  try {
    part.emplace(8);
  } catch (const DeviceError& error) {
    WARN("no partition: " << error.what());  // an older toolkit or driver
  }
  if (part)
    for (const int multiprocessors : {2, 0})
      CHECK(chase(Queue(*part), a, n, b, true, multiprocessors) == whole);
  const Queue other;
  const std::int64_t order = 2048;
  DeviceBuffer<double> left(order * order), product(order * order);
  EIGEN_G_CUDA(cudaMemset(left.data(), 0, left.bytes()));
  EIGEN_G_CUDA(cudaDeviceSynchronize());
  const MatrixView<const double> factor{left.data(), order, order, order};
  int different = 0;
  for (int run = 0; run < 20; ++run) {
    for (int k = 0; k < 4; ++k)
      gemm<double>(other, Op::none, Op::none, 1, factor, factor, 0, {product.data(), order, order, order});
    different += !(chase(a, n, b, true) == whole);
  }
  other.wait();
  CHECK(different == 0);
}
