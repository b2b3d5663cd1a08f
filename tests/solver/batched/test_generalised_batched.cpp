// Batches of generalised problems on host pointers on the CPU.
#include "hybrid/machine/device.hpp"
#include "solver/api/argument.hpp"
#include "solver/api/batched.h"
#include "solver/api/generalised.hpp"
#include "tests/support/generalised_batches.hpp"

using namespace eigen_g;
using support::batch_of_families;
using support::BatchPairs;
using support::positive_definite_batch;
using support::same_bits;
using support::StoredBatch;

namespace {

const std::vector<std::int64_t> sizes{1, 2, 3, 4, 5, 8, 17, 33, 48, 49, 65, 130};

Devices on_cpu(int threads = 0) {
  Devices devices;
  devices.device = DeviceChoice::cpu;
  devices.threads = threads;
  return devices;
}

template <class T>
BatchPairs<T> solve(const StoredBatch<T>& a, const StoredBatch<T>& b, Options options = {},
                    std::int64_t padding = 0, std::int64_t gap = 0, int threads = 0) {
  options.uplo = a.uplo;
  BatchPairs<T> p(a.n, options.subset.max_count(a.n), a.count, options.vectors, padding, gap);
  p.strides.a = a.stride;
  p.strides.b = b.stride;
  const std::vector<T> of_a = a.a, of_b = b.a;
  p.report = sygvd_batched(a.n, a.count, of_a.data(), a.lda, of_b.data(), b.lda, p.w.data(), p.z.data(),
                           p.ldz, p.status.data(), p.strides, options, on_cpu(threads));
  CHECK(same_bits(of_a, a.a));
  CHECK(same_bits(of_b, b.a));
  return p;
}

std::string argument_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.parameter();
  }
  return "none";
}

}  // namespace

#define ALL_TYPES float, double, std::complex<float>, std::complex<double>

TEMPLATE_TEST_CASE("generalised batch: every problem has the results of sygvd(), with gaps", "", ALL_TYPES) {
  using T = TestType;
  for (const std::int64_t n : sizes)
    for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
      const std::int64_t padding = n % 2, gap = 3, count = n > 49 ? 3 : 6;
      const StoredBatch<T> a = batch_of_families<T>(n, count, uplo, padding, gap),
                           b = positive_definite_batch(a, padding + 1, gap + 1);
      const BatchPairs<T> pairs = solve(a, b, {}, 2 * padding, gap), values = solve(a, b, {.vectors = false}),
                          one_thread = solve(a, b, {}, 0, 0, 1);
      CHECK(pairs.report.count == count);
      CHECK(pairs.report.failed == 0);
      CHECK(pairs.report.m == n);
      for (std::int64_t k = 0; k < count; ++k) {
        CAPTURE(n, k, uplo == Uplo::upper);
        CHECK(pairs.status[static_cast<std::size_t>(k)] == 0);
        support::check_generalised(a, b, k, pairs.values(k), pairs.vectors(k, n));
        std::vector<T> of_b(b.a.begin() + k * b.stride, b.a.begin() + (k + 1) * b.stride),
            z(static_cast<std::size_t>(n * n));
        std::vector<real_t<T>> w(static_cast<std::size_t>(n));
        Options options;
        options.uplo = uplo;
        CHECK(sygvd({}, n, a.a.data() + k * a.stride, a.lda, of_b.data(), b.lda, w.data(), z.data(), n,
                    options, on_cpu(1))
                  .status == Status::converged);
        CHECK(same_bits(one_thread.values(k), w));
        CHECK(same_bits(one_thread.vectors(k, n), z));
        CHECK(same_bits(pairs.values(k), w));
        CHECK(values.status[static_cast<std::size_t>(k)] == 0);
      }
    }
}

TEMPLATE_TEST_CASE("generalised batch: a part by index, also over a", "", ALL_TYPES) {
  using T = TestType;
  for (const std::int64_t n : {1, 2, 5, 17, 60}) {
    const StoredBatch<T> a = batch_of_families<T>(n, 4), b = positive_definite_batch(a);
    const std::int64_t first = (n + 2) / 3, last = (2 * n + 2) / 3;
    const BatchPairs<T> whole = solve(a, b),
                        part = solve(a, b, {.subset = Subset::by_index(first, last)}, 1, 2);
    CHECK(part.report.m == last - first + 1);
    StoredBatch<T> over = a;
    std::vector<real_t<T>> w(static_cast<std::size_t>(n * a.count));
    CHECK(sygvd_batched(n, a.count, over.a.data(), n, b.a.data(), n, w.data(), over.a.data(), n, nullptr, {},
                        {}, on_cpu())
              .failed == 0);
    CHECK(same_bits(over.a, whole.z));
    CHECK(same_bits(w, whole.w));
    for (std::int64_t k = 0; k < a.count; ++k)
      support::check_generalised(a, b, k, part.values(k), part.vectors(k, n));
  }
}

