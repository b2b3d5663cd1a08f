// Generalised problems in T: A is random, B is positive definite with a given condition. One triangle is stored; the other one
// and the padding are NaN.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "hybrid/scalar.hpp"
#include "hybrid/uplo.hpp"
#include "solver/api/generalised.hpp"

namespace support {

// Both triangles of the n x n matrix H_1 ... H_4 D H_4 ... H_1 with random reflections H; D is geometric from 1 down to 1 / cond.
inline std::vector<double> positive_definite(std::int64_t n, double cond, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> b(static_cast<std::size_t>(n * n)), v(static_cast<std::size_t>(n)), bv(v);
  for (std::int64_t i = 0; i < n; ++i)
    b[i + i * n] = n > 1 ? std::pow(cond, -static_cast<double>(i) / static_cast<double>(n - 1)) : 1;
  for (int reflection = 0; reflection < 4; ++reflection) {
    double squares = 0;
    for (double& x : v) x = normal(random);
    for (const double x : v) squares += x * x;
    for (std::int64_t i = 0; i < n; ++i) {
      bv[i] = 0;
      for (std::int64_t j = 0; j < n; ++j) bv[i] += b[i + j * n] * v[j];
    }
    double vbv = 0;
    for (std::int64_t i = 0; i < n; ++i) vbv += v[i] * bv[i];
    const double t = 2 / squares;
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = j; i < n; ++i)
        b[i + j * n] += -t * (v[i] * bv[j] + bv[i] * v[j]) + t * t * vbv * v[i] * v[j];
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < j; ++i) b[i + j * n] = b[j + i * n];
  }
  return b;
}

// For complex T the matrix is D A D^H with D = diag(exp(i phase k^2)), a unitary similarity. The diagonal's imaginary parts are
// NaN.
template <class T>
struct Matrix {
  eigen_g::Uplo uplo;
  std::int64_t n, ld;
  std::vector<T> a;
  Matrix(const std::vector<double>& full, std::int64_t n_, eigen_g::Uplo uplo_, std::int64_t padding,
         double phase = 1)
      : uplo(uplo_), n(n_), ld(std::max<std::int64_t>(1, n_ + padding)) {
    using R = eigen_g::real_t<T>;
    constexpr R poison = std::numeric_limits<R>::quiet_NaN();
    a.assign(static_cast<std::size_t>(ld * n), T(poison));
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < n; ++i) {
        if (!stored(i, j)) continue;
        const double x = full[i + j * n];
        if constexpr (eigen_g::is_complex<T>)
          a[i + j * ld] = i == j ? T(static_cast<R>(x), poison)
                                 : T(x * std::polar(1.0, phase * static_cast<double>(i * i - j * j)));
        else
          a[i + j * ld] = static_cast<T>(x);
      }
  }
  bool stored(std::int64_t i, std::int64_t j) const { return uplo == eigen_g::Uplo::lower ? i >= j : i <= j; }
};

}  // namespace support
