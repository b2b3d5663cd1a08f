#include <array>
#include <cmath>
#include <complex>
#include <set>
#include <string>

#include "apps/generate/hermitian.hpp"
#include "apps/generate/matrices.hpp"
#include "apps/generate/random.hpp"
#include "apps/generate/sturm.hpp"
#include "hybrid/machine/cpu.hpp"
#include "solver/api/eigen_g.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/solving.hpp"

using eigen_g::Uplo;
using eigen_g::generate::Kind;
using eigen_g::generate::Spec;
using support::OnCpu;
using support::OnGpu;

namespace {

Spec spec_of(std::string_view kind, std::int64_t n) {
  Spec spec;
  spec.kind = kind;
  spec.n = n;
  for (std::int64_t i = 0; i < n; ++i) spec.values.push_back(std::cos(static_cast<double>(i)));
  return spec;
}

// Orders that exist for a kind.
std::vector<std::int64_t> orders(const Kind& kind) {
  if (kind.name == "glued-wilkinson") return {0, 21, 42, 210};
  if (kind.name == "poisson2d") return {0, 1, 4, 9, 144};
  if (kind.name == "stencil19") return {0, 1, 8, 27, 125};
  if (kind.name == "hueckel-ring") return {3, 4, 5, 66};
  if (kind.name == "hueckel-c60") return {60};
  return {0, 1, 2, 3, 20, 65, 130};
}

std::string argument_refused(const Spec& spec, std::int64_t lda = 100) {
  std::vector<double> a(static_cast<std::size_t>(100 * 100));
  std::string by_fill = "none", by_exact = "none";
  try {
    eigen_g::generate::fill(spec, a.data(), lda);
  } catch (const eigen_g::InvalidArgument& error) {
    by_fill = error.parameter();
  }
  try {
    eigen_g::generate::exact(spec);
  } catch (const eigen_g::InvalidArgument& error) {
    by_exact = error.parameter();
  }
  if (lda == 100) CHECK(by_fill == by_exact);
  return by_fill;
}

double entry(const std::vector<double>& a, std::int64_t n, std::int64_t i, std::int64_t j) {
  return a[static_cast<std::size_t>(i + j * n)];
}

}  // namespace

TEMPLATE_TEST_CASE("every known spectrum is the solver's spectrum", "", OnCpu, OnGpu) {
  ON_DEVICE(TestType);
  for (const Kind& kind : eigen_g::generate::kinds())
    for (const std::int64_t n : orders(kind)) {
      CAPTURE(std::string(kind.name), n);
      const Spec spec = spec_of(kind.name, n);
      const auto exact = eigen_g::generate::exact(spec);
      REQUIRE(exact.has_value() == kind.spectrum_known);
      const std::vector<double> w =
          support::check_solver(support::stored(spec), TestType::device, 0, spec.kind);
      if (!exact) continue;
      CHECK(std::is_sorted(exact->begin(), exact->end()));
      CHECK(support::eigenvalue_ratio(w, *exact) <= support::limits::eigenvalue);
    }
}

TEMPLATE_TEST_CASE("known spectra over the range of their parameters", "", OnCpu, OnGpu) {
  ON_DEVICE(TestType);
  const auto agrees = [](const Spec& spec) {
    const std::vector<double> w =
        support::check_solver(support::stored(spec, Uplo::upper), TestType::device, 0, spec.kind);
    CHECK(support::eigenvalue_ratio(w, *eigen_g::generate::exact(spec)) <= support::limits::eigenvalue);
  };
  for (const double rho : {1e-9, 0.1, 0.9, 0.999, 1 - 1e-9}) {
    CAPTURE(rho);
    Spec spec = spec_of("kms", 100);
    spec.rho = rho;
    agrees(spec);
  }
  for (const double gamma : {1e-14, 1e-7, 1.0, 1e7, 1e14}) {
    CAPTURE(gamma);
    Spec spec = spec_of("glued-wilkinson", 210);
    spec.gamma = gamma;
    agrees(spec);
  }
  for (const char* kind : {"arithmetic", "geometric", "clustered"})
    for (const double cond : {1.0, 1e3, 1e16})
      for (const bool signs : {false, true}) {
        CAPTURE(kind, cond, signs);
        Spec spec = spec_of(kind, 150);
        spec.cond = cond;
        spec.random_signs = signs;
        agrees(spec);
        spec.rotate = false;
        agrees(spec);
      }
  Spec spec = spec_of("hueckel-c60", 60);
  spec.alpha = -6.5;
  spec.beta = -2.7;
  agrees(spec);
  spec.scale = -3;
  agrees(spec);
}

