// Tests of sytrd_sy2sb, sytrd_sb2st and their back-transformations on host pointers, on the CPU and on a GPU. They are compared
// with the properties that define them, the band's spectrum and the reflectors with LAPACK's.
#include <lapacke.h>

#include "solver/api/stages.h"
#include "solver/api/stages.hpp"
#include "solver/verify/verify_reduction.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/reduction.hpp"
#include "tests/support/solving.hpp"
#include "tests/support/stage_calls.hpp"

using namespace eigen_g;
using support::guard, support::guarded, support::on, support::refused;
using support::random_matrix;
using support::Stored;
using support::reduction::identity;
namespace limits = support::limits;

namespace {

struct Tridiagonal {
  std::vector<double> d, e, hous;
};

Tridiagonal chase(Uplo uplo, std::int64_t n, std::int64_t kd, const std::vector<double>& ab,
                  std::int64_t ldab, DeviceChoice place) {
  Tridiagonal t{guarded(n), guarded(n - 1), guarded(sytrd_sb2st_hous(n, kd))},
      values{guarded(n), guarded(n - 1), {}};
  sytrd_sb2st(uplo, n, kd, ab.data(), ldab, t.d.data(), t.e.data(), t.hous.data(), on(place));
  sytrd_sb2st(uplo, n, kd, ab.data(), ldab, values.d.data(), values.e.data(), nullptr, on(place));
  CHECK(support::same_bits(values.d, t.d));
  CHECK(support::same_bits(values.e, t.e));
  for (const auto* x : {&t.d, &t.e, &t.hous}) CHECK(std::count(x->begin(), x->end(), guard) == 1);
  return t;
}

// The full matrix of a band.
std::vector<double> spread(Uplo uplo, std::int64_t n, std::int64_t kd, const std::vector<double>& ab,
                           std::int64_t ldab) {
  std::vector<double> a(static_cast<std::size_t>(n * n), 0.0);
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = j; i < n && i - j <= kd; ++i)
      a[static_cast<std::size_t>(i + j * n)] = a[static_cast<std::size_t>(j + i * n)] =
          ab[static_cast<std::size_t>(uplo == Uplo::lower ? i - j + j * ldab : kd + j - i + i * ldab)];
  return a;
}

double limit_of(std::int64_t n) {
  return n < 60 ? limits::reduction : limits::reduction_random;
}

void check_reduced(Uplo uplo, std::int64_t n, const std::vector<double>& a, std::int64_t lda,
                   const Tridiagonal& t, const std::vector<double>& q, std::int64_t ldq) {
  const ReductionRatios found =
      verify_reduction(uplo, {a.data(), n, n, lda}, t.d.data(), t.e.data(), {q.data(), n, n, ldq});
  CHECK(found.backward < limit_of(n));
  CHECK(found.orthogonality < limit_of(n));
}

//   max |w_k(T) - w_k(B)|
//   ---------------------    B by dsbtrd
//     n ulp max |w(B)|
void check_spectrum(Uplo uplo, std::int64_t n, std::int64_t kd, std::vector<double> ab, std::int64_t ldab,
                    Tridiagonal t) {
  std::vector<double> w(static_cast<std::size_t>(n)), e(static_cast<std::size_t>(n));
  const auto order = static_cast<lapack_int>(n);
  REQUIRE(LAPACKE_dsbtrd(LAPACK_COL_MAJOR, 'N', static_cast<char>(uplo), order,
                         static_cast<lapack_int>(std::min(kd, n - 1)),
                         ab.data() + (uplo == Uplo::upper && kd > n - 1 ? kd - (n - 1) : 0),
                         static_cast<lapack_int>(ldab), w.data(), e.data(), nullptr, 1) == 0);
  REQUIRE(LAPACKE_dsterf(order, w.data(), e.data()) == 0);
  REQUIRE(LAPACKE_dsterf(order, t.d.data(), t.e.data()) == 0);
  t.d.pop_back();
  CHECK(support::eigenvalue_ratio(t.d, w) < limits::eigenvalue);
}

