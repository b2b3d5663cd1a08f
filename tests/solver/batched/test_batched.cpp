// Batches on host pointers on the CPU.
#include "solver/api/batched.hpp"

#include <algorithm>

#include "hybrid/machine/cpu.hpp"
#include "solver/api/argument.hpp"
#include "solver/api/eigen_g.hpp"
#include "tests/support/batches.hpp"

using namespace eigen_g;
using support::batch_families;
using support::batch_of_families;
using support::BatchPairs;
using support::same_bits;
using support::StoredBatch;

namespace {

const std::vector<std::int64_t> sizes{1, 2, 3, 4, 5, 8, 16, 17, 33, 48, 49, 64, 65, 130};

Devices on_cpu(int threads = 0) {
  Devices devices;
  devices.device = DeviceChoice::cpu;
  devices.threads = threads;
  return devices;
}

template <class T>
BatchPairs<T> solve(const StoredBatch<T>& batch, Options options = {}, std::int64_t padding = 0,
                    std::int64_t gap = 0, int threads = 0) {
  options.uplo = batch.uplo;
  BatchPairs<T> p(batch.n, options.subset.max_count(batch.n), batch.count, options.vectors, padding, gap);
  p.strides.a = batch.stride;
  const std::vector<T> a = batch.a;
  p.report = eigen_g_batched(batch.n, batch.count, a.data(), batch.lda, p.w.data(), p.z.data(), p.ldz,
                             p.status.data(), p.strides, options, on_cpu(threads));
  CHECK(same_bits(a, batch.a));
  return p;
}

// Matrix k alone.
template <class T>
BatchPairs<T> solve_alone(const StoredBatch<T>& batch, std::int64_t k, Options options = {}) {
  StoredBatch<T> one{batch.uplo, batch.n, 1, batch.lda, batch.stride, {}};
  one.a.assign(batch.a.begin() + k * batch.stride, batch.a.begin() + (k + 1) * batch.stride);
  return solve(one, options);
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

TEMPLATE_TEST_CASE("batch: every family and size, either triangle, with gaps", "", ALL_TYPES) {
  using T = TestType;
  for (const std::int64_t n : sizes)
    for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
      const std::int64_t padding = n % 2, gap = 3;
      const StoredBatch<T> batch = batch_of_families<T>(n, batch_families, uplo, padding, gap);
      const BatchPairs<T> pairs = solve(batch, {}, 2 * padding, gap);
      const BatchPairs<T> values = solve(batch, {.vectors = false});
      CHECK(pairs.report.count == batch.count);
      CHECK(pairs.report.failed == 0);
      CHECK(pairs.report.first_failed == -1);
      CHECK(pairs.report.m == n);
      for (std::int64_t k = 0; k < batch.count; ++k) {
        CAPTURE(n, k, uplo == Uplo::upper);
        const support::BatchQuality q = support::quality(batch, k, pairs.values(k), pairs.vectors(k, n));
        CHECK(pairs.status[static_cast<std::size_t>(k)] == 0);
        CHECK(q.ascending);
        CHECK(q.residual <=
              (n <= 4 ? support::limits::tiny_batch_residual_on_cpu : support::limits::batch(n)));
        CHECK(q.orthogonality <= support::limits::batch(n));
        if (n <= 48) CHECK(same_bits(values.values(k), pairs.values(k)));
      }
      for (std::size_t i = 0; i < pairs.w.size(); ++i)
        if (static_cast<std::int64_t>(i) % pairs.strides.w >= n) REQUIRE(pairs.w[i] == pairs.guard);
      for (std::size_t i = 0; i < pairs.z.size(); ++i) {
        const std::int64_t within = static_cast<std::int64_t>(i) % pairs.strides.z;
        if (within >= pairs.ldz * n || within % pairs.ldz >= n) REQUIRE(pairs.z[i] == T(pairs.guard));
      }
    }
}

TEMPLATE_TEST_CASE("batch: a matrix has the same bits alone, at any place, on any number of threads", "",
                   ALL_TYPES) {
  using T = TestType;
  for (const std::int64_t n : sizes) {
    const std::int64_t count = n < 64 ? 40 : 5;
    const StoredBatch<T> batch = batch_of_families<T>(n, count);
    const BatchPairs<T> one = solve(batch, {}, 0, 0, 1), many = solve(batch, {}, 3, 5, 4);
    StoredBatch<T> reversed = batch;
    for (std::int64_t k = 0; k < count; ++k)
      std::copy_n(batch.a.begin() + k * batch.stride, batch.stride,
                  reversed.a.begin() + (count - 1 - k) * batch.stride);
    const BatchPairs<T> other = solve(reversed);
    for (std::int64_t k = 0; k < count; ++k) {
      CAPTURE(n, k);
      const BatchPairs<T> alone = solve_alone(batch, k);
      for (const BatchPairs<T>* p : {&one, &many}) {
        CHECK(same_bits(p->values(k), alone.values(0)));
        CHECK(same_bits(p->vectors(k, n), alone.vectors(0, n)));
      }
      CHECK(same_bits(other.values(count - 1 - k), alone.values(0)));
      CHECK(same_bits(other.vectors(count - 1 - k, n), alone.vectors(0, n)));
    }
  }
}

TEST_CASE("batch: matrices of order 300 to 699 are solved one a thread, with the bits of a matrix alone") {
  for (const std::int64_t n : {300, 420, 699, 700}) {
    const std::int64_t count = 3;
    const StoredBatch<double> batch = batch_of_families<double>(n, count);
    const BatchPairs<double> many = solve(batch, {}, 0, 0, 2);
    for (std::int64_t k = 0; k < count; ++k) {
      CAPTURE(n, k);
      const BatchPairs<double> alone = solve_alone(batch, k);
      CHECK(same_bits(many.values(k), alone.values(0)));
      CHECK(same_bits(many.vectors(k, n), alone.vectors(0, n)));
      // Each thread has a workspace.
      const std::uint64_t workspaces = n < 700 ? static_cast<std::uint64_t>(std::min(2, usable_cores())) : 1;
      CHECK(many.report.bytes.host == workspaces * solve(batch, {}, 0, 0, 1).report.bytes.host);
    }
  }
}

TEMPLATE_TEST_CASE("batch: a part by index has the bits of the whole, also over a", "", ALL_TYPES) {
  using T = TestType;
  for (const std::int64_t n : {1, 2, 5, 17, 48}) {
    const StoredBatch<T> batch = batch_of_families<T>(n, batch_families);
    const BatchPairs<T> whole = solve(batch);
    const std::int64_t first = (n + 2) / 3, last = (2 * n + 2) / 3;
    const BatchPairs<T> part = solve(batch, {.subset = Subset::by_index(first, last)}, 1, 2);
    CHECK(part.report.m == last - first + 1);
    StoredBatch<T> over = batch;
    std::vector<real_t<T>> w(static_cast<std::size_t>(n * batch.count));
    CHECK(eigen_g_batched(n, batch.count, over.a.data(), batch.lda, w.data(), over.a.data(), batch.lda,
                          nullptr, {}, {}, on_cpu())
              .failed == 0);
    CHECK(same_bits(over.a, whole.z));
    CHECK(same_bits(w, whole.w));
    for (std::int64_t k = 0; k < batch.count; ++k) {
      CAPTURE(n, k);
      const std::vector<real_t<T>> all = whole.values(k);
      const std::vector<T> vectors = whole.vectors(k, n);
      CHECK(same_bits(part.values(k), {all.begin() + (first - 1), all.begin() + last}));
      CHECK(same_bits(part.vectors(k, n), {vectors.begin() + (first - 1) * n, vectors.begin() + last * n}));
    }
  }
}

TEMPLATE_TEST_CASE("batch: a NaN or an infinity harms its own matrix only", "", ALL_TYPES) {
  using T = TestType;
  const real_t<T> infinity = std::numeric_limits<real_t<T>>::infinity();
  for (const std::int64_t n : {1, 2, 3, 4, 5, 9, 50}) {
    const StoredBatch<T> good = batch_of_families<T>(n, 3, n % 2 ? Uplo::lower : Uplo::upper);
    const BatchPairs<T> expected = solve(good);
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < n; i += n == 50 ? 7 : 1) {
        if (good.uplo == Uplo::lower ? i < j : i > j) continue;
        for (const T bad : {support::not_a_number<T>(), T(infinity), T(-infinity)}) {
          CAPTURE(n, i, j, bad);
          StoredBatch<T> batch = good;
          batch.at(1, i, j) = bad;
          const BatchPairs<T> found = solve(batch);
          CHECK(found.report.failed == 1);
          CHECK(found.report.first_failed == 1);
          CHECK(found.status == std::vector<std::int32_t>{0, -1, 0});
          for (const std::int64_t k : {0, 2}) {
            CHECK(same_bits(found.values(k), expected.values(k)));
            CHECK(same_bits(found.vectors(k, n), expected.vectors(k, n)));
          }
          for (const real_t<T> x : found.values(1)) CHECK(std::isnan(x));
          for (const T x : found.vectors(1, n)) CHECK(std::isnan(std::real(x)));
        }
      }
  }
}

