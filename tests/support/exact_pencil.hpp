// Exact eigenpairs of A x = w B x, in quadruple precision: Cholesky factor, standard form, Jacobi rotations. For small n. Also matrices B that
// are ill-conditioned.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "tests/support/generalised.hpp"

namespace support {

// long double has 64 bits of mantissa on some machines only.
__extension__ typedef __float128 Quad;

inline Quad root(Quad x) {
  Quad y = std::sqrt(static_cast<double>(x));
  for (int step = 0; step < 2; ++step) y = (y + x / y) / 2;
  return y;
}

struct ExactPairs {
  std::vector<double> w, z;  // rounded to double; w ascends, z is n x n
};

// A and B: n x n, column-major, both triangles. The diagonal of C becomes its eigenvalues by rotations, and Y, which starts as L^-T, X.
inline ExactPairs exact_pairs(std::int64_t n, const std::vector<double>& a, const std::vector<double>& b) {
  const auto at = [n](auto& m, std::int64_t i, std::int64_t j) -> auto& {
    return m[static_cast<std::size_t>(i + j * n)];
  };
  std::vector<Quad> l(b.begin(), b.end()), c(a.begin(), a.end()), y(static_cast<std::size_t>(n * n));
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t k = 0; k < j; ++k)
      for (std::int64_t i = j; i < n; ++i) at(l, i, j) -= at(l, i, k) * at(l, j, k);
    const Quad pivot = root(at(l, j, j));
    for (std::int64_t i = j; i < n; ++i) at(l, i, j) /= pivot;
  }
  for (std::int64_t i = 0; i < n; ++i) at(y, i, i) = 1;
  // Rows of C, columns of C, rows of Y: with L^-1 from the left, from the right, and Y := L^-1 I, the transpose of L^-T.
  for (std::int64_t q = 0; q < n; ++q)
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t k = 0; k < i; ++k)
        at(c, i, q) -= at(l, i, k) * at(c, k, q), at(y, i, q) -= at(l, i, k) * at(y, k, q);
      at(c, i, q) /= at(l, i, i);
      at(y, i, q) /= at(l, i, i);
    }
  for (std::int64_t q = 0; q < n; ++q)
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t k = 0; k < i; ++k) at(c, q, i) -= at(l, i, k) * at(c, q, k);
      at(c, q, i) /= at(l, i, i);
    }
  // Rotates rows p and q of C and of Y, and columns p and q of C.
  for (int sweep = 0; sweep < 40; ++sweep)
    for (std::int64_t p = 0; p < n; ++p)
      for (std::int64_t q = p + 1; q < n; ++q) {
        const Quad off = at(c, p, q);
        if (off == 0) continue;
        const Quad tau = (at(c, q, q) - at(c, p, p)) / (2 * off), size = tau < 0 ? -tau : tau;
        if (size > Quad(1e40)) continue;
        const Quad t = (tau < 0 ? -1 : 1) / (size + root(1 + tau * tau)), cosine = 1 / root(1 + t * t),
                   sine = t * cosine;
        for (std::int64_t k = 0; k < n; ++k) {
          const Quad cp = at(c, p, k), cq = at(c, q, k), yp = at(y, p, k), yq = at(y, q, k);
          at(c, p, k) = cosine * cp - sine * cq;
          at(c, q, k) = sine * cp + cosine * cq;
          at(y, p, k) = cosine * yp - sine * yq;
          at(y, q, k) = sine * yp + cosine * yq;
        }
        for (std::int64_t k = 0; k < n; ++k) {
          const Quad cp = at(c, k, p), cq = at(c, k, q);
          at(c, k, p) = cosine * cp - sine * cq;
          at(c, k, q) = sine * cp + cosine * cq;
        }
      }
  std::vector<std::int64_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](std::int64_t p, std::int64_t q) { return at(c, p, p) < at(c, q, q); });
  ExactPairs pairs;
  for (const std::int64_t k : order) {
    pairs.w.push_back(static_cast<double>(at(c, k, k)));
    for (std::int64_t i = 0; i < n; ++i) pairs.z.push_back(static_cast<double>(at(y, k, i)));
  }
  return pairs;
}

struct NamedMatrix {
  std::string name;
  std::int64_t n;
  std::vector<double> b;
};

inline NamedMatrix named_matrix(std::string name, std::int64_t n,
                                const std::function<double(std::int64_t, std::int64_t)>& entry) {
  NamedMatrix m{std::move(name), n, {}};
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i) m.b.push_back(entry(i, j));
  return m;
}

// Positive definite matrices with conditions from 1e5 to 1e14: Gram matrices of nearly dependent functions, in several orders and scales.
inline std::vector<NamedMatrix> ill_conditioned() {
  const auto hilbert = [](std::int64_t i, std::int64_t j) { return 1 / static_cast<double>(i + j + 1); };
  const auto even = [](std::int64_t i, std::int64_t j) {
    const double x = std::pow(1.5, static_cast<double>(i)), y = std::pow(1.5, static_cast<double>(j));
    return std::pow(2 * std::sqrt(x * y) / (x + y), 1.5);
  };
  const auto line = [](std::int64_t i, std::int64_t j) {
    return std::exp(-0.08 * static_cast<double>((i - j) * (i - j)));
  };
  const auto monomials = [](std::int64_t i, std::int64_t j) {
    return (i + j) % 2 == 0 ? 2 / static_cast<double>(i + j + 1) : 0;
  };
  std::vector<NamedMatrix> all{
      named_matrix("hilbert", 8, hilbert),
      named_matrix("hilbert reversed", 8, [&](auto i, auto j) { return hilbert(7 - i, 7 - j); }),
      named_matrix("even-tempered", 12, even),
      named_matrix("even-tempered reversed", 12, [&](auto i, auto j) { return even(11 - i, 11 - j); }),
      named_matrix("line", 12, line),
      named_matrix("monomials", 14, monomials)};
  for (const double cond : {1e5, 1e8, 1e10, 1e12, 1e14})
    all.push_back(
        {"random " + std::to_string(static_cast<int>(std::log10(cond))), 12, positive_definite(12, cond)});
  NamedMatrix scaled{"random 4, scaled", 12, positive_definite(12, 1e4)};
  for (std::int64_t j = 0; j < 12; ++j)
    for (std::int64_t i = 0; i < 12; ++i)
      scaled.b[static_cast<std::size_t>(i + 12 * j)] *=
          std::pow(10, -0.4 * static_cast<double>(i * 7 % 12 + j * 7 % 12));
  all.push_back(scaled);
  return all;
}

}  // namespace support
