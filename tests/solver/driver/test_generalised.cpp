#include "solver/api/generalised.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "solver/api/generalised.h"
#include "solver/prepare/lapack.hpp"
#include "solver/verify/verify_generalised.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/generalised.hpp"
#include "tests/support/matrices.hpp"
#include "tests/support/solving.hpp"

using namespace eigen_g;
using support::Matrix;
using support::OnCpu;
using support::OnGpu;
using support::positive_definite;
using support::random_symmetric;

namespace {

template <class T>
struct Pairs {
  std::vector<real_t<T>> w;
  std::vector<T> z, b;
  GeneralisedReport report;
};

constexpr std::int64_t margin = 5;

template <class T>
bool equal_bits(const std::vector<T>& x, const std::vector<T>& y) {
  return x.size() == y.size() && (x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof(T)) == 0);
}

// Fails if the call changes A, B (except for a returned factor) or memory outside of w and z.
template <class T>
Pairs<T> solved(const GeneralisedProblem& problem, const Matrix<T>& a, const Matrix<T>& b, DeviceChoice place,
                Options options = {}) {
  using R = real_t<T>;
  const R guard = R(-7.25e30);
  const std::int64_t n = a.n, ldz = std::max<std::int64_t>(1, n) + 3;
  std::vector<R> w(static_cast<std::size_t>(n + margin), guard);
  std::vector<T> a_given = a.a, z(static_cast<std::size_t>(ldz * n + margin), guard);
  Pairs<T> p;
  p.b = b.a;
  options.uplo = a.uplo;
  Devices devices;
  devices.device = place;
  p.report = sygvd(problem, n, a_given.data(), a.ld, p.b.data(), b.ld, w.data(),
                   options.vectors ? z.data() : nullptr, ldz, options, devices);
  CHECK(equal_bits(a_given, a.a));
  if (problem.factor != CholeskyFactor::compute_and_return) CHECK(equal_bits(p.b, b.a));
  std::int64_t touched = 0;
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < b.ld; ++i)
      if (!b.stored(i, j) || i >= n)
        touched += std::memcmp(&p.b[i + j * b.ld], &b.a[i + j * b.ld], sizeof(T)) != 0;
  for (std::int64_t i = n; i < n + margin; ++i) touched += w[i] != guard;
  for (std::int64_t k = 0; k < ldz * n + margin; ++k)
    if (!options.vectors || k % ldz >= n || k >= ldz * n) touched += z[k] != T(guard);
  CHECK(touched == 0);
  const std::int64_t m = p.report.m;
  p.w.assign(w.begin(), w.begin() + m);
  for (std::int64_t j = 0; j < m && options.vectors; ++j) p.z.insert(p.z.end(), &z[j * ldz], &z[j * ldz] + n);
  return p;
}

template <class T>
GeneralisedVerification checked(int itype, const Matrix<T>& a, const Matrix<T>& b, const Pairs<T>& p) {
  const GeneralisedVerification v =
      verify_generalised<T>(itype, a.uplo, a.n, a.a.data(), a.ld, b.a.data(), b.ld, p.report.m, p.w.data(),
                            p.z.data(), std::max<std::int64_t>(1, a.n), DeviceChoice::cpu);
  CAPTURE(v.residual, v.residual_limit, v.orthogonality, v.orthogonality_limit, v.condition);
  CHECK(passed(v));
  return v;
}

lapack_int lapack_sygvd(int itype, char uplo, lapack_int n, double* a, lapack_int lda, double* b,
                        lapack_int ldb, double* w) {
  return LAPACKE_dsygvd(LAPACK_COL_MAJOR, itype, 'V', uplo, n, a, lda, b, ldb, w);
}
lapack_int lapack_sygvd(int itype, char uplo, lapack_int n, float* a, lapack_int lda, float* b,
                        lapack_int ldb, float* w) {
  return LAPACKE_ssygvd(LAPACK_COL_MAJOR, itype, 'V', uplo, n, a, lda, b, ldb, w);
}