TEMPLATE_TEST_CASE("batch: ragged matrices have the bits of strided ones", "", ALL_TYPES) {
  using T = TestType;
  std::vector<StoredBatch<T>> matrices;
  for (const std::int64_t n : {3, 0, 65, 1, 8, 130, 17, 3, 301, 48})
    matrices.push_back(batch_of_families<T>(n, 1, Uplo::upper, n % 3));
  const std::int64_t count = static_cast<std::int64_t>(matrices.size());
  std::vector<std::int64_t> orders, lda;
  std::vector<const T*> a;
  std::vector<std::vector<real_t<T>>> values;
  std::vector<std::vector<T>> vectors;
  std::vector<real_t<T>*> w;
  std::vector<T*> z;
  matrices[4].at(0, 1, 2) = support::not_a_number<T>();
  for (const StoredBatch<T>& m : matrices) {
    orders.push_back(m.n);
    lda.push_back(m.lda);
    a.push_back(m.a.data());
    values.emplace_back(static_cast<std::size_t>(m.n));
    vectors.emplace_back(static_cast<std::size_t>(m.n * m.n));
  }
  for (std::size_t k = 0; k < values.size(); ++k) {
    w.push_back(values[k].data());
    z.push_back(vectors[k].data());
  }
  std::vector<std::int32_t> status(matrices.size(), 77);
  const RaggedBatch<T> ragged{count, orders.data(), a.data(), lda.data(), w.data(), z.data(), nullptr};
  const BatchReport report = eigen_g_ragged(ragged, status.data(), {.uplo = Uplo::upper}, on_cpu());
  CHECK(report.count == count);
  CHECK(report.m == 301);
  CHECK(report.failed == 1);
  CHECK(report.first_failed == 4);
  for (std::size_t k = 0; k < matrices.size(); ++k) {
    CAPTURE(k);
    CHECK(status[k] == (k == 4 ? -1 : 0));
    if (matrices[k].n == 0 || k == 4) continue;
    const BatchPairs<T> alone = solve(matrices[k]);
    CHECK(same_bits(values[k], alone.w));
    CHECK(same_bits(vectors[k], alone.z));
  }
}

