#include "apps/generate/matrices.hpp"

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <limits>
#include <utility>

#include "apps/generate/hermitian.hpp"
#include "apps/generate/random.hpp"
#include "apps/generate/rotate.hpp"
#include "apps/generate/spectra.hpp"
#include "apps/generate/sturm.hpp"
#include "blas2/spmv/stencil_points.hpp"
#include "hybrid/error.hpp"
#include "hybrid/matrix_view.hpp"

namespace eigen_g::generate {
namespace {

constexpr std::uint64_t entry_stream = 0, rotation_stream = 1;
constexpr std::int64_t wilkinson_block = 21;

constexpr std::array table{
    Kind{"random", "normal", "independent normal entries, mean 0, variance 1", "seed", "", false},
    Kind{"uniform", "", "independent entries, uniform in (-1, 1)", "seed", "", false},
    Kind{"minij", "frank", "min(i, j)", "", "", true},
    Kind{"1-2-1", "121", "tridiagonal 1, 2, 1", "", "", true},
    Kind{"clement", "kac", "tridiagonal, diagonal 0, off-diagonal sqrt(i (n - i))", "", "", true},
    Kind{"wilkinson", "", "tridiagonal 1, |(n - 1)/2 - i|, 1: pairs of nearly equal values", "", "", true},
    Kind{"glued-wilkinson", "", "Wilkinson matrices of order 21 joined by entries gamma", "gamma",
         "a multiple of 21", true},
    Kind{"kms", "", "Kac-Murdock-Szego, rho^|i - j|", "rho", "", true},
    Kind{"poisson2d", "", "five-point Laplacian on an m x m grid, n = m^2", "", "a square", true},
    Kind{"stencil19", "", "19-point Laplacian on an m x m x m grid, n = m^3", "", "a cube", true},
    Kind{"hueckel-ring", "", "Hueckel Hamiltonian of a ring of n atoms", "alpha, beta", "at least 3", true},
    Kind{"hueckel-c60", "", "Hueckel Hamiltonian of the C60 molecule", "alpha, beta", "60", true},
    Kind{"arithmetic", "", "prescribed spectrum, evenly spaced from 1 to 1/cond",
         "cond, random_signs, rotate, seed", "", true},
    Kind{"geometric", "", "prescribed spectrum, geometric from 1 to 1/cond",
         "cond, random_signs, rotate, seed", "", true},
    Kind{"clustered", "", "prescribed spectrum, one 1, the others 1/cond", "cond, random_signs, rotate, seed",
         "", true},
    Kind{"values", "", "prescribed spectrum, the given values", "values, rotate, seed", "", true},
    Kind{"identity", "", "the identity", "", "", true},
    Kind{"zero", "", "all entries 0", "", "", true},
};

std::int64_t square_root(std::int64_t n) {
  return std::llround(std::sqrt(static_cast<double>(n)));
}

std::int64_t cube_root(std::int64_t n) {
  return std::llround(std::cbrt(static_cast<double>(n)));
}

bool is_hermitian(const Kind& kind) {
  return std::any_of(hermitian_kinds().begin(), hermitian_kinds().end(),
                     [&](const Kind& one) { return one.name == kind.name; });
}

bool allowed(const Kind& kind, std::int64_t n) {
  if (is_hermitian(kind)) return allowed_order(kind, n);
  if (kind.name == "glued-wilkinson") return n % wilkinson_block == 0;
  if (kind.name == "poisson2d") return square_root(n) * square_root(n) == n;
  if (kind.name == "stencil19") return cube_root(n) * cube_root(n) * cube_root(n) == n;
  if (kind.name == "hueckel-ring") return n >= 3;
  if (kind.name == "hueckel-c60") return n == 60;
  return true;
}

bool uses(const Kind& kind, std::string_view parameter) {
  return kind.parameters.find(parameter) != std::string_view::npos;
}

// The spec with its kind's name in place of an alias.
Spec checked(const Spec& spec) {
  const Kind& kind = find_kind(spec.kind);
  if (spec.n < 0) throw InvalidArgument("n", "is " + std::to_string(spec.n) + ", must not be negative");
  if (!allowed(kind, spec.n))
    throw InvalidArgument("n", "is " + std::to_string(spec.n) + ", must be " + std::string(kind.n_rule) +
                                   " for " + std::string(kind.name));
  if (!std::isfinite(spec.scale)) throw InvalidArgument("scale", "must be finite");
  if (uses(kind, "cond") && !(std::isfinite(spec.cond) && spec.cond >= 1))
    throw InvalidArgument("cond", "must be finite and at least 1");
  if (uses(kind, "rho") && !(spec.rho > 0 && spec.rho < 1))
    throw InvalidArgument("rho", "must be greater than 0 and less than 1");
  if (uses(kind, "gamma") && !std::isfinite(spec.gamma)) throw InvalidArgument("gamma", "must be finite");
  if (uses(kind, "alpha") && !std::isfinite(spec.alpha)) throw InvalidArgument("alpha", "must be finite");
  if (uses(kind, "beta") && !std::isfinite(spec.beta)) throw InvalidArgument("beta", "must be finite");
  if (uses(kind, "flux") && !std::isfinite(spec.flux)) throw InvalidArgument("flux", "must be finite");
  if (uses(kind, "values")) {
    if (static_cast<std::int64_t>(spec.values.size()) != spec.n)
      throw InvalidArgument("values", "has " + std::to_string(spec.values.size()) +
                                          " values, must have n = " + std::to_string(spec.n));
    if (!std::all_of(spec.values.begin(), spec.values.end(), [](double x) { return std::isfinite(x); }))
      throw InvalidArgument("values", "must be finite");
  }
  if (uses(kind, "rotate") && spec.rotate && spec.n > std::numeric_limits<int>::max())
    throw InvalidArgument("n", "is too large for a rotated spectrum");
  Spec result = spec;
  result.kind = kind.name;
  return result;
}

struct Tridiagonal {
  std::vector<double> d, e;
};

// W+: diagonal |(b - 1)/2 - i| in each block of b rows, off-diagonal 1 inside a block and `glue` between two.
Tridiagonal wilkinson(std::int64_t n, std::int64_t block, double glue) {
  Tridiagonal t;
  for (std::int64_t i = 0; i < n; ++i) {
    t.d.push_back(std::fabs(0.5 * static_cast<double>(block - 1) - static_cast<double>(i % block)));
    if (i + 1 < n) t.e.push_back((i + 1) % block == 0 ? glue : 1.0);
  }
  return t;
}

Tridiagonal wilkinson(const Spec& spec) {
  return spec.kind == "wilkinson" ? wilkinson(spec.n, spec.n, 1)
                                  : wilkinson(spec.n, wilkinson_block, spec.gamma);
}

void set_both(const MatrixView<double>& a, std::int64_t i, std::int64_t j, double value) {
  a(i, j) = value;
  a(j, i) = value;
}

void fill_tridiagonal(const Tridiagonal& t, const MatrixView<double>& a) {
  for (std::int64_t i = 0; i < a.rows; ++i) {
    a(i, i) = t.d[i];
    if (i + 1 < a.rows) set_both(a, i, i + 1, t.e[i]);
  }
}

void fill_poisson2d(const MatrixView<double>& a) {
  const std::int64_t m = square_root(a.rows);
  for (std::int64_t p = 0; p < a.rows; ++p) {
    a(p, p) = 4;
    if ((p + 1) % m != 0) set_both(a, p, p + 1, -1);
    if (p + m < a.rows) set_both(a, p, p + m, -1);
  }
}

void fill_stencil19(const MatrixView<double>& a) {
  constexpr blas2::Stencil<19> stencil;
  const std::int64_t m = cube_root(a.rows);
  const auto inside = [m](std::int64_t i) { return i >= 0 && i < m; };
  for (std::int64_t p = 0; p < a.rows; ++p) {
    const std::int64_t x = p % m, y = p / m % m, z = p / (m * m);
    a(p, p) = stencil.centre;
    for (int q = 0; q < stencil.neighbours; ++q) {
      const blas2::Neighbour n = neighbour(stencil, q);
      if (inside(x + n.x) && inside(y + n.y) && inside(z + n.z))
        a(p + n.x + m * (n.y + m * n.z), p) = -n.weight;
    }
  }
}

// Vertices of the icosahedron: 0 the top, 1-5 the upper ring, 6-10 the lower ring, 11 the bottom.
bool icosahedron_edge(int i, int j) {
  if (i > j) std::swap(i, j);
  if (i == j || (i == 0 && j == 11)) return false;
  if (i == 0) return j <= 5;
  if (j == 11) return i >= 6;
  const int turn = ((j - i) % 5 + 5) % 5;
  if ((i <= 5) == (j <= 5)) return turn == 1 || turn == 4;  // neighbours on one ring
  return turn == 0 || turn == 1;  // upper i touches lower i + 5 and i + 6 (cyclically)
}

// Truncation puts a vertex on each end of each edge: an atom is a directed edge i -> j. It is bonded to j ->
// i and, around i's pentagon, to i -> k for both triangles i j k.
void fill_c60(double alpha, double beta, const MatrixView<double>& a) {
  std::vector<std::pair<int, int>> atoms;
  for (int i = 0; i < 12; ++i)
    for (int j = 0; j < 12; ++j)
      if (icosahedron_edge(i, j)) atoms.emplace_back(i, j);
  for (std::int64_t p = 0; p < a.rows; ++p) {
    const auto [i, j] = atoms[p];
    for (std::int64_t q = 0; q < a.rows; ++q) {
      const auto [k, l] = atoms[q];
      const bool bonded = (k == j && l == i) || (k == i && icosahedron_edge(j, l));
      a(q, p) = p == q ? alpha : bonded ? beta : 0.0;
    }
  }
}

void fill_by_formula(const Spec& spec, const MatrixView<double>& a) {
  const std::int64_t n = spec.n;
  if (spec.kind == "minij") {
#pragma omp parallel for
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < n; ++i) a(i, j) = static_cast<double>(std::min(i, j) + 1);
    return;
  }
  if (spec.kind == "kms") {
    std::vector<double> power;
    for (std::int64_t k = 0; k < n; ++k) power.push_back(std::pow(spec.rho, static_cast<double>(k)));
#pragma omp parallel for
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < n; ++i) a(i, j) = power[std::abs(i - j)];
    return;
  }
#pragma omp parallel for
  for (std::int64_t j = 0; j < n; ++j) std::fill_n(&a(0, j), n, 0.0);
  if (spec.kind == "hueckel-c60") {
    fill_c60(spec.alpha, spec.beta, a);
  } else if (spec.kind == "poisson2d") {
    fill_poisson2d(a);
  } else if (spec.kind == "stencil19") {
    fill_stencil19(a);
  } else if (spec.kind == "wilkinson" || spec.kind == "glued-wilkinson") {
    fill_tridiagonal(wilkinson(spec), a);
  } else if (spec.kind == "1-2-1") {
    fill_tridiagonal({std::vector<double>(n, 2.0), std::vector<double>(n, 1.0)}, a);
  } else if (spec.kind == "hueckel-ring") {
    fill_tridiagonal({std::vector<double>(n, spec.alpha), std::vector<double>(n, spec.beta)}, a);
    set_both(a, 0, n - 1, spec.beta);
  } else if (spec.kind == "clement") {
    Tridiagonal t{std::vector<double>(n, 0.0), {}};
    for (std::int64_t i = 1; i < n; ++i)
      t.e.push_back(std::sqrt(static_cast<double>(i) * static_cast<double>(n - i)));
    fill_tridiagonal(t, a);
  } else if (spec.kind == "identity") {
    for (std::int64_t i = 0; i < n; ++i) a(i, i) = 1;
  }
}

