// Tests of sytrd, stedc and ormtr on host pointers, on the CPU and on a GPU, against LAPACK and the properties that define them.
#include "solver/api/stages.hpp"

#include <lapacke.h>

#include "solver/api/stages.h"
#include "solver/c/c_arguments.hpp"
#include "solver/prepare/lapack.hpp"
#include "solver/verify/verify_reduction.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/solving.hpp"
#include "tests/support/stage_calls.hpp"
#include "tests/support/tridiagonal.hpp"

using namespace eigen_g;
using support::guard, support::guarded, support::on, support::refused;
using support::random_matrix;
using support::Stored;
namespace limits = support::limits;

// tests/solver/api/c_stages_caller.c, compiled as C
extern "C" std::int64_t solve_three_by_three_by_stages_from_c(double* w, double* z);

namespace {

struct Reduced {
  std::vector<double> a, d, e, tau;  // d, e, tau with a guard after each
};

// The other triangle and the rows after n are NaN in `s` and must not change.
Reduced reduce(const Stored& s, DeviceChoice device) {
  Reduced r{s.a, guarded(s.n), guarded(s.n - 1), guarded(s.n - 1)};
  sytrd(s.uplo, s.n, r.a.data(), s.lda, r.d.data(), r.e.data(), r.tau.data(), on(device));
  std::int64_t touched = 0;
  for (std::int64_t j = 0; j < s.n; ++j)
    for (std::int64_t i = 0; i < s.lda; ++i)
      if (i >= s.n || !s.used(i, j)) touched += !std::isnan(r.a[static_cast<std::size_t>(i + j * s.lda)]);
  CHECK(touched == 0);
  for (const auto* x : {&r.d, &r.e, &r.tau}) CHECK(x->back() == guard);
  for (const auto* x : {&r.d, &r.e, &r.tau}) CHECK(std::count(x->begin(), x->end(), guard) == 1);
  return r;
}

std::vector<double> identity(std::int64_t n, std::int64_t ld) {
  std::vector<double> q(static_cast<std::size_t>(n * ld), guard);
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i) q[static_cast<std::size_t>(i + j * ld)] = i == j;
  return q;
}

ReductionRatios check_reduction(const Stored& s, DeviceChoice device, double limit) {
  const Reduced r = reduce(s, device);
  const std::int64_t ldq = s.n + 2;
  std::vector<double> q = identity(s.n, ldq), by_lapack = identity(s.n, s.n);
  const std::vector<double> before = r.a;
  ormtr(s.uplo, s.n, s.n, r.a.data(), s.lda, r.tau.data(), q.data(), ldq, on(device));
  CHECK(support::same_bits(before, r.a));
  for (std::int64_t j = 0; j < s.n; ++j)
    for (std::int64_t i = s.n; i < ldq; ++i) REQUIRE(q[static_cast<std::size_t>(i + j * ldq)] == guard);

  const ReductionRatios found = verify_reduction(s.uplo, {s.a.data(), s.n, s.n, s.lda}, r.d.data(),
                                                 r.e.data(), {q.data(), s.n, s.n, ldq});
  CHECK(found.backward < limit);
  CHECK(found.orthogonality < limit);

  // LAPACK's routine makes the same Q from the reflectors, and d and e are where dsytrd stores them.
  const auto n = static_cast<lapack_int>(s.n);
  REQUIRE(LAPACKE_dormtr(LAPACK_COL_MAJOR, 'L', static_cast<char>(s.uplo), 'N', n, n, r.a.data(),
                         static_cast<lapack_int>(s.lda), r.tau.data(), by_lapack.data(), n) == 0);
  double difference = 0;
  for (std::int64_t j = 0; j < s.n; ++j)
    for (std::int64_t i = 0; i < s.n; ++i)
      difference = std::max(difference, std::fabs(by_lapack[static_cast<std::size_t>(i + j * s.n)] -
                                                  q[static_cast<std::size_t>(i + j * ldq)]));
  CHECK(difference <= static_cast<double>(s.n) * limits::ulp * limit);
  std::int64_t elsewhere = 0;
  for (std::int64_t j = 0; j < s.n; ++j) {
    const std::int64_t beside = s.uplo == Uplo::lower ? j + 1 + j * s.lda : j + (j + 1) * s.lda;
    const auto k = static_cast<std::size_t>(j);
    elsewhere += r.a[static_cast<std::size_t>(j + j * s.lda)] != r.d[k];
    if (j + 1 < s.n) elsewhere += r.a[static_cast<std::size_t>(beside)] != r.e[k];
  }
  CHECK(elsewhere == 0);
  return found;
}

