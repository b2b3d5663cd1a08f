// Compares Z := Q Z on the CPU with LAPACK's ormtr, and for a band with the reflectors one by one.
#include "solver/back/back_transform.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "hybrid/scalar.hpp"
#include "solver/prepare/lapack.hpp"
#include "tests/support/apply_reflector.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/scratch.hpp"
#include "tests/support/team.hpp"

using namespace eigen_g;

namespace {

template <class T>
T random_entry(std::mt19937_64& random) {
  std::normal_distribution<real_t<T>> normal;
  if constexpr (is_complex<T>)
    return {normal(random), normal(random)};
  else
    return normal(random);
}

// I - tau v v^H is unitary if |tau|^2 |v|^2 = 2 Re tau.
template <class T>
T unitary_tau(std::mt19937_64& random, real_t<T> square) {
  if constexpr (is_complex<T>)
    return (T(1) - std::polar(real_t<T>(1), std::uniform_real_distribution<real_t<T>>(1, 5)(random))) /
           square;
  else
    return 2 / square;
}

template <class T>
lapack_int ormtr(char uplo, lapack_int n, lapack_int m, const T* a, lapack_int lda, const T* tau, T* z,
                 lapack_int ldz) {
  std::vector<T> work(static_cast<std::size_t>(64 * m + 65 * 64));
  return lapack::routine<T>(LAPACKE_dormtr_work, LAPACKE_sormtr_work, LAPACKE_zunmtr_work,
                            LAPACKE_cunmtr_work)(
      LAPACK_COL_MAJOR, 'L', uplo, 'N', n, m, lapack::of_lapack(a), lda, lapack::of_lapack(tau),
      lapack::of_lapack(z), ldz, lapack::of_lapack(work.data()), static_cast<lapack_int>(work.size()));
}

// Elements that belong to no reflector and not to Z are NaN and must not change.
template <class T>
void check(Uplo uplo, std::int64_t n, std::int64_t m) {
  CAPTURE(static_cast<char>(uplo), n, m);
  const T nan = std::numeric_limits<real_t<T>>::quiet_NaN();
  const std::int64_t lda = n + 3, ldz = n + 2;
  std::mt19937_64 random(static_cast<std::uint64_t>(n * 1000 + m));
  std::vector<T> a(static_cast<std::size_t>(lda * n), nan), z(static_cast<std::size_t>(ldz * m), nan), tau;
  for (std::int64_t j = 0; j < n - 1; ++j) {
    const std::int64_t column = uplo == Uplo::lower ? j : j + 1, begin = uplo == Uplo::lower ? j + 2 : 0,
                       end = uplo == Uplo::lower ? n : j;
    real_t<T> square = 1;
    for (std::int64_t i = begin; i < end; ++i)
      square += std::norm(a[static_cast<std::size_t>(i + column * lda)] = random_entry<T>(random));
    tau.push_back(j % 7 == 3 ? T(0) : unitary_tau<T>(random, square));
  }
  for (std::int64_t j = 0; j < m; ++j)
    for (std::int64_t i = 0; i < n; ++i) z[static_cast<std::size_t>(i + j * ldz)] = random_entry<T>(random);

  std::vector<T> by_lapack = z;
  REQUIRE(ormtr(static_cast<char>(uplo), static_cast<lapack_int>(n), static_cast<lapack_int>(m), a.data(),
                static_cast<lapack_int>(lda), tau.data(), by_lapack.data(),
                static_cast<lapack_int>(ldz)) == 0);
  support::HostScratch scratch(back_transform_bytes_on_cpu<T>(n, m));
  back_transform_on_cpu<T>(uplo, {a.data(), n, n, lda}, tau.data(), {z.data(), n, m, ldz}, scratch);

  const auto close = static_cast<real_t<T>>(n + 20) * std::numeric_limits<real_t<T>>::epsilon();
  std::int64_t wrong = 0;
  for (std::int64_t j = 0; j < m; ++j)
    for (std::int64_t i = 0; i < ldz; ++i) {
      const auto k = static_cast<std::size_t>(i + j * ldz);
      wrong += i < n ? !(std::abs(z[k] - by_lapack[k]) <= close) : !std::isnan(std::real(z[k]));
    }
  CHECK(wrong == 0);
}

// Z := H_0 H_1 ... Z. v: the reflectors in the columns of a lower triangle, with their 1.
template <class T>
void apply_one_by_one(std::int64_t n, std::int64_t kd, const std::vector<T>& v, const std::vector<T>& tau,
                      std::vector<T>& z, std::int64_t ldz, std::int64_t m) {
  std::vector<T> work;
  for (std::int64_t j = n - kd - 1; j >= 0; --j)
    support::apply_reflector(n - j - kd, &v[static_cast<std::size_t>(j * n + j + kd)],
                             tau[static_cast<std::size_t>(j)], m, &z[static_cast<std::size_t>(j + kd)], ldz,
                             work);
}

// Elements that belong to no reflector and not to Z are NaN and must not change.
template <class T>
void check_band(Uplo uplo, std::int64_t n, std::int64_t kd, std::int64_t m) {
  CAPTURE(static_cast<char>(uplo), n, kd, m);
  const T nan = std::numeric_limits<real_t<T>>::quiet_NaN();
  const std::int64_t lda = n + 3, ldz = n + 2;
  std::mt19937_64 random(static_cast<std::uint64_t>((n * 100 + kd) * 1000 + m));
  std::vector<T> v(static_cast<std::size_t>(n * n)), a(static_cast<std::size_t>(lda * n), nan), tau,
      z(static_cast<std::size_t>(ldz * m), nan);
  for (std::int64_t j = 0; j < n - kd; ++j) {
    real_t<T> square = 1;
    v[static_cast<std::size_t>(j + kd + j * n)] = 1;
    for (std::int64_t i = j + kd + 1; i < n; ++i) {
      const T x = random_entry<T>(random);
      square += std::norm(v[static_cast<std::size_t>(i + j * n)] = x);
      T& entry = a[static_cast<std::size_t>(uplo == Uplo::lower ? i + j * lda : j + i * lda)];
      entry = x;
      if constexpr (is_complex<T>)
        if (uplo == Uplo::upper) entry = std::conj(x);
    }
    // The last reflector of a real matrix is the identity.
    const bool identity = j % 7 == 3 || (!is_complex<T> && j == n - kd - 1);
    tau.push_back(identity ? T(0) : unitary_tau<T>(random, square));
  }
  for (std::int64_t j = 0; j < m; ++j)
    for (std::int64_t i = 0; i < n; ++i) z[static_cast<std::size_t>(i + j * ldz)] = random_entry<T>(random);

  const auto transformed = [&](int threads) {
    const support::Threads limited(threads);
    std::vector<T> result = z;
    support::HostScratch scratch(back_transform_from_band_bytes_on_cpu<T>(n, kd, m));
    double done = 0;
    back_transform_from_band<T>(uplo, kd, {a.data(), n, n, lda}, tau.data(), {result.data(), n, m, ldz},
                                scratch, [&](double fraction) {
                                  CHECK(fraction > done);
                                  done = fraction;
                                });
    CHECK(done == 1);
    return result;
  };
  const std::vector<T> one = transformed(1), two = transformed(2);
  apply_one_by_one<T>(n, kd, v, tau, z, ldz, m);
  const auto close = static_cast<real_t<T>>(n + 20) * std::numeric_limits<real_t<T>>::epsilon();
  std::int64_t wrong = 0, different = 0;
  for (std::int64_t j = 0; j < m; ++j)
    for (std::int64_t i = 0; i < ldz; ++i) {
      const auto k = static_cast<std::size_t>(i + j * ldz);
      wrong += i < n ? !(std::abs(one[k] - z[k]) <= close) : !std::isnan(std::real(one[k]));
      different += i < n && one[k] != two[k];
    }
  CHECK(wrong == 0);
  CHECK(different == 0);
}

}  // namespace

