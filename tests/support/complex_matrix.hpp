// Hermitian matrices and checked solves, for complex<float> and complex<double>.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "hybrid/scalar.hpp"
#include "solver/api/eigen_g.hpp"
#include "solver/verify/verify.hpp"
#include "tests/support/matrices.hpp"
#include "tests/support/solving.hpp"

namespace support {

// One triangle of a Hermitian matrix. The other triangle, the diagonal's imaginary parts and the padding are NaN.
template <class T>
struct HermitianMatrix {
  eigen_g::Uplo uplo = eigen_g::Uplo::lower;
  std::int64_t n = 0, lda = 1;
  std::vector<T> a;
};

// entry(i, j) is called for i >= j only.
template <class T, class Entry>
HermitianMatrix<T> hermitian(std::int64_t n, eigen_g::Uplo uplo, std::int64_t padding, const Entry& entry) {
  using R = eigen_g::real_t<T>;
  const R nothing = std::numeric_limits<R>::quiet_NaN();
  HermitianMatrix<T> m{uplo, n, std::max<std::int64_t>(1, n + padding), {}};
  m.a.assign(static_cast<std::size_t>(m.lda * n), T(nothing, nothing));
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = j; i < n; ++i) {
      const T x(std::complex<double>(entry(i, j)));
      const bool lower = uplo == eigen_g::Uplo::lower;
      m.a[static_cast<std::size_t>(lower ? i + j * m.lda : j + i * m.lda)] = i == j  ? T(x.real(), nothing)
                                                                             : lower ? x
                                                                                     : std::conj(x);
    }
  return m;
}

template <class T>
HermitianMatrix<T> random_hermitian(std::int64_t n, eigen_g::Uplo uplo = eigen_g::Uplo::lower,
                                    std::int64_t padding = 0, std::uint64_t seed = 1) {
  const std::vector<double> re = random_rectangle(n, n, seed), im = random_rectangle(n, n, seed + 1000);
  return hermitian<T>(n, uplo, padding, [&](std::int64_t i, std::int64_t j) {
    const auto at = static_cast<std::size_t>(i + j * n);
    return T(std::complex<double>(re[at], im[at]));
  });
}

// scale D S D^H with D = diag(exp(i k^2)). Its spectrum is scale times that of the real symmetric S.
template <class T>
HermitianMatrix<T> phased(const Stored& s, eigen_g::Uplo uplo = eigen_g::Uplo::lower, double scale = 1) {
  return hermitian<T>(s.n, uplo, 0, [&](std::int64_t i, std::int64_t j) {
    const double x = s.used(i, j) ? s.at(i, j) : s.at(j, i);
    return T(scale * x * std::polar(1.0, static_cast<double>(i * i - j * j)));
  });
}

template <class T>
struct HermitianPairs {
  std::vector<eigen_g::real_t<T>> w;
  std::vector<T> z;
  std::int64_t ldz = 1;
  eigen_g::Report report;
};

// Fails if the solver writes A, behind w, or between z's columns.
template <class T>
HermitianPairs<T> solve_guarded(const HermitianMatrix<T>& m, OptionsAndDevices o, std::int64_t padding = 0) {
  using R = eigen_g::real_t<T>;
  constexpr R guard = R(-7.25e27);
  HermitianPairs<T> p;
  p.ldz = std::max<std::int64_t>(1, m.n + padding);
  o.uplo = m.uplo;
  const std::vector<T> a = m.a;
  p.w.assign(static_cast<std::size_t>(m.n + 8), guard);
  p.z.assign(static_cast<std::size_t>(o.vectors ? p.ldz * m.n : 0), guard);
  p.report =
      eigen_g::eigen_g(m.n, a.data(), m.lda, p.w.data(), o.vectors ? p.z.data() : nullptr, p.ldz, o, o);
  CHECK(std::all_of(p.w.end() - 8, p.w.end(), [](R x) { return x == guard; }));
  std::int64_t touched = 0;
  for (std::size_t i = 0; i < p.z.size(); ++i)
    touched += static_cast<std::int64_t>(i) % p.ldz >= m.n && p.z[i] != T(guard);
  CHECK(touched == 0);
  CHECK((a.empty() || std::memcmp(a.data(), m.a.data(), a.size() * sizeof(T)) == 0));
  p.w.resize(static_cast<std::size_t>(m.n));
  return p;
}

// max |w - w'| / (n ulp max |w'|) by the unit of T; 0/0 is 0.
template <class R, class Other>
double value_distance(const std::vector<R>& w, const std::vector<Other>& other) {
  REQUIRE(w.size() == other.size());
  double largest = 0, distance = 0;
  for (std::size_t k = 0; k < w.size(); ++k) {
    largest = std::max(largest, std::fabs(static_cast<double>(other[k])));
    const double difference = std::fabs(static_cast<double>(w[k]) - static_cast<double>(other[k]));
    if (!(difference <= distance)) distance = difference;
  }
  const double unit = static_cast<double>(w.size()) * std::numeric_limits<R>::epsilon() * largest;
  return distance / std::max<double>(unit, std::numeric_limits<R>::denorm_min());
}

// Solves with and without vectors, and checks the pairs by verify().
template <class T>
HermitianPairs<T> check_hermitian(const HermitianMatrix<T>& m, OptionsAndDevices asked, double limit,
                                  std::int64_t padding = 0) {
  const HermitianPairs<T> pairs = solve_guarded(m, asked, padding);
  asked.vectors = false;
  const HermitianPairs<T> values = solve_guarded(m, asked, padding);
  REQUIRE(pairs.report.status == eigen_g::Status::converged);
  REQUIRE(values.report.status == eigen_g::Status::converged);
  const eigen_g::Verification v = eigen_g::verify(m.uplo, m.n, m.a.data(), m.lda, m.n, pairs.w.data(),
                                                  pairs.z.data(), pairs.ldz, eigen_g::DeviceChoice::cpu);
  CHECK(v.finite);
  CHECK(v.ascending);
  CHECK(v.lapack_residual <= limit);
  CHECK(v.lapack_orthogonality <= limit);
  CHECK(value_distance(values.w, pairs.w) <= limits::values_only);
  return pairs;
}
template <class T>
HermitianPairs<T> check_hermitian(const HermitianMatrix<T>& m, eigen_g::DeviceChoice place, double limit,
                                  std::int64_t padding = 0) {
  return check_hermitian(m, options(place), limit, padding);
}

}  // namespace support