// sytrd, stedc and ormtr give the eigenpairs of a symmetric or Hermitian A, and LAPACK's ?ormtr or ?unmtr makes the same vectors from the
// reflectors. The other triangle, the diagonal's imaginary parts and the rows after n are NaN, and do not change.
template <class T>
void check_type(std::int64_t n, Uplo uplo, DeviceChoice device, double scale = 1) {
  using R = real_t<T>;
  constexpr R nan = std::numeric_limits<R>::quiet_NaN(), eps = std::numeric_limits<R>::epsilon();
  const std::int64_t lda = n + 3;
  const std::vector<double> re = support::random_rectangle(n, n, 5), im = support::random_rectangle(n, n, 6);
  std::vector<T> full(static_cast<std::size_t>(n * n)), a(static_cast<std::size_t>(lda * n), T(nan));
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = j; i < n; ++i) {
      const auto at = static_cast<std::size_t>(i + j * n);
      T x(static_cast<R>(scale * re[at])), mirrored = x, stored = x;
      if constexpr (is_complex<T>) {
        x = {x.real(), i == j ? R() : static_cast<R>(scale * im[at])};
        mirrored = std::conj(x);
        stored = i == j ? T(x.real(), nan) : uplo == Uplo::lower ? x : mirrored;
      }
      full[at] = x;
      full[static_cast<std::size_t>(j + i * n)] = mirrored;
      a[static_cast<std::size_t>(uplo == Uplo::lower ? i + j * lda : j + i * lda)] = stored;
    }
  const auto reals = [&](std::int64_t count) { return std::vector<R>(static_cast<std::size_t>(count)); };
  std::vector<R> w = reals(n), e = reals(n), u = reals(n * n);
  std::vector<T> tau(static_cast<std::size_t>(n));
  sytrd(uplo, n, a.data(), lda, w.data(), e.data(), tau.data(), on(device));
  std::int64_t touched = 0;
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < lda; ++i)
      if (i >= n || (uplo == Uplo::lower ? i < j : i > j))
        touched += !std::isnan(std::real(a[static_cast<std::size_t>(i + j * lda)]));
  CHECK(touched == 0);
  REQUIRE(stedc(n, w.data(), e.data(), u.data(), n, on(device)).status == Status::converged);
  std::vector<T> z(u.begin(), u.end()), by_lapack = z;
  ormtr(uplo, n, n, a.data(), lda, tau.data(), z.data(), n, on(device));

  for (T& x : a)  // LAPACKE refuses NaN in the other triangle too
    if (std::isnan(std::real(x))) x = 0;
  const auto k = static_cast<lapack_int>(n), ld = static_cast<lapack_int>(lda);
  const auto letter = static_cast<char>(uplo);
  REQUIRE(lapack::routine<T>(LAPACKE_dormtr, LAPACKE_sormtr, LAPACKE_zunmtr, LAPACKE_cunmtr)(
              LAPACK_COL_MAJOR, 'L', letter, 'N', k, k, lapack::of_lapack(a.data()), ld,
              lapack::of_lapack(tau.data()), lapack::of_lapack(by_lapack.data()), k) == 0);
  double norm = 0, residual = 0, orthogonality = 0, difference = 0;
  for (const T& x : full) norm = std::max(norm, static_cast<double>(std::abs(x)));
  for (std::int64_t c = 0; c < n; ++c)
    for (std::int64_t i = 0; i < n; ++i) {
      std::complex<double> az = 0, zz = 0;
      for (std::int64_t j = 0; j < n; ++j) {
        const std::complex<double> x(z[static_cast<std::size_t>(j + c * n)]);
        az += std::complex<double>(full[static_cast<std::size_t>(i + j * n)]) / norm * x;
        zz += std::conj(std::complex<double>(z[static_cast<std::size_t>(j + i * n)])) * x;
      }
      const auto at = static_cast<std::size_t>(i + c * n);
      residual = std::max(residual, std::abs(az - static_cast<double>(w[static_cast<std::size_t>(c)]) / norm *
                                                      std::complex<double>(z[at])));
      orthogonality = std::max(orthogonality, std::abs(zz - (i == c ? 1.0 : 0.0)));
      difference = std::max(difference, static_cast<double>(std::abs(z[at] - by_lapack[at])));
    }
  CHECK(residual < 10 * eps * static_cast<double>(n));
  CHECK(orthogonality < 10 * eps * static_cast<double>(n));
  CHECK(difference < 10 * eps * static_cast<double>(n));
}

}  // namespace

TEMPLATE_TEST_CASE("sytrd, stedc and ormtr in float and in both complex types", "[gpu]", support::OnCpu,
                   support::OnGpu) {
  ON_DEVICE(TestType);
  for (const std::int64_t n : {1, 2, 3, 33, 64, 130})
    for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
      CAPTURE(n, support::name(uplo));
      check_type<double>(n, uplo, TestType::device);
      check_type<float>(n, uplo, TestType::device);
      check_type<std::complex<double>>(n, uplo, TestType::device);
      check_type<std::complex<float>>(n, uplo, TestType::device);
    }
  check_type<std::complex<double>>(70, Uplo::upper, TestType::device, 0x1p700);
  check_type<float>(70, Uplo::lower, TestType::device, 0x1p-110);
}

namespace {

// A random matrix in LAPACK's column-major layout.
template <class T>
std::vector<T> random_in(std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
  const std::vector<double> re = support::random_rectangle(rows, columns, seed),
                            im = support::random_rectangle(rows, columns, seed + 1);
  std::vector<T> a(re.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<real_t<T>>(re[i]);
    if constexpr (is_complex<T>) a[i] = {a[i].real(), static_cast<real_t<T>>(im[i])};
  }
  return a;
}

template <class T>
double distance(const std::vector<T>& x, const std::vector<T>& y) {
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto difference = static_cast<double>(std::abs(x[i] - y[i]));
    if (!(difference <= largest)) largest = difference;
  }
  return largest;
}

