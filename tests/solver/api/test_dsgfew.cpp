#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "solver/api/sparse.h"
#include "tests/support/catch.hpp"
#include "tests/support/pencils.hpp"
#include "tests/support/skip.hpp"

// First statement of a TEST_CASE that factorises a sparse matrix.
#define NEEDS_FACTOR_LIBRARY()                                \
  if (!eigen_g::available(eigen_g::FactorLibrary::automatic)) \
  SKIP_TEST("no library factorises sparse matrices")

using namespace support;

namespace {

struct Calls {
  PencilCase pencil = box(14, 13, 0, 1, std::numbers::sqrt2);
  std::int64_t n = pencil.n();
  std::vector<double> w = std::vector<double>(40), z = std::vector<double>(static_cast<std::size_t>(40 * n)),
                      bound = std::vector<double>(40);
  eigen_g_few_report report{};
  bool lumped = false;
  std::vector<double> diagonal = std::vector<double>(static_cast<std::size_t>(n), 1 / static_cast<double>(n));

  std::int64_t few(char end, std::int64_t count, double sigma, double tolerance = 0) {
    const Csr &k = pencil.k, &m = pencil.m;
    return eigen_g_dsgfew(end, n, count, k.offsets.data(), k.column.data(), k.value.data(),
                          lumped ? nullptr : m.offsets.data(), lumped ? nullptr : m.column.data(),
                          lumped ? nullptr : m.value.data(), lumped ? diagonal.data() : nullptr, sigma,
                          tolerance, w.data(), z.data(), n, bound.data(), &report);
  }
  std::int64_t interval(double a, double b, std::int64_t max_pairs, std::int64_t* found) {
    const Csr &k = pencil.k, &m = pencil.m;
    return eigen_g_dsginterval(n, k.offsets.data(), k.column.data(), k.value.data(), m.offsets.data(),
                               m.column.data(), m.value.data(), nullptr, a, b, max_pairs, found, w.data(),
                               z.data(), n, bound.data(), &report);
  }
  std::int64_t count(double s, std::int64_t* below) {
    const Csr &k = pencil.k, &m = pencil.m;
    return eigen_g_dsgcount(n, k.offsets.data(), k.column.data(), k.value.data(), m.offsets.data(),
                            m.column.data(), m.value.data(), nullptr, s, nullptr, below);
  }
};

}  // namespace

TEST_CASE("eigen_g_dsgfew finds the pairs of a pencil at an end and on both sides of a value, proven") {
  NEEDS_FACTOR_LIBRARY();
  Calls c;
  const std::vector<double>& exact = c.pencil.values;
  const double sigma = exact[20] + 0.4 * (exact[21] - exact[20]);
  const struct {
    char end;
    std::size_t first;
  } cases[] = {{'L', 0}, {'A', 21}, {'b', 17}};
  for (const auto& [end, first] : cases) {
    CAPTURE(end);
    REQUIRE(c.few(end, 4, sigma) == 0);
    for (std::size_t i = 0; i < 4; ++i) {
      CHECK(c.w[i] == Approx(exact[first + i]).epsilon(1e-11));
      CHECK(std::abs(c.w[i] - exact[first + i]) <= c.bound[i] + 1e-12 * exact[first + i]);
    }
    CHECK(c.report.proven == 1);
    CHECK(c.report.found == c.report.count_high - c.report.count_low);
    CHECK(c.report.factor_entries > c.n);
  }
  REQUIRE(c.few('N', 1, exact[7] + 1e-4) == 0);
  CHECK(c.w[0] == Approx(exact[7]).epsilon(1e-11));
  c.lumped = true;
  REQUIRE(c.few('L', 2, 0) == 0);
  CHECK(c.w[0] == Approx(exact[0]).epsilon(0.5));
}

TEST_CASE(
    "eigen_g_dsginterval finds all pairs of an interval, and reports their number if there is no room") {
  NEEDS_FACTOR_LIBRARY();
  Calls c;
  const std::vector<double>& exact = c.pencil.values;
  const double b = (exact[30] + exact[31]) / 2;
  std::int64_t found = -1, below = -1;
  REQUIRE(c.interval(0, b, 40, &found) == 0);
  REQUIRE(found == 31);
  for (std::size_t i = 0; i < 31; ++i) CHECK(c.w[i] == Approx(exact[i]).epsilon(1e-11));
  found = -1;
  CHECK(c.interval(0, b, 30, &found) == -11);
  CHECK(found == 31);
  REQUIRE(c.count(b, &below) == 0);
  CHECK(below == 31);
}

TEST_CASE("the info of the C entries for pencils names a wrong argument by its place") {
  Calls c;
  std::int64_t found = 0;
  CHECK(c.few('x', 3, 1) == -1);
  CHECK(c.few('L', 0, 1) == -3);
  CHECK(c.few('L', c.n + 1, 1) == -3);
  CHECK(c.few('L', 3, 1, 2) == -12);
  CHECK(c.interval(2, 1, 3, &found) == -10);
  CHECK(c.interval(1, 2, 0, &found) == -11);
  CHECK(c.interval(1, 2, 3, nullptr) == -12);
  CHECK(c.count(1, nullptr) == -11);
  if (!available(eigen_g::FactorLibrary::automatic)) {
    CHECK(c.count(1, &found) == -1003);
    return;
  }
  c.pencil.m.value[3] = std::numeric_limits<double>::quiet_NaN();
  CHECK(c.few('N', 3, 1) == -7);
  c.pencil.k.value[3] = std::numeric_limits<double>::infinity();
  CHECK(c.few('N', 3, 1) == -4);
}