TEMPLATE_TEST_CASE("back-transformation on the CPU: both triangles, every block width", "", double, float,
                   std::complex<double>, std::complex<float>) {
  for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
    for (const std::int64_t n : {2, 3, 32, 33, 34, 65, 256})
      for (const std::int64_t m : {std::int64_t{1}, std::int64_t{5}, n}) check<TestType>(uplo, n, m);
    check<TestType>(uplo, 450, 420);
    check<TestType>(uplo, 450, 28);
    if constexpr (std::is_same_v<TestType, double>) check<TestType>(uplo, 1510, 203);
    check<TestType>(uplo, 3001, 21);
    check<TestType>(uplo, 1, 1);
  }
}

// Pieces of unequal numbers of columns, and threads without a piece.
TEMPLATE_TEST_CASE(
    "back-transformation on the CPU: a column has the same bits alone and by any number of threads", "",
    double, float, std::complex<double>, std::complex<float>) {
  const std::int64_t n = std::is_same_v<TestType, double> ? GENERATE(1510, 3010) : 190;
  std::mt19937_64 random(7);
  std::vector<TestType> a(static_cast<std::size_t>(n * n)), tau(static_cast<std::size_t>(n - 1));
  for (TestType& x : a) x = random_entry<TestType>(random) / real_t<TestType>(n);
  for (TestType& x : tau) x = random_entry<TestType>(random);
  for (const std::int64_t m : {3, 131, 203}) {
    if (n > 3000 && m != 131) continue;
    std::vector<TestType> z(static_cast<std::size_t>(n * m));
    for (TestType& x : z) x = random_entry<TestType>(random);
    const auto transformed = [&](std::int64_t first, std::int64_t count) {
      std::vector<TestType> part(z.begin() + first * n, z.begin() + (first + count) * n);
      support::HostScratch scratch(back_transform_bytes_on_cpu<TestType>(n, count));
      back_transform_on_cpu<TestType>(Uplo::lower, {a.data(), n, n, n}, tau.data(),
                                      {part.data(), n, count, n}, scratch);
      return part;
    };
    const std::vector<TestType> all =
        support::same_by_threads({2, 3, 4, 16}, [&] { return transformed(0, m); });
    CHECK_FALSE(all == z);
    const support::Threads limited(1);
    for (const std::int64_t column : {std::int64_t{0}, m / 2, m - 1}) {
      const std::vector<TestType> alone = transformed(column, 1);
      CHECK(std::equal(alone.begin(), alone.end(), all.begin() + column * n));
    }
  }
}

