// Sparse symmetric matrices whose whole spectrum is known.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include "apps/io/matrix_file.hpp"
#include "solver/api/sparse.hpp"

namespace support {

struct SparseCase {
  std::string name;
  std::vector<std::int64_t> row_offsets{0};
  std::vector<std::int32_t> column;
  std::vector<double> value;
  std::vector<double> values;  // ascending

  std::int64_t n() const { return static_cast<std::int64_t>(row_offsets.size()) - 1; }
  eigen_g::CsrMatrix<double> rows() const { return {n(), row_offsets.data(), column.data(), value.data()}; }
  void add_row(const std::map<std::int64_t, double>& entries) {
    for (const auto& [j, entry] : entries) {
      column.push_back(static_cast<std::int32_t>(j));
      value.push_back(entry);
    }
    row_offsets.push_back(static_cast<std::int64_t>(column.size()));
  }
  // y := A x for `k` columns.
  void times(const double* x, double* y, int k = 4) const {
    for (std::int64_t i = 0; i < n(); ++i)
      for (int j = 0; j < k; ++j) {
        double sum = 0;
        for (std::int64_t p = row_offsets[i]; p < row_offsets[i + 1]; ++p)
          sum += value[p] * x[k * column[p] + j];
        y[k * i + j] = sum;
      }
  }
  std::vector<double> times(const double* x) const {
    std::vector<double> y(static_cast<std::size_t>(n()));
    times(x, y.data(), 1);
    return y;
  }
  std::vector<double> full() const {
    std::vector<double> a(static_cast<std::size_t>(n() * n()));
    for (std::int64_t i = 0; i < n(); ++i)
      for (std::int64_t p = row_offsets[i]; p < row_offsets[i + 1]; ++p)
        a[static_cast<std::size_t>(i + column[p] * n())] = value[p];
    return a;
  }
};

// Box of d dimensions: 2 d on the diagonal, -1 for each neighbour, zero outside. The eigenvalues are the sums over the dimensions
// of 4 sin^2(pi j / (2 (m + 1))), j = 1 ... m.
inline SparseCase grid(const std::vector<std::int64_t>& sides) {
  SparseCase a;
  a.name = "grid";
  std::int64_t n = 1;
  for (const std::int64_t side : sides) n *= side;
  for (std::int64_t i = 0; i < n; ++i) {
    std::map<std::int64_t, double> row{{i, 2.0 * static_cast<double>(sides.size())}};
    double sum = 0;
    std::int64_t stride = 1;
    for (const std::int64_t side : sides) {
      const std::int64_t at = i / stride % side;
      if (at > 0) row[i - stride] = -1;
      if (at + 1 < side) row[i + stride] = -1;
      const double sine =
          std::sin(std::numbers::pi * static_cast<double>(at + 1) / (2 * static_cast<double>(side + 1)));
      sum += 4 * sine * sine;
      stride *= side;
    }
    a.add_row(row);
    a.values.push_back(sum);
  }
  std::sort(a.values.begin(), a.values.end());
  return a;
}
// The operators of SparseGrid, entry by entry, with the eigenvalues of its formulas.
inline SparseCase box(const std::vector<std::int64_t>& sides, int points) {
  SparseCase a;
  a.name = std::to_string(points) + " points";
  const std::int64_t nx = sides[0], ny = sides[1], nz = sides[2];
  const auto entry = [points](int distance) -> double {
    if (points == 7) return distance == 0 ? 6 : distance == 1 ? -1 : 0;
    return distance == 0 ? 24 : distance == 1 ? -2 : distance == 2 ? -1 : 0;
  };
  const auto cosine = [](std::int64_t p, std::int64_t m) {
    return std::cos(std::numbers::pi * static_cast<double>(p + 1) / static_cast<double>(m + 1));
  };
  for (std::int64_t k = 0; k < nz; ++k)
    for (std::int64_t j = 0; j < ny; ++j)
      for (std::int64_t i = 0; i < nx; ++i) {
        std::map<std::int64_t, double> row;
        for (std::int64_t z = std::max<std::int64_t>(k - 1, 0); z < std::min(k + 2, nz); ++z)
          for (std::int64_t y = std::max<std::int64_t>(j - 1, 0); y < std::min(j + 2, ny); ++y)
            for (std::int64_t x = std::max<std::int64_t>(i - 1, 0); x < std::min(i + 2, nx); ++x) {
              const double value =
                  entry(static_cast<int>(std::abs(x - i) + std::abs(y - j) + std::abs(z - k)));
              if (value != 0) row[x + nx * (y + ny * z)] = value;
            }
        a.add_row(row);
        const double cx = cosine(i, nx), cy = cosine(j, ny), cz = cosine(k, nz), sum = cx + cy + cz;
        a.values.push_back(points == 7 ? 6 - 2 * sum : 24 - 4 * sum - 4 * (cx * cy + cy * cz + cz * cx));
      }
  std::sort(a.values.begin(), a.values.end());
  return a;
}
inline SparseCase cube(std::int64_t side) {
  SparseCase a = grid({side, side, side});
  a.name = "cube";
  return a;
}

// The Laplacian of a graph with these edges and these eigenvalues.
inline SparseCase laplacian(const std::string& name, std::int64_t n,
                            const std::function<std::vector<std::int64_t>(std::int64_t)>& neighbours) {
  SparseCase a;
  a.name = name;
  for (std::int64_t i = 0; i < n; ++i) {
    std::map<std::int64_t, double> row;
    for (const std::int64_t j : neighbours(i)) row[j] = -1;
    row[i] = static_cast<double>(row.size());
    a.add_row(row);
  }
  return a;
}
// Eigenvalues 2 j with multiplicity C(d, j).
inline SparseCase hypercube(int d) {
  SparseCase a = laplacian("hypercube", std::int64_t{1} << d, [d](std::int64_t i) {
    std::vector<std::int64_t> there;
    for (int bit = 0; bit < d; ++bit) there.push_back(i ^ (std::int64_t{1} << bit));
    return there;
  });
  for (std::int64_t i = 0; i < a.n(); ++i) {
    int bits = 0;
    for (int bit = 0; bit < d; ++bit) bits += static_cast<int>(i >> bit & 1);
    a.values.push_back(2.0 * bits);
  }
  std::sort(a.values.begin(), a.values.end());
  return a;
}
// Eigenvalues 0, 1 (n - 2 times) and n.
inline SparseCase star(std::int64_t n) {
  SparseCase a = laplacian("star", n, [n](std::int64_t i) {
    if (i > 0) return std::vector<std::int64_t>{0};
    std::vector<std::int64_t> all;
    for (std::int64_t j = 1; j < n; ++j) all.push_back(j);
    return all;
  });
  a.values.assign(static_cast<std::size_t>(n), 1.0);
  a.values.front() = 0;
  a.values.back() = static_cast<double>(n);
  return a;
}
// Eigenvalues 0 and n (n - 1 times).
inline SparseCase complete(std::int64_t n) {
  SparseCase a = laplacian("complete", n, [n](std::int64_t i) {
    std::vector<std::int64_t> all;
    for (std::int64_t j = 0; j < n; ++j)
      if (j != i) all.push_back(j);
    return all;
  });
  a.values.assign(static_cast<std::size_t>(n), static_cast<double>(n));
  a.values.front() = 0;
  return a;
}
template <class Value>
SparseCase diagonal(std::int64_t n, const Value& entry) {
  SparseCase a;
  a.name = "diagonal";
  for (std::int64_t i = 0; i < n; ++i) {
    a.add_row({{i, entry(i)}});
    a.values.push_back(entry(i));
  }
  std::sort(a.values.begin(), a.values.end());
  return a;
}
inline SparseCase identity(std::int64_t n, double entry) {
  SparseCase a = diagonal(n, [entry](std::int64_t) { return entry; });
  a.name = entry == 0 ? "zero" : "identity";
  return a;
}
// Two unconnected paths of n points: every eigenvalue twice.
inline SparseCase two_components(std::int64_t n) {
  const SparseCase one = grid({n});
  SparseCase a;
  a.name = "two components";
  for (std::int64_t i = 0; i < 2 * n; ++i) {
    std::map<std::int64_t, double> row;
    for (std::int64_t p = one.row_offsets[i % n]; p < one.row_offsets[i % n + 1]; ++p)
      row[one.column[p] + i / n * n] = one.value[p];
    a.add_row(row);
    a.values.push_back(one.values[static_cast<std::size_t>(i / 2)]);
  }
  return a;
}

// A matrix from a file without its zeros; its eigenvalues are not known.
inline SparseCase read_real(const std::string& file) {
  const eigen_g::io::SymmetricMatrix matrix = eigen_g::io::read_matrix(file, {});
  SparseCase a;
  a.name = file;
  for (std::int64_t i = 0; i < matrix.n; ++i) {
    std::map<std::int64_t, double> row;
    for (std::int64_t j = 0; j < matrix.n; ++j) {
      const bool stored = matrix.uplo == eigen_g::Uplo::lower ? i >= j : i <= j;
      const double entry = stored ? matrix.data[i + j * matrix.lda] : matrix.data[j + i * matrix.lda];
      if (entry != 0) row[j] = entry;
    }
    a.add_row(row);
  }
  return a;
}

}  // namespace support