// Q1 by LAPACK's routine from the reflectors of sy2sb.
std::vector<double> q1_by_lapack(const Stored& s, std::int64_t kd, const std::vector<double>& a,
                                 const std::vector<double>& tau) {
  std::vector<double> q = identity(s.n);
  const auto k = static_cast<lapack_int>(s.n - kd), n = static_cast<lapack_int>(s.n),
             lda = static_cast<lapack_int>(s.lda);
  if (k <= 0) return q;
  double* const z = q.data() + kd;
  std::vector<double> work(
      static_cast<std::size_t>(64 * n));  // LAPACKE also looks for NaN outside of the reflectors
  const auto size = static_cast<lapack_int>(work.size());
  if (s.uplo == Uplo::lower)
    REQUIRE(LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', 'N', k, n, k, a.data() + kd, lda, tau.data(), z, n,
                                work.data(), size) == 0);
  else
    REQUIRE(LAPACKE_dormlq_work(LAPACK_COL_MAJOR, 'L', 'T', k, n, k, a.data() + kd * s.lda, lda, tau.data(),
                                z, n, work.data(), size) == 0);
  return q;
}

void check(const Stored& s, std::int64_t kd, DeviceChoice place, std::int64_t more = 0) {
  CAPTURE(s.n, kd, support::name(s.uplo), more);
  const std::int64_t n = s.n, ldab = kd + 1 + more, ldq = n + 2;
  std::vector<double> a = s.a, ab = guarded(ldab * n - 1), tau = guarded(n - kd);
  sytrd_sy2sb(s.uplo, n, kd, a.data(), s.lda, ab.data(), ldab, tau.data(), on(place));
  CHECK(std::count(tau.begin(), tau.end(), guard) == 1);
  std::int64_t touched = 0;  // the other triangle and the rows after n were NaN
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < s.lda; ++i)
      if (i >= n || !s.used(i, j)) touched += !std::isnan(a[static_cast<std::size_t>(i + j * s.lda)]);
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = kd + 1; i < ldab; ++i)
      touched += ab[static_cast<std::size_t>(i + j * ldab)] != guard;
  CHECK(touched == 0);

  const Tridiagonal t = chase(s.uplo, n, kd, ab, ldab, place);
  check_spectrum(s.uplo, n, kd, ab, ldab, t);
  std::vector<double> q(static_cast<std::size_t>(n * ldq), guard);
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i) q[static_cast<std::size_t>(i + j * ldq)] = i == j;
  ormtr_sb2st(n, n, kd, t.hous.data(), q.data(), ldq, on(place));
  check_reduced(s.uplo, n, spread(s.uplo, n, kd, ab, ldab), n, t, q, ldq);
  ormtr_sy2sb(s.uplo, n, n, kd, a.data(), s.lda, tau.data(), q.data(), ldq, on(place));
  check_reduced(s.uplo, n, s.a, s.lda, t, q, ldq);
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = n; i < ldq; ++i) REQUIRE(q[static_cast<std::size_t>(i + j * ldq)] == guard);

  std::vector<double> q1 = identity(n);
  ormtr_sy2sb(s.uplo, n, n, kd, a.data(), s.lda, tau.data(), q1.data(), n, on(place));
  const std::vector<double> expected = q1_by_lapack(s, kd, a, tau);
  double difference = 0;
  for (std::size_t i = 0; i < q1.size(); ++i)
    difference = std::max(difference, std::fabs(q1[i] - expected[i]));
  CHECK(difference <= static_cast<double>(n) * limits::ulp * limit_of(n));
}

}  // namespace

TEMPLATE_TEST_CASE("by a band: A = Q1 B Q1^T, B = Q2 T Q2^T in LAPACK's layout", "[gpu]", support::OnCpu,
                   support::OnGpu) {
  ON_DEVICE(TestType);
  for (const std::int64_t kd : {32, 48, 64, 96, 128})
    for (const std::int64_t n : {std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, kd - 1, kd, kd + 1,
                                 kd + 2, 2 * kd + 1, 3 * kd + 5})
      check(random_matrix(n, n % 2 == 0 ? Uplo::lower : Uplo::upper, n % 3), kd, TestType::device, n % 2);
  for (const Uplo uplo : {Uplo::lower, Uplo::upper}) check(random_matrix(301, uplo, 1), 64, TestType::device);
}

TEST_CASE("by a band on the CPU: any bandwidth") {
  for (const std::int64_t kd : {1, 2, 7, 33})
    for (const std::int64_t n : {2, 9, 70})
      for (const Uplo uplo : {Uplo::lower, Uplo::upper})
        check(random_matrix(n, uplo, 1), kd, DeviceChoice::cpu, 1);
}

