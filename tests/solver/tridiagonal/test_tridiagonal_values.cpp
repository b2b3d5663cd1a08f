// Tests of the values of badly scaled tridiagonal matrices, on the CPU and by the host executor of the GPU's phases, against bisection in
// long double.
#include "solver/tridiagonal/tridiagonal_values.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "apps/generate/sturm.hpp"
#include "solver/tridiagonal/dc_host.hpp"
#include "solver/tridiagonal/divide_and_conquer.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/scratch.hpp"
#include "tests/support/tridiagonal.hpp"

using namespace eigen_g;
using support::Tridiagonal;

namespace {

const std::vector<std::string> hard_kinds = {
    "exponents",    "zero diagonal", "graded down", "graded up",     "tiny shifts",
    "tiny squares", "square roots",  "both tiny",   "one far below", "all exponents, no diagonal"};

// A random T whose entries have exponents over the range of R.
template <class R>
Tridiagonal hard(const std::string& kind, std::int64_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  const auto sign = [&] { return uniform() < 0.5 ? -1.0 : 1.0; };
  constexpr double digits = std::is_same_v<R, double> ? 300 : 36;
  const auto power = [&](double from, double to) {
    return std::pow(10, -digits * (from + (to - from) * uniform()));
  };
  Tridiagonal t{std::vector<double>(static_cast<std::size_t>(n)),
                std::vector<double>(static_cast<std::size_t>(n - 1))};
  const auto fill = [&](auto diagonal, auto off_diagonal) {
    for (std::size_t i = 0; i < t.d.size(); ++i) t.d[i] = static_cast<R>(diagonal(static_cast<double>(i)));
    for (std::size_t i = 0; i < t.e.size(); ++i)
      t.e[i] = static_cast<R>(off_diagonal(static_cast<double>(i) + 0.5));
  };
  const auto near_one = [&](double) { return 0.5 + uniform(); };
  const auto mixed = [&](double share, double from, double to, auto other) {
    return [=, &uniform](double i) { return uniform() < share ? power(from, to) : other(i); };
  };
  const auto zero = [](double) { return 0.0; };
  const auto some_zeros = [&](double i) { return uniform() < 0.6 ? 0.0 : near_one(i); };
  const auto size = static_cast<double>(n);
  const auto grade = [&](double i) { return std::pow(10, -digits * i / size) * (0.5 + uniform()); };
  const auto exponents = [&](double) { return sign() * power(0, 1); };
  if (kind == "exponents") fill(exponents, exponents);
  if (kind == "zero diagonal") fill(zero, near_one);
  if (kind == "graded down") fill(grade, grade);
  if (kind == "graded up") {
    const auto up = [&](double i) { return grade(size - i); };
    fill(up, up);
  }
  if (kind == "tiny shifts") fill(some_zeros, mixed(0.4, 0.22, 0.3, near_one));
  if (kind == "tiny squares") fill(some_zeros, mixed(0.4, 0.45, 0.55, near_one));
  if (kind == "square roots") fill(some_zeros, mixed(0.4, 0, 1, near_one));
  if (kind == "both tiny") {
    const auto large = [&](double) { return 1 + 50 * uniform(); };
    fill(mixed(0.6, 0.5, 0.54, near_one), mixed(0.4, 0.5, 0.54, large));
  }
  if (kind == "one far below") {
    fill(near_one, near_one);
    t.d[0] = t.d.back() = 0;
    t.e[0] = static_cast<R>(power(0.2, 0.6));
  }
  if (kind == "all exponents, no diagonal") fill(zero, exponents);
  return t;
}

template <class R>
std::vector<R> in(const std::vector<double>& x) {
  return {x.begin(), x.end()};
}
template <class R>
double error_of(const Tridiagonal& t, const std::vector<R>& w, const std::vector<double>& truth) {
  constexpr double wider = std::numeric_limits<R>::epsilon() / std::numeric_limits<double>::epsilon();
  return support::value_ulps(t, {w.begin(), w.end()}, truth) / wider;
}
// In units of the roundoff: LAPACK's error bounds grow with n.
double limit(std::int64_t n) {
  return 10 + 2 * static_cast<double>(n);
}

}  // namespace

TEMPLATE_TEST_CASE("badly scaled T: every way finds the same values as bisection", "", double, float) {
  using R = TestType;
  for (const std::string& kind : hard_kinds)
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      const std::int64_t n = seed % 10 == 0 ? 12 + static_cast<std::int64_t>(seed) / 10 : 2 + seed % 8;
      const Tridiagonal t = hard<R>(kind, n, seed);
      const std::vector<double> truth = generate::sturm_eigenvalues(t.d, t.e);
      std::vector<R> values = in<R>(t.d), e = in<R>(t.e), pairs = values, on_gpu = values,
                     pairs_on_gpu = values;
      std::vector<R> z(static_cast<std::size_t>(n * n));
      CAPTURE(kind, seed, n);
      support::HostScratch scratch(divide_and_conquer_bytes_on_cpu<R>(n, false, n));
      REQUIRE(divide_and_conquer_on_cpu(n, values.data(), e.data(), {}, scratch).status == Status::converged);
      CHECK(error_of(t, values, truth) <= limit(n));

      e = in<R>(t.e);
      support::HostScratch more(divide_and_conquer_bytes_on_cpu<R>(n, true, n));
      REQUIRE(divide_and_conquer_on_cpu(n, pairs.data(), e.data(), {z.data(), n, n, n}, more).status ==
              Status::converged);
      CHECK(error_of(t, pairs, truth) <= limit(n));

      e = in<R>(t.e);
      REQUIRE(dc::divide_and_conquer_on_host<R>(n, on_gpu.data(), e.data(), {}).status == Status::converged);
      CHECK(error_of(t, on_gpu, truth) <= limit(n));
      REQUIRE(
          dc::divide_and_conquer_on_host<R>(n, pairs_on_gpu.data(), e.data(), {z.data(), n, n, n}).status ==
          Status::converged);
      CHECK(error_of(t, pairs_on_gpu, truth) <= limit(n));
    }
}

TEMPLATE_TEST_CASE("ordinary T: the bits of LAPACK's dsterf", "", double, float) {
  using R = TestType;
  for (const std::int64_t n : {1, 2, 3, 10, 105, 300, 1000})
    for (const std::string kind :
         {"ones", "1-2-1", "wilkinson", "clement", "legendre", "hermite", "some zeros", "reduced random"}) {
      CAPTURE(kind, n);
      const Tridiagonal t = support::tridiagonal(kind, n);
      std::vector<R> values = in<R>(t.d), e = in<R>(t.e), lapack = values, lapack_e = e,
                     copy(2 * values.size());
      lapack_e.push_back(0);
      REQUIRE(tridiagonal_values(n, values.data(), e.data(), copy.data()) == 0);
      const auto order = static_cast<lapack_int>(n);
      if constexpr (std::is_same_v<R, double>)
        REQUIRE(LAPACKE_dsterf(order, lapack.data(), lapack_e.data()) == 0);
      else
        REQUIRE(LAPACKE_ssterf(order, lapack.data(), lapack_e.data()) == 0);
      CHECK(values == lapack);
    }
}
