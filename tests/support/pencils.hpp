// Sparse pencils K - w M of finite elements, with their whole discrete spectrum, if it is known.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <utility>
#include <vector>

#include "solver/api/sparse.hpp"

namespace support {

// A symmetric sparse matrix that is added up from entries.
struct SparseSum {
  std::int64_t n = 0;
  std::map<std::pair<std::int64_t, std::int64_t>, double> entries = {};
  void add(std::int64_t i, std::int64_t j, double value) { entries[{i, j}] += value; }
};

// CSR arrays.
struct Csr {
  std::int64_t n = 0;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> column = {};
  std::vector<double> value = {};
  Csr() = default;
  explicit Csr(const SparseSum& a) : n(a.n) {
    for (const auto& [at, entry] : a.entries) {
      while (static_cast<std::int64_t>(offsets.size()) <= at.first)
        offsets.push_back(static_cast<std::int64_t>(column.size()));
      column.push_back(static_cast<std::int32_t>(at.second));
      value.push_back(entry);
    }
    offsets.resize(static_cast<std::size_t>(n) + 1, static_cast<std::int64_t>(column.size()));
  }
  eigen_g::CsrMatrix<double> view() const { return {n, offsets.data(), column.data(), value.data()}; }
  Csr scaled(double factor) const {
    Csr a = *this;
    for (double& entry : a.value) entry *= factor;
    return a;
  }
};

struct PencilCase {
  Csr k, m;                      // m.n = 0: M is the diagonal
  std::vector<double> diagonal;  // empty: M is the matrix m
  std::vector<double> values;    // ascending; empty: not known
  std::int64_t n() const { return k.n; }
  eigen_g::SparseMass<double> mass() const {
    if (diagonal.empty()) return {m.view(), nullptr};
    return {{}, diagonal.data()};
  }
};

// A symmetric tridiagonal Toeplitz matrix: its diagonal, and the entries next to it.
struct Bars {
  std::int64_t n;
  double k_diagonal, k_beside, m_diagonal, m_beside;
  // Linear elements on (0, length), n inner nodes, fixed ends.
  explicit Bars(std::int64_t inner, double length = 1) : n(inner) {
    const double h = length / static_cast<double>(n + 1);
    k_diagonal = 2 / h;
    k_beside = -1 / h;
    m_diagonal = 4 * h / 6;
    m_beside = h / 6;
  }
  double k(std::int64_t d) const { return d == 0 ? k_diagonal : k_beside; }
  double m(std::int64_t d) const { return d == 0 ? m_diagonal : m_beside; }
  std::vector<double> values() const {
    std::vector<double> w;
    const double h = 1 / -k_beside;
    for (std::int64_t i = 1; i <= n; ++i) {
      const double half =
          std::sin(static_cast<double>(i) * std::numbers::pi / static_cast<double>(2 * (n + 1)));
      w.push_back(6 / (h * h) * 2 * half * half / (3 - 2 * half * half));
    }
    return w;
  }
};

// A box of bilinear or trilinear elements with consistent mass, fixed on its boundary. nz = 0: a membrane.
inline PencilCase box(std::int64_t nx, std::int64_t ny, std::int64_t nz, double x_length = 1,
                      double y_length = 1) {
  const Bars x(nx, x_length), y(ny, y_length), z(std::max<std::int64_t>(nz, 1));
  SparseSum k{nx * ny * z.n}, m{k.n};
  for (std::int64_t c = 0; c < z.n; ++c)
    for (std::int64_t b = 0; b < ny; ++b)
      for (std::int64_t a = 0; a < nx; ++a)
        for (std::int64_t dc = -1; dc <= 1; ++dc)
          for (std::int64_t db = -1; db <= 1; ++db)
            for (std::int64_t da = -1; da <= 1; ++da) {
              const std::int64_t a1 = a + da, b1 = b + db, c1 = c + dc;
              if (a1 < 0 || a1 >= nx || b1 < 0 || b1 >= ny || c1 < 0 || c1 >= z.n) continue;
              const double kz = nz == 0 ? 0 : z.k(dc), mz = nz == 0 ? 1 : z.m(dc);
              const std::int64_t i = a + nx * (b + ny * c), j = a1 + nx * (b1 + ny * c1);
              k.add(i, j, x.k(da) * y.m(db) * mz + x.m(da) * y.k(db) * mz + x.m(da) * y.m(db) * kz);
              m.add(i, j, x.m(da) * y.m(db) * mz);
            }
  PencilCase box{Csr(k), Csr(m), {}, {}};
  const std::vector<double> wz = nz == 0 ? std::vector<double>{0} : z.values();
  for (const double u : x.values())
    for (const double v : y.values())
      for (const double w : wz) box.values.push_back(u + v + w);
  std::sort(box.values.begin(), box.values.end());
  return box;
}

// The five-point matrix of m x m points, M = I. 4 is an m-fold eigenvalue.
inline PencilCase five_point(std::int64_t m) {
  SparseSum k{m * m};
  for (std::int64_t y = 0; y < m; ++y)
    for (std::int64_t x = 0; x < m; ++x) {
      const std::int64_t i = x + m * y;
      k.add(i, i, 4);
      if (x > 0) k.add(i, i - 1, -1), k.add(i - 1, i, -1);
      if (y > 0) k.add(i, i - m, -1), k.add(i - m, i, -1);
    }
  PencilCase a{Csr(k), {}, std::vector<double>(static_cast<std::size_t>(m * m), 1.0), {}};
  const auto v = [&](std::int64_t i) {
    return 2 - 2 * std::cos(static_cast<double>(i) * std::numbers::pi / static_cast<double>(m + 1));
  };
  for (std::int64_t i = 1; i <= m; ++i)
    for (std::int64_t j = 1; j <= m; ++j) a.values.push_back(v(i) + v(j));
  std::sort(a.values.begin(), a.values.end());
  return a;
}

// A chain of 2 N + 1 nodes between equal springs, with masses 1 on every second node: N finite eigenvalues.
inline PencilCase massless_chain(std::int64_t masses) {
  const std::int64_t n = 2 * masses + 1;
  SparseSum k{n};
  PencilCase a{{}, {}, std::vector<double>(static_cast<std::size_t>(n)), {}};
  for (std::int64_t i = 0; i < n; ++i) {
    k.add(i, i, 2);
    if (i > 0) k.add(i, i - 1, -1), k.add(i - 1, i, -1);
    a.diagonal[static_cast<std::size_t>(i)] = static_cast<double>(i % 2);
  }
  a.k = Csr(k);
  for (std::int64_t j = 1; j <= masses; ++j)
    a.values.push_back(2 * std::pow(std::sin(static_cast<double>(j) * std::numbers::pi /
                                             static_cast<double>(2 * (masses + 1))),
                                    2));
  return a;
}

// Hermite elements of a simply supported beam of length 1 with EI = mu = 1, and lumped translations only: rotations have no mass.
inline PencilCase beam(std::int64_t elements) {
  const double h = 1 / static_cast<double>(elements), s = 1 / (h * h * h);
  const std::array<std::array<double, 4>, 4> element = {
      {{12 * s, 6 * h * s, -12 * s, 6 * h * s},
       {6 * h * s, 4 * h * h * s, -6 * h * s, 2 * h * h * s},
       {-12 * s, -6 * h * s, 12 * s, -6 * h * s},
       {6 * h * s, 2 * h * h * s, -6 * h * s, 4 * h * h * s}}};
  const std::int64_t last = 2 * elements;
  const auto free_index = [&](std::int64_t i) { return i == 0 || i == last ? -1 : i < last ? i - 1 : i - 2; };
  SparseSum k{2 * elements};
  PencilCase a{{}, {}, std::vector<double>(static_cast<std::size_t>(k.n)), {}};
  for (std::int64_t e = 0; e < elements; ++e)
    for (std::int64_t i = 0; i < 4; ++i)
      for (std::int64_t j = 0; j < 4; ++j)
        if (const std::int64_t p = free_index(2 * e + i), q = free_index(2 * e + j); p >= 0 && q >= 0)
          k.add(p, q, element[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]);
  for (std::int64_t i = 2; i < last; i += 2) a.diagonal[static_cast<std::size_t>(free_index(i))] = h;
  a.k = Csr(k);
  return a;
}

// `bodies` separate free bars of steel bricks, ex x ey x ez elements each, with consistent mass: six rigid modes for each.
inline PencilCase free_bars(std::int64_t ex, std::int64_t ey, std::int64_t ez, std::int64_t bodies = 1) {
  const double side = 0.1, young = 2.1e11, poisson = 0.3, density = 7850;
  const double lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson)),
               shear = young / (2 * (1 + poisson));
  std::array<std::array<double, 24>, 24> ke{}, me{};
  const auto corner = [](int node, int axis) { return node >> axis & 1 ? 1.0 : -1.0; };
  for (int point = 0; point < 8; ++point) {
    std::array<double, 8> shape{};
    std::array<std::array<double, 3>, 8> slope{};
    for (int node = 0; node < 8; ++node) {
      std::array<double, 3> f{};
      for (int axis = 0; axis < 3; ++axis)
        f[axis] = (1 + corner(node, axis) * corner(point, axis) / std::sqrt(3.0)) / 2;
      shape[node] = f[0] * f[1] * f[2];
      for (int axis = 0; axis < 3; ++axis)
        slope[node][axis] = corner(node, axis) / 2 * f[(axis + 1) % 3] * f[(axis + 2) % 3] * 2 / side;
    }
    const double weight = side * side * side / 8;
    for (int p = 0; p < 8; ++p)
      for (int q = 0; q < 8; ++q)
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j) {
            double dot = 0;
            for (int axis = 0; axis < 3; ++axis) dot += slope[p][axis] * slope[q][axis];
            ke[3 * p + i][3 * q + j] +=
                weight * (lambda * slope[p][i] * slope[q][j] + shear * slope[p][j] * slope[q][i] +
                          (i == j ? shear * dot : 0));
            if (i == j) me[3 * p + i][3 * q + j] += weight * density * shape[p] * shape[q];
          }
  }
  const std::int64_t nodes = (ex + 1) * (ey + 1) * (ez + 1);
  SparseSum k{3 * nodes * bodies}, m{k.n};
  for (std::int64_t body = 0; body < bodies; ++body)
    for (std::int64_t c = 0; c < ez; ++c)
      for (std::int64_t b = 0; b < ey; ++b)
        for (std::int64_t a = 0; a < ex; ++a) {
          const auto index = [&](int p) {
            return 3 * (body * nodes + a + (p & 1) +
                        (ex + 1) * (b + (p >> 1 & 1) + (ey + 1) * (c + (p >> 2 & 1))));
          };
          for (int p = 0; p < 8; ++p)
            for (int q = 0; q < 8; ++q)
              for (int i = 0; i < 3; ++i)
                for (int j = 0; j < 3; ++j) {
                  k.add(index(p) + i, index(q) + j,
                        (ke[3 * p + i][3 * q + j] + ke[3 * q + j][3 * p + i]) / 2);
                  if (i == j) m.add(index(p) + i, index(q) + j, me[3 * p + i][3 * q + j]);
                }
        }
  return {Csr(k), Csr(m), {}, {}};
}

}  // namespace support
