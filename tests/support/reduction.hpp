// Reductions of dense matrices to tridiagonal form, and the check that they are such.
#pragma once

#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "hybrid/uplo.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/matrices.hpp"
#include "tests/support/tolerances.hpp"

namespace support::reduction {

using eigen_g::Uplo;

using Matrix = std::vector<double>;  // n x n, column-major

struct Reduction {
  std::vector<double> d, e;
  Matrix q;
};

inline Matrix identity(std::int64_t n) {
  Matrix q(static_cast<std::size_t>(n * n), 0);
  for (std::int64_t i = 0; i < n; ++i) q[static_cast<std::size_t>(i + i * n)] = 1;
  return q;
}

//   ||A - Q T Q^T||_F          ||Q^T Q - I||_F
//   -----------------          ---------------
//    n ||A||_F ulp                  n ulp
struct Ratios {
  double backward, orthogonality;
};

inline Ratios ratios(const Matrix& a, std::int64_t n, const Reduction& r) {
  const auto at = [n](const Matrix& m, std::int64_t i, std::int64_t j) {
    return m[static_cast<std::size_t>(i + j * n)];
  };
  Matrix qt(static_cast<std::size_t>(n * n), 0), product = a, gram = identity(n);
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i) {
      double sum = at(r.q, i, j) * r.d[static_cast<std::size_t>(j)];
      if (j > 0) sum += at(r.q, i, j - 1) * r.e[static_cast<std::size_t>(j - 1)];
      if (j + 1 < n) sum += at(r.q, i, j + 1) * r.e[static_cast<std::size_t>(j)];
      qt[static_cast<std::size_t>(i + j * n)] = sum;
    }
  const auto order = static_cast<int>(n);
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, order, order, order, -1, qt.data(), order, r.q.data(),
              order, 1, product.data(), order);
  cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, order, order, order, -1, r.q.data(), order, r.q.data(),
              order, 1, gram.data(), order);
  const auto norm = [](const Matrix& m) {
    double sum = 0;
    for (const double x : m) sum += x * x;
    return std::sqrt(sum);
  };
  const double scale = static_cast<double>(n) * 0x1p-52, size = std::max(norm(a), 1e-300);
  return {norm(product) / (scale * size), norm(gram) / scale};
}

inline Matrix family(const std::string& kind, std::int64_t n) {
  Matrix a = random_symmetric(n, 7);
  const auto entry = [&](std::int64_t i, std::int64_t j) -> double& {
    return a[static_cast<std::size_t>(i + j * n)];
  };
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i) {
      const double x = static_cast<double>(i) / static_cast<double>(n),
                   y = static_cast<double>(j) / static_cast<double>(n);
      if (kind == "zero") entry(i, j) = 0;
      if (kind == "identity") entry(i, j) = i == j;
      if (kind == "ones") entry(i, j) = 1;
      if (kind == "graded down") entry(i, j) *= std::pow(10, -15 * (x + y));
      if (kind == "graded up") entry(i, j) *= std::pow(10, -15 * (2 - x - y));
      if (kind == "rank two")
        entry(i, j) = std::cos(9 * x) * std::cos(9 * y) - 2 * std::sin(5 * x) * std::sin(5 * y);
      if (kind == "near identity") entry(i, j) = (i == j) + 1e-13 * entry(i, j);
      if (kind == "arrow" && i != j && i != 0 && j != 0) entry(i, j) = 0;
      if (kind == "tridiagonal" && std::abs(i - j) > 1) entry(i, j) = 0;
      if (kind == "dominant diagonal" && i == j) entry(i, j) = 1e6 * (1 + x);
      if (kind == "blocks" && (i < n / 2) != (j < n / 2)) entry(i, j) = 0;
      if (kind == "tiny") entry(i, j) *= 0x1p-99;
      if (kind == "large") entry(i, j) *= 0x1p98;
    }
  return a;
}

inline const char* const families[] = {"random",      "zero",        "identity",          "ones",
                                       "graded down", "graded up",   "rank two",          "near identity",
                                       "arrow",       "tridiagonal", "dominant diagonal", "blocks",
                                       "tiny",        "large"};

template <class Reduce>
void check_reduction(const Matrix& a, std::int64_t n, Uplo uplo, Reduce&& reduce,
                     double limit = limits::reduction) {
  // The triangle that is not named must not matter.
  Matrix poisoned = a;
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i)
      if (uplo == Uplo::lower ? i < j : i > j) poisoned[static_cast<std::size_t>(i + j * n)] = std::nan("");
  const Ratios found = ratios(a, n, reduce(poisoned, n, uplo));
  CAPTURE(n, static_cast<char>(uplo), found.backward, found.orthogonality);
  CHECK(found.backward < limit);
  CHECK(found.orthogonality < limit);
}

}  // namespace support::reduction