std::vector<double> known_spectrum(const Spec& spec) {
  if (is_hermitian(find_kind(spec.kind))) return hermitian_spectrum(spec);
  if (spec.kind == "minij") return minij_spectrum(spec.n);
  if (spec.kind == "1-2-1") return one_two_one_spectrum(spec.n);
  if (spec.kind == "clement") return clement_spectrum(spec.n);
  if (spec.kind == "kms") return kms_spectrum(spec.n, spec.rho);
  if (spec.kind == "poisson2d") return poisson2d_spectrum(spec.n);
  if (spec.kind == "stencil19") return stencil19_spectrum(cube_root(spec.n));
  if (spec.kind == "hueckel-ring") return ring_spectrum(spec.n, spec.alpha, spec.beta);
  if (spec.kind == "hueckel-c60") return c60_spectrum(spec.alpha, spec.beta);
  if (spec.kind == "identity") return std::vector<double>(static_cast<std::size_t>(spec.n), 1.0);
  if (spec.kind == "zero") return std::vector<double>(static_cast<std::size_t>(spec.n), 0.0);
  if (spec.kind == "wilkinson" || spec.kind == "glued-wilkinson") {
    const Tridiagonal t = wilkinson(spec);
    return sturm_eigenvalues(t.d, t.e);
  }
  return prescribed_spectrum(spec);
}

}  // namespace

