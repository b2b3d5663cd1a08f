// Matrices as a caller may pass them: one triangle is stored, the other one and the padding between the columns are NaN.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "apps/generate/matrices.hpp"
#include "hybrid/uplo.hpp"

namespace support {

inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double infinity = std::numeric_limits<double>::infinity();

inline const char* name(eigen_g::Uplo uplo) {
  return uplo == eigen_g::Uplo::lower ? "lower" : "upper";
}

// Column-major n x n, both triangles, lda = n.
inline std::vector<double> full_matrix(const eigen_g::generate::Spec& spec) {
  std::vector<double> a(static_cast<std::size_t>(spec.n) * static_cast<std::size_t>(spec.n));
  eigen_g::generate::fill(spec, a.data(), std::max<std::int64_t>(1, spec.n));
  return a;
}

struct Stored {
  eigen_g::Uplo uplo = eigen_g::Uplo::lower;
  std::int64_t n = 0;
  std::int64_t lda = 1;
  std::vector<double> a;

  bool used(std::int64_t i, std::int64_t j) const { return uplo == eigen_g::Uplo::lower ? i >= j : i <= j; }
  double& at(std::int64_t i, std::int64_t j) { return a[static_cast<std::size_t>(i + j * lda)]; }
  double at(std::int64_t i, std::int64_t j) const { return a[static_cast<std::size_t>(i + j * lda)]; }
};

// Entries that the solver must not read are NaN.
inline Stored stored(const std::vector<double>& full, std::int64_t n,
                     eigen_g::Uplo uplo = eigen_g::Uplo::lower, std::int64_t padding = 0) {
  Stored s{uplo, n, std::max<std::int64_t>(1, n + padding), {}};
  s.a.assign(static_cast<std::size_t>(s.lda * n), nan);
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i)
      if (s.used(i, j)) s.at(i, j) = full[static_cast<std::size_t>(i + j * n)];
  return s;
}

inline Stored stored(const eigen_g::generate::Spec& spec, eigen_g::Uplo uplo = eigen_g::Uplo::lower,
                     std::int64_t padding = 0) {
  return stored(full_matrix(spec), spec.n, uplo, padding);
}

// rows x cols random entries, uniform in (-1, 1).
inline std::vector<double> random_rectangle(std::int64_t rows, std::int64_t cols, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> entry(-1, 1);
  std::vector<double> a(static_cast<std::size_t>(rows * cols));
  for (double& x : a) x = entry(random);
  return a;
}

// Normal random entries, n x n: both triangles, and in the form that a caller passes.
inline std::vector<double> random_symmetric(std::int64_t n, std::uint64_t seed = 1, double scale = 1) {
  eigen_g::generate::Spec spec;
  spec.n = n;
  spec.seed = seed;
  spec.scale = scale;
  return full_matrix(spec);
}
inline Stored random_matrix(std::int64_t n, eigen_g::Uplo uplo = eigen_g::Uplo::lower,
                            std::int64_t padding = 0, std::uint64_t seed = 1, double scale = 1) {
  return stored(random_symmetric(n, seed, scale), n, uplo, padding);
}

// A := H A H with reflectors H until only `width` diagonals below the main one are nonzero, as in LAPACK's banded test matrices.
// The spectrum does not change.
inline void reduce_to_band(std::vector<double>& a, std::int64_t n, std::int64_t width) {
  const auto at = [&](std::int64_t i, std::int64_t j) -> double& {
    return a[static_cast<std::size_t>(i + j * n)];
  };
  for (std::int64_t j = 0; j + width + 1 < n; ++j) {
    const std::int64_t top = j + width;  // the entry that remains
    std::vector<double> v(static_cast<std::size_t>(n), 0.0);
    double squares = 0;
    for (std::int64_t i = top; i < n; ++i) squares += at(i, j) * at(i, j);
    for (std::int64_t i = top; i < n; ++i) v[i] = at(i, j);
    v[top] += std::copysign(std::sqrt(squares), v[top]);
    double length = 0;
    for (const double x : v) length += x * x;
    if (length == 0) continue;
    const auto reflect = [&](const auto& entry) {  // entry(i): one row or column
      double dot = 0;
      for (std::int64_t i = top; i < n; ++i) dot += v[i] * entry(i);
      for (std::int64_t i = top; i < n; ++i) entry(i) -= 2 * dot / length * v[i];
    };
    for (std::int64_t k = 0; k < n; ++k) reflect([&](std::int64_t i) -> double& { return at(i, k); });
    for (std::int64_t k = 0; k < n; ++k) reflect([&](std::int64_t i) -> double& { return at(k, i); });
    for (std::int64_t i = top + 1; i < n; ++i) at(i, j) = at(j, i) = 0;
  }
}

// LAPACK's test matrices of DSYEVD (ddrvst), types 1 to 18.
inline constexpr int lapack_types = 18;
inline std::vector<double> lapack_matrix(int type, std::int64_t n, std::uint64_t seed) {
  eigen_g::generate::Spec spec;
  spec.n = n;
  spec.seed = seed;
  spec.cond = 1 / std::numeric_limits<double>::epsilon();
  spec.random_signs = true;
  const int mode_of_type[lapack_types + 1] = {0, 0, 0, 4, 3, 1, 3, 3, 4, 3, 1, 4, 4, 6, 6, 6, 4, 4, 4};
  const int mode = mode_of_type[type];
  spec.kind = type == 1   ? "zero"
              : type == 2 ? "identity"
              : mode == 1 ? "clustered"
              : mode == 3 ? "geometric"
              : mode == 4 ? "arithmetic"
                          : "uniform";
  spec.rotate = type >= 8;
  std::vector<double> a = full_matrix(spec);
  if (type >= 16) {
    std::mt19937_64 random(seed);
    reduce_to_band(
        a, n, static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(std::max<std::int64_t>(1, n))));
  }
  const bool huge = type == 6 || type == 11 || type == 14 || type == 17;
  const bool tiny = type == 7 || type == 12 || type == 15 || type == 18;
  const double scale = huge ? eigen_g::generate::huge_scale(n) : tiny ? eigen_g::generate::tiny_scale(n) : 1;
  for (double& x : a) x *= scale;
  return a;
}

}  // namespace support
