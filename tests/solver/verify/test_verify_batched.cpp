#include "solver/verify/verify_batched.hpp"

#include "solver/verify/verify.hpp"
#include "tests/support/generalised_batches.hpp"

using namespace eigen_g;
using support::batch_families;
using support::batch_of_families;
using support::BatchPairs;
using support::StoredBatch;

namespace {

template <class T>
struct Solved {
  StoredBatch<T> batch;
  BatchPairs<T> pairs;
  Solved(std::int64_t n, std::int64_t count, Uplo uplo, const Subset& subset = {}, std::int64_t padding = 0,
         std::int64_t gap = 0)
      : batch(batch_of_families<T>(n, count, uplo, padding, gap)),
        pairs(n, subset.max_count(n), count, true, padding, gap) {
    pairs.strides.a = batch.stride;
    Options options;
    options.uplo = uplo;
    options.subset = subset;
    Devices devices;
    devices.device = DeviceChoice::cpu;
    pairs.report = eigen_g_batched(n, count, batch.a.data(), batch.lda, pairs.w.data(), pairs.z.data(),
                                   pairs.ldz, nullptr, pairs.strides, options, devices);
    REQUIRE(pairs.report.failed == 0);
  }
  BatchVerification verified(int threads = 0) const {
    return verify_batched(batch.uplo, batch.n, batch.count, batch.a.data(), batch.lda, pairs.m,
                          pairs.w.data(), pairs.z.data(), pairs.ldz, pairs.strides, DeviceChoice::cpu,
                          threads);
  }
  Verification alone(std::int64_t k) const {
    return verify(batch.uplo, batch.n, batch.a.data() + k * batch.stride, batch.lda, pairs.m,
                  pairs.w.data() + k * pairs.strides.w, pairs.z.data() + k * pairs.strides.z, pairs.ldz,
                  DeviceChoice::cpu);
  }
};

}  // namespace

TEMPLATE_TEST_CASE("the verification of a batch has the worst figures of its matrices", "", float, double,
                   std::complex<float>, std::complex<double>) {
  for (const std::int64_t n : {1, 2, 3, 17, 40})
    for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
      const std::int64_t first = (n + 2) / 3;
      const Solved<TestType> all(n, batch_families + 1, uplo, {}, 2, 5),
          some(n, batch_families, uplo, Subset::by_index(first, n));
      for (const Solved<TestType>* s : {&all, &some}) {
        CAPTURE(n, static_cast<char>(uplo), s->pairs.m);
        const BatchVerification v = s->verified();
        CHECK(passed(v));
        CHECK(v.count == s->batch.count);
        CHECK(v.failed == 0);
        CHECK(v.first_failed == -1);
        CHECK(v.ascending);
        CHECK(v.finite);
        double residual = 0, orthogonality = 0;
        for (std::int64_t k = 0; k < s->batch.count; ++k) {
          residual = std::max(residual, s->alone(k).lapack_residual);
          orthogonality = std::max(orthogonality, s->alone(k).lapack_orthogonality);
        }
        CHECK(v.lapack_residual == residual);
        CHECK(v.lapack_orthogonality == orthogonality);
        CHECK(s->alone(v.residual_matrix).lapack_residual == residual);
        CHECK(s->alone(v.orthogonality_matrix).lapack_orthogonality == orthogonality);
        CHECK(s->verified(1).lapack_residual == residual);
      }
    }
}