TEMPLATE_TEST_CASE("generalised batch: a bad matrix harms its own problem only", "", ALL_TYPES) {
  using T = TestType;
  using R = real_t<T>;
  for (const std::int64_t n : {1, 2, 4, 5, 9, 50}) {
    StoredBatch<T> a = batch_of_families<T>(n, 6, n % 2 ? Uplo::lower : Uplo::upper),
                   b = positive_definite_batch(a);
    const BatchPairs<T> good = solve(a, b);
    a.at(1, n / 2, n / 2) = support::not_a_number<T>();
    b.at(2, 0, 0) = T(std::numeric_limits<R>::infinity());
    b.at(3, n / 2, n / 2) = T(R(-1));
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j) {
        if (a.uplo == Uplo::lower ? i < j : i > j) continue;
        a.at(4, i, j) = T(R(i == j ? 4 : 0));  // w overflows
        b.at(4, i, j) = T(i == j ? std::numeric_limits<R>::min() : R(0));
      }
    for (const bool vectors : {true, false}) {
      const BatchPairs<T> found = solve(a, b, {.vectors = vectors});
      CAPTURE(n, vectors);
      CHECK(found.report.failed == 4);
      CHECK(found.report.first_failed == 1);
      CHECK(found.status ==
            std::vector<std::int32_t>{0, -1, -1, static_cast<std::int32_t>(n + n / 2 + 1), -1, 0});
      for (const std::int64_t k : {0, 5})
        if (vectors) {
          CHECK(same_bits(found.values(k), good.values(k)));
          CHECK(same_bits(found.vectors(k, n), good.vectors(k, n)));
        }
      for (const std::int64_t k : {1, 2, 3, 4}) {
        for (const R x : found.values(k)) CHECK(std::isnan(x));
        for (const T x : found.vectors(k, n)) CHECK(std::isnan(std::real(x)));
      }
    }
  }
}

TEMPLATE_TEST_CASE("generalised batch: ragged problems have the bits of strided ones", "", ALL_TYPES) {
  using T = TestType;
  std::vector<StoredBatch<T>> as, bs;
  std::vector<std::int64_t> orders, lda, ldb;
  for (const std::int64_t n : {3, 0, 65, 1, 8, 130, 17}) {
    as.push_back(batch_of_families<T>(n, 1, Uplo::upper, n % 3));
    bs.push_back(positive_definite_batch(as.back(), n % 2));
    orders.push_back(n);
    lda.push_back(as.back().lda);
    ldb.push_back(bs.back().lda);
  }
  bs[4].at(0, 2, 2) = T(-1);
  std::vector<const T*> a, b;
  std::vector<std::vector<real_t<T>>> values(as.size());
  std::vector<std::vector<T>> vectors(as.size());
  std::vector<real_t<T>*> w;
  std::vector<T*> z;
  for (std::size_t k = 0; k < as.size(); ++k) {
    a.push_back(as[k].a.data());
    b.push_back(bs[k].a.data());
    values[k].resize(static_cast<std::size_t>(as[k].n));
    vectors[k].resize(static_cast<std::size_t>(as[k].n * as[k].n));
    w.push_back(values[k].data());
    z.push_back(vectors[k].data());
  }
  std::vector<std::int32_t> status(as.size(), 77);
  RaggedBatch<T> ragged{7, orders.data(), a.data(), lda.data(), w.data(), z.data(), nullptr};
  ragged.b = b.data();
  ragged.ldb = ldb.data();
  const BatchReport report = eigen_g_ragged(ragged, status.data(), {.uplo = Uplo::upper}, on_cpu());
  CHECK(report.failed == 1);
  CHECK(report.first_failed == 4);
  for (std::size_t k = 0; k < as.size(); ++k) {
    CAPTURE(k);
    CHECK(status[k] == (k == 4 ? 8 + 3 : 0));
    if (as[k].n == 0 || k == 4) continue;
    const BatchPairs<T> alone = solve(as[k], bs[k]);
    CHECK(same_bits(values[k], alone.w));
    CHECK(same_bits(vectors[k], alone.z));
  }
}

