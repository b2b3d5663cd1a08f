#include <complex>

#include "hybrid/machine/device.hpp"
#include "solver/api/batched.h"
#include "solver/api/eigen_g.h"
#include "tests/support/batches.hpp"

using eigen_g::Uplo;
using support::batch_of_families;
using support::same_bits;
using support::StoredBatch;

namespace {

constexpr std::int64_t n = 6, count = 4;

// The C++ call on the same batch.
template <class T>
support::BatchPairs<T> expected(const StoredBatch<T>& batch, bool vectors = true) {
  support::BatchPairs<T> p(batch.n, batch.n, batch.count, vectors);
  p.report = eigen_g::eigen_g_batched(batch.n, batch.count, batch.a.data(), batch.lda, p.w.data(), p.z.data(),
                                      p.ldz, p.status.data(), {batch.stride, p.strides.w, p.strides.z},
                                      {.uplo = batch.uplo, .vectors = vectors});
  return p;
}

template <class T, class C, class Syevd>
void check_entry(const Syevd& syevd) {
  for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
    const StoredBatch<T> batch = batch_of_families<T>(n, count, uplo);
    const support::BatchPairs<T> pairs = expected(batch), values = expected(batch, false);
    const char letter = static_cast<char>(uplo);
    std::vector<T> a = batch.a;
    std::vector<eigen_g::real_t<T>> w(pairs.w.size());
    std::vector<std::int32_t> status(static_cast<std::size_t>(count), 77);
    REQUIRE(syevd('V', letter, n, reinterpret_cast<C*>(a.data()), n, 0, w.data(), 0, status.data(), count) ==
            0);
    CHECK(same_bits(a, pairs.z));
    CHECK(same_bits(w, pairs.w));
    CHECK(status == pairs.status);
    a = batch.a;
    REQUIRE(syevd('n', letter, n, reinterpret_cast<C*>(a.data()), n, n * n, w.data(), n, nullptr, count) ==
            0);
    CHECK(same_bits(a, batch.a));
    CHECK(same_bits(w, values.w));
  }
}

}  // namespace

TEST_CASE("C: batches in every type") {
  check_entry<float, float>(eigen_g_ssyevd_batched);
  check_entry<double, double>(eigen_g_dsyevd_batched);
  check_entry<std::complex<float>, eigen_g_complex>(eigen_g_cheevd_batched);
  check_entry<std::complex<double>, eigen_g_double_complex>(eigen_g_zheevd_batched);
}

TEST_CASE("C: a batch returns the number of failed matrices, or minus the position of the wrong argument") {
  StoredBatch<double> batch = batch_of_families<double>(n, count);
  batch.at(2, 3, 1) = batch.at(3, 0, 0) = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> w(static_cast<std::size_t>(n * count));
  std::vector<std::int32_t> status(static_cast<std::size_t>(count), 77);
  CHECK(eigen_g_dsyevd_batched('V', 'L', n, batch.a.data(), n, 0, w.data(), 0, status.data(), count) == 2);
  CHECK(status == std::vector<std::int32_t>{0, 0, -1, -1});

  double* const a = batch.a.data();
  const auto call = [&](char jobz, char uplo, std::int64_t order, double* from, std::int64_t lda,
                        std::int64_t stride_a, double* values, std::int64_t stride_w, std::int64_t matrices) {
    return eigen_g_dsyevd_batched(jobz, uplo, order, from, lda, stride_a, values, stride_w, nullptr,
                                  matrices);
  };
  CHECK(call('X', 'L', n, a, n, 0, w.data(), 0, count) == -1);
  CHECK(call('V', 'X', n, a, n, 0, w.data(), 0, count) == -2);
  CHECK(call('V', 'L', -1, a, n, 0, w.data(), 0, count) == -3);
  CHECK(call('V', 'L', n, nullptr, n, 0, w.data(), 0, count) == -4);
  CHECK(call('V', 'L', n, a, n - 1, 0, w.data(), 0, count) == -5);
  CHECK(call('V', 'L', n, a, n, n, w.data(), 0, count) == -6);
  CHECK(call('V', 'L', n, a, n, 0, nullptr, 0, count) == -7);
  CHECK(call('V', 'L', n, a, n, 0, w.data(), 1, count) == -8);
  CHECK(call('V', 'L', n, a, n, 0, w.data(), 0, -1) == -10);
}

TEST_CASE("C: a batch with options") {
  const StoredBatch<double> batch = batch_of_families<double>(n, count);
  const support::BatchPairs<double> pairs = expected(batch);
  std::vector<double> w(static_cast<std::size_t>(2 * count)), z(static_cast<std::size_t>(2 * n * count));
  eigen_g_options options;
  eigen_g_default_options(&options);
  options.range = 'I';
  options.il = 3;
  options.iu = 4;
  options.device = 'C';
  eigen_g_batch_result result{};
  const auto call = [&](const eigen_g_options* given) {
    return eigen_g_dsolve_batched(n, count, batch.a.data(), n, 0, w.data(), 0, z.data(), n, 0, nullptr, 0,
                                  nullptr, given, &result);
  };
  REQUIRE(call(&options) == 0);
  CHECK(result.failed == 0);
  CHECK(result.first_failed == -1);
  CHECK(result.m == 2);
  CHECK(result.seconds > 0);
  for (std::int64_t k = 0; k < count; ++k) CHECK(w[static_cast<std::size_t>(2 * k)] == pairs.values(k)[2]);
  options.range = 'V';
  options.vu = 1;
  CHECK(call(&options) == -14);
  options.range = 'A';
  options.engine = "df";
  CHECK(call(&options) == -14);
}

TEST_CASE("C: a batch on device pointers needs a GPU") {
  if (eigen_g::gpu_count() > 0) return;
  double a[4] = {2, 1, 1, 2}, w[2], z[4];
  CHECK(eigen_g_dsyevd_batched_device('V', 'L', 2, a, 2, 0, w, 0, z, 2, 0, nullptr, 1, nullptr) == -1003);
  CHECK(eigen_g_dsyevd_batched_device('V', 'L', 2, a, 2, 0, w, 0, nullptr, 2, 0, nullptr, 1, nullptr) == -9);
  CHECK(eigen_g_dsyevd_batched_device('V', 'L', 2, a, 2, 0, w, 0, z, 1, 0, nullptr, 1, nullptr) == -10);
  CHECK(eigen_g_dsyevd_batched_device('V', 'L', 2, a, 2, 0, w, 0, z, 2, 3, nullptr, -1, nullptr) == -13);
}