TEST_CASE("batch: no matrices, and matrices of order 0") {
  for (const std::int64_t n : {0, 5})
    for (const std::int64_t count : {0, 3}) {
      if (n * count > 0) continue;
      std::int32_t status[3] = {77, 77, 77};
      const BatchReport report =
          eigen_g_batched<double>(n, count, nullptr, 5, nullptr, nullptr, 5, status, {}, {}, on_cpu());
      CHECK(report.count == count);
      CHECK(report.failed == 0);
      for (std::int64_t k = 0; k < count; ++k) CHECK(status[k] == 0);
    }
  CHECK(eigen_g_ragged(RaggedBatch<float>{}).count == 0);
}

TEST_CASE("batch: wrong arguments are named") {
  std::vector<double> a(64), w(16), z(64);
  const auto with = [&](const Options& options, const Devices& devices = {}, const BatchStrides& strides = {},
                        std::int64_t count = 2) {
    return argument_of([&] {
      static_cast<void>(
          eigen_g_batched(4, count, a.data(), 4, w.data(), z.data(), 4, nullptr, strides, options, devices));
    });
  };
  CHECK(with({}) == "none");
  CHECK(with({}, {}, {}, -1) == "count");
  CHECK(with({.uplo = static_cast<Uplo>('x')}) == "uplo");
  CHECK(with({.subset = Subset::by_value(0, 1)}) == "subset.by");
  CHECK(with({.subset = Subset::by_index(2, 5)}) == "subset.last");
  CHECK(with({.path = Path::two_stage}) == "path");
  CHECK(with({.path = Path::one_stage}) == "none");
  CHECK(with({.engine = Engine::df}) == "engine");
  CHECK(with({.progress = [](Stage, double) {}}) == "progress");
  CHECK(with({.precision = Precision::mixed}) == "precision");
  CHECK(with({}, {.gpus = 2}) == "gpus");
  CHECK(with({}, {.multiprocessors = 8}) == "multiprocessors");
  CHECK(with({}, {.threads = -1}) == "threads");
  CHECK(with({}, {.ratio = {{1, 0}}}) == "ratio");
  CHECK(with({}, {}, {15, 0, 0}) == "strides.a");
  CHECK(with({}, {}, {0, 3, 0}) == "strides.w");
  CHECK(with({}, {}, {0, 0, 15}) == "strides.z");
  CHECK(with({}, {}, {std::int64_t{1} << 61, 0, 0}) == "strides.a");

  const auto call = [&](std::int64_t n, const double* from, std::int64_t lda, double* values, double* vectors,
                        std::int64_t ldz, const BatchStrides& strides = {}) {
    return argument_of(
        [&] { static_cast<void>(eigen_g_batched(n, 2, from, lda, values, vectors, ldz, nullptr, strides)); });
  };
  CHECK(call(-1, a.data(), 4, w.data(), z.data(), 4) == "n");
  CHECK(call(4, nullptr, 4, w.data(), z.data(), 4) == "a");
  CHECK(call(4, a.data(), 3, w.data(), z.data(), 4) == "lda");
  CHECK(call(4, a.data(), 4, nullptr, z.data(), 4) == "w");
  CHECK(call(4, a.data(), 4, w.data(), nullptr, 4) == "z");
  CHECK(call(4, a.data(), 4, w.data(), z.data(), 3) == "ldz");
  CHECK(call(4, a.data(), 4, w.data(), a.data(), 5, {20, 0, 20}) == "ldz");
  CHECK(call(4, a.data(), 4, w.data(), a.data(), 4, {16, 0, 20}) == "strides.z");

  CHECK(argument_of([&] {
          static_cast<void>(eigen_g_batched(4, 1, device(a.data()), 4, device(w.data()), device(z.data()), 4,
                                            {}, nullptr, {}, {}, on_cpu()));
        }) == "device");
  const std::int64_t orders[] = {4, -1};
  const double* from[] = {a.data(), a.data()};
  double *values[] = {w.data(), w.data()}, *vectors[] = {z.data(), z.data()};
  const auto ragged = [&](const RaggedBatch<double>& batch, const Options& options = {}) {
    return argument_of([&] { static_cast<void>(eigen_g_ragged(batch, nullptr, options)); });
  };
  CHECK(ragged({2, orders, from, nullptr, values, vectors, nullptr}) == "n");
  CHECK(ragged({1, orders, from, nullptr, values, nullptr, nullptr}) == "z");
  CHECK(ragged({1, orders, nullptr, nullptr, values, vectors, nullptr}) == "a");
  CHECK(ragged({-1, orders, from, nullptr, values, vectors, nullptr}) == "count");
  CHECK(ragged({1, orders, from, nullptr, values, vectors, nullptr}, {.subset = Subset::by_index(1, 5)}) ==
        "subset.last");
}

TEST_CASE("batch: bytes of the workspace") {
  CHECK(batched_workspace_bytes(0, 5, {}, false).host == 0);
  for (const std::int64_t n : {5, 100}) {
    const std::vector<double> a(static_cast<std::size_t>(3 * n * n));
    std::vector<double> w(static_cast<std::size_t>(3 * n)), z = a;
    const BatchReport report =
        eigen_g_batched(n, 3, a.data(), n, w.data(), z.data(), n, nullptr, {}, {}, on_cpu());
    CHECK(report.bytes.host > 0);
    CHECK(report.bytes.host <= batched_workspace_bytes(n, 3, {}, false).host);
    CHECK(report.bytes.device == 0);
    CHECK(report.devices.size() == 1);
  }
}