namespace {

// The products of eigen_g_dsopfew with a diagonal matrix, and with the inverse of that matrix - sigma.
struct Diagonal {
  std::int64_t n;
  double sigma;
  std::int64_t calls_left;
  double entry(std::int64_t i) const { return static_cast<double>(i + 1) / 10; }
};
template <bool inverse>
int multiply(void* data, const double* x, double* y) {
  auto& a = *static_cast<Diagonal*>(data);
  if (--a.calls_left < 0) return 1;
  for (std::int64_t i = 0; i < 4 * a.n; ++i)
    y[i] = inverse ? x[i] / (a.entry(i / 4) - a.sigma) : x[i] * a.entry(i / 4);
  return 0;
}

}  // namespace

TEST_CASE("eigen_g_dsopfew takes products as callbacks, which may end the solve") {
  Diagonal a{1200, 60.02, 1000000};
  std::vector<double> w(3), z(static_cast<std::size_t>(3 * a.n)), residuals(3);
  const auto call = [&](char end, eigen_g_multiply product, eigen_g_multiply inverse) {
    return eigen_g_dsopfew(end, a.n, 3, product, nullptr, inverse, &a, a.sigma, 1e-10, w.data(), z.data(),
                           a.n, residuals.data());
  };
  REQUIRE(call('N', multiply<false>, multiply<true>) == 0);
  for (std::size_t i = 0; i < 3; ++i)
    CHECK(w[i] == Approx(59.9 + 0.1 * static_cast<double>(i)).epsilon(1e-12));
  a.calls_left = 2;
  CHECK(call('N', multiply<false>, multiply<true>) == 3);
  a.calls_left = 2;
  CHECK(call('H', multiply<false>, nullptr) == 3);
  CHECK(call('L', nullptr, nullptr) == -4);
  CHECK(call('L', multiply<false>, multiply<true>) == -6);
  CHECK(call('N', multiply<false>, nullptr) == -6);
}

namespace {

// The products with a Hermitian matrix that has the eigenvalues of Diagonal, and with the inverse of that matrix - sigma.
template <bool inverse>
int multiply_turned(void* data, const eigen_g_double_complex* x, eigen_g_double_complex* y) {
  auto& a = *static_cast<Diagonal*>(data);
  const auto* from = reinterpret_cast<const std::complex<double>*>(x);
  auto* const to = reinterpret_cast<std::complex<double>*>(y);
  if (--a.calls_left < 0) return 1;
  // A has 2 x 2 blocks (d, i e; -i e, d) with the eigenvalues d - e and d + e.
  for (std::int64_t i = 0; i < a.n; i += 2)
    for (int j = 0; j < 4; ++j) {
      const std::complex<double> turn(0, 1), u = from[4 * i + j], v = from[4 * (i + 1) + j];
      double d = (a.entry(i) + a.entry(i + 1)) / 2, e = (a.entry(i + 1) - a.entry(i)) / 2;
      if (inverse) {
        const double det = (a.entry(i) - a.sigma) * (a.entry(i + 1) - a.sigma);
        d = (d - a.sigma) / det;
        e = -e / det;
      }
      to[4 * i + j] = d * u + turn * e * v;
      to[4 * (i + 1) + j] = d * v - turn * e * u;
    }
  return 0;
}

}  // namespace

TEST_CASE("eigen_g_zhopfew takes complex products as callbacks, which may end the solve") {
  Diagonal a{1200, 60.02, 1000000};
  std::vector<double> w(3), residuals(3);
  std::vector<std::complex<double>> z(static_cast<std::size_t>(3 * a.n));
  const auto call = [&](char end, eigen_g_complex_multiply product, eigen_g_complex_multiply inverse) {
    return eigen_g_zhopfew(end, a.n, 3, product, nullptr, inverse, &a, a.sigma, 1e-10, w.data(),
                           reinterpret_cast<eigen_g_double_complex*>(z.data()), a.n, residuals.data());
  };
  REQUIRE(call('N', multiply_turned<false>, multiply_turned<true>) == 0);
  for (std::size_t k = 0; k < 3; ++k) {
    CHECK(w[k] == Approx(59.9 + 0.1 * static_cast<double>(k)).epsilon(1e-12));
    CHECK(residuals[k] <= 1e-10 * a.entry(a.n - 1));
    double length = 0;
    for (std::int64_t i = 0; i < a.n; ++i) length += std::norm(z[static_cast<std::size_t>(k) * a.n + i]);
    CHECK(length == Approx(1).epsilon(1e-12));
  }
  REQUIRE(call('L', multiply_turned<false>, nullptr) == 0);
  for (std::size_t k = 0; k < 3; ++k) CHECK(w[k] == Approx(0.1 * static_cast<double>(k + 1)).epsilon(1e-8));
  a.calls_left = 2;
  CHECK(call('N', multiply_turned<false>, multiply_turned<true>) == 3);
  a.calls_left = 2;
  CHECK(call('H', multiply_turned<false>, nullptr) == 3);
  CHECK(call('L', nullptr, nullptr) == -4);
  CHECK(call('L', multiply_turned<false>, multiply_turned<true>) == -6);
  CHECK(call('N', multiply_turned<false>, nullptr) == -6);
}