lapack_int lapack_sygvd(int itype, char uplo, lapack_int n, std::complex<double>* a, lapack_int lda,
                        std::complex<double>* b, lapack_int ldb, double* w) {
  return LAPACKE_zhegvd(LAPACK_COL_MAJOR, itype, 'V', uplo, n, lapack::of_lapack(a), lda,
                        lapack::of_lapack(b), ldb, w);
}
lapack_int lapack_sygvd(int itype, char uplo, lapack_int n, std::complex<float>* a, lapack_int lda,
                        std::complex<float>* b, lapack_int ldb, float* w) {
  return LAPACKE_chegvd(LAPACK_COL_MAJOR, itype, 'V', uplo, n, lapack::of_lapack(a), lda,
                        lapack::of_lapack(b), ldb, w);
}

// LAPACKE also looks for NaN in entries that it does not need.
template <class R>
R without_nan(R x) {
  return x != x ? R{0} : x;
}
template <class R>
std::complex<R> without_nan(std::complex<R> x) {
  return {without_nan(x.real()), without_nan(x.imag())};
}

template <class T>
double norm_1(const Matrix<T>& m) {
  std::vector<double> sums(static_cast<std::size_t>(m.n));
  for (std::int64_t j = 0; j < m.n; ++j)
    for (std::int64_t i = 0; i < m.n; ++i) {
      if (!m.stored(i, j)) continue;
      const double x = static_cast<double>(std::abs(m.a[static_cast<std::size_t>(i + j * m.ld)]));
      sums[static_cast<std::size_t>(j)] += x;
      if (i != j) sums[static_cast<std::size_t>(i)] += x;
    }
  return sums.empty() ? 0 : *std::max_element(sums.begin(), sums.end());
}

// max over k of |w_k - w'_k| / (n ulp (|A| |B^-1| + cond |w'_k|)), with w' by LAPACK; |A| |B| instead of |A| |B^-1| for itypes 2
// and 3. An empty matrix has 0.
template <class T>
double distance_to_lapack(int itype, const Matrix<T>& a, const Matrix<T>& b, const std::vector<real_t<T>>& w,
                          double cond) {
  std::vector<T> a_copy = a.a, b_copy = b.a;
  std::vector<real_t<T>> exact(w.size());
  for (auto* m : {&a_copy, &b_copy})
    for (T& x : *m) x = without_nan(x);
  REQUIRE(lapack_sygvd(itype, static_cast<char>(a.uplo), static_cast<lapack_int>(a.n), a_copy.data(),
                       static_cast<lapack_int>(a.ld), b_copy.data(), static_cast<lapack_int>(b.ld),
                       exact.data()) == 0);
  const double fixed = norm_1(a) * (itype == 1 ? cond / norm_1(b) : norm_1(b));
  double distance = 0;
  for (std::size_t k = 0; k < w.size(); ++k) {
    const auto truth = static_cast<double>(exact[k]);
    const double unit = static_cast<double>(w.size()) * std::numeric_limits<real_t<T>>::epsilon() *
                        (fixed + cond * std::fabs(truth));
    const double difference = std::fabs(static_cast<double>(w[k]) - truth);
    if (std::isnan(difference)) return difference;
    distance = std::max(distance, difference / unit);
  }
  return distance;
}

constexpr double cond = 20, values_limit = 10;

template <class T>
void check_problem(int itype, std::int64_t n, Uplo uplo, std::int64_t padding, DeviceChoice place) {
  CAPTURE(itype, n, support::name(uplo), padding);
  const Matrix<T> a(random_symmetric(n, 3), n, uplo, padding),
      b(positive_definite(n, cond, 5), n, uplo, 2 * padding, 0.3);
  const Pairs<T> p = solved({itype}, a, b, place);
  REQUIRE(p.report.status == Status::converged);
  REQUIRE(p.report.m == n);
  checked(itype, a, b, p);
  CHECK(distance_to_lapack(itype, a, b, p.w, cond) <= values_limit);
  const Pairs<T> values = solved({itype}, a, b, place, {.vectors = false});
  CHECK(distance_to_lapack(itype, a, b, values.w, cond) <= values_limit);
}

}  // namespace

