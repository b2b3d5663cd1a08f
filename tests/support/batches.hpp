// Batches of small matrices: hard families, and the checks of their results.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "hybrid/parts.hpp"
#include "hybrid/scalar.hpp"
#include "solver/api/batched.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/tolerances.hpp"

namespace support {

template <class T>
bool same_bits(const std::vector<T>& x, const std::vector<T>& y) {
  return x.size() == y.size() && (x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof(T)) == 0);
}
template <class T>
constexpr T not_a_number() {
  using R = eigen_g::real_t<T>;
  if constexpr (eigen_g::is_complex<T>)
    return {std::numeric_limits<R>::quiet_NaN(), std::numeric_limits<R>::quiet_NaN()};
  else
    return std::numeric_limits<R>::quiet_NaN();
}

// Entry (i, j), i >= j, of a matrix of a hard family.
inline constexpr int batch_families = 12;
template <class T>
T entry_of_family(int family, std::int64_t n, std::int64_t i, std::int64_t j, std::mt19937_64& random) {
  using R = eigen_g::real_t<T>;
  std::normal_distribution<double> normal;
  const auto draw = [&] {
    const double re = normal(random), im = normal(random);
    if constexpr (eigen_g::is_complex<T>)
      return T(R(re), i == j ? R(0) : R(im));
    else
      return T(re + 0 * im);
  };
  const bool single = sizeof(R) == 4;
  const auto real = [](double x) { return T(R(x)); };
  switch (family % batch_families) {
    case 1:
      return real(0);
    case 2:
      return real(i == j ? 1 : 0);
    case 3:
      return real(1);  // rank one
    case 4:
      return real(i == j ? static_cast<double>(n - i) : 0);  // sorted downwards
    case 5:
      return draw() * R(std::pow(10.0, -0.2 * static_cast<double>(n - i)));  // graded upwards
    case 6:
      return draw() * R(std::pow(10.0, -0.2 * static_cast<double>(i)));  // graded downwards
    case 7:
      return real(i == j       ? std::fabs(static_cast<double>(n - 1 - 2 * i)) / 2
                  : i == j + 1 ? 1
                               : 0);  // Wilkinson
    case 8:
      return draw() * R(std::ldexp(1.0, single ? 100 : 900));
    case 9:
      return draw() * R(std::ldexp(1.0, single ? -100 : -900));
    case 10:
      return real(i == j ? 1 : 0) + draw() * (std::numeric_limits<R>::epsilon() * R(0.5));
    case 11:
      return real(i == j ? static_cast<double>(i / 3) : 0);  // clusters of 3
    default:
      return draw();
  }
}

// count matrices n x n in one triangle. The other triangle, the padding and the gaps are NaN.
template <class T>
struct StoredBatch {
  eigen_g::Uplo uplo = eigen_g::Uplo::lower;
  std::int64_t n = 0, count = 0, lda = 1, stride = 0;
  std::vector<T> a;
  T& at(std::int64_t k, std::int64_t i, std::int64_t j) {
    return a[static_cast<std::size_t>(k * stride + i + j * lda)];
  }
  // Entry (i, j) of the whole Hermitian matrix.
  std::complex<double> entry(std::int64_t k, std::int64_t i, std::int64_t j) const {
    const bool stored = uplo == eigen_g::Uplo::lower ? i >= j : i <= j;
    const T x = a[static_cast<std::size_t>(k * stride + (stored ? i + j * lda : j + i * lda))];
    if (i == j) return static_cast<double>(std::real(x));
    const std::complex<double> wide(x);
    return stored ? wide : std::conj(wide);
  }
};

// Matrix k belongs to family k. padding: of the columns; gap: between the matrices.
template <class T>
StoredBatch<T> batch_of_families(std::int64_t n, std::int64_t count,
                                 eigen_g::Uplo uplo = eigen_g::Uplo::lower, std::int64_t padding = 0,
                                 std::int64_t gap = 0) {
  StoredBatch<T> batch{uplo, n, count, std::max<std::int64_t>(1, n + padding), 0, {}};
  batch.stride = batch.lda * n + gap;
  batch.a.assign(static_cast<std::size_t>(batch.stride * count), not_a_number<T>());
  for (std::int64_t k = 0; k < count; ++k) {
    std::mt19937_64 random(static_cast<std::uint64_t>(1000 * n + k));
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = j; i < n; ++i) {
        const T x = entry_of_family<T>(static_cast<int>(k), n, i, j, random);
        if (uplo == eigen_g::Uplo::lower)
          batch.at(k, i, j) = x;
        else
          batch.at(k, j, i) = eigen_g::conjugate(x);
      }
  }
  return batch;
}