TEMPLATE_TEST_CASE("by a band: a band of any width up to 128 is chased", "[gpu]", support::OnCpu,
                   support::OnGpu) {
  ON_DEVICE(TestType);
  const std::int64_t n = 150;
  for (const std::int64_t kd : {0, 1, 2, 31, 33, 65, 127, 128})
    for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
      CAPTURE(kd, support::name(uplo));
      std::vector<double> ab(static_cast<std::size_t>((kd + 1) * n), support::nan);  // outside of the matrix
      const std::vector<double> random = support::random_symmetric(n, 11);
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = j; i < n && i - j <= kd; ++i)
          ab[static_cast<std::size_t>(uplo == Uplo::lower ? i - j + j * (kd + 1)
                                                          : kd + j - i + i * (kd + 1))] =
              random[static_cast<std::size_t>(i + j * n)];
      const Tridiagonal t = chase(uplo, n, kd, ab, kd + 1, TestType::device);
      std::vector<double> q = identity(n);
      ormtr_sb2st(n, n, kd, t.hous.data(), q.data(), n, on(TestType::device));
      check_reduced(uplo, n, spread(uplo, n, kd, ab, kd + 1), n, t, q, n);
    }
}

TEMPLATE_TEST_CASE("by a band: the stages make a solve, huge and tiny ones too", "[gpu]", support::OnCpu,
                   support::OnGpu) {
  ON_DEVICE(TestType);
  const std::int64_t n = 211, kd = 32;
  for (const Uplo uplo : {Uplo::lower, Uplo::upper})
    for (const double factor : {1.0, 0x1p600, 0x1p-600}) {
      CAPTURE(factor);
      Stored s = random_matrix(n, uplo, 1);
      for (double& x : s.a) x *= factor;
      std::vector<double> a = s.a, ab((kd + 1) * n), tau(n);
      sytrd_sy2sb(uplo, n, kd, a.data(), s.lda, ab.data(), kd + 1, tau.data(), on(TestType::device));
      Tridiagonal t = chase(uplo, n, kd, ab, kd + 1, TestType::device);
      support::Solved solved{t.d, std::vector<double>(n * n), n, {}};
      solved.w.pop_back();
      CHECK(stedc(n, solved.w.data(), t.e.data(), solved.z.data(), n, on(TestType::device)).status ==
            Status::converged);
      ormtr_sb2st(n, n, kd, t.hous.data(), solved.z.data(), n, on(TestType::device));
      ormtr_sy2sb(uplo, n, n, kd, a.data(), s.lda, tau.data(), solved.z.data(), n, on(TestType::device));
      support::check_pairs(s, solved);
    }
}

TEST_CASE("by a band: what one device leaves, the other takes", "[gpu]") {
  NEEDS_GPU();
  const std::int64_t n = 230, kd = 48;
  const Stored s = random_matrix(n, Uplo::upper, 3);
  for (const bool first : {true, false}) {
    const DeviceChoice here = first ? DeviceChoice::gpu : DeviceChoice::cpu,
                       there = first ? DeviceChoice::cpu : DeviceChoice::gpu;
    std::vector<double> a = s.a, ab((kd + 1) * n), tau(n), q = identity(n);
    sytrd_sy2sb(s.uplo, n, kd, a.data(), s.lda, ab.data(), kd + 1, tau.data(), on(here));
    const Tridiagonal t = chase(s.uplo, n, kd, ab, kd + 1, here);
    ormtr_sb2st(n, n, kd, t.hous.data(), q.data(), n, on(there));
    ormtr_sy2sb(s.uplo, n, n, kd, a.data(), s.lda, tau.data(), q.data(), n, on(there));
    check_reduced(s.uplo, n, s.a, s.lda, t, q, n);
  }
}

