// Dense matrices for reductions to tridiagonal form, and the check of A = Q T Q^H.
#pragma once

#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <vector>

#include "hybrid/parts.hpp"
#include "hybrid/uplo.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/matrices.hpp"
#include "tests/support/tolerances.hpp"

namespace support::reduction {

using eigen_g::Uplo;

using Matrix = std::vector<double>;  // n x n, column-major
using ComplexMatrix = std::vector<std::complex<double>>;

template <class S>
struct ReductionOf {
  std::vector<double> d, e;
  std::vector<S> q;
};
using Reduction = ReductionOf<double>;

template <class S = double>
std::vector<S> identity(std::int64_t n) {
  std::vector<S> q(static_cast<std::size_t>(n * n), S(0));
  for (std::int64_t i = 0; i < n; ++i) q[static_cast<std::size_t>(i + i * n)] = 1;
  return q;
}

// Z := alpha op(X) op(Y) + beta Z, all n x n; op(X) is X or X^H.
inline void multiply(bool adjoint_x, bool adjoint_y, std::int64_t n, double alpha, const Matrix& x,
                     const Matrix& y, double beta, Matrix& z) {
  const auto order = static_cast<int>(n);
  const auto op = [](bool adjoint) { return adjoint ? CblasTrans : CblasNoTrans; };
  cblas_dgemm(CblasColMajor, op(adjoint_x), op(adjoint_y), order, order, order, alpha, x.data(), order,
              y.data(), order, beta, z.data(), order);
}
inline void multiply(bool adjoint_x, bool adjoint_y, std::int64_t n, std::complex<double> alpha,
                     const ComplexMatrix& x, const ComplexMatrix& y, std::complex<double> beta,
                     ComplexMatrix& z) {
  const auto order = static_cast<int>(n);
  const auto op = [](bool adjoint) { return adjoint ? CblasConjTrans : CblasNoTrans; };
  cblas_zgemm(CblasColMajor, op(adjoint_x), op(adjoint_y), order, order, order, &alpha, x.data(), order,
              y.data(), order, &beta, z.data(), order);
}
// This multiply() is for long double and uses no BLAS. The rounding errors of its sums are far below the rounding errors of double.
template <class W>
requires std::is_same_v<decltype(std::real(W())), long double>
void multiply(bool adjoint_x, bool adjoint_y, std::int64_t n, double alpha, const std::vector<W>& x,
              const std::vector<W>& y, double beta, std::vector<W>& z) {
  const auto op = [n](const std::vector<W>& m, bool adjoint) {
    std::vector<W> found = m;
    for (std::int64_t j = 0; adjoint && j < n; ++j)
      for (std::int64_t i = 0; i < n; ++i)
        found[static_cast<std::size_t>(i + j * n)] =
            eigen_g::conjugate(m[static_cast<std::size_t>(j + i * n)]);
    return found;
  };
  const std::vector<W> left = op(x, adjoint_x), right = op(y, adjoint_y);
  for (std::int64_t j = 0; j < n; ++j) {
    W* const column = &z[static_cast<std::size_t>(j * n)];
    for (std::int64_t i = 0; i < n; ++i) column[i] *= static_cast<long double>(beta);
    for (std::int64_t k = 0; k < n; ++k) {
      const W* const from = &left[static_cast<std::size_t>(k * n)];
      const W scaled = right[static_cast<std::size_t>(k + j * n)] * static_cast<long double>(alpha);
      for (std::int64_t i = 0; i < n; ++i) column[i] += from[i] * scaled;
    }
  }
}

template <class S>
double frobenius(const std::vector<S>& m) {
  double sum = 0;
  for (const S x : m) sum += static_cast<double>(std::norm(x));
  return std::sqrt(sum);
}

//   ||A - Q T Q^H||_F          ||Q^H Q - I||_F
//   -----------------          ---------------
//    n ||A||_F ulp                  n ulp
struct Ratios {
  double backward, orthogonality;
};

// qt: Q T
template <class S>
Ratios ratios_of_product(const std::vector<S>& a, std::int64_t n, const std::vector<S>& qt,
                         const std::vector<S>& q) {
  std::vector<S> product = a, gram = identity<S>(n);
  multiply(false, true, n, -1, qt, q, 1, product);
  multiply(true, false, n, -1, q, q, 1, gram);
  const double scale = static_cast<double>(n) * 0x1p-52, size = std::max(frobenius(a), 1e-300);
  return {frobenius(product) / (scale * size), frobenius(gram) / scale};
}

template <class S>
Ratios ratios(const std::vector<S>& a, std::int64_t n, const ReductionOf<S>& r) {
  const auto at = [n](const std::vector<S>& m, std::int64_t i, std::int64_t j) {
    return m[static_cast<std::size_t>(i + j * n)];
  };
  std::vector<S> qt(static_cast<std::size_t>(n * n), S(0));
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i) {
      const auto times = [&](std::int64_t k, const std::vector<double>& x, std::int64_t of) {
        return at(r.q, i, k) * static_cast<decltype(std::real(S()))>(x[static_cast<std::size_t>(of)]);
      };
      S sum = times(j, r.d, j);
      if (j > 0) sum += times(j - 1, r.e, j - 1);
      if (j + 1 < n) sum += times(j + 1, r.e, j);
      qt[static_cast<std::size_t>(i + j * n)] = sum;
    }
  return ratios_of_product(a, n, qt, r.q);
}