TEMPLATE_TEST_CASE("back-transformation from a band on the CPU: both triangles, band widths, ragged orders",
                   "", double, float, std::complex<double>, std::complex<float>) {
  for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
    for (const std::int64_t kd : {1, 2, 32, 48, 64})
      for (const std::int64_t order : {1, 2, 15, 16, 17, 33, 49, 64, 65, 97, 128, 129, 190, 230})
        for (const std::int64_t m : {std::int64_t{1}, std::int64_t{13}, order + kd})
          if (order + kd <= 300 && (m < 20 || order % 2 == 1)) check_band<TestType>(uplo, order + kd, kd, m);
    for (const std::int64_t kd : {1, 32, 64}) check_band<TestType>(uplo, 1600, kd, 37);
    check_band<TestType>(uplo, 3070, 64, 18);
  }
}

TEST_CASE("back-transformation from a band on the CPU: without reflectors or columns Z stays") {
  CHECK(back_transform_from_band_bytes_on_cpu<double>(5, 5, 3) == 0);
  CHECK(back_transform_from_band_bytes_on_cpu<double>(5, 2, 0) == 0);
  std::vector<double> z(15, 7);
  back_transform_from_band<double>(Uplo::lower, 5, {nullptr, 5, 5, 5}, nullptr, {z.data(), 5, 3, 5}, {});
  CHECK(z == std::vector<double>(15, 7));
}
