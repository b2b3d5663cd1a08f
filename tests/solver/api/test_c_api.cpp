#include "solver/api/eigen_g.h"

#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/complex_matrix.hpp"
#include "tests/support/float_matrix.hpp"
#include "tests/support/solving.hpp"

using eigen_g::Uplo;
using support::random_matrix;
using support::Stored;

// tests/solver/api/c_caller.c, compiled as C
extern "C" std::int64_t solve_three_by_three_from_c(double* w, double* z);

TEST_CASE("C: values and vectors over the matrix") {
  for (const std::int64_t n : {0, 1, 2, 65, 250})
    for (const char uplo : {'L', 'U', 'l', 'u'}) {
      CAPTURE(n, uplo);
      const Stored s = random_matrix(n, uplo == 'L' || uplo == 'l' ? Uplo::lower : Uplo::upper, 3);
      support::Solved solved;
      solved.w.assign(static_cast<std::size_t>(n), 0.0);
      solved.z = s.a;
      solved.ldz = s.lda;
      REQUIRE(eigen_g_dsyevd('V', uplo, n, solved.z.data(), s.lda, solved.w.data()) == 0);
      support::check_pairs(s, solved);

      std::vector<double> a = s.a, values(static_cast<std::size_t>(n));
      REQUIRE(eigen_g_dsyevd('n', uplo, n, a.data(), s.lda, values.data()) == 0);
      CHECK(support::same_bits(a, s.a));
      CHECK(support::eigenvalue_ratio(values, solved.w) <= support::limits::values_only);
    }
}

TEST_CASE("C: info is minus the position of the wrong argument") {
  Stored s = random_matrix(4, Uplo::lower, 0);
  std::vector<double> w(4);
  CHECK(eigen_g_dsyevd('X', 'L', 4, s.a.data(), 4, w.data()) == -1);
  CHECK(eigen_g_dsyevd('V', 'X', 4, s.a.data(), 4, w.data()) == -2);
  CHECK(eigen_g_dsyevd('V', 'L', -1, s.a.data(), 4, w.data()) == -3);
  CHECK(eigen_g_dsyevd('V', 'L', 4, nullptr, 4, w.data()) == -4);
  CHECK(eigen_g_dsyevd('V', 'L', 4, s.a.data(), 3, w.data()) == -5);
  CHECK(eigen_g_dsyevd('N', 'L', 4, s.a.data(), 3, w.data()) == -5);
  CHECK(eigen_g_dsyevd('V', 'L', 4, s.a.data(), 4, nullptr) == -6);
  s.at(3, 1) = support::nan;
  CHECK(eigen_g_dsyevd('V', 'L', 4, s.a.data(), 4, w.data()) == -4);
  s.at(3, 1) = support::infinity;
  CHECK(eigen_g_dsyevd('N', 'L', 4, s.a.data(), 4, w.data()) == -4);
}

TEST_CASE("C: a part of the spectrum") {
  const std::int64_t n = 60;
  const Stored s = random_matrix(n, Uplo::upper, 2);
  std::vector<double> all(static_cast<std::size_t>(n)), a = s.a;
  REQUIRE(eigen_g_dsyevd('V', 'U', n, a.data(), s.lda, all.data()) == 0);
  const auto part = [&](char jobz, char range, double vl, double vu, std::int64_t il, std::int64_t iu) {
    std::vector<double> w(static_cast<std::size_t>(n));
    std::int64_t m = -1;
    a = s.a;
    REQUIRE(eigen_g_dsyevdx(jobz, range, 'U', n, a.data(), s.lda, vl, vu, il, iu, &m, w.data()) == 0);
    REQUIRE(m >= 0);
    w.resize(static_cast<std::size_t>(m));
    if (jobz == 'V')
      support::check_verified(eigen_g::verify(Uplo::upper, n, s.a.data(), s.lda, m, w.data(), a.data(), s.lda,
                                              eigen_g::DeviceChoice::cpu),
                              support::machine_of(eigen_g::DeviceChoice::automatic));
    return w;
  };
  const auto numbers = [&](int first, int last) {
    return std::vector<double>(all.begin() + (first - 1), all.begin() + last);
  };
  CHECK(support::same_bits(part('V', 'a', 1, 0, 1, 0), all));  // arguments without a name are not read
  CHECK(support::same_bits(part('V', 'I', 0, 0, 5, 20), numbers(5, 20)));
  CHECK(support::same_bits(part('v', 'V', all[4], all[19], 0, 0), numbers(6, 20)));
  CHECK(support::eigenvalue_ratio(part('N', 'i', 0, 0, 60, 60), numbers(60, 60)) <=
        static_cast<double>(n) * support::limits::values_only);
  CHECK(part('V', 'V', all[59], support::infinity, 0, 0).empty());
}

TEST_CASE("C: info of an invalid subset") {
  Stored s = random_matrix(4, Uplo::lower, 0);
  std::vector<double> w(4);
  std::int64_t m = 0;
  const auto info = [&](char range, double vl, double vu, std::int64_t il, std::int64_t iu,
                        std::int64_t* count) {
    return eigen_g_dsyevdx('V', range, 'L', 4, s.a.data(), 4, vl, vu, il, iu, count, w.data());
  };
  CHECK(info('B', 0, 0, 0, 0, &m) == -2);
  CHECK(info('V', support::nan, 0, 0, 0, &m) == -7);
  CHECK(info('V', 1, 1, 0, 0, &m) == -8);
  CHECK(info('I', 0, 0, 0, 3, &m) == -9);
  CHECK(info('I', 0, 0, 2, 5, &m) == -10);
  CHECK(info('I', 0, 0, 2, 1, &m) == -10);
  CHECK(info('A', 0, 0, 0, 0, nullptr) == -11);
}