TEST_CASE("entries are as the kinds define") {
  const auto full = [](std::string_view kind, std::int64_t n) {
    return support::full_matrix(spec_of(kind, n));
  };
  const std::vector<double> minij = full("frank", 7), kms = full("kms", 7), poisson = full("poisson2d", 9),
                            clement = full("clement", 7), wilkinson = full("wilkinson", 7),
                            toeplitz = full("121", 7), glued = full("glued-wilkinson", 42),
                            ring = full("hueckel-ring", 7), stencil = full("stencil19", 27);
  CHECK(entry(stencil, 27, 13, 13) == 24);
  CHECK(entry(stencil, 27, 13, 22) == -2);
  CHECK(entry(stencil, 27, 13, 12) == -2);
  CHECK(entry(stencil, 27, 13, 15) == -1);
  CHECK(entry(stencil, 27, 13, 26) == 0);  // the corner
  CHECK(entry(stencil, 27, 2, 3) == 0);    // the end of one grid line and the beginning of the next
  CHECK(entry(minij, 7, 2, 5) == 3);
  CHECK(entry(kms, 7, 2, 5) == 0.125);
  CHECK(entry(clement, 7, 2, 3) == std::sqrt(12.0));
  CHECK(entry(wilkinson, 7, 0, 0) == 3);
  CHECK(entry(wilkinson, 7, 3, 3) == 0);
  CHECK(entry(wilkinson, 7, 6, 5) == 1);
  CHECK(entry(toeplitz, 7, 4, 4) == 2);
  CHECK(entry(toeplitz, 7, 4, 5) == 1);
  CHECK(entry(toeplitz, 7, 4, 6) == 0);
  CHECK(entry(glued, 42, 20, 21) == 1e-14);
  CHECK(entry(glued, 42, 21, 21) == 10);
  CHECK(entry(ring, 7, 0, 6) == -1);
  CHECK(entry(poisson, 9, 2, 3) == 0);  // the end of one grid line and the beginning of the next
  CHECK(entry(poisson, 9, 2, 5) == -1);
}

TEST_CASE("every kind is symmetric, and its padding is unchanged") {
  for (const Kind& kind : eigen_g::generate::kinds()) {
    const std::int64_t n = orders(kind).back(), lda = n + 3;
    CAPTURE(std::string(kind.name), n);
    std::vector<double> a(static_cast<std::size_t>(lda * n), -7.5);
    eigen_g::generate::fill(spec_of(kind.name, n), a.data(), lda);
    std::int64_t unequal = 0, touched = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = 0; i < n; ++i) unequal += entry(a, lda, i, j) != entry(a, lda, j, i);
      for (std::int64_t i = n; i < lda; ++i) touched += entry(a, lda, i, j) != -7.5;
    }
    CHECK(unequal == 0);
    CHECK(touched == 0);
  }
}

