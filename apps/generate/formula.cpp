#include "apps/generate/formula.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "blas2/spmv/stencil_points.hpp"

namespace eigen_g::generate {

namespace {

// W+: diagonal |(b - 1)/2 - i| in each block of b rows; off-diagonal 1 inside a block, `glue` between two blocks.
Tridiagonal wilkinson(std::int64_t n, std::int64_t block, double glue) {
  Tridiagonal t;
  for (std::int64_t i = 0; i < n; ++i) {
    t.d.push_back(std::fabs(0.5 * static_cast<double>(block - 1) - static_cast<double>(i % block)));
    if (i + 1 < n) t.e.push_back((i + 1) % block == 0 ? glue : 1.0);
  }
  return t;
}

Tridiagonal tridiagonal_of(const Spec& spec) {
  const std::int64_t n = spec.n;
  if (spec.kind == "1-2-1") return {std::vector<double>(n, 2.0), std::vector<double>(n, 1.0)};
  if (spec.kind == "hueckel-ring")
    return {std::vector<double>(n, spec.alpha), std::vector<double>(n, spec.beta)};
  if (spec.kind == "wilkinson" || spec.kind == "glued-wilkinson") return wilkinson_of(spec);
  if (spec.kind != "clement") return {};
  Tridiagonal t{std::vector<double>(n, 0.0), {}};
  for (std::int64_t i = 1; i < n; ++i)
    t.e.push_back(std::sqrt(static_cast<double>(i) * static_cast<double>(n - i)));
  return t;
}

// Vertices of the icosahedron: 0 is the top, 1 to 5 the upper ring, 6 to 10 the lower ring, 11 the bottom.
bool icosahedron_edge(int i, int j) {
  if (i > j) std::swap(i, j);
  if (i == j || (i == 0 && j == 11)) return false;
  if (i == 0) return j <= 5;
  if (j == 11) return i >= 6;
  const int turn = ((j - i) % 5 + 5) % 5;
  if ((i <= 5) == (j <= 5)) return turn == 1 || turn == 4;  // neighbours on one ring
  return turn == 0 || turn == 1;  // upper i is adjacent to lower i + 5 and i + 6 (cyclically)
}

// Truncation puts a vertex on each end of each edge, so an atom is a directed edge i -> j. It is bonded to j -> i and, around i's
// pentagon, to i -> k for both triangles i j k.
std::vector<std::pair<int, int>> c60_atoms() {
  std::vector<std::pair<int, int>> atoms;
  for (int i = 0; i < 12; ++i)
    for (int j = 0; j < 12; ++j)
      if (icosahedron_edge(i, j)) atoms.emplace_back(i, j);
  return atoms;
}

}  // namespace

std::int64_t square_root(std::int64_t n) {
  return std::llround(std::sqrt(static_cast<double>(n)));
}

std::int64_t cube_root(std::int64_t n) {
  return std::llround(std::cbrt(static_cast<double>(n)));
}

Tridiagonal wilkinson_of(const Spec& spec) {
  return spec.kind == "wilkinson" ? wilkinson(spec.n, spec.n, 1)
                                  : wilkinson(spec.n, wilkinson_block, spec.gamma);
}

CounterRandom entries_of(const Spec& spec) {
  return CounterRandom(spec.seed, entry_stream);
}

Formula::Formula(const Spec& spec) : spec_(spec), t_(tridiagonal_of(spec)) {
  if (spec.kind == "minij") dense_ = [](std::int64_t, std::int64_t j) { return static_cast<double>(j + 1); };
  if (spec.kind == "random")
    dense_ = [random = entries_of(spec)](std::int64_t i, std::int64_t j) { return random.normal(i, j); };
  if (spec.kind == "uniform")
    dense_ = [random = entries_of(spec)](std::int64_t i, std::int64_t j) {
      return 2 * random.uniform(i, j) - 1;
    };
  if (spec.kind == "kms") {
    std::vector<double> power;
    for (std::int64_t k = 0; k < spec.n; ++k) power.push_back(std::pow(spec.rho, static_cast<double>(k)));
    dense_ = [power = std::move(power)](std::int64_t i, std::int64_t j) { return power[i - j]; };
  }
  if (spec.kind == "hueckel-c60") atoms_ = c60_atoms();
}

void Formula::column(std::int64_t j, std::int64_t first, std::int64_t count, double* out) const {
  if (dense_) {
    for (std::int64_t i = first; i < first + count; ++i)
      out[i - first] = dense_(std::max(i, j), std::min(i, j));
    return;
  }
  std::fill_n(out, count, 0.0);
  sparse_column(j, [=](std::int64_t i, double value) {
    if (i >= first && i < first + count) out[i - first] = value;
  });
}

void Formula::sparse_column(std::int64_t j, const Put& put) const {
  const std::int64_t n = spec_.n;
  if (!t_.d.empty()) {
    put(j, t_.d[j]);
    if (j > 0) put(j - 1, t_.e[j - 1]);
    if (j + 1 < n) put(j + 1, t_.e[j]);
    if (spec_.kind == "hueckel-ring" && (j == 0 || j == n - 1)) put(n - 1 - j, spec_.beta);
  } else if (spec_.kind == "identity") {
    put(j, 1);
  } else if (spec_.kind == "poisson2d") {
    const std::int64_t m = square_root(n);
    put(j, 4);
    if (j % m != 0) put(j - 1, -1);
    if ((j + 1) % m != 0) put(j + 1, -1);
    if (j >= m) put(j - m, -1);
    if (j + m < n) put(j + m, -1);
  } else if (spec_.kind == "stencil19") {
    constexpr blas2::Stencil<19> stencil;
    const std::int64_t m = cube_root(n), x = j % m, y = j / m % m, z = j / (m * m);
    const auto inside = [m](std::int64_t i) { return i >= 0 && i < m; };
    put(j, stencil.centre);
    for (int q = 0; q < stencil.neighbours; ++q) {
      const blas2::Neighbour p = neighbour(stencil, q);
      if (inside(x + p.x) && inside(y + p.y) && inside(z + p.z))
        put(j + p.x + m * (p.y + m * p.z), -p.weight);
    }
  } else if (spec_.kind == "hueckel-c60") {
    const auto [k, l] = atoms_[j];
    for (std::int64_t q = 0; q < n; ++q) {
      const auto [a, b] = atoms_[q];
      const bool bonded = (a == l && b == k) || (a == k && icosahedron_edge(l, b));
      if (bonded || q == j) put(q, q == j ? spec_.alpha : spec_.beta);
    }
  }
}

}  // namespace eigen_g::generate
