// Batches of generalised problems for the kernels of solver/batched: B of several kinds, and the check of the pairs.
#pragma once

#include "solver/verify/verify_generalised.hpp"
#include "tests/support/batched_matrices.hpp"

namespace support::batched {

inline const std::vector<const char*> kinds_of_b{"well-conditioned", "identity",          "graded down",
                                                 "graded up",        "nearly singular",   "huge scale",
                                                 "tiny scale",       "rows of two scales"};

// Each B is positive definite. It has the triangle and the padding of `like`.
template <class T>
Batch<T> make_b(const Batch<T>& like, const std::vector<int>& kinds, unsigned seed = 7) {
  using R = real_t<T>;
  const double eps = std::numeric_limits<R>::epsilon();
  constexpr auto nan = std::numeric_limits<R>::quiet_NaN();
  Batch<T> b = like;
  std::fill(b.a.begin(), b.a.end(), number_of<T>({nan, nan}));
  for (std::int64_t k = 0; k < b.count(); ++k) {
    const int n = b.orders[static_cast<std::size_t>(k)], kind = kinds[static_cast<std::size_t>(k)];
    std::mt19937 random(seed + static_cast<unsigned>(k));
    std::normal_distribution<double> normal;
    std::vector<Complex> m(static_cast<std::size_t>(n * n));
    for (Complex& x : m) x = {normal(random), is_complex<T> ? normal(random) : 0.0};
    const auto factor = [&](int i) {  // row and column i are multiplied by it
      switch (kind) {
        case 2:
          return std::pow(10.0, -0.05 * i);
        case 3:
          return std::pow(10.0, -0.05 * (n - 1 - i));
        case 5:
          return std::sqrt(static_cast<double>(std::numeric_limits<R>::max()) / 1000 / n);
        case 6:
          return std::sqrt(static_cast<double>(std::numeric_limits<R>::min()) * 1000);
        case 7:
          return i % 2 == 0 ? 1.0 : 1e-3;
        default:
          return 1.0;
      }
    };
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        if (b.upper ? i > j : i < j) continue;
        Complex sum = i == j ? 1 : 0;
        if (kind == 4) sum *= 100 * n * eps;
        if (kind != 1)
          for (int l = 0; l < (kind == 4 ? (n + 1) / 2 : n); ++l)
            sum += m[static_cast<std::size_t>(i + l * n)] *
                   std::conj(m[static_cast<std::size_t>(j + l * n)]) / double(n);
        sum *= factor(i) * factor(j);
        b.at(k, i, j) = number_of<T>(i == j ? Complex(sum.real(), nan) : sum);
      }
  }
  return b;
}

template <class T>
void check_pencil(const Batch<T>& a, const Batch<T>& b, const Pairs<T>& pairs, std::int64_t k) {
  const int n = a.orders[static_cast<std::size_t>(k)];
  const std::vector<real_t<T>> w = pairs.values(k);
  const std::vector<T> z = pairs.vectors(k);
  std::vector<T> whole_a, whole_b;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      whole_a.push_back(number_of<T>(a.entry(k, i, j)));
      whole_b.push_back(number_of<T>(b.entry(k, i, j)));
    }
  CHECK(pairs.status[static_cast<std::size_t>(k)] == 0);
  const eigen_g::GeneralisedVerification v = eigen_g::verify_generalised<T>(
      1, eigen_g::Uplo::lower, n, whole_a.data(), n, whole_b.data(), n, static_cast<std::int64_t>(w.size()),
      w.data(), z.data(), n, eigen_g::DeviceChoice::cpu, 1);
  CAPTURE(k, n, v.residual, v.residual_limit, v.orthogonality, v.orthogonality_limit, v.condition,
          v.ascending, v.finite);
  CHECK(passed(v));
}

}  // namespace support::batched