TEST_CASE("every kind as a complex matrix: Hermitian, padding unchanged, same spectrum") {
  using Z = std::complex<double>;
  for (const auto all : {eigen_g::generate::kinds(), eigen_g::generate::hermitian_kinds()})
    for (const Kind& kind : all) {
      const std::int64_t n = kind.name == "hofstadter" ? 81 : orders(kind).back(), lda = n + 3;
      CAPTURE(std::string(kind.name), n);
      const Spec spec = spec_of(kind.name, n);
      std::vector<Z> a(static_cast<std::size_t>(lda * n), -7.5), z(static_cast<std::size_t>(n * n));
      eigen_g::generate::fill(spec, a.data(), lda);
      std::int64_t unequal = 0, touched = 0, complex = 0;
      for (std::int64_t j = 0; j < n; ++j) {
        for (std::int64_t i = 0; i < n; ++i) {
          unequal += a[i + j * lda] != std::conj(a[j + i * lda]);
          complex += a[i + j * lda].imag() != 0;
        }
        for (std::int64_t i = n; i < lda; ++i) touched += a[i + j * lda] != -7.5;
      }
      CHECK(unequal == 0);
      CHECK(touched == 0);
      const bool random = kind.parameters.find("seed") != std::string_view::npos;
      CHECK((complex > 0) == (random || all.data() == eigen_g::generate::hermitian_kinds().data()));
      const auto exact = eigen_g::generate::exact(spec);
      if (!exact) continue;
      std::vector<double> w(static_cast<std::size_t>(n));
      eigen_g::Devices cpu;
      cpu.device = eigen_g::DeviceChoice::cpu;
      const eigen_g::Report report = eigen_g::eigen_g(n, a.data(), lda, w.data(), z.data(), n, {}, cpu);
      CHECK(report.status == eigen_g::Status::converged);
      CHECK(support::eigenvalue_ratio(w, *exact) <= support::limits::eigenvalue);
    }
  std::vector<double> real(81 * 81);
  CHECK_THROWS_AS(eigen_g::generate::fill(spec_of("hofstadter", 81), real.data(), 81),
                  eigen_g::InvalidArgument);
  std::vector<Z> small(16 * 16);
  CHECK_THROWS_AS(eigen_g::generate::fill(spec_of("hofstadter", 16), small.data(), 16),
                  eigen_g::InvalidArgument);
  CHECK_THROWS_AS(eigen_g::generate::fill(spec_of("flux-ring", 2), small.data(), 16),
                  eigen_g::InvalidArgument);
}

TEST_CASE("C60: three bonds an atom, rings of five and six") {
  const std::vector<double> a = support::full_matrix(spec_of("hueckel-c60", 60));
  const auto bonded = [&](std::int64_t i, std::int64_t j) { return entry(a, 60, i, j) == -1; };
  std::int64_t pentagons = 0, hexagons = 0;
  std::vector<std::int64_t> path;
  const auto walk = [&](const auto& self,
                        std::int64_t length) -> std::int64_t {  // closed walks without a repeat
    const std::int64_t here = path.back();
    if (static_cast<std::int64_t>(path.size()) == length) return bonded(here, path.front());
    std::int64_t found = 0;
    for (std::int64_t next = path.front() + 1; next < 60; ++next)
      if (bonded(here, next) && std::find(path.begin(), path.end(), next) == path.end()) {
        path.push_back(next);
        found += self(self, length);
        path.pop_back();
      }
    return found;
  };
  for (std::int64_t i = 0; i < 60; ++i) {
    std::int64_t bonds = 0;
    for (std::int64_t j = 0; j < 60; ++j) bonds += bonded(i, j);
    CHECK(bonds == 3);
    path = {i};
    CHECK(walk(walk, 3) == 0);
    CHECK(walk(walk, 4) == 0);
    pentagons += walk(walk, 5);
    hexagons += walk(walk, 6);
  }
  CHECK(pentagons == 2 * 12);  // each in two directions
  CHECK(hexagons == 2 * 20);

  const std::vector<double> w = *eigen_g::generate::exact(spec_of("hueckel-c60", 60));
  REQUIRE(w.size() == 60);
  long double sum = 0, squares = 0;
  for (const double x : w) {
    sum += x;
    squares += static_cast<long double>(x) * x;
  }
  CHECK(std::fabs(static_cast<double>(sum)) < 60 * 3 * support::limits::ulp);
  CHECK(static_cast<double>(squares) == Approx(180).epsilon(60 * support::limits::ulp));
  CHECK(w.front() == -3);  // beta = -1
}

