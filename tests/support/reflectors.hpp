// Reflectors in the form in which the tridiagonalization on a GPU stores them.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "solver/reduction/one_stage/tridiagonalize.hpp"

namespace support {

// Column j has zeros in rows 0 ... j and from row n on, 1 in row j + 1; and random entries below. Every fifth reflector is the
// identity (tau = 0), as in a column without entries to eliminate. Entries after the last tau are NaN.
struct Reflectors {
  std::int64_t n, lda;
  std::vector<double> a, tau;

  const double* column(std::int64_t j) const { return &a[static_cast<std::size_t>(j * lda)]; }
};

inline Reflectors random_reflectors(std::int64_t n) {
  constexpr std::int64_t multiple = eigen_g::tridiagonalize_row_multiple;
  Reflectors r{n, (n + multiple - 1) / multiple * multiple, {}, {}};
  std::mt19937_64 generator(static_cast<unsigned>(n));
  std::normal_distribution<double> normal;
  r.a.assign(static_cast<std::size_t>(r.lda * n), 0);
  r.tau.assign(static_cast<std::size_t>(n), std::nan(""));
  for (std::int64_t j = 0; j + 1 < n; ++j) {
    double* const v = &r.a[static_cast<std::size_t>(j * r.lda)];
    double square = 1;
    v[j + 1] = 1;
    for (std::int64_t i = j + 2; i < n; ++i) {
      v[i] = normal(generator);
      square += v[i] * v[i];
    }
    r.tau[static_cast<std::size_t>(j)] = j % 5 == 4 ? 0 : 2 / square;
  }
  return r;
}

}  // namespace support