TEST_CASE("generalised batch: no problems, wrong arguments, and bytes of the workspace") {
  std::vector<double> a(64, 0), b(64, 0), w(16), z(64);
  for (std::size_t k = 0; k < 2; ++k)
    for (std::size_t i = 0; i < 4; ++i) a[16 * k + 5 * i] = b[16 * k + 5 * i] = 1;
  CHECK(sygvd_batched<double>(4, 0, nullptr, 4, nullptr, 4, nullptr, nullptr, 4).count == 0);
  CHECK(sygvd_batched<double>(0, 3, nullptr, 1, nullptr, 1, nullptr, nullptr, 1).failed == 0);
  const auto call = [&](const double* of_b, std::int64_t ldb, double* vectors, const BatchStrides& strides) {
    return argument_of([&] {
      static_cast<void>(
          sygvd_batched(4, 2, a.data(), 4, of_b, ldb, w.data(), vectors, 4, nullptr, strides, {}, on_cpu()));
    });
  };
  CHECK(call(b.data(), 4, z.data(), {}) == "none");
  CHECK(call(nullptr, 4, z.data(), {}) == "b");
  CHECK(call(b.data(), 3, z.data(), {}) == "ldb");
  CHECK(call(b.data(), 4, z.data(), {0, 0, 0, 15}) == "strides.b");
  CHECK(call(b.data(), 4, b.data(), {}) == "z");

  const BatchReport report =
      sygvd_batched(4, 2, a.data(), 4, b.data(), 4, w.data(), z.data(), 4, nullptr, {}, {}, on_cpu());
  CHECK(report.bytes.host > 0);
  CHECK(report.bytes.host <= batched_workspace_bytes(4, 2, {}, false, Pointers::host, true).host);
}

TEST_CASE("C: batches of generalised problems") {
  const StoredBatch<double> a = batch_of_families<double>(5, 3);
  StoredBatch<double> b = positive_definite_batch(a);
  const BatchPairs<double> expected = solve(a, b);
  std::vector<double> x = a.a, w(15);
  const std::vector<double> before = b.a;
  std::vector<std::int32_t> status(3, 77);
  REQUIRE(eigen_g_dsygvd_batched('V', 'L', 5, x.data(), 5, 0, b.a.data(), 5, 0, w.data(), 0, status.data(),
                                 3) == 0);
  CHECK(same_bits(b.a, before));
  if (gpu_count() == 0) CHECK(same_bits(x, expected.z));
  if (gpu_count() == 0) CHECK(same_bits(w, expected.w));
  CHECK(status == std::vector<std::int32_t>{0, 0, 0});
  b.at(1, 2, 2) = -1;
  x = a.a;
  CHECK(eigen_g_dsygvd_batched('N', 'L', 5, x.data(), 5, 0, b.a.data(), 5, 0, w.data(), 0, status.data(),
                               3) == 1);
  CHECK(same_bits(x, a.a));
  CHECK(status == std::vector<std::int32_t>{0, 8, 0});
  CHECK(eigen_g_dsygvd_batched('V', 'L', 5, x.data(), 5, 0, nullptr, 5, 0, w.data(), 0, nullptr, 3) == -7);
  CHECK(eigen_g_dsygvd_batched('V', 'L', 5, x.data(), 5, 0, b.a.data(), 4, 0, w.data(), 0, nullptr, 3) == -8);
  CHECK(eigen_g_dsygvd_batched('V', 'L', 5, x.data(), 5, 0, b.a.data(), 5, 1, w.data(), 0, nullptr, 3) == -9);

  const StoredBatch<std::complex<float>> c = batch_of_families<std::complex<float>>(4, 2);
  const StoredBatch<std::complex<float>> d = positive_definite_batch(c);
  std::vector<std::complex<float>> y = c.a;
  std::vector<float> v(8);
  CHECK(eigen_g_chegvd_batched('V', 'L', 4, reinterpret_cast<eigen_g_complex*>(y.data()), 4, 0,
                               reinterpret_cast<const eigen_g_complex*>(d.a.data()), 4, 0, v.data(), 0,
                               nullptr, 2) == 0);
  for (std::int64_t k = 0; k < 2; ++k)
    support::check_generalised(c, d, k, {v.begin() + 4 * k, v.begin() + 4 * k + 4},
                               {y.begin() + 16 * k, y.begin() + 16 * k + 16});
}