TEST_CASE("Wilkinson's matrix of order 21 to all digits") {
  constexpr std::array<double, 21> digits{
      -1.125441522119984222299, 0.253805817096678167710, 0.947534367529292878851, 1.789321352695081406045,
      2.130209219362505994485,  2.961058884185726691613, 3.043099292578823739332, 3.996048201383625030730,
      4.004354023440856735097,  4.999782477742901859987, 5.000244425001913008065, 6.000217522257098140013,
      6.000234031584167016617,  7.003951798616374969270, 7.003952209528675673814, 8.038941115814273308386,
      8.038941122829023236262,  9.210678647304918593955, 9.210678647361332107918, 10.746194182903322183229,
      10.746194182903393431857};
  const std::vector<double> w = *eigen_g::generate::exact(spec_of("wilkinson", 21));
  for (std::size_t k = 0; k < digits.size(); ++k) {
    CAPTURE(k);
    CHECK(std::fabs(w[k] - digits[k]) <= 11 * support::limits::ulp / 2);  // half a unit of the norm
  }
}

TEST_CASE("Sturm counts") {
  const std::vector<double> d{2, 2, 2}, e{1, 1};  // 2 - sqrt 2, 2, 2 + sqrt 2
  CHECK(eigen_g::generate::sturm_count(d, e, 0.5L) == 0);
  CHECK(eigen_g::generate::sturm_count(d, e, 0.6L) == 1);
  CHECK(eigen_g::generate::sturm_count(d, e, 2.1L) == 2);
  CHECK(eigen_g::generate::sturm_count(d, e, 3.5L) == 3);
  CHECK(eigen_g::generate::sturm_eigenvalues({}, {}).empty());
}

TEST_CASE("random matrices repeat: by seed, by threads, by order") {
  Spec spec = spec_of("random", 200);
  spec.seed = 12;
  const std::vector<double> first = support::full_matrix(spec);
  CHECK(support::same_bits(first, support::full_matrix(spec)));
  {
    const eigen_g::ThreadLimit one(1);
    CHECK(support::same_bits(first, support::full_matrix(spec)));
  }
  Spec smaller = spec;
  smaller.n = 90;
  const std::vector<double> corner = support::full_matrix(smaller);
  CHECK(entry(first, 200, 89, 13) == entry(corner, 90, 89, 13));
  spec.seed = 13;
  CHECK_FALSE(support::same_bits(first, support::full_matrix(spec)));
}

TEST_CASE("the seed turns prescribed spectra differently, the spectrum stays") {
  Spec spec = spec_of("arithmetic", 60);
  const std::vector<double> first = support::full_matrix(spec), exact = *eigen_g::generate::exact(spec);
  spec.seed = 2;
  CHECK_FALSE(support::same_bits(first, support::full_matrix(spec)));
  CHECK(support::same_bits(exact, *eigen_g::generate::exact(spec)));
}

TEST_CASE("random bits do not change from one version to the next") {
  const eigen_g::generate::CounterRandom random(1, 0);
  CHECK(random.uniform(0, 0) == 0x1.631405e8db1b1p-1);
  CHECK(random.normal(0, 0) == 0x1.02fc3372f095ep-1);
}

TEST_CASE("normal quantiles") {  // digits by mpmath
  const auto near = [](double p, double x) {
    CAPTURE(p);
    CHECK(std::fabs(eigen_g::generate::normal_quantile(p) / x - 1) < 4 * support::limits::ulp);
  };
  near(1e-300, -37.0470962993611992);
  near(1e-20, -9.26234008979840758);
  near(1e-5, -4.26489079392282461);
  near(0.05, -1.64485362695147269);
  near(0.3, -0.524400512708040816);
  near(0.6, 0.253347103135799741);
  near(0.9999, 3.71901648545570839);
}