TEMPLATE_TEST_CASE("generalised: every small size, all types, both triangles, odd strides", "", OnCpu,
                   OnGpu) {
  ON_DEVICE(TestType);
  for (std::int64_t n = 0; n <= 70; ++n) {
    const int itype = static_cast<int>(n % 3) + 1;
    check_problem<double>(itype, n, n % 2 == 0 ? Uplo::lower : Uplo::upper, n % 4, TestType::device);
    check_problem<float>(itype, n, n % 2 != 0 ? Uplo::lower : Uplo::upper, n % 4, TestType::device);
    check_problem<std::complex<double>>(itype, n, n % 2 != 0 ? Uplo::lower : Uplo::upper, n % 3,
                                        TestType::device);
    check_problem<std::complex<float>>(itype, n, n % 2 == 0 ? Uplo::lower : Uplo::upper, n % 3,
                                       TestType::device);
  }
  for (const int itype : {1, 2, 3})
    for (const Uplo uplo : {Uplo::lower, Uplo::upper})
      for (const std::int64_t n : {64, 65, 129, 200, 321}) {
        check_problem<double>(itype, n, uplo, 1, TestType::device);
        check_problem<std::complex<double>>(itype, n, uplo, 1, TestType::device);
      }
}

TEMPLATE_TEST_CASE("generalised: parts of the spectrum have the bits of all of it", "", OnCpu, OnGpu) {
  ON_DEVICE(TestType);
  const std::int64_t n = 150;
  for (const int itype : {1, 2, 3}) {
    const Matrix<double> a(random_symmetric(n, 8), n, Uplo::upper, 1),
        b(positive_definite(n, cond), n, Uplo::upper, 0);
    const Pairs<double> all = solved({itype}, a, b, TestType::device);
    Options part;
    part.subset = Subset::by_index(11, 40);
    const Pairs<double> by_number = solved({itype}, a, b, TestType::device, part);
    CHECK(by_number.report.first_index == 11);
    CHECK(equal_bits(by_number.w, {all.w.begin() + 10, all.w.begin() + 40}));
    checked(itype, a, b, by_number);
    part.subset = Subset::by_value(all.w[19], all.w[99]);
    const Pairs<double> by_value = solved({itype}, a, b, TestType::device, part);
    CHECK(equal_bits(by_value.w, {all.w.begin() + 20, all.w.begin() + 100}));
    checked(itype, a, b, by_value);
  }
}

TEMPLATE_TEST_CASE("generalised: B's first bad minor is named", "", OnCpu, OnGpu) {
  ON_DEVICE(TestType);
  for (const std::int64_t n : {1, 7, 70, 150})
    for (const Uplo uplo : {Uplo::lower, Uplo::upper})
      for (std::int64_t bad = 1; bad <= n; bad += n > 70 ? 13 : 1) {
        CAPTURE(n, bad, support::name(uplo));
        std::vector<double> full = positive_definite(n, cond);
        full[(bad - 1) * (n + 1)] = -full[(bad - 1) * (n + 1)];
        const Matrix<double> a(random_symmetric(n), n, uplo, 0), b(full, n, uplo, 1);
        const Pairs<double> p = solved({1, CholeskyFactor::compute_and_return}, a, b, TestType::device);
        CHECK(p.report.status == Status::not_converged);
        CHECK(p.report.bad_minor == bad);
        CHECK(p.report.info == n + bad);
        CHECK(p.report.m == 0);
      }
}

TEMPLATE_TEST_CASE("generalised: B with condition 1e10 keeps the stated bounds", "", OnCpu, OnGpu) {
  ON_DEVICE(TestType);
  for (const std::int64_t n : {40, 300})
    for (const int itype : {1, 2, 3}) {
      CAPTURE(n, itype);
      const Matrix<double> a(random_symmetric(n), n, Uplo::lower, 0),
          b(positive_definite(n, 1e10), n, Uplo::lower, 0);
      const Pairs<double> p = solved({itype}, a, b, TestType::device);
      const GeneralisedVerification v = checked(itype, a, b, p);
      CHECK(v.condition > 1e9);
      CHECK(v.condition < 1e12);
      CHECK(distance_to_lapack(itype, a, b, p.w, 1e10) <= values_limit);
    }
}