inline Matrix family(const std::string& kind, std::int64_t n) {
  Matrix a = random_symmetric(n, 7);
  const auto entry = [&](std::int64_t i, std::int64_t j) -> double& {
    return a[static_cast<std::size_t>(i + j * n)];
  };
  // set(entry, i, j, i / n, j / n) for each entry.
  const auto each = [&](const auto& set) {
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < n; ++i)
        set(entry(i, j), i, j, static_cast<double>(i) / static_cast<double>(n),
            static_cast<double>(j) / static_cast<double>(n));
  };
  using I = std::int64_t;
  using D = double;
  if (kind == "zero") each([](D& z, I, I, D, D) { z = 0; });
  if (kind == "identity") each([](D& z, I i, I j, D, D) { z = i == j; });
  if (kind == "ones") each([](D& z, I, I, D, D) { z = 1; });
  if (kind == "graded down") each([](D& z, I, I, D x, D y) { z *= std::pow(10, -15 * (x + y)); });
  if (kind == "graded up") each([](D& z, I, I, D x, D y) { z *= std::pow(10, -15 * (2 - x - y)); });
  if (kind == "rank two")
    each([](D& z, I, I, D x, D y) {
      z = std::cos(9 * x) * std::cos(9 * y) - 2 * std::sin(5 * x) * std::sin(5 * y);
    });
  if (kind == "near identity") each([](D& z, I i, I j, D, D) { z = (i == j) + 1e-13 * z; });
  if (kind == "arrow")
    each([](D& z, I i, I j, D, D) {
      if (i != j && i != 0 && j != 0) z = 0;
    });
  if (kind == "tridiagonal")
    each([](D& z, I i, I j, D, D) {
      if (std::abs(i - j) > 1) z = 0;
    });
  if (kind == "dominant diagonal")
    each([](D& z, I i, I j, D x, D) {
      if (i == j) z = 1e6 * (1 + x);
    });
  if (kind == "blocks")
    each([n](D& z, I i, I j, D, D) {
      if ((i < n / 2) != (j < n / 2)) z = 0;
    });
  if (kind == "tiny") each([](D& z, I, I, D, D) { z *= 0x1p-99; });
  if (kind == "large") each([](D& z, I, I, D, D) { z *= 0x1p98; });
  return a;
}

inline const char* const families[] = {"random",      "zero",        "identity",          "ones",
                                       "graded down", "graded up",   "rank two",          "near identity",
                                       "arrow",       "tridiagonal", "dominant diagonal", "blocks",
                                       "tiny",        "large"};

// The family as S. If S is complex, entry (j, k) is multiplied by exp(i (j^2 - k^2)), and a random matrix has random imaginary
// parts.
template <class S>
std::vector<S> family_of(const std::string& kind, std::int64_t n) {
  const Matrix re = family(kind, n);
  if constexpr (!eigen_g::is_complex<S>) {
    return re;
  } else {
    const Matrix im = kind == "random" ? random_symmetric(n, 8) : Matrix();
    ComplexMatrix a(re.size());
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = j; i < n; ++i) {
        const auto at = static_cast<std::size_t>(i + j * n);
        a[at] = i == j        ? S(re[at])
                : !im.empty() ? S(re[at], im[at])
                              : re[at] * std::polar(1.0, static_cast<double>(i * i - j * j));
        a[static_cast<std::size_t>(j + i * n)] = std::conj(a[at]);
      }
    return a;
  }
}

template <class Reduce>
void check_reduction(const Matrix& a, std::int64_t n, Uplo uplo, Reduce&& reduce,
                     double limit = limits::reduction) {
  // The other triangle is NaN and must not be read.
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
