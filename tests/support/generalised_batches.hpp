// Batches of generalised problems: positive definite B of several kinds, and the check of a problem's pairs.
#pragma once

#include "solver/verify/verify_generalised.hpp"
#include "tests/support/batches.hpp"

namespace support {

// Positive definite matrices: M M^H / n + I with random M, in turn as they are, graded both ways, of huge and of tiny scale. They
// have the triangle and the orders of `like`.
template <class T>
StoredBatch<T> positive_definite_batch(const StoredBatch<T>& like, std::int64_t padding = 0,
                                       std::int64_t gap = 0) {
  using R = eigen_g::real_t<T>;
  const std::int64_t n = like.n;
  StoredBatch<T> b = batch_of_families<T>(n, like.count, like.uplo, padding, gap);
  for (std::int64_t k = 0; k < b.count; ++k) {
    std::mt19937_64 random(static_cast<std::uint64_t>(7000 + 10 * n + k));
    std::normal_distribution<double> normal;
    std::vector<std::complex<double>> m(static_cast<std::size_t>(n * n));
    for (std::complex<double>& x : m) x = {normal(random), eigen_g::is_complex<T> ? normal(random) : 0};
    const auto factor = [&](std::int64_t i) {  // row and column i are multiplied by it
      const double x = static_cast<double>(i), last = static_cast<double>(n - 1);
      switch (k % 5) {
        case 1:
          return std::pow(10, -0.03 * x);
        case 2:
          return std::pow(10, -0.03 * (last - x));
        case 3:
          return std::ldexp(1.0, sizeof(R) == 4 ? 50 : 450);
        case 4:
          return std::ldexp(1.0, sizeof(R) == 4 ? -50 : -450);
        default:
          return 1.0;
      }
    };
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = j; i < n; ++i) {
        std::complex<double> sum = i == j ? 1 : 0;
        for (std::int64_t l = 0; l < n; ++l)
          sum += m[static_cast<std::size_t>(i + l * n)] * std::conj(m[static_cast<std::size_t>(j + l * n)]) /
                 static_cast<double>(n);
        sum *= factor(i) * factor(j);
        T& to = b.uplo == eigen_g::Uplo::lower ? b.at(k, i, j) : b.at(k, j, i);
        if constexpr (eigen_g::is_complex<T>)
          to = T(b.uplo == eigen_g::Uplo::lower ? sum : std::conj(sum));
        else
          to = static_cast<T>(sum.real());
      }
  }
  return b;
}

// Matrix k of a batch without gaps, both triangles.
template <class T>
std::vector<T> whole_matrix(const StoredBatch<T>& batch, std::int64_t k) {
  std::vector<T> a;
  for (std::int64_t j = 0; j < batch.n; ++j)
    for (std::int64_t i = 0; i < batch.n; ++i)
      if constexpr (eigen_g::is_complex<T>)
        a.push_back(T(batch.entry(k, i, j)));
      else
        a.push_back(static_cast<T>(batch.entry(k, i, j).real()));
  return a;
}

template <class T>
void check_generalised(const StoredBatch<T>& a, const StoredBatch<T>& b, std::int64_t k,
                       const std::vector<eigen_g::real_t<T>>& w, const std::vector<T>& z) {
  const std::vector<T> whole_a = whole_matrix(a, k), whole_b = whole_matrix(b, k);
  const eigen_g::GeneralisedVerification v = eigen_g::verify_generalised<T>(
      1, eigen_g::Uplo::lower, a.n, whole_a.data(), a.n, whole_b.data(), a.n,
      static_cast<std::int64_t>(w.size()), w.data(), z.data(), a.n, eigen_g::DeviceChoice::cpu, 1);
  CAPTURE(k, a.n, v.residual, v.residual_limit, v.orthogonality, v.orthogonality_limit, v.condition,
          v.ascending, v.finite);
  CHECK(passed(v));
}

}  // namespace support