// Results with their gaps; everything that a solve does not write is `guard`.
template <class T>
struct BatchPairs {
  static constexpr eigen_g::real_t<T> guard = -7.25e27f;
  std::int64_t m = 0, ldz = 1;
  eigen_g::BatchStrides strides;
  std::vector<eigen_g::real_t<T>> w;
  std::vector<T> z;
  std::vector<std::int32_t> status;
  eigen_g::BatchReport report;

  BatchPairs(std::int64_t n, std::int64_t pairs, std::int64_t count, bool vectors, std::int64_t padding = 0,
             std::int64_t gap = 0)
      : m(pairs), ldz(std::max<std::int64_t>(1, n + padding)), strides{0, pairs + gap, ldz * pairs + gap} {
    w.assign(static_cast<std::size_t>(strides.w * count), guard);
    z.assign(static_cast<std::size_t>(vectors ? strides.z * count : 0), T(guard));
    status.assign(static_cast<std::size_t>(count), 77);
  }
  std::vector<eigen_g::real_t<T>> values(std::int64_t k) const {
    return {w.begin() + k * strides.w, w.begin() + k * strides.w + m};
  }
  std::vector<T> vectors(std::int64_t k, std::int64_t n) const {
    std::vector<T> packed;
    for (std::int64_t j = 0; j < m && !z.empty(); ++j)
      packed.insert(packed.end(), z.begin() + k * strides.z + j * ldz,
                    z.begin() + k * strides.z + j * ldz + n);
    return packed;
  }
};

struct BatchQuality {
  double residual = 0, orthogonality = 0;
  bool ascending = true;  // and finite
};

// The quality of eigenpairs of an n x n matrix, with sums in long double. entry(i, j) is an entry of the whole matrix.
template <class T, class Entry>
BatchQuality quality_of(std::int64_t n, const Entry& entry, const std::vector<eigen_g::real_t<T>>& w,
                        const std::vector<T>& z) {
  using Complex = std::complex<double>;
  const std::int64_t m = static_cast<std::int64_t>(w.size());
  const auto at = [n](std::int64_t i, std::int64_t j) { return static_cast<std::size_t>(i + j * n); };
  std::vector<Complex> a(static_cast<std::size_t>(n * n)), v(z.begin(), z.end());
  double largest = 0, norm = 0;
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(a[at(i, j)] = entry(i, j)));
  const double scale = largest > 0 ? std::ldexp(1.0, -std::ilogb(largest)) : 1;  // products stay in range
  for (std::int64_t j = 0; j < n; ++j) {
    double column = 0;
    for (std::int64_t i = 0; i < n; ++i) column += std::abs(a[at(i, j)] *= scale);
    norm = std::max(norm, column);
  }
  struct Sum {
    long double re = 0, im = 0;
    void add(Complex x, Complex y) {
      re += static_cast<long double>(x.real()) * y.real() - static_cast<long double>(x.imag()) * y.imag();
      im += static_cast<long double>(x.real()) * y.imag() + static_cast<long double>(x.imag()) * y.real();
    }
    double size() const { return static_cast<double>(std::hypot(re, im)); }
  };
  BatchQuality q;
  for (std::int64_t j = 0; j < m; ++j) {
    const double value = w[static_cast<std::size_t>(j)];
    q.ascending =
        q.ascending && std::isfinite(value) && (j == 0 || w[static_cast<std::size_t>(j - 1)] <= value);
    double residual = 0, orthogonality = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      Sum sum;
      for (std::int64_t l = 0; l < n; ++l) sum.add(a[at(i, l)], v[at(l, j)]);
      sum.add(-value * scale, v[at(i, j)]);
      residual += sum.size();
    }
    for (std::int64_t i = 0; i < m; ++i) {
      Sum sum;
      for (std::int64_t l = 0; l < n; ++l) sum.add(std::conj(v[at(l, i)]), v[at(l, j)]);
      sum.re -= i == j;
      orthogonality += sum.size();
    }
    if (!(residual <= q.residual)) q.residual = residual;
    if (!(orthogonality <= q.orthogonality)) q.orthogonality = orthogonality;
  }
  const double ulps = static_cast<double>(n) * std::numeric_limits<eigen_g::real_t<T>>::epsilon();
  q.residual /= ulps * (norm > 0 ? norm : 1);
  q.orthogonality /= ulps;
  return q;
}
template <class T>
BatchQuality quality(const StoredBatch<T>& batch, std::int64_t k, const std::vector<eigen_g::real_t<T>>& w,
                     const std::vector<T>& z) {
  return quality_of(
      batch.n, [&](std::int64_t i, std::int64_t j) { return batch.entry(k, i, j); }, w, z);
}

}  // namespace support