// The reflectors and tau of a random matrix.
template <class T>
struct RandomQ {
  std::vector<T> a, tau;
  std::vector<real_t<T>> d, e;
  RandomQ(std::int64_t n, Uplo uplo, DeviceChoice device)
      : a(random_in<T>(n, n, 3)),
        tau(static_cast<std::size_t>(n)),
        d(static_cast<std::size_t>(n)),
        e(static_cast<std::size_t>(n)) {
    sytrd(uplo, n, a.data(), n, d.data(), e.data(), tau.data(), on(device));
  }
};

template <class T>
double tolerance(std::int64_t n) {
  return 10 * static_cast<double>(std::numeric_limits<real_t<T>>::epsilon()) * static_cast<double>(n);
}

// Both sides, Q and its adjoint, and Q itself, as LAPACK.
template <class T>
void check_products_with_q(DeviceChoice device) {
  for (const Uplo uplo : {Uplo::lower, Uplo::upper})
    for (const std::int64_t n : {1, 2, 37, 130}) {
      const RandomQ<T> q(n, uplo, device);
      const auto k = static_cast<lapack_int>(n);
      for (const Side side : {Side::left, Side::right})
        for (const Trans trans : {Trans::none, Trans::adjoint})
          for (const std::int64_t count : {std::int64_t{1}, std::int64_t{19}, n}) {
            const bool left = side == Side::left;
            const char letter = trans == Trans::none ? 'N' : is_complex<T> ? 'C' : 'T';
            CAPTURE(n, support::name(uplo), left, letter, count);
            const std::int64_t rows = left ? n : count, columns = left ? count : n;
            std::vector<T> z = random_in<T>(rows, columns, 8), by_lapack = z;
            ormtr(side, uplo, trans, rows, columns, q.a.data(), n, q.tau.data(), z.data(), rows, on(device));
            REQUIRE(lapack::routine<T>(LAPACKE_dormtr, LAPACKE_sormtr, LAPACKE_zunmtr, LAPACKE_cunmtr)(
                        LAPACK_COL_MAJOR, static_cast<char>(side), static_cast<char>(uplo), letter,
                        static_cast<lapack_int>(rows), static_cast<lapack_int>(columns),
                        lapack::of_lapack(q.a.data()), k, lapack::of_lapack(q.tau.data()),
                        lapack::of_lapack(by_lapack.data()), static_cast<lapack_int>(rows)) == 0);
            CHECK(distance(z, by_lapack) < tolerance<T>(n));
          }
      std::vector<T> whole = q.a, by_lapack = q.a;
      orgtr(uplo, n, whole.data(), n, q.tau.data(), on(device));
      REQUIRE(lapack::routine<T>(LAPACKE_dorgtr, LAPACKE_sorgtr, LAPACKE_zungtr, LAPACKE_cungtr)(
                  LAPACK_COL_MAJOR, static_cast<char>(uplo), k, lapack::of_lapack(by_lapack.data()), k,
                  lapack::of_lapack(q.tau.data())) == 0);
      CHECK(distance(whole, by_lapack) < tolerance<T>(n));
    }
}

// Vectors in the type of z, Z := Z U, and a part of the pairs.
template <class T>
void check_vectors_of_t(DeviceChoice device) {
  using R = real_t<T>;
  using Compz = TridiagonalVectors::Compz;
  for (const std::int64_t n : {1, 2, 40, 130}) {
    CAPTURE(n);
    const RandomQ<T> q(n, Uplo::lower, device);
    std::vector<T> z(static_cast<std::size_t>(n * n), T(7)), product = q.a;
    std::vector<R> d = q.d, e = q.e;
    TridiagonalVectors vectors;
    REQUIRE(stedc(vectors, n, d.data(), e.data(), z.data(), n, on(device)).m == n);
    std::vector<R> again = q.d, real(z.size());
    e = q.e;
    REQUIRE(stedc(n, again.data(), e.data(), real.data(), n, on(device)).status == Status::converged);
    CHECK(again == d);
    CHECK(std::equal(z.begin(), z.end(), real.begin(), [](T x, R y) { return x == T(y); }));

    // Q U as ormtr makes it.
    orgtr(Uplo::lower, n, product.data(), n, q.tau.data(), on(device));
    vectors.compz = Compz::multiply;
    again = q.d;
    e = q.e;
    REQUIRE(stedc(vectors, n, again.data(), e.data(), product.data(), n, on(device)).status ==
            Status::converged);
    ormtr(Uplo::lower, n, n, q.a.data(), n, q.tau.data(), z.data(), n, on(device));
    CHECK(again == d);
    CHECK(distance(product, z) < tolerance<T>(n));
    if (n < 40) continue;

    // Pairs 4 to 9, by index and by value. Columns after the last one stay as they are.
    for (const bool by_value : {false, true}) {
      vectors = {Compz::initial,
                 by_value ? Subset::by_value((static_cast<double>(d[2]) + static_cast<double>(d[3])) / 2,
                                             (static_cast<double>(d[8]) + static_cast<double>(d[9])) / 2)
                          : Subset::by_index(4, 9)};
      again = q.d;
      e = q.e;
      std::vector<T> part(static_cast<std::size_t>(n * vectors.subset.max_count(n)), T(7));
      const Report report = stedc(vectors, n, again.data(), e.data(), part.data(), n, on(device));
      CHECK(report.m == 6);
      CHECK(report.first_index == 4);
      CHECK(std::equal(again.begin(), again.begin() + 6, d.begin() + 3));
      double residual = 0;
      for (std::int64_t c = 0; c < 6; ++c)
        for (std::int64_t i = 0; i < n; ++i) {
          const auto at = [&](std::int64_t r) {
            return r < 0 || r >= n
                       ? 0.0
                       : static_cast<double>(std::real(part[static_cast<std::size_t>(r + c * n)]));
          };
          const auto of = [](const std::vector<R>& x, std::int64_t r) {
            return r < 0 ? 0.0 : static_cast<double>(x[static_cast<std::size_t>(r)]);
          };
          residual = std::max(residual, std::fabs((of(q.d, i) - of(d, c + 3)) * at(i) +
                                                  of(q.e, i - 1) * at(i - 1) + of(q.e, i) * at(i + 1)));
        }
      CHECK(residual < 10 * tolerance<T>(n));
    }
    vectors = {Compz::multiply, Subset::by_index(1, 2)};
    CHECK(refused([&] { (void)stedc(vectors, n, d.data(), e.data(), z.data(), n, on(device)); }) == "range");
  }
}

}  // namespace

