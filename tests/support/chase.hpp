// Band matrices and the chase's reflectors on the host, one at a time.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "solver/reduction/two_stage/chase_tiles.hpp"
#include "tests/support/apply_reflector.hpp"
#include "tests/support/reduction.hpp"

namespace support::chase {

using eigen_g::ChaseTiles;
using reduction::Matrix;

// A family of reduction.hpp with zeros outside of the band.
template <class S = double>
std::vector<S> band_of(const std::string& kind, std::int64_t n, std::int64_t b) {
  std::vector<S> a = reduction::family_of<S>(kind, n);
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i)
      if (std::abs(i - j) > b) a[static_cast<std::size_t>(i + j * n)] = 0;
  return a;
}

// LAPACK's band storage, (b + 1) x n, with NaN below the matrix.
template <class S>
std::vector<S> packed(const std::vector<S>& a, std::int64_t n, std::int64_t b) {
  std::vector<S> band(static_cast<std::size_t>((b + 1) * n), S(std::numeric_limits<double>::quiet_NaN()));
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = j; i < n && i - j <= b; ++i)
      band[static_cast<std::size_t>(i - j + j * (b + 1))] = a[static_cast<std::size_t>(i + j * n)];
  return band;
}

template <class S>
struct ReflectorsOf {
  std::vector<S> v, tau;
};
using Reflectors = ReflectorsOf<double>;

// Number of rows of the reflector of sweep s and step t for order n and real or complex S; 0: no reflector.
template <class S>
std::int64_t rows_of_reflector(std::int64_t n, std::int64_t b, std::int64_t s, std::int64_t step) {
  const std::int64_t rows = n - (s + 1 + step * b);
  return rows >= (eigen_g::is_complex<S> ? 1 : 2) ? std::min(b, rows) : 0;
}

// The v of a tile as columns of b + width rows.
template <class S>
std::vector<S> dense_tile(std::int64_t n, const ChaseTiles& tiles, const ReflectorsOf<S>& r,
                          std::int64_t group, std::int64_t step) {
  const std::int64_t rows = tiles.b + tiles.width;
  std::vector<S> v(static_cast<std::size_t>(rows * tiles.width));
  for (std::int64_t j = 0; j < tiles.width; ++j) {
    const std::int64_t s = group * tiles.width + j;
    std::copy_n(r.v.begin() + tiles.sweep_offset(s) + step * tiles.b,
                rows_of_reflector<S>(n, tiles.b, s, step), v.begin() + j * rows + j + 1);
  }
  return v;
}

// Random reflectors in the form in which a chase stores them.
template <class S = double>
ReflectorsOf<S> random_reflectors(std::int64_t n, const ChaseTiles& tiles) {
  ReflectorsOf<S> r{std::vector<S>(static_cast<std::size_t>(tiles.count())),
                    std::vector<S>(static_cast<std::size_t>(tiles.tau_count()))};
  const Matrix random = random_symmetric(130, 5);
  std::size_t next = 0;
  const auto number = [&] { return random[next++ % random.size()]; };
  for (std::int64_t s = 0; s < tiles.sweeps(); ++s)
    for (std::int64_t step = 0; rows_of_reflector<S>(n, tiles.b, s, step) > 0; ++step) {
      const std::int64_t tile = tiles.tile(s / tiles.width, step), j = s % tiles.width;
      S* const v = r.v.data() + tiles.sweep_offset(s) + step * tiles.b;
      const std::int64_t rows = rows_of_reflector<S>(n, tiles.b, s, step);
      double square = 0;
      for (std::int64_t i = 0; i < rows; ++i) {
        if constexpr (eigen_g::is_complex<S>)
          v[i] = S(number(), number());
        else
          v[i] = number();
        square += std::norm(v[i]);
      }
      const S first = v[0];  // as LAPACK's larfg from here on: no entry exceeds 1
      const double beta = -std::copysign(std::sqrt(square), std::real(first));
      for (std::int64_t i = 0; i < rows; ++i) v[i] = i == 0 ? S(1) : v[i] / (first - beta);
      const S tau = (beta - first) / beta;
      r.tau[static_cast<std::size_t>(tile * tiles.width + j)] = (s + step) % 17 == 3 ? S(0) : tau;
    }
  return r;
}
inline Reflectors random_reflectors(const ChaseTiles& tiles) {
  return random_reflectors(tiles.n, tiles);
}

// Z := Q2 Z, Z n x m with leading dimension n.
template <class S>
void apply(std::int64_t n, const ChaseTiles& tiles, const ReflectorsOf<S>& reflectors, std::int64_t m,
           std::vector<S>& z) {
  std::vector<S> work;
  for (std::int64_t s = tiles.sweeps() - 1; s >= 0; --s) {
    const std::int64_t group = s / tiles.width, j = s % tiles.width;
    for (std::int64_t step = 0; rows_of_reflector<S>(n, tiles.b, s, step) > 0; ++step) {
      const std::int64_t tile = tiles.tile(group, step), row = s + 1 + step * tiles.b;
      const std::int64_t rows = rows_of_reflector<S>(n, tiles.b, s, step);
      const S* const v = reflectors.v.data() + tiles.sweep_offset(s) + step * tiles.b;
      const S tau = reflectors.tau[static_cast<std::size_t>(tile * tiles.width + j)];
      apply_reflector(rows, v, tau, m, z.data() + row, n, work);
    }
  }
}
inline void apply(const ChaseTiles& tiles, const Reflectors& reflectors, std::int64_t m, Matrix& z) {
  apply<double>(tiles.n, tiles, reflectors, m, z);
}

}  // namespace support::chase