TEMPLATE_TEST_CASE("generalised: a factor that is returned and given again", "", OnCpu, OnGpu) {
  ON_DEVICE(TestType);
  const std::int64_t n = 170;
  for (const int itype : {1, 2, 3})
    for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
      CAPTURE(itype, support::name(uplo));
      const Matrix<double> a(random_symmetric(n), n, uplo, 1), b(positive_definite(n, cond), n, uplo, 3);
      const Pairs<double> made = solved({itype}, a, b, TestType::device),
                          returned =
                              solved({itype, CholeskyFactor::compute_and_return}, a, b, TestType::device);
      CHECK(support::eigenvalue_ratio(returned.w, made.w) <= support::limits::values_only);
      checked(itype, a, b, returned);
      double worst = 0;  // |L L^T - B| or |U^T U - B|
      const auto f = [&](std::int64_t i, std::int64_t j) {
        return b.stored(i, j) ? returned.b[i + j * b.ld] : 0.0;
      };
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = j; i < n; ++i) {
          double sum = 0;
          for (std::int64_t k = 0; k <= j; ++k)
            sum += uplo == Uplo::lower ? f(i, k) * f(j, k) : f(k, i) * f(k, j);
          worst =
              std::max(worst, std::fabs(sum - (uplo == Uplo::lower ? b.a[i + j * b.ld] : b.a[j + i * b.ld])));
        }
      CHECK(worst <= 10 * support::limits::ulp);
      Matrix<double> factor = b;
      factor.a = returned.b;
      const Pairs<double> given = solved({itype, CholeskyFactor::reuse}, a, factor, TestType::device);
      checked(itype, a, b, given);
      CHECK(support::eigenvalue_ratio(given.w, made.w) <= support::limits::values_only);
    }
}

// The rows are reordered only if this keeps digits. Otherwise the results have the bits of a factorization in the order of the caller.
TEMPLATE_TEST_CASE("generalised: a well-conditioned B stays in the caller's order", "", OnCpu, OnGpu) {
  ON_DEVICE(TestType);
  for (const std::int64_t n : {20, 130})
    for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
      CAPTURE(n, support::name(uplo));
      std::vector<double> full = random_symmetric(n, 5);
      for (std::int64_t i = 0; i < n; ++i) full[i * (n + 1)] = static_cast<double>((i % 2 + 2) * n);
      const Matrix<double> a(random_symmetric(n, 2), n, uplo, 1), b(full, n, uplo, 2);
      const Pairs<double> ordered = solved<double>({1}, a, b, TestType::device),
                          same =
                              solved<double>({1, CholeskyFactor::compute_and_return}, a, b, TestType::device);
      CHECK(equal_bits(ordered.w, same.w));
      CHECK(equal_bits(ordered.z, same.z));
    }
}

TEMPLATE_TEST_CASE("generalised: planned once, solved often", "", OnCpu, OnGpu) {
  ON_DEVICE(TestType);
  const std::int64_t n = 130;
  Devices devices;
  devices.device = TestType::device;
  GeneralisedSolver<double> solver(n, {.factor = CholeskyFactor::compute_and_return}, {}, Pointers::host,
                                   devices);
  CHECK(solver.on_gpu() == (TestType::device == DeviceChoice::gpu));
  CHECK(solver.workspace().host > 0);
  Matrix<double> b(positive_definite(n, cond), n, Uplo::lower, 0);
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Matrix<double> a(random_symmetric(n, seed), n, Uplo::lower, 0),
        whole(positive_definite(n, cond), n, Uplo::lower, 0);
    Pairs<double> p;
    p.w.resize(n);
    p.z.resize(n * n);
    p.report = solver.solve(a.a.data(), n, b.a.data(), n, p.w.data(), p.z.data(), n);
    checked(1, a, whole, p);
    solver.set_factor(CholeskyFactor::reuse);
  }
}

