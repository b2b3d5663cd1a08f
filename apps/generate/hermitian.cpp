#include "apps/generate/hermitian.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>

#include "apps/generate/formula.hpp"
#include "apps/generate/random.hpp"
#include "apps/generate/rotate.hpp"
#include "apps/generate/spectra.hpp"
#include "hybrid/error.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/matrix_view.hpp"

namespace eigen_g::generate {
namespace {

using Complex = std::complex<double>;
using Matrix = MatrixView<Complex>;

constexpr std::array hermitian_table{
    Kind{"flux-ring", "", "complex: a ring of n sites that encloses a flux", "alpha, beta, flux",
         "at least 3", true},
    Kind{"hermitian-kms", "", "complex: rho^|i - j| exp(i flux (i - j))", "rho, flux", "", true},
    Kind{"hofstadter", "", "complex: an m x m torus in a magnetic field, 1/3 flux quantum a cell, n = m^2",
         "alpha, beta", "the square of a multiple of 3", true},
};

bool named(const Spec& spec, std::string_view name) {
  return find_kind(spec.kind).name == name;
}

// a(i, j) := entry(i, j) for i >= j, and its mirror image. The diagonal is real.
template <class Entry>
void fill_pairs(const Matrix& a, const Entry& entry) {
#pragma omp parallel for schedule(dynamic, 16)
  for (std::int64_t j = 0; j < a.cols; ++j)
    for (std::int64_t i = j; i < a.rows; ++i) {
      const Complex x = entry(i, j);
      a(i, j) = i == j ? x.real() : x;
      a(j, i) = std::conj(a(i, j));
    }
}

// Entry (i, j): alpha on the diagonal, beta exp(i flux / n) from each site to the next.
Complex ring_entry(const Spec& spec, std::int64_t i, std::int64_t j) {
  const Complex bond = spec.beta * std::polar(1.0, spec.flux / static_cast<double>(spec.n));
  if (i == j) return spec.alpha;
  return i == j + 1 ? bond : i == spec.n - 1 && j == 0 ? std::conj(bond) : 0;
}

// Entry (i, j); site (x, y) has the index x + m y.
Complex hofstadter_entry(const Spec& spec, std::int64_t i, std::int64_t j) {
  const std::int64_t m = square_root(spec.n), dx = (i % m - j % m + m) % m, dy = (i / m - j / m + m) % m;
  if (i == j) return spec.alpha;
  if (dy == 0) return dx == 1 || dx == m - 1 ? spec.beta : 0;
  if (dx != 0 || (dy != 1 && dy != m - 1)) return 0;
  const Complex up = spec.beta * std::polar(1.0, 2 * std::numbers::pi / 3 * static_cast<double>(j % m % 3));
  return dy == 1 ? up : std::conj(up);
}

std::function<Complex(std::int64_t, std::int64_t)> entry_of(const Spec& spec) {
  if (named(spec, "flux-ring"))
    return [spec](std::int64_t i, std::int64_t j) { return ring_entry(spec, i, j); };
  if (named(spec, "hofstadter"))
    return [spec](std::int64_t i, std::int64_t j) { return hofstadter_entry(spec, i, j); };
  if (!named(spec, "hermitian-kms")) return {};
  return [spec](std::int64_t i, std::int64_t j) {
    const auto distance = static_cast<double>(i - j);
    return std::polar(std::pow(spec.rho, distance), spec.flux * distance);
  };
}

// Imaginary parts of a kind of matrices.hpp as a complex matrix; empty: they are 0.
std::function<double(std::int64_t, std::int64_t)> imaginary_of(const Spec& spec) {
  const CounterRandom other(spec.seed, imaginary_stream);
  if (named(spec, "random")) return [other](std::int64_t i, std::int64_t j) { return other.normal(i, j); };
  if (named(spec, "uniform"))
    return [other](std::int64_t i, std::int64_t j) { return 2 * other.uniform(i, j) - 1; };
  return {};
}

// Fills a kind of matrices.hpp as a complex matrix.
void fill_real_kind(const Spec& spec, const Matrix& a) {
  const Kind& kind = find_kind(spec.kind);
  Spec plain = spec;
  plain.scale = 1;
  const HostArray<double> real = host_array<double>(spec.n * spec.n);
  plain.rotate = false;  // a prescribed spectrum is then on the diagonal
  fill(plain, real.get(), std::max<std::int64_t>(1, spec.n));
  if (kind.parameters.find("rotate") != std::string_view::npos && spec.rotate) {
    std::vector<double> d;
    for (std::int64_t i = 0; i < spec.n; ++i) d.push_back(real[i + i * spec.n]);
    rotate_diagonal(CounterRandom(spec.seed, rotation_stream), d, a.data, a.lda);
    return;
  }
  const auto imaginary = imaginary_of(spec);
  fill_pairs(a, [&](std::int64_t i, std::int64_t j) {
    return Complex(real[i + j * spec.n], imaginary ? imaginary(i, j) : 0);
  });
}

}  // namespace

std::span<const Kind> hermitian_kinds() {
  return hermitian_table;
}

bool allowed_order(const Kind& hermitian, std::int64_t n) {
  const std::int64_t m = square_root(n);
  if (hermitian.name == "flux-ring") return n >= 3;
  return hermitian.name != "hofstadter" || (m * m == n && m % 3 == 0);
}

void fill(const Spec& spec, std::complex<double>* data, std::int64_t lda) {
  check_spec(spec);
  if (lda < std::max<std::int64_t>(1, spec.n))
    throw InvalidArgument("lda", "is " + std::to_string(lda) + ", must be at least max(1, n)");
  const Matrix a{data, spec.n, spec.n, lda};
  if (const auto entry = entry_of(spec))
    fill_pairs(a, entry);
  else
    fill_real_kind(spec, a);
  bool finite = true;
#pragma omp parallel for reduction(&& : finite)
  for (std::int64_t j = 0; j < spec.n; ++j)
    for (std::int64_t i = 0; i < spec.n; ++i) {
      a(i, j) *= spec.scale;
      finite = finite && std::isfinite(a(i, j).real()) && std::isfinite(a(i, j).imag());
    }
  if (!finite) throw InvalidArgument("scale", "makes entries exceed the range of double");
}

HermitianFormula::HermitianFormula(const Spec& spec) : spec_(spec), entry_(entry_of(spec)) {
  check_spec(spec);
  if (entry_) return;
  imaginary_ = imaginary_of(spec);
  real_.emplace(formula_of(spec));
}

void HermitianFormula::column(std::int64_t j, std::int64_t first, std::int64_t count, Complex* out) const {
  std::vector<double> real(real_ ? static_cast<std::size_t>(count) : 0);
  if (real_) real_->column(j, first, count, real.data());
  for (std::int64_t i = first; i < first + count; ++i) {
    const std::int64_t row = std::max(i, j), col = std::min(i, j);
    const Complex below =
        entry_ ? entry_(row, col) : Complex(real[i - first], imaginary_ ? imaginary_(row, col) : 0);
    out[i - first] = i == j ? below.real() : i > j ? below : std::conj(below);
  }
}

std::vector<double> hermitian_spectrum(const Spec& spec) {
  std::vector<double> w;
  if (named(spec, "hermitian-kms")) return kms_spectrum(spec.n, spec.rho);
  if (named(spec, "flux-ring")) {
    for (std::int64_t k = 0; k < spec.n; ++k)
      w.push_back(spec.alpha + 2 * spec.beta *
                                   std::cos((2 * std::numbers::pi * static_cast<double>(k) + spec.flux) /
                                            static_cast<double>(spec.n)));
    return w;
  }
  // e^3 - 6 e - c = 0 with |c| <= 4: e = 2 sqrt 2 cos((arccos(c / (4 sqrt 2)) + 2 pi s) / 3).
  const std::int64_t m = square_root(spec.n);
  const auto cosine = [m](std::int64_t k) {
    return std::cos(6 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(m));
  };
  for (std::int64_t r = 0; r < m / 3; ++r)
    for (std::int64_t l = 0; l < m; ++l)
      for (int s = 0; s < 3; ++s) {
        const double c = 2 * cosine(r) + 2 * cosine(l);
        const double e = 2 * std::numbers::sqrt2 *
                         std::cos((std::acos(c / (4 * std::numbers::sqrt2)) + 2 * std::numbers::pi * s) / 3);
        w.push_back(spec.alpha + spec.beta * e);
      }
  return w;
}

}  // namespace eigen_g::generate