TEST_CASE("C: device pointers where there is no GPU") {
  if (support::have_gpu()) SKIP_TEST("there is a GPU");
  std::vector<double> a(4, 1.0), w(2), z(4);
  CHECK(eigen_g_dsyevd_device('V', 'L', 2, a.data(), 2, w.data(), z.data(), 2, nullptr) == -1003);
  CHECK(eigen_g_dsyevd_device('V', 'L', 2, a.data(), 2, w.data(), nullptr, 2, nullptr) == -7);
  CHECK(eigen_g_dsyevd_device('V', 'L', 2, a.data(), 2, w.data(), z.data(), 1, nullptr) == -8);
}

TEST_CASE("C: every info has a text, different from done") {
  const std::string done = eigen_g_info_text(0);
  CHECK_FALSE(done.empty());
  for (const std::int64_t info : {-1, -8, -1001, -1002, -1003, -1004, -999999, 1, 1000000}) {
    CAPTURE(info);
    const std::string text = eigen_g_info_text(info);
    CHECK_FALSE(text.empty());
    CHECK(text != done);
  }
}

TEST_CASE("C: one version for both languages") {
  CHECK(std::string(eigen_g_version()) == eigen_g::version());
}

TEST_CASE("C: the header serves C itself") {
  std::vector<double> w(3), z(9);
  REQUIRE(solve_three_by_three_from_c(w.data(), z.data()) == 0);
  CHECK(w[0] == Approx(2 - std::sqrt(2.0)));
  CHECK(w[1] == Approx(2));
  CHECK(w[2] == Approx(2 + std::sqrt(2.0)));
}

TEST_CASE("C: float") {
  for (const std::int64_t n : {0, 1, 65, 250}) {
    CAPTURE(n);
    const support::FloatMatrix m = support::in_float(random_matrix(n, Uplo::upper, 3));
    std::vector<float> z = m.a, w(static_cast<std::size_t>(n)), a = m.a, some = w;
    REQUIRE(eigen_g_ssyevd('V', 'U', n, z.data(), m.lda, w.data()) == 0);
    const eigen_g::Verification v = eigen_g::verify(Uplo::upper, n, m.a.data(), m.lda, n, w.data(), z.data(),
                                                    m.lda, eigen_g::DeviceChoice::cpu);
    CHECK(eigen_g::passed(v));
    if (n < 65) continue;
    std::int64_t found = 0;
    REQUIRE(eigen_g_ssyevdx('V', 'V', 'U', n, a.data(), m.lda, w[9], w[29], 0, 0, &found, some.data()) == 0);
    REQUIRE(found == 20);
    CHECK(std::equal(some.begin(), some.begin() + 20, w.begin() + 10));
  }
  std::vector<float> w(4), a(16);
  CHECK(eigen_g_ssyevd('V', 'L', 4, a.data(), 3, w.data()) == -5);
  if (support::have_gpu()) return;
  CHECK(eigen_g_ssyevd_device('V', 'L', 2, a.data(), 2, w.data(), w.data(), 2, nullptr) == -1003);
}

namespace {

// One name for the C functions of each complex type.
struct Heevd {
  static std::int64_t all(char jobz, std::int64_t n, std::complex<double>* a, std::int64_t lda, double* w) {
    return eigen_g_zheevd(jobz, 'U', n, reinterpret_cast<eigen_g_double_complex*>(a), lda, w);
  }
  static std::int64_t all(char jobz, std::int64_t n, std::complex<float>* a, std::int64_t lda, float* w) {
    return eigen_g_cheevd(jobz, 'U', n, reinterpret_cast<eigen_g_complex*>(a), lda, w);
  }
  static std::int64_t part(std::int64_t n, std::complex<double>* a, std::int64_t lda, std::int64_t il,
                           std::int64_t iu, std::int64_t* m, double* w) {
    return eigen_g_zheevdx('V', 'I', 'U', n, reinterpret_cast<eigen_g_double_complex*>(a), lda, 0, 0, il, iu,
                           m, w);
  }
  static std::int64_t part(std::int64_t n, std::complex<float>* a, std::int64_t lda, std::int64_t il,
                           std::int64_t iu, std::int64_t* m, float* w) {
    return eigen_g_cheevdx('V', 'I', 'U', n, reinterpret_cast<eigen_g_complex*>(a), lda, 0, 0, il, iu, m, w);
  }
};

}  // namespace

TEMPLATE_TEST_CASE("C: complex", "", std::complex<float>, std::complex<double>) {
  using R = eigen_g::real_t<TestType>;
  for (const std::int64_t n : {0, 1, 65, 150}) {
    CAPTURE(n);
    const auto m = support::random_hermitian<TestType>(n, Uplo::upper, 3);
    std::vector<TestType> z = m.a, a = m.a;
    std::vector<R> w(static_cast<std::size_t>(n)), some = w;
    REQUIRE(Heevd::all('V', n, z.data(), m.lda, w.data()) == 0);
    CHECK(eigen_g::passed(eigen_g::verify(Uplo::upper, n, m.a.data(), m.lda, n, w.data(), z.data(), m.lda,
                                          eigen_g::DeviceChoice::cpu)));
    if (n < 65) continue;
    std::int64_t found = 0;
    REQUIRE(Heevd::part(n, a.data(), m.lda, 11, 30, &found, some.data()) == 0);
    REQUIRE(found == 20);
    CHECK(std::equal(some.begin(), some.begin() + 20, w.begin() + 10));
  }
  std::vector<TestType> a(16);
  std::vector<R> w(4);
  CHECK(Heevd::all('V', 4, a.data(), 3, w.data()) == -5);
  CHECK(Heevd::all('X', 4, a.data(), 4, w.data()) == -1);
}