TEST_CASE("by a band: what is wrong is named") {
  const Devices cpu = on(DeviceChoice::cpu);
  std::vector<double> a(16, 1.0), ab(12, 1.0), d(4, 1.0), e(3, 1.0), tau(3, 1.0), z(16, 1.0);
  std::vector<double> hous(static_cast<std::size_t>(sytrd_sb2st_hous(4, 2)));
  const auto l = Uplo::lower;
  CHECK(refused([&] { sytrd_sy2sb(l, -1, 2, a.data(), 4, ab.data(), 3, tau.data(), cpu); }) == "n");
  CHECK(refused([&] { sytrd_sy2sb(l, 4, 0, a.data(), 4, ab.data(), 3, tau.data(), cpu); }) == "kd");
  CHECK(refused([&] { sytrd_sy2sb(l, 4, 2, a.data(), 3, ab.data(), 3, tau.data(), cpu); }) == "lda");
  CHECK(refused([&] { sytrd_sy2sb<double>(l, 4, 2, nullptr, 4, ab.data(), 3, tau.data(), cpu); }) == "a");
  CHECK(refused([&] { sytrd_sy2sb(l, 4, 2, a.data(), 4, nullptr, 3, tau.data(), cpu); }) == "ab");
  CHECK(refused([&] { sytrd_sy2sb(l, 4, 2, a.data(), 4, ab.data(), 2, tau.data(), cpu); }) == "ldab");
  CHECK(refused([&] { sytrd_sy2sb(l, 4, 2, a.data(), 4, ab.data(), 3, nullptr, cpu); }) == "tau");
  CHECK(refused([&] {
          sytrd_sy2sb(l, 4, 2, a.data(), 4, ab.data(), 3, tau.data(), on(DeviceChoice::gpu));
        }) == "kd");
  CHECK(refused([&] { sytrd_sb2st(l, 4, 129, ab.data(), 130, d.data(), e.data(), nullptr, cpu); }) == "kd");
  CHECK(refused([&] { sytrd_sb2st(l, 4, 2, ab.data(), 3, nullptr, e.data(), nullptr, cpu); }) == "d");
  CHECK(refused([&] { sytrd_sb2st(l, 4, 2, ab.data(), 3, d.data(), nullptr, nullptr, cpu); }) == "e");
  CHECK(refused([&] { sytrd_sb2st(l, 4, 2, ab.data(), 3, d.data(), e.data(), hous.data() + 1, cpu); }) ==
        "hous");
  ab[4] = support::nan;
  CHECK(refused([&] { sytrd_sb2st(l, 4, 2, ab.data(), 3, d.data(), e.data(), nullptr, cpu); }) == "ab");
  CHECK(refused([&] { ormtr_sb2st(4, -1, 2, hous.data(), z.data(), 4, cpu); }) == "m");
  CHECK(refused([&] { ormtr_sb2st<double>(4, 4, 2, nullptr, z.data(), 4, cpu); }) == "hous");
  CHECK(refused([&] { ormtr_sb2st(4, 4, 2, hous.data(), z.data(), 3, cpu); }) == "ldz");
  CHECK(refused([&] { ormtr_sy2sb(l, 4, 4, 2, a.data(), 4, tau.data(), nullptr, 4, cpu); }) == "z");
  CHECK(refused([&] { (void)sytrd_sb2st_hous(10, 200); }) == "kd");
  for (const auto* x : {&a, &d, &e, &tau, &z})
    CHECK(std::all_of(x->begin(), x->end(), [](double value) { return value == 1; }));

  CHECK(eigen_g_dsytrd_sy2sb('X', 4, 2, a.data(), 4, ab.data(), 3, tau.data()) == -1);
  CHECK(eigen_g_dsytrd_sy2sb('L', 4, 0, a.data(), 4, ab.data(), 3, tau.data()) == -3);
  CHECK(eigen_g_dsytrd_sy2sb('L', 4, 2, a.data(), 4, ab.data(), 2, tau.data()) == -7);
  CHECK(eigen_g_dsytrd_sb2st('L', 4, 2, ab.data(), 3, d.data(), e.data(), nullptr) == -4);
  CHECK(eigen_g_dsytrd_sb2st_hous(10, 200) == -2);
  CHECK(eigen_g_dormtr_sb2st(4, 4, 2, nullptr, z.data(), 4) == -4);
  CHECK(eigen_g_dormtr_sy2sb('L', 4, 4, 2, a.data(), 4, tau.data(), z.data(), 3) == -9);
}

TEST_CASE("by a band: a NaN in A is named where it stands, on either device", "[gpu]") {
  for (const DeviceChoice place : {DeviceChoice::cpu, DeviceChoice::gpu}) {
    if (place == DeviceChoice::gpu && !support::have_gpu()) continue;
    Stored s = random_matrix(50, Uplo::upper, 1);
    s.at(7, 40) = support::nan;
    std::vector<double> a = s.a, ab(33 * 50), tau(50);
    try {
      sytrd_sy2sb(s.uplo, 50, 32, a.data(), s.lda, ab.data(), 33, tau.data(), on(place));
      FAIL_CHECK("was accepted");
    } catch (const NonFiniteEntry& error) {
      CHECK(error.row() == 7);
      CHECK(error.col() == 40);
    }
    CHECK(support::same_bits(a, s.a));
  }
}