TEST_CASE("the entries are normal: moments and tails") {
  const std::int64_t n = 1000;
  const std::vector<double> a = support::full_matrix(spec_of("random", n));
  double count = 0, mean = 0, square = 0, fourth = 0, beyond_two = 0;
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = j; i < n; ++i) {
      const double x = entry(a, n, i, j);
      ++count;
      mean += x;
      square += x * x;
      fourth += x * x * x * x;
      beyond_two += std::fabs(x) > 2;
    }
  const double five_sigma = 5 / std::sqrt(count);
  CHECK(std::fabs(mean / count) < five_sigma);
  CHECK(std::fabs(square / count - 1) < five_sigma * std::sqrt(2.0));
  CHECK(std::fabs(fourth / count - 3) < five_sigma * std::sqrt(96.0));
  CHECK(std::fabs(beyond_two / count - 0.0455002638963584) < five_sigma * std::sqrt(0.0455 * 0.9545));
}

TEST_CASE("names and aliases are unambiguous") {
  std::set<std::string_view> names;
  for (const Kind& kind : eigen_g::generate::kinds()) {
    CHECK(names.insert(kind.name).second);
    CHECK(&eigen_g::generate::find_kind(kind.name) == &kind);
    CHECK_FALSE(kind.what.empty());
    if (kind.alias.empty()) continue;
    CHECK(names.insert(kind.alias).second);
    CHECK(&eigen_g::generate::find_kind(kind.alias) == &kind);
  }
  CHECK_THROWS_AS(eigen_g::generate::find_kind(""), eigen_g::InvalidArgument);
}

TEST_CASE("bad parameters are refused by name") {
  const auto with = [](std::string_view kind, std::int64_t n, auto change) {
    Spec spec = spec_of(kind, n);
    change(spec);
    return argument_refused(spec);
  };
  CHECK(argument_refused(spec_of("random", 10)) == "none");
  CHECK(argument_refused(spec_of("hilbert", 10)) == "kind");
  CHECK(argument_refused(spec_of("random", -1)) == "n");
  CHECK(argument_refused(spec_of("glued-wilkinson", 22)) == "n");
  CHECK(argument_refused(spec_of("poisson2d", 10)) == "n");
  CHECK(argument_refused(spec_of("hueckel-ring", 2)) == "n");
  CHECK(argument_refused(spec_of("hueckel-c60", 61)) == "n");
  CHECK(argument_refused(spec_of("random", 10), 9) == "lda");
  CHECK(argument_refused(spec_of("random", 0), 0) == "lda");
  CHECK(with("geometric", 10, [](Spec& s) { s.cond = 0.5; }) == "cond");
  CHECK(with("geometric", 10, [](Spec& s) { s.cond = support::infinity; }) == "cond");
  CHECK(with("kms", 10, [](Spec& s) { s.rho = 1; }) == "rho");
  CHECK(with("kms", 10, [](Spec& s) { s.rho = support::nan; }) == "rho");
  CHECK(with("glued-wilkinson", 21, [](Spec& s) { s.gamma = support::nan; }) == "gamma");
  CHECK(with("hueckel-ring", 10, [](Spec& s) { s.alpha = support::infinity; }) == "alpha");
  CHECK(with("hueckel-ring", 10, [](Spec& s) { s.beta = support::nan; }) == "beta");
  CHECK(with("values", 10, [](Spec& s) { s.values.pop_back(); }) == "values");
  CHECK(with("values", 10, [](Spec& s) { s.values[3] = support::nan; }) == "values");
  CHECK(with("random", 10, [](Spec& s) { s.scale = support::nan; }) == "scale");
  CHECK(with("minij", 10, [](Spec& s) { s.scale = 1e308; }) == "scale");  // entries become infinite
  CHECK(with("random", 10, [](Spec& s) { s.rho = 7; }) == "none");        // not a parameter of random
}