TEST_CASE("the verification of a batch finds the matrix that is wrong") {
  const std::int64_t n = 12;
  const auto broken = [&](auto change) {
    Solved<double> s(n, 7, Uplo::lower);
    change(s);
    return s.verified();
  };
  const auto w = [](Solved<double>& s, std::int64_t k, std::int64_t i) -> double& {
    return s.pairs.w[static_cast<std::size_t>(k * s.pairs.strides.w + i)];
  };
  const auto z = [](Solved<double>& s, std::int64_t k, std::int64_t i) -> double& {
    return s.pairs.z[static_cast<std::size_t>(k * s.pairs.strides.z + i)];
  };
  const BatchVerification shifted = broken([&](Solved<double>& s) { w(s, 6, n - 1) += 1; });
  CHECK_FALSE(passed(shifted));
  CHECK(shifted.failed == 1);
  CHECK(shifted.first_failed == 6);
  CHECK(shifted.residual_matrix == 6);
  CHECK(shifted.lapack_residual > 1000);
  CHECK(shifted.lapack_orthogonality < 10);

  const BatchVerification turned = broken([&](Solved<double>& s) {
    for (std::int64_t i = 0; i < n; ++i) z(s, 3, i) = z(s, 3, n + i);
  });
  CHECK(turned.first_failed == 3);
  CHECK(turned.orthogonality_matrix == 3);

  const BatchVerification unordered = broken([&](Solved<double>& s) {
    std::swap(w(s, 5, 0), w(s, 5, 1));
    for (std::int64_t i = 0; i < n; ++i) std::swap(z(s, 5, i), z(s, 5, n + i));
  });
  CHECK_FALSE(unordered.ascending);
  CHECK(unordered.first_failed == 5);
  CHECK(unordered.lapack_residual < 10);

  const BatchVerification nan = broken([&](Solved<double>& s) {
    z(s, 2, 0) = std::nan("");
    w(s, 6, n - 1) += 1;
  });
  CHECK_FALSE(nan.finite);
  CHECK(nan.failed == 2);
  CHECK(nan.first_failed == 2);
  CHECK(std::isnan(nan.lapack_residual));
  CHECK(nan.residual_matrix == 2);
}

TEST_CASE("the verification of an empty batch passes, and wrong arguments are refused") {
  const auto check = [](std::int64_t n, std::int64_t count, std::int64_t lda, std::int64_t m) {
    const double a[4] = {1, 0, 0, 1}, w[2] = {1, 1};
    return verify_batched<double>(Uplo::lower, n, count, a, lda, m, w, a, 2, {}, DeviceChoice::cpu);
  };
  CHECK(passed(check(2, 1, 2, 2)));
  CHECK(passed(check(2, 0, 2, 2)));
  CHECK(passed(check(0, 5, 1, 0)));
  CHECK(check(2, 0, 2, 2).residual_matrix == -1);
  CHECK_THROWS_AS(check(2, -1, 2, 2), InvalidArgument);
  CHECK_THROWS_AS(check(-1, 1, 2, 0), InvalidArgument);
  CHECK_THROWS_AS(check(2, 1, 1, 2), InvalidArgument);
  CHECK_THROWS_AS(check(2, 1, 2, 3), InvalidArgument);
}

TEMPLATE_TEST_CASE("the verification of generalised problems has the worst figures of its problems", "",
                   float, double, std::complex<float>, std::complex<double>) {
  using T = TestType;
  const std::int64_t n = 9, count = 6;
  Devices devices;
  devices.device = DeviceChoice::cpu;
  for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
    const StoredBatch<T> a = batch_of_families<T>(n, count, uplo, 1, 2),
                         b = support::positive_definite_batch(a, 2, 3);
    BatchPairs<T> p(n, n, count, true, 1, 4);
    p.strides.a = a.stride;
    p.strides.b = b.stride;
    Options options;
    options.uplo = uplo;
    REQUIRE(sygvd_batched(n, count, a.a.data(), a.lda, b.a.data(), b.lda, p.w.data(), p.z.data(), p.ldz,
                          nullptr, p.strides, options, devices)
                .failed == 0);
    const auto verified = [&](const StoredBatch<T>& of_b) {
      return verify_generalised_batched(uplo, n, count, a.a.data(), a.lda, of_b.a.data(), of_b.lda, n,
                                        p.w.data(), p.z.data(), p.ldz, p.strides);
    };
    const BatchVerification v = verified(b);
    CHECK(passed(v));
    CHECK(v.count == count);
    double residual = 0, orthogonality = 0;
    for (std::int64_t k = 0; k < count; ++k) {
      const GeneralisedVerification one = verify_generalised<T>(
          1, uplo, n, a.a.data() + k * a.stride, a.lda, b.a.data() + k * b.stride, b.lda, n,
          p.w.data() + k * p.strides.w, p.z.data() + k * p.strides.z, p.ldz, DeviceChoice::cpu);
      residual = std::max(residual, one.residual);
      orthogonality = std::max(orthogonality, one.orthogonality / one.condition);
    }
    CHECK(v.lapack_residual == residual);
    CHECK(v.lapack_orthogonality == orthogonality);

    StoredBatch<T> other = b;
    other.at(2, 3, 3) *= real_t<T>(1.5);
    other.at(4, 0, 0) = T(-1);
    const BatchVerification wrong = verified(other);
    CHECK(wrong.failed == 2);
    CHECK(wrong.first_failed == 2);
    CHECK(wrong.residual_matrix == 4);
    CHECK(std::isnan(wrong.lapack_residual));
  }
}
