#include "apps/generate/matrices.hpp"

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <limits>
#include <utility>

#include "apps/generate/formula.hpp"
#include "apps/generate/hermitian.hpp"
#include "apps/generate/random.hpp"
#include "apps/generate/rotate.hpp"
#include "apps/generate/spectra.hpp"
#include "apps/generate/sturm.hpp"
#include "hybrid/error.hpp"

namespace eigen_g::generate {
namespace {

constexpr std::array real_table{
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

// Checks spec; returns it with the kind's own name instead of an alias.
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
    const Tridiagonal t = wilkinson_of(spec);
    return sturm_eigenvalues(t.d, t.e);
  }
  return prescribed_spectrum(spec);
}

}  // namespace

std::span<const Kind> kinds() {
  return real_table;
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
  if (is_hermitian(kind))
    throw InvalidArgument("kind", "'" + spec.kind + "' is complex; must be a real kind");
  if (kind.name == "random") {
    fill_normal(entries_of(spec), n, a, lda);
  } else if (kind.name == "uniform") {
    fill_uniform(entries_of(spec), n, a, lda);
  } else if (uses(kind, "rotate") && spec.rotate) {
    rotate_diagonal(CounterRandom(spec.seed, rotation_stream), prescribed_spectrum(spec), a, lda);
  } else if (uses(kind, "rotate")) {
    set_diagonal(prescribed_spectrum(spec), a, lda);
  } else {
    const Formula formula(spec);
#pragma omp parallel for
    for (std::int64_t j = 0; j < n; ++j) formula.column(j, 0, n, a + j * lda);
  }
  bool finite = true;
#pragma omp parallel for reduction(&& : finite)
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i) finite = std::isfinite(a[i + j * lda] *= spec.scale) && finite;
  if (!finite) throw InvalidArgument("scale", "makes entries exceed the range of double");
}

Formula formula_of(const Spec& wanted) {
  const Spec spec = checked(wanted);
  const Kind& kind = find_kind(spec.kind);
  if (uses(kind, "rotate"))
    throw InvalidArgument("kind", "'" + spec.kind + "' has no formula for single entries");
  return Formula(spec);
}

std::optional<std::vector<double>> exact(const Spec& wanted) {
  const Spec spec = checked(wanted);
  if (!find_kind(spec.kind).spectrum_known) return std::nullopt;
  std::vector<double> w = known_spectrum(spec);
  for (double& value : w)
    if (!std::isfinite(value *= spec.scale))
      throw InvalidArgument("scale", "makes values exceed the range of double");
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