TEMPLATE_TEST_CASE("ormtr and orgtr: both sides, Q and its adjoint, in all types", "[gpu]", support::OnCpu,
                   support::OnGpu) {
  ON_DEVICE(TestType);
  check_products_with_q<double>(TestType::device);
  check_products_with_q<float>(TestType::device);
  check_products_with_q<std::complex<double>>(TestType::device);
  check_products_with_q<std::complex<float>>(TestType::device);
}

TEMPLATE_TEST_CASE("stedc: vectors in all types, multiplied by Q, and of a part of the pairs", "[gpu]",
                   support::OnCpu, support::OnGpu) {
  ON_DEVICE(TestType);
  check_vectors_of_t<double>(TestType::device);
  check_vectors_of_t<float>(TestType::device);
  check_vectors_of_t<std::complex<double>>(TestType::device);
  check_vectors_of_t<std::complex<float>>(TestType::device);
}

TEST_CASE("stages from C in all types: the values, and the wrong argument") {
  double d[2] = {}, e[1] = {};
  float ds[2] = {}, es[1] = {};
  eigen_g_double_complex z[] = {{2, 0}, {0, 1}, {0, -1}, {2, 0}}, tau[1] = {};
  eigen_g_complex c[] = {{2, 0}, {0, 1}, {0, -1}, {2, 0}}, tau_c[1] = {};
  float s[] = {2, 1, 1, 2}, tau_s[1] = {}, u[4] = {};
  REQUIRE(eigen_g_zhetrd('L', 2, z, 2, d, e, tau) == 0);
  CHECK(std::fabs(std::fabs(e[0]) - 1) < 1e-15);
  REQUIRE(eigen_g_chetrd('U', 2, c, 2, ds, es, tau_c) == 0);
  CHECK(std::fabs(std::fabs(es[0]) - 1) < 1e-6F);
  REQUIRE(eigen_g_ssytrd('L', 2, s, 2, ds, es, tau_s) == 0);
  REQUIRE(eigen_g_sstedc('I', 2, ds, es, u, 2) == 0);
  CHECK(std::fabs(ds[0] - 1) < 1e-6F);
  CHECK(std::fabs(ds[1] - 3) < 1e-6F);
  CHECK(eigen_g_sormtr('L', 'L', 'N', 2, 2, s, 2, tau_s, u, 2) == 0);
  CHECK(eigen_g_zunmtr('L', 'L', 'C', 2, 2, z, 1, tau, z, 2) == -7);
  CHECK(eigen_g_cunmtr('L', 'X', 'N', 2, 2, c, 2, tau_c, c, 2) == -2);
  CHECK(eigen_g_chetrd('L', -1, c, 2, ds, es, tau_c) == -2);

  // Q by orgtr, then its product with U: the pairs of [[2, i], [-i, 2]].
  REQUIRE(eigen_g_zungtr('L', 2, z, 2, tau) == 0);
  REQUIRE(eigen_g_zstedc('V', 2, d, e, z, 2) == 0);
  CHECK(std::fabs(d[1] - 3) < 1e-15);
  CHECK(std::abs(c_arguments::of_c(z)[3] / c_arguments::of_c(z)[2] - std::complex<double>(0, 1)) < 1e-15);
  CHECK(eigen_g_zunmtr('R', 'L', 'T', 2, 2, z, 2, tau, z, 2) == -3);
  CHECK(eigen_g_cstedc('X', 2, ds, es, c, 2) == -1);
  CHECK(eigen_g_cstedc('I', 2, ds, es, nullptr, 2) == -5);
  CHECK(eigen_g_cungtr('U', 2, c, 1, tau_c) == -4);
  CHECK(eigen_g_sorgtr('L', 2, s, 2, nullptr) == -5);
}