std::span<const Kind> kinds() {
  return table;
}

const Kind& find_kind(std::string_view name) {
  for (const std::span<const Kind> all : {kinds(), hermitian_kinds()})
    for (const Kind& kind : all)
      if (name == kind.name || (!kind.alias.empty() && name == kind.alias)) return kind;
  throw InvalidArgument("kind", "'" + std::string(name) + "' is not a kind of matrix");
}

void check_spec(const Spec& spec) {
  static_cast<void>(checked(spec));
}

void fill(const Spec& wanted, double* a, std::int64_t lda) {
  const Spec spec = checked(wanted);
  const std::int64_t n = spec.n;
  if (lda < std::max<std::int64_t>(1, n))
    throw InvalidArgument("lda", "is " + std::to_string(lda) + ", must be at least max(1, n) = " +
                                     std::to_string(std::max<std::int64_t>(1, n)));
  const Kind& kind = find_kind(spec.kind);
  if (is_hermitian(kind)) throw InvalidArgument("kind", "'" + spec.kind + "' is complex");
  if (kind.name == "random")
    fill_normal(CounterRandom(spec.seed, entry_stream), n, a, lda);
  else if (kind.name == "uniform")
    fill_uniform(CounterRandom(spec.seed, entry_stream), n, a, lda);
  else if (uses(kind, "rotate") && spec.rotate)
    rotate_diagonal(CounterRandom(spec.seed, rotation_stream), prescribed_spectrum(spec), a, lda);
  else if (uses(kind, "rotate"))
    set_diagonal(prescribed_spectrum(spec), a, lda);
  else
    fill_by_formula(spec, {a, n, n, lda});
  bool finite = true;
#pragma omp parallel for reduction(&& : finite)
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i) finite = std::isfinite(a[i + j * lda] *= spec.scale) && finite;
  if (!finite)
    throw InvalidArgument("scale", std::to_string(spec.scale) + " takes entries beyond the range of double");
}

std::optional<std::vector<double>> exact(const Spec& wanted) {
  const Spec spec = checked(wanted);
  if (!find_kind(spec.kind).spectrum_known) return std::nullopt;
  std::vector<double> w = known_spectrum(spec);
  for (double& value : w)
    if (!std::isfinite(value *= spec.scale))
      throw InvalidArgument("scale", std::to_string(spec.scale) + " takes values beyond the range of double");
  std::sort(w.begin(), w.end());
  return w;
}

double huge_scale(std::int64_t n) {
  return std::sqrt(DBL_MAX) * DBL_EPSILON / static_cast<double>(std::max<std::int64_t>(1, n));
}

double tiny_scale(std::int64_t n) {
  return std::sqrt(DBL_MIN) * static_cast<double>(std::max<std::int64_t>(1, n)) / DBL_EPSILON;
}

}  // namespace eigen_g::generate