TEMPLATE_TEST_CASE("generalised: scales", "", OnCpu, OnGpu) {
  ON_DEVICE(TestType);
  const std::int64_t n = 50;
  const auto scaled = [n](std::vector<double> full, double factor) {
    for (double& x : full) x *= factor;
    return Matrix<double>(full, n, Uplo::lower, 0);
  };
  const std::vector<double> a = random_symmetric(n), b = positive_definite(n, cond);
  const Pairs<double> plain = solved({1}, scaled(a, 1), scaled(b, 1), TestType::device);
  Pairs<double> p = solved({1}, scaled(a, 0x1p300), scaled(b, 0x1p-200), TestType::device);
  for (double& w : p.w) w *= 0x1p-500;
  CHECK(support::eigenvalue_ratio(p.w, plain.w) <= support::limits::values_only);
  CHECK_THROWS_AS(solved({1}, scaled(a, 0x1p900), scaled(b, 0x1p-900), TestType::device), InvalidArgument);
  const Pairs<double> zero = solved({2}, scaled(a, 0), scaled(b, 1), TestType::device);
  for (const double w : zero.w) CHECK(w == 0);
}

namespace {

template <class T>
std::vector<T> times_power(std::vector<T> x, int exponent) {
  for (T& value : x)
    if constexpr (is_complex<T>)
      value = {std::ldexp(value.real(), exponent), std::ldexp(value.imag(), exponent)};
    else
      value = std::ldexp(value, exponent);
  return x;
}

// Solves 2^ea A and 2^eb B, rounded to T, with B's factor computed, returned and reused. The pairs must be the pairs of the rounded
// matrices times 2^-ea and 2^-eb.
template <class T>
void check_exponents(int itype, Uplo uplo, int ea, int eb, DeviceChoice device) {
  using R = real_t<T>;
  const std::int64_t n = 90;
  CAPTURE(itype, support::name(uplo), ea, eb);
  const auto matrix = [&](const std::vector<double>& full, int exponent) {
    Matrix<T> scaled(full, n, uplo, 1, 0.3);
    scaled.a = times_power(std::move(scaled.a), exponent);
    return scaled;
  };
  const Matrix<T> a = matrix(random_symmetric(n, 3), ea), b = matrix(positive_definite(n, cond), eb);
  Matrix<T> a_near_one = a, b_near_one = b;
  a_near_one.a = times_power(a.a, -ea);
  b_near_one.a = times_power(b.a, -eb);
  const int ew = itype == 1 ? ea - eb : ea + eb, ez = (itype == 3 ? eb : -eb) / 2;
  const auto same = [&](const Pairs<T>& p, const Pairs<T>& near_one) {
    Pairs<T> back = p;
    back.w = times_power(p.w, -ew);
    back.z = times_power(p.z, -ez);
    const double ulps = std::numeric_limits<R>::epsilon() / std::numeric_limits<double>::epsilon();
    CHECK(support::eigenvalue_ratio({back.w.begin(), back.w.end()}, {near_one.w.begin(), near_one.w.end()}) <=
          support::limits::values_only * ulps);
    checked(itype, a_near_one, b_near_one, back);
    checked(itype, a, b, p);
  };
  const GeneralisedProblem returning{itype, CholeskyFactor::compute_and_return},
      reusing{itype, CholeskyFactor::reuse};
  const Pairs<T> whole = solved({itype}, a, b, device);
  same(whole, solved({itype}, a_near_one, b_near_one, device));
  const Pairs<T> returned = solved(returning, a, b, device),
                 returned_near_one = solved(returning, a_near_one, b_near_one, device);
  same(returned, returned_near_one);
  Matrix<T> factor = b, factor_near_one = b;
  factor.a = returned.b;
  factor_near_one.a = returned_near_one.b;
  same(solved(reusing, a, factor, device), solved(reusing, a_near_one, factor_near_one, device));
  Options part;
  part.subset = Subset::by_value(static_cast<double>(whole.w[19]), static_cast<double>(whole.w[59]));
  CHECK(equal_bits(solved({itype}, a, b, device, part).w, std::vector<R>(&whole.w[20], &whole.w[60])));
}

}  // namespace