TEMPLATE_TEST_CASE("sytrd and ormtr: A = Q T Q^T in LAPACK's layout", "[gpu]", support::OnCpu,
                   support::OnGpu) {
  ON_DEVICE(TestType);
  for (const std::int64_t n : {1, 2, 3, 4, 31, 64, 65, 130, 257})
    for (const Uplo uplo : {Uplo::lower, Uplo::upper})
      for (const std::int64_t padding : {0, 3}) {
        CAPTURE(n, support::name(uplo), padding);
        check_reduction(random_matrix(n, uplo, padding), TestType::device,
                        n < 60 ? limits::reduction : limits::reduction_random);
      }
}

TEMPLATE_TEST_CASE("sytrd: huge and tiny matrices are scaled inside", "[gpu]", support::OnCpu,
                   support::OnGpu) {
  ON_DEVICE(TestType);
  for (const double scale : {0x1p1015, 0x1p-1000, 0x1p-1060})  // the last scale: most entries are subnormal
    for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
      CAPTURE(scale, support::name(uplo));
      if (scale > 0x1p-1022) {
        check_reduction(random_matrix(90, uplo, 1, 1, scale), TestType::device, limits::reduction);
      } else {
        const Reduced r = reduce(random_matrix(90, uplo, 1, 1, scale), TestType::device);
        CHECK(std::any_of(r.e.begin(), r.e.end() - 1, [](double x) { return x != 0; }));
      }
    }
}

TEMPLATE_TEST_CASE("sytrd: the zero matrix, and a diagonal one", "[gpu]", support::OnCpu, support::OnGpu) {
  ON_DEVICE(TestType);
  for (const char* kind : {"zero", "identity"}) {
    generate::Spec spec;
    spec.kind = kind;
    spec.n = 70;
    const Stored s = support::stored(spec, Uplo::upper, 0);
    check_reduction(s, TestType::device, limits::reduction);
    const Reduced r = reduce(s, TestType::device);
    CHECK(std::all_of(r.e.begin(), r.e.end() - 1, [](double x) { return x == 0; }));
  }
}

TEMPLATE_TEST_CASE("ormtr: Q from LAPACK's dsytrd on a few columns, and on none", "[gpu]", support::OnCpu,
                   support::OnGpu) {
  ON_DEVICE(TestType);
  const std::int64_t n = 77, m = 5, ldz = n + 4;
  for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
    CAPTURE(support::name(uplo));
    Stored s = random_matrix(n, uplo, 2);
    std::vector<double> d(n), e(n), tau(n);
    const auto order = static_cast<lapack_int>(n), lda = static_cast<lapack_int>(s.lda);
    std::vector<double> work(n * 64);
    REQUIRE(LAPACKE_dsytrd_work(LAPACK_COL_MAJOR, static_cast<char>(uplo), order, s.a.data(), lda, d.data(),
                                e.data(), tau.data(), work.data(), n * 64) == 0);
    const auto given = support::random_tridiagonal(ldz * m).d;
    std::vector<double> z = given, by_lapack = given;
    ormtr(uplo, n, 0, s.a.data(), s.lda, tau.data(), nullptr, ldz, on(TestType::device));
    const Report report =
        ormtr(uplo, n, m, s.a.data(), s.lda, tau.data(), z.data(), ldz, on(TestType::device));
    CHECK_FALSE(report.devices.empty());
    CHECK(report.bytes.host + report.bytes.device > 0);
    REQUIRE(LAPACKE_dormtr_work(LAPACK_COL_MAJOR, 'L', static_cast<char>(uplo), 'N', order,
                                static_cast<lapack_int>(m), s.a.data(), lda, tau.data(), by_lapack.data(),
                                static_cast<lapack_int>(ldz), work.data(), n * 64) == 0);
    for (std::size_t i = 0; i < z.size(); ++i)
      REQUIRE(std::fabs(z[i] - by_lapack[i]) <= static_cast<double>(n) * limits::ulp);
  }
}

TEMPLATE_TEST_CASE("stedc: every kind of T", "[gpu]", support::OnCpu, support::OnGpu) {
  ON_DEVICE(TestType);
  for (const std::string& kind : support::tridiagonal_kinds)
    for (const std::int64_t n : {1, 2, 3, 40, 105}) {
      if (kind == "subnormal" && n < 40) continue;  // the rounding of a value exceeds n ulp
      CAPTURE(kind, n);
      const support::Tridiagonal t = support::tridiagonal(kind, n);
      const std::int64_t ldz = n + 3;
      std::vector<double> w = t.d, e = t.e, z(static_cast<std::size_t>(n * ldz), guard), values = t.d,
                          e_again = t.e;
      CHECK(stedc(n, w.data(), e.data(), z.data(), ldz, on(TestType::device)).status == Status::converged);
      CHECK(stedc(n, values.data(), e_again.data(), nullptr, 0, on(TestType::device)).status ==
            Status::converged);
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = n; i < ldz; ++i) REQUIRE(z[static_cast<std::size_t>(i + j * ldz)] == guard);
      support::check_decomposition(t, w, z, ldz, support::dstedc_family(kind),
                                   support::machine_of(TestType::device));
      CHECK(support::value_distance(t, values, w) <= limits::values_only);
    }
}

