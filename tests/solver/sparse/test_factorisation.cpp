// Factorisations of sparse symmetric matrices by every library of this machine: residuals of solves, inertia, null pivots, and bits.
#include <cmath>
#include <random>

#include "solver/api/eigen_g.hpp"
#include "solver/sparse/factorisation.hpp"
#include "solver/sparse/inverse_lanczos.hpp"
#include "solver/sparse/pencil.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/pencils.hpp"

using namespace eigen_g;

namespace {

// A symmetric matrix by its lower triangle.
struct Symmetric {
  LowerPattern pattern;
  std::vector<double> values;

  std::int64_t n() const { return pattern.n; }
  // Calls use(i, j, value) for each entry of the lower triangle.
  template <class Use>
  void for_entries(const Use& use) const {
    for (std::int64_t j = 0; j < n(); ++j)
      for (std::int64_t p = pattern.offsets[j]; p < pattern.offsets[j + 1]; ++p)
        use(std::int64_t{pattern.row[p]}, j, values[p]);
  }
  double norm() const {
    std::vector<double> sums(static_cast<std::size_t>(n()));
    for_entries([&](std::int64_t i, std::int64_t j, double value) {
      sums[i] += std::abs(value);
      if (i != j) sums[j] += std::abs(value);
    });
    return *std::max_element(sums.begin(), sums.end());
  }
  std::int64_t negative_values() const {
    std::vector<double> a(static_cast<std::size_t>(n() * n())), w;
    for_entries(
        [&](std::int64_t i, std::int64_t j, double value) { a[i + j * n()] = a[j + i * n()] = value; });
    solve_small(n(), a, w);
    return std::count_if(w.begin(), w.end(), [](double value) { return value < 0; });
  }
};

Symmetric shifted(const support::PencilCase& a, double s) {
  const Pencil pencil(a.k.view(), a.mass(), true);
  Symmetric matrix{pencil.pattern(), std::vector<double>(pencil.pattern().row.size())};
  pencil.shifted(pencil.scaled(s), matrix.values.data());
  return matrix;
}

// Random entries. The last `zeros` rows have a zero diagonal, and no entry among themselves.
Symmetric random_matrix(std::int64_t n, std::int64_t zeros, int entries_of_row, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  support::SparseSum sum{n};
  for (std::int64_t i = 0; i < n; ++i) {
    sum.add(i, i, i < n - zeros ? normal(random) : 0.0);
    for (int e = 0; e < entries_of_row; ++e) {
      const auto j = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
      if (i == j || (i >= n - zeros && j >= n - zeros)) continue;
      const double value = normal(random);
      sum.add(i, j, value);
      sum.add(j, i, value);
    }
  }
  const std::vector<double> ones(static_cast<std::size_t>(n), 1.0);
  return shifted({support::Csr(sum), {}, ones, {}}, 0);
}

std::vector<FactorLibrary> libraries() {
  std::vector<FactorLibrary> all;
  for (const FactorLibrary library : {FactorLibrary::own, FactorLibrary::mumps, FactorLibrary::pardiso})
    if (available(library)) all.push_back(library);
  return all;
}

// The largest |S x - b| / (|S| |x|) of the columns of five blocks, where the outputs are poisoned.
double backward_error(Factorisation& factorisation, const Symmetric& a) {
  constexpr std::int64_t blocks = 5;
  const std::int64_t n = a.n();
  std::vector<double> b(static_cast<std::size_t>(4 * blocks * n)), x(b.size(), std::nan(""));
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (double& value : b) value = normal(random);
  factorisation.solve(blocks, b.data(), x.data());
  const double norm = a.norm();
  double worst = 0;
  for (std::int64_t p = 0; p < blocks; ++p)
    for (int c = 0; c < 4; ++c) {
      const auto at = [&](std::int64_t i) { return (p * n + i) * 4 + c; };
      std::vector<double> rest(static_cast<std::size_t>(n));
      double length = 0, squares = 0;
      for (std::int64_t i = 0; i < n; ++i) rest[i] = -b[at(i)];
      a.for_entries([&](std::int64_t i, std::int64_t j, double value) {
        rest[i] += value * x[at(j)];
        if (i != j) rest[j] += value * x[at(i)];
      });
      for (std::int64_t i = 0; i < n; ++i) {
        squares += rest[i] * rest[i];
        length += x[at(i)] * x[at(i)];
      }
      const double error = std::sqrt(squares) / (norm * std::sqrt(length));
      worst = error <= worst ? worst : error;
    }
  return worst;
}

}  // namespace

TEST_CASE("Factorisations: residuals of solves, and inertia") {
  struct Case {
    const char* name;
    Symmetric matrix;
  };
  std::vector<Case> cases;
  cases.push_back({"membrane, definite", shifted(support::box(31, 24, 0), 0)});
  cases.push_back({"membrane, interior", shifted(support::box(31, 24, 0), 3000.7)});
  cases.push_back({"cube, interior", shifted(support::box(9, 9, 9), 700.7)});
  cases.push_back({"five points, next to a multiple value", shifted(support::five_point(30), 4.000004)});
  for (const std::int64_t n : {1, 2, 3, 5, 8, 33, 130, 400})
    for (const int entries : {1, 2, 4}) {
      const auto seed = static_cast<unsigned>(7 * n + entries);
      cases.push_back({"random", random_matrix(n, 0, entries, seed)});
      if (n > 3) cases.push_back({"random saddle point", random_matrix(n, n / 3, entries, seed)});
    }
  cases.push_back({"random, a large front", random_matrix(900, 200, 5, 11)});
  for (const FactorLibrary library : libraries())
    for (const Case& one : cases) {
      CAPTURE(name(library), one.name, one.matrix.n());
      const std::unique_ptr<Factorisation> factorisation = analyse(library, one.matrix.pattern);
      const Pivots pivots = factorisation->factor(one.matrix.values.data());
      if (pivots.null > 0) continue;  // singular, or refused: nothing is concluded
      CHECK(pivots.negative == one.matrix.negative_values());
      const double error = backward_error(*factorisation, one.matrix);
      CHECK(error <= 1e-13);
      CHECK(factorisation->entries() >= one.matrix.n());
    }
}