TEMPLATE_TEST_CASE("generalised: entries at both ends of the range of exponents keep all digits", "", OnCpu,
                   OnGpu) {
  ON_DEVICE(TestType);
  struct Case {
    int a, b;  // itype 2 and 3 have -b instead
  };
  for (const int itype : {1, 2, 3})
    for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
      const int sign = itype == 1 ? 1 : -1;
      for (const Case c : {Case{-1062, -1060}, {1000, 1000}, {-1060, -500}, {500, -320}}) {
        check_exponents<double>(itype, uplo, c.a, std::clamp(sign * c.b, -1060, 1000), TestType::device);
        check_exponents<std::complex<double>>(itype, uplo, c.a, std::clamp(sign * c.b, -1060, 1000),
                                              TestType::device);
      }
      for (const Case c : {Case{-138, -136}, {110, 110}, {-136, -60}, {60, -50}}) {
        check_exponents<float>(itype, uplo, c.a, std::clamp(sign * c.b, -136, 110), TestType::device);
        check_exponents<std::complex<float>>(itype, uplo, c.a, std::clamp(sign * c.b, -136, 110),
                                             TestType::device);
      }
    }
}

TEST_CASE("generalised: arguments") {
  const std::int64_t n = 4;
  std::vector<double> a = random_symmetric(n), b = positive_definite(n, cond), w(4), z(16);
  const auto refused = [&](auto&& call) -> std::string {
    try {
      static_cast<void>(call());
    } catch (const InvalidArgument& error) {
      return error.parameter();
    }
    return "none";
  };
  CHECK(refused([&] { return sygvd({0}, n, a.data(), n, b.data(), n, w.data(), z.data(), n); }) == "itype");
  CHECK(refused([&] { return sygvd({4}, n, a.data(), n, b.data(), n, w.data(), z.data(), n); }) == "itype");
  CHECK(refused([&] { return sygvd<double>({1}, -1, a.data(), n, b.data(), n, w.data(), z.data(), n); }) ==
        "n");
  CHECK(refused([&] { return sygvd<double>({1}, n, nullptr, n, b.data(), n, w.data(), z.data(), n); }) ==
        "a");
  CHECK(refused([&] { return sygvd<double>({1}, n, a.data(), n, nullptr, n, w.data(), z.data(), n); }) ==
        "b");
  CHECK(refused([&] { return sygvd({1}, n, a.data(), n, b.data(), 3, w.data(), z.data(), n); }) == "ldb");
  CHECK(refused([&] { return sygvd({1}, n, a.data(), n, b.data(), n, w.data(), b.data(), n); }) == "b");
  std::vector<double> bad = b;
  bad[2] = support::nan;
  CHECK(refused([&] { return sygvd({1}, n, a.data(), n, bad.data(), n, w.data(), z.data(), n); }) == "b");
  bad = a;
  bad[2] = support::infinity;
  CHECK(refused([&] { return sygvd({1}, n, bad.data(), n, b.data(), n, w.data(), z.data(), n); }) == "a");

  CHECK(eigen_g_dsygvd(5, 'V', 'L', n, a.data(), n, b.data(), n, w.data()) == -1);
  CHECK(eigen_g_dsygvd(1, 'X', 'L', n, a.data(), n, b.data(), n, w.data()) == -2);
  CHECK(eigen_g_dsygvd(1, 'V', 'X', n, a.data(), n, b.data(), n, w.data()) == -3);
  CHECK(eigen_g_dsygvd(1, 'V', 'L', -1, a.data(), n, b.data(), n, w.data()) == -4);
  CHECK(eigen_g_dsygvd(1, 'V', 'L', n, nullptr, n, b.data(), n, w.data()) == -5);
  CHECK(eigen_g_dsygvd(1, 'V', 'L', n, a.data(), 3, b.data(), n, w.data()) == -6);
  CHECK(eigen_g_dsygvd(1, 'V', 'L', n, a.data(), n, nullptr, n, w.data()) == -7);
  CHECK(eigen_g_dsygvd(1, 'V', 'L', n, a.data(), n, b.data(), 3, w.data()) == -8);
  CHECK(eigen_g_dsygvd(1, 'V', 'L', n, a.data(), n, b.data(), n, nullptr) == -9);
  std::int64_t m = 0;
  CHECK(eigen_g_dsygvdx(1, 'V', 'B', 'L', n, a.data(), n, b.data(), n, 0, 0, 0, 0, &m, w.data()) == -3);
  CHECK(eigen_g_dsygvdx(1, 'V', 'V', 'L', n, a.data(), n, b.data(), n, 1, 1, 0, 0, &m, w.data()) == -11);
  CHECK(eigen_g_dsygvdx(1, 'V', 'I', 'L', n, a.data(), n, b.data(), n, 0, 0, 0, 2, &m, w.data()) == -12);
  CHECK(eigen_g_dsygvdx(1, 'V', 'A', 'L', n, a.data(), n, b.data(), n, 0, 0, 0, 0, nullptr, w.data()) == -14);
}