TEMPLATE_TEST_CASE("the three stages make a solve", "[gpu]", support::OnCpu, support::OnGpu) {
  ON_DEVICE(TestType);
  for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
    const std::int64_t n = 211;
    const Stored s = random_matrix(n, uplo, 1);
    Reduced r = reduce(s, TestType::device);
    support::Solved solved{r.d, guarded(n * n - 1), n, {}};
    solved.w.pop_back();
    CHECK(stedc(n, solved.w.data(), r.e.data(), solved.z.data(), n, on(TestType::device)).status ==
          Status::converged);
    ormtr(uplo, n, n, r.a.data(), s.lda, r.tau.data(), solved.z.data(), n, on(TestType::device));
    support::check_pairs(s, solved);
  }
}

TEMPLATE_TEST_CASE("stages: nothing to do is done", "[gpu]", support::OnCpu, support::OnGpu) {
  ON_DEVICE(TestType);
  const Devices options = on(TestType::device);
  for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
    CHECK(sytrd<double>(uplo, 0, nullptr, 1, nullptr, nullptr, nullptr, options).status == Status::converged);
    CHECK(ormtr<double>(uplo, 0, 3, nullptr, 1, nullptr, nullptr, 1, options).status == Status::converged);
  }
  CHECK(stedc<double>(0, nullptr, nullptr, nullptr, 1, options).status == Status::converged);

  double a = 3, d = 0, z = 1;
  sytrd(Uplo::lower, 1, &a, 1, &d, nullptr, nullptr, options);
  CHECK(d == 3);
  CHECK(a == 3);
  ormtr(Uplo::lower, 1, 1, &a, 1, nullptr, &z, 1, options);
  CHECK(z == 1);
  CHECK(stedc(1, &d, nullptr, &z, 1, options).status == Status::converged);
  CHECK(d == 3);
  CHECK(std::fabs(z) == 1);
}

TEST_CASE("stages: what is wrong is named, and nothing is touched") {
  const Devices options = on(DeviceChoice::cpu);
  std::vector<double> a(16, 1.0), d(4, 1.0), e(3, 1.0), tau(3, 1.0), z(16, 1.0);
  const auto sytrd_refused = [&](std::int64_t n, double* a_in, std::int64_t lda, double* d_in, double* e_in,
                                 double* tau_in) {
    return refused([&] { sytrd(Uplo::lower, n, a_in, lda, d_in, e_in, tau_in, options); });
  };
  const auto no_triangle = static_cast<Uplo>(77);
  CHECK(refused([&] { (void)sytrd(no_triangle, 4, a.data(), 4, d.data(), e.data(), tau.data(), options); }) ==
        "uplo");
  CHECK(refused([&] { (void)ormtr(no_triangle, 4, 4, a.data(), 4, tau.data(), z.data(), 4, options); }) ==
        "uplo");
  CHECK(refused([&] { (void)sytrd_workspace_bytes(no_triangle, 4, 4, false, Pointers::host); }) == "uplo");
  for (const std::int64_t n : {std::int64_t{-5}, std::int64_t{1} << 33, std::int64_t{1} << 62}) {
    CHECK(refused([&] { (void)sytrd_workspace_bytes(Uplo::lower, n, n, false, Pointers::host); }) == "n");
    CHECK(refused([&] { (void)stedc_workspace_bytes(n, true, false, Pointers::host); }) == "n");
    CHECK(refused([&] { (void)ormtr_workspace_bytes(Uplo::lower, n, 1, false, Pointers::host); }) == "n");
    CHECK(refused([&] { (void)ormtr_workspace_bytes(Uplo::lower, 1, n, false, Pointers::host); }) == "m");
    CHECK(refused([&] { (void)stedc(n, d.data(), e.data(), z.data(), n, options); }) == "n");
  }
  CHECK(sytrd_refused(-1, a.data(), 4, d.data(), e.data(), tau.data()) == "n");
  CHECK(sytrd_refused(4, nullptr, 4, d.data(), e.data(), tau.data()) == "a");
  CHECK(sytrd_refused(4, a.data(), 3, d.data(), e.data(), tau.data()) == "lda");
  CHECK(sytrd_refused(0, a.data(), 0, d.data(), e.data(), tau.data()) == "lda");
  CHECK(sytrd_refused(4, a.data(), 4, nullptr, e.data(), tau.data()) == "d");
  CHECK(sytrd_refused(4, a.data(), 4, d.data(), nullptr, tau.data()) == "e");
  CHECK(sytrd_refused(4, a.data(), 4, d.data(), e.data(), nullptr) == "tau");

  CHECK(refused([&] { (void)stedc(-1, d.data(), e.data(), z.data(), 4, options); }) == "n");
  CHECK(refused([&] { (void)stedc<double>(4, nullptr, e.data(), z.data(), 4, options); }) == "d");
  CHECK(refused([&] { (void)stedc(4, d.data(), nullptr, z.data(), 4, options); }) == "e");
  CHECK(refused([&] { (void)stedc(4, d.data(), e.data(), z.data(), 3, options); }) == "ldz");
  d[2] = support::nan;
  CHECK(refused([&] { (void)stedc(4, d.data(), e.data(), z.data(), 4, options); }) == "d");
  d[2] = 1;
  e[2] = -support::infinity;
  CHECK(refused([&] { (void)stedc(4, d.data(), e.data(), nullptr, 4, options); }) == "e");

  const auto ormtr_refused = [&](std::int64_t n, std::int64_t m, const double* a_in, std::int64_t lda,
                                 const double* tau_in, double* z_in, std::int64_t ldz) {
    return refused([&] { ormtr(Uplo::upper, n, m, a_in, lda, tau_in, z_in, ldz, options); });
  };
  CHECK(ormtr_refused(-1, 4, a.data(), 4, tau.data(), z.data(), 4) == "n");
  CHECK(ormtr_refused(4, -1, a.data(), 4, tau.data(), z.data(), 4) == "m");
  CHECK(ormtr_refused(4, 4, nullptr, 4, tau.data(), z.data(), 4) == "a");
  CHECK(ormtr_refused(4, 4, a.data(), 3, tau.data(), z.data(), 4) == "lda");
  CHECK(ormtr_refused(4, 4, a.data(), 4, nullptr, z.data(), 4) == "tau");
  CHECK(ormtr_refused(4, 4, a.data(), 4, tau.data(), nullptr, 4) == "z");
  CHECK(ormtr_refused(4, 4, a.data(), 4, tau.data(), z.data(), 3) == "ldz");
  for (const auto* x : {&a, &tau, &z})
    CHECK(std::all_of(x->begin(), x->end(), [](double value) { return value == 1; }));
}

