// The pencil of a membrane of bilinear elements on a rectangle with sides 1 and sqrt(2), whose whole spectrum is known.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <vector>

#include "tests/support/closed_forms.hpp"
#include "tests/support/skip.hpp"

// First statement of a TEST_CASE that factorises a sparse matrix.
#define NEEDS_FACTOR_LIBRARY()                                  \
  do {                                                          \
    if (!eigen_g::available(eigen_g::FactorLibrary::automatic)) \
      SKIP_TEST("no library that factorises sparse matrices");  \
  } while (false)

namespace support {

struct PencilCase {
  SparseCase k, m;
  std::vector<double> diagonal;  // the row sums of m: the lumped mass
  std::vector<double> values;    // of K z = w M z, ascending
  std::int64_t n() const { return k.n(); }
};

// nx x ny inner points. Along an axis of p points, l_i = 6 / h^2 (1 - c) / (2 + c) with c = cos(i pi / (p + 1)); w = l_i + l_j.
inline PencilCase membrane(std::int64_t nx, std::int64_t ny) {
  PencilCase pencil;
  struct Axis {
    std::int64_t points;
    double h, stiff[2], mass[2];
    double value(std::int64_t i) const {
      const double c =
          std::cos(std::numbers::pi * static_cast<double>(i + 1) / static_cast<double>(points + 1));
      return 6 / (h * h) * (1 - c) / (2 + c);
    }
  };
  const auto axis = [](std::int64_t points, double length) {
    const double h = length / static_cast<double>(points + 1);
    return Axis{points, h, {2 / h, -1 / h}, {4 * h / 6, h / 6}};
  };
  const Axis along_x = axis(nx, 1), along_y = axis(ny, std::numbers::sqrt2);
  for (std::int64_t j = 0; j < ny; ++j)
    for (std::int64_t i = 0; i < nx; ++i) {
      std::map<std::int64_t, double> k, m;
      double sum = 0;
      for (std::int64_t y = std::max<std::int64_t>(j - 1, 0); y < std::min(j + 2, ny); ++y)
        for (std::int64_t x = std::max<std::int64_t>(i - 1, 0); x < std::min(i + 2, nx); ++x) {
          const int dx = x != i, dy = y != j;
          k[x + nx * y] = along_x.stiff[dx] * along_y.mass[dy] + along_x.mass[dx] * along_y.stiff[dy];
          sum += m[x + nx * y] = along_x.mass[dx] * along_y.mass[dy];
        }
      pencil.k.add_row(k);
      pencil.m.add_row(m);
      pencil.diagonal.push_back(sum);
      pencil.values.push_back(along_x.value(i) + along_y.value(j));
    }
  std::sort(pencil.values.begin(), pencil.values.end());
  return pencil;
}

}  // namespace support
