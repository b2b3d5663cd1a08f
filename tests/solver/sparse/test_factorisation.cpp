// Factorisations of sparse symmetric matrices by every library of this machine: residuals of solves, inertia, null pivots, and bits.
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
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
  for (const FactorLibrary library :
       {FactorLibrary::own, FactorLibrary::mumps, FactorLibrary::pardiso, FactorLibrary::cudss})
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
      CHECK(error <= 1e-12);
      CHECK(factorisation->entries() >= one.matrix.n());
    }
}

TEST_CASE("Factorisations: singular matrices have null pivots, and no others") {
  // A chain with free ends: 0 is a simple eigenvalue. Two chains: a double one. A zero row.
  const auto chains = [](std::int64_t n, std::int64_t parts, bool zero_row) {
    support::SparseSum sum{n};
    for (std::int64_t i = 0; i < n; ++i) sum.add(i, i, 0);
    for (std::int64_t i = 0; i + 1 < n - zero_row; ++i) {
      if ((i + 1) % (n / parts) == 0) continue;
      sum.add(i, i, 1);
      sum.add(i + 1, i + 1, 1);
      sum.add(i, i + 1, -1);
      sum.add(i + 1, i, -1);
    }
    return shifted({support::Csr(sum), {}, std::vector<double>(static_cast<std::size_t>(n), 1.0), {}}, 0);
  };
  struct Case {
    Symmetric matrix;
    std::int64_t null;
  };
  const Case cases[] = {{chains(60, 1, false), 1}, {chains(60, 2, false), 2}, {chains(60, 1, true), 2}};
  for (const FactorLibrary library : libraries())
    for (const Case& one : cases) {
      CAPTURE(name(library), one.null);
      const Pivots pivots = analyse(library, one.matrix.pattern)->factor(one.matrix.values.data());
      CHECK(pivots.null > 0);
      if (library != FactorLibrary::pardiso) CHECK(pivots.null == one.null);
    }
}

TEST_CASE("Factorisations: the same call twice gives the same bits, also after other values") {
  const Symmetric a = shifted(support::box(9, 9, 9), 700.7), b = shifted(support::box(9, 9, 9), 200.3);
  std::vector<double> x(static_cast<std::size_t>(8 * a.n())), first(x.size()), second(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<double>(i));
  for (const FactorLibrary library : libraries()) {
    CAPTURE(name(library));
    const std::unique_ptr<Factorisation> factorisation = analyse(library, a.pattern);
    factorisation->factor(a.values.data());
    factorisation->solve(2, x.data(), first.data());
    factorisation->factor(b.values.data());
    factorisation->factor(a.values.data());
    factorisation->solve(2, x.data(), second.data());
    CHECK(first == second);
  }
}

namespace {

// Limits the address space of the process to its present size and `more` bytes.
class AddressSpace {
 public:
  explicit AddressSpace(std::uint64_t more) {
    ::getrlimit(RLIMIT_AS, &before_);
    ::malloc_trim(0);  // free memory of the process would not be limited
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit limit = before_;
    limit.rlim_cur = pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) + more;
    ::setrlimit(RLIMIT_AS, &limit);
  }
  ~AddressSpace() { ::setrlimit(RLIMIT_AS, &before_); }
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;

 private:
  rlimit before_;
};

}  // namespace

TEST_CASE("Factorisations: too little memory is told with the entries of L, and the next call works") {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  SKIP_TEST("a sanitizer reserves address space");
#endif
  const Symmetric a = shifted(support::box(26, 26, 26), 0);
  for (const FactorLibrary library : {FactorLibrary::own, FactorLibrary::mumps}) {
    if (!available(library)) continue;
    CAPTURE(name(library));
    std::unique_ptr<Factorisation> factorisation = analyse(library, a.pattern);  // also loads the library
    const std::int64_t entries = factorisation->entries();
    const auto told = [&](const auto& call) {
      const AddressSpace limit(1 << 20);
      try {
        call();
      } catch (const OutOfMemory& error) {
        CHECK_FALSE(error.on_device());
        return std::string(error.what());
      }
      return std::string("no error");
    };
    const std::string at_factor = told([&] { factorisation->factor(a.values.data()); });
    CHECK_THAT(at_factor, ContainsSubstring("not enough memory"));
    CHECK(factorisation->factor(a.values.data()).negative == 0);
    CHECK(backward_error(*factorisation, a) <= 1e-14);
    factorisation.reset();
    const std::string at_analysis = told([&] { analyse(library, a.pattern)->factor(a.values.data()); });
    CHECK_THAT(at_analysis, ContainsSubstring("not enough memory"));
    factorisation = analyse(library, a.pattern);
    CHECK(factorisation->entries() == entries);
    CHECK(factorisation->factor(a.values.data()).negative == 0);
    CHECK(backward_error(*factorisation, a) <= 1e-14);
  }
}

TEST_CASE("Libraries that are missing are named with the reason and the command that installs them") {
  for (const FactorLibrary library :
       {FactorLibrary::own, FactorLibrary::mumps, FactorLibrary::pardiso, FactorLibrary::cudss}) {
    CAPTURE(name(library));
    if (available(library)) {
      CHECK(!version(library).empty());
      CHECK(require_library(library, "") == library);
      continue;
    }
    CHECK(version(library).empty());
    try {
      require_library(library, "the pairs near 1");
      FAIL("no error");
    } catch (const InvalidArgument& error) {
      CHECK(error.parameter() == "library");
      CHECK_THAT(error.what(), ContainsSubstring("the pairs near 1 by " + std::string(name(library)) +
                                                 ", which is not available: "));
      CHECK_THAT(error.what(), ContainsSubstring("install"));
    }
  }
}