TEMPLATE_TEST_CASE("sytrd: a NaN or an infinity is named as it stands in A, which stays", "[gpu]",
                   support::OnCpu, support::OnGpu) {
  ON_DEVICE(TestType);
  for (const Uplo uplo : {Uplo::lower, Uplo::upper})
    for (const double bad : {support::nan, support::infinity}) {
      Stored s = random_matrix(50, uplo, 1);
      const std::int64_t row = uplo == Uplo::lower ? 40 : 7, col = uplo == Uplo::lower ? 7 : 40;
      s.at(row, col) = bad;
      std::vector<double> a = s.a, d(50), e(50), tau(50);
      std::int64_t found_row = -1, found_col = -1;
      try {
        sytrd(uplo, 50, a.data(), s.lda, d.data(), e.data(), tau.data(), on(TestType::device));
      } catch (const NonFiniteEntry& error) {
        found_row = error.row();
        found_col = error.col();
      }
      CHECK(found_row == row);
      CHECK(found_col == col);
      CHECK(support::same_bits(a, s.a));
    }
}

TEST_CASE("stages: no GPU where one is asked for") {
  if (support::have_gpu()) SKIP_TEST("there is a GPU");
  double a = 1, d = 1;
  CHECK_THROWS_AS(sytrd(Uplo::lower, 1, &a, 1, &d, nullptr, nullptr, on(DeviceChoice::gpu)), DeviceError);
  CHECK_THROWS_AS(stedc(1, &d, nullptr, nullptr, 1, on(DeviceChoice::gpu)), DeviceError);
  CHECK_THROWS_AS(ormtr(Uplo::lower, 1, 1, &a, 1, nullptr, &d, 1, on(DeviceChoice::gpu)), DeviceError);
  CUstream_st* const stream = nullptr;
  CHECK_THROWS_AS(sytrd(Uplo::lower, 1, device(&a), 1, device(&d), {}, {}, stream), DeviceError);
  CHECK_THROWS_AS(stedc(1, device(&d), {}, {}, 1, stream), DeviceError);
  CHECK_THROWS_AS(ormtr(Uplo::lower, 1, 1, device(&a), 1, {}, device(&d), 1, stream), DeviceError);
  CHECK_THROWS_AS(sytrd_workspace_bytes(Uplo::lower, 10, 10, true), DeviceError);
}

TEST_CASE("stages: the CPU's workspace as it is told") {
  // a triangle in tiles, and what 16 members sum
  CHECK(sytrd_workspace_bytes(Uplo::lower, 1000, 1000, false).host >= 4 * 1000 * 1000);
  CHECK(sytrd_workspace_bytes(Uplo::lower, 1000, 1000, false).host <= 5 * 1000 * 1000);
  // the arrays of the merges (dc_arrays.hpp) and the end rows of Q and C; with vectors C and a panel of U
  CHECK(stedc_workspace_bytes(1000, false, false).host >= 1000 * 26 * 8);
  CHECK(stedc_workspace_bytes(1000, false, false).host <= 1000 * 27 * 8);
  CHECK(stedc_workspace_bytes(1000, true, false).host >= 8'000'000);
  CHECK(stedc_workspace_bytes(1000, true, false).host <= 13'000'000);
  // the reflectors twice, and columns for 16 threads
  CHECK(ormtr_workspace_bytes(Uplo::lower, 1000, 10, false).host >= 8 * 1000 * 1000);
  CHECK(ormtr_workspace_bytes(Uplo::lower, 1000, 10, false).host <= 11 * 1000 * 1000);
}

