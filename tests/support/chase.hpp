// Band matrices and the chase's reflectors on the host, one at a time.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "solver/reduction/two_stage/chase_tiles.hpp"
#include "tests/support/reduction.hpp"

namespace support::chase {

using eigen_g::ChaseTiles;
using reduction::Matrix;

// A family of reduction.hpp without what lies outside of the band.
inline Matrix band_of(const std::string& kind, std::int64_t n, std::int64_t b) {
  Matrix a = reduction::family(kind, n);
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i)
      if (std::abs(i - j) > b) a[static_cast<std::size_t>(i + j * n)] = 0;
  return a;
}

// (b + 1) x n; what lies below the matrix is NaN.
inline Matrix packed(const Matrix& a, std::int64_t n, std::int64_t b) {
  Matrix band(static_cast<std::size_t>((b + 1) * n), std::numeric_limits<double>::quiet_NaN());
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = j; i < n && i - j <= b; ++i)
      band[static_cast<std::size_t>(i - j + j * (b + 1))] = a[static_cast<std::size_t>(i + j * n)];
  return band;
}

struct Reflectors {
  std::vector<double> v, tau;
};

// Reflectors as a chase might leave them, of random vectors.
inline Reflectors random_reflectors(const ChaseTiles& tiles) {
  Reflectors r{std::vector<double>(static_cast<std::size_t>(tiles.v_count())),
               std::vector<double>(static_cast<std::size_t>(tiles.tau_count()))};
  const Matrix random = random_symmetric(130, 5);
  std::size_t next = 0;
  for (std::int64_t s = 0; s < tiles.sweeps(); ++s)
    for (std::int64_t step = 0, row = s + 1; row < tiles.n - 1; row += tiles.b, ++step) {
      const std::int64_t tile = tiles.tile(s / tiles.width, step), j = s % tiles.width;
      double* const v = r.v.data() + tile * tiles.tile_size() + tiles.column(j) + j % 8 + 1;
      double square = 0;
      for (std::int64_t i = 0; i < std::min(tiles.b, tiles.n - row); ++i) {
        v[i] = i == 0 ? 1 : random[next++ % random.size()];
        square += v[i] * v[i];
      }
      r.tau[static_cast<std::size_t>(tile * tiles.width + j)] = (s + step) % 17 == 3 ? 0 : 2 / square;
    }
  return r;
}

// Z := Q2 Z, Z n x m with leading dimension n.
inline void apply(const ChaseTiles& tiles, const Reflectors& reflectors, std::int64_t m, Matrix& z) {
  const std::int64_t n = tiles.n;
  for (std::int64_t s = tiles.sweeps() - 1; s >= 0; --s) {
    const std::int64_t group = s / tiles.width, j = s % tiles.width;
    for (std::int64_t step = 0; s + 1 + step * tiles.b < n - 1; ++step) {
      const std::int64_t tile = tiles.tile(group, step), row = s + 1 + step * tiles.b;
      const std::int64_t rows = std::min(tiles.b, n - row);
      const double* const v = reflectors.v.data() + tile * tiles.tile_size() + tiles.column(j) + j % 8 + 1;
      const double tau = reflectors.tau[static_cast<std::size_t>(tile * tiles.width + j)];
      for (std::int64_t c = 0; c < m; ++c) {
        double* const x = z.data() + c * n + row;
        double sum = 0;
        for (std::int64_t i = 0; i < rows; ++i) sum += v[i] * x[i];
        for (std::int64_t i = 0; i < rows; ++i) x[i] -= tau * sum * v[i];
      }
    }
  }
}

}  // namespace support::chase