TEST_CASE("generalised: from C, as LAPACK does it") {
  const std::int64_t n = 30;
  for (const int itype : {1, 2, 3})
    for (const char uplo : {'L', 'u'}) {
      const Uplo triangle = uplo == 'L' ? Uplo::lower : Uplo::upper;
      const Matrix<double> a(random_symmetric(n), n, triangle, 0),
          b(positive_definite(n, cond), n, triangle, 0);
      Pairs<double> p;
      p.z = a.a;
      p.b = b.a;
      p.w.resize(n);
      p.report.m = n;
      REQUIRE(eigen_g_dsygvd(itype, 'V', uplo, n, p.z.data(), n, p.b.data(), n, p.w.data()) == 0);
      checked(itype, a, b, p);
      CHECK(distance_to_lapack(itype, a, b, p.w, cond) <= values_limit);
      Pairs<float> part;
      const Matrix<float> a_float(random_symmetric(n), n, triangle, 0),
          b_float(positive_definite(n, cond), n, triangle, 0);
      part.z = a_float.a;
      part.b = b_float.a;
      part.w.resize(n);
      REQUIRE(eigen_g_ssygvdx(itype, 'V', 'I', uplo, n, part.z.data(), n, part.b.data(), n, 0, 0, 3, 7,
                              &part.report.m, part.w.data()) == 0);
      REQUIRE(part.report.m == 5);
      part.w.resize(5);
      checked(itype, a_float, b_float, part);
    }
  // Complex: a subset, and then a solve by the factor of the first call.
  using Z = std::complex<double>;
  for (const char uplo : {'L', 'U'}) {
    const Uplo triangle = uplo == 'L' ? Uplo::lower : Uplo::upper;
    const Matrix<Z> a(random_symmetric(n), n, triangle, 0),
        b(positive_definite(n, cond), n, triangle, 0, 0.3);
    const auto of_c = [](std::vector<Z>& x) { return reinterpret_cast<eigen_g_double_complex*>(x.data()); };
    Pairs<Z> all, part;
    all.z = part.z = a.a;
    all.b = b.a;
    all.w.resize(n);
    part.w.resize(n);
    all.report.m = n;
    REQUIRE(eigen_g_zhegvd(2, 'V', uplo, n, of_c(all.z), n, of_c(all.b), n, all.w.data()) == 0);
    checked(2, a, b, all);
    const std::vector<Z> factor = all.b;
    REQUIRE(eigen_g_zhegvdx_factored(2, 'V', 'I', uplo, n, of_c(part.z), n, of_c(all.b), n, 0, 0, 4, 9,
                                     &part.report.m, part.w.data()) == 0);
    CHECK(equal_bits(factor, all.b));
    REQUIRE(part.report.m == 6);
    part.w.resize(6);
    checked(2, a, b, part);
    CHECK(equal_bits(part.w, {all.w.begin() + 3, all.w.begin() + 9}));
  }
  std::vector<double> a = random_symmetric(n), b = positive_definite(n, cond), w(n);
  b[5 * (n + 1)] = 0;
  CHECK(eigen_g_dsygvd(1, 'V', 'L', n, a.data(), n, b.data(), n, w.data()) == n + 6);
}