TEST_CASE("stages in C: a solve, and info is minus the position of the wrong argument") {
  std::vector<double> w(3), z(9);
  REQUIRE(solve_three_by_three_by_stages_from_c(w.data(), z.data()) == 0);
  CHECK(w[0] == Approx(2 - std::sqrt(2.0)));
  CHECK(w[2] == Approx(2 + std::sqrt(2.0)));
  CHECK(std::fabs(z[1]) == Approx(std::sqrt(0.5)));  // the eigenvector (1, -sqrt 2, 1) / 2

  std::vector<double> a(16, 1.0), d(4, 1.0), e(3, 1.0), tau(3, 1.0);
  z.assign(16, 1.0);
  CHECK(eigen_g_dsytrd('X', 4, a.data(), 4, d.data(), e.data(), tau.data()) == -1);
  CHECK(eigen_g_dsytrd('L', -1, a.data(), 4, d.data(), e.data(), tau.data()) == -2);
  CHECK(eigen_g_dsytrd('L', 4, nullptr, 4, d.data(), e.data(), tau.data()) == -3);
  CHECK(eigen_g_dsytrd('L', 4, a.data(), 3, d.data(), e.data(), tau.data()) == -4);
  CHECK(eigen_g_dsytrd('L', 4, a.data(), 4, nullptr, e.data(), tau.data()) == -5);
  CHECK(eigen_g_dsytrd('U', 4, a.data(), 4, d.data(), nullptr, tau.data()) == -6);
  CHECK(eigen_g_dsytrd('u', 4, a.data(), 4, d.data(), e.data(), nullptr) == -7);
  CHECK(eigen_g_dstedc('X', 4, d.data(), e.data(), z.data(), 4) == -1);
  CHECK(eigen_g_dstedc('I', -1, d.data(), e.data(), z.data(), 4) == -2);
  CHECK(eigen_g_dstedc('I', 4, nullptr, e.data(), z.data(), 4) == -3);
  CHECK(eigen_g_dstedc('I', 4, d.data(), nullptr, z.data(), 4) == -4);
  CHECK(eigen_g_dstedc('I', 4, d.data(), e.data(), nullptr, 4) == -5);
  CHECK(eigen_g_dstedc('I', 4, d.data(), e.data(), z.data(), 3) == -6);
  CHECK(eigen_g_dormtr('X', 'L', 'N', 4, 4, a.data(), 4, tau.data(), z.data(), 4) == -1);
  CHECK(eigen_g_dormtr('R', 'L', 'C', 4, 4, a.data(), 4, tau.data(), z.data(), 4) == -3);
  CHECK(eigen_g_dormtr('R', 'L', 'T', 5, 4, a.data(), 4, tau.data(), z.data(), 4) == -10);
  CHECK(eigen_g_dormtr('R', 'L', 'T', 4, 5, a.data(), 4, tau.data(), z.data(), 4) == -7);
  CHECK(eigen_g_dorgtr('X', 4, a.data(), 4, tau.data()) == -1);
  CHECK(eigen_g_dorgtr('L', 4, a.data(), 3, tau.data()) == -4);
  CHECK(eigen_g_dorgtr('L', 4, a.data(), 4, nullptr) == -5);
  CHECK(eigen_g_dormtr('L', 'X', 'N', 4, 4, a.data(), 4, tau.data(), z.data(), 4) == -2);
  CHECK(eigen_g_dormtr('L', 'L', 'N', -1, 4, a.data(), 4, tau.data(), z.data(), 4) == -4);
  CHECK(eigen_g_dormtr('L', 'L', 'N', 4, -1, a.data(), 4, tau.data(), z.data(), 4) == -5);
  CHECK(eigen_g_dormtr('L', 'L', 'N', 4, 4, nullptr, 4, tau.data(), z.data(), 4) == -6);
  CHECK(eigen_g_dormtr('L', 'L', 'N', 4, 4, a.data(), 3, tau.data(), z.data(), 4) == -7);
  CHECK(eigen_g_dormtr('L', 'L', 'N', 4, 4, a.data(), 4, nullptr, z.data(), 4) == -8);
  CHECK(eigen_g_dormtr('L', 'L', 'N', 4, 4, a.data(), 4, tau.data(), nullptr, 4) == -9);
  CHECK(eigen_g_dormtr('L', 'L', 'N', 4, 4, a.data(), 4, tau.data(), z.data(), 3) == -10);
  CHECK(eigen_g_dstedc('N', 4, d.data(), e.data(), nullptr, 0) == 0);
  a[1] = support::nan;
  CHECK(eigen_g_dsytrd('L', 4, a.data(), 4, d.data(), e.data(), tau.data()) == -3);
  if (!support::have_gpu()) {
    CHECK(eigen_g_dsytrd_device('L', 4, a.data(), 4, d.data(), e.data(), tau.data(), nullptr) == -1003);
    CHECK(eigen_g_dstedc_device('I', 4, d.data(), e.data(), z.data(), 4, nullptr) == -1003);
    CHECK(eigen_g_dormtr_device('L', 'L', 'N', 4, 4, a.data(), 4, tau.data(), z.data(), 4, nullptr) == -1003);
  }
}
