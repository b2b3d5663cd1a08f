#include "solver/tridiagonal/dc_rank_one.hpp"

#include <random>

#include "solver/tridiagonal/dc_secular.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/dc_on_cpu.hpp"
#include "tests/support/tridiagonal.hpp"

using namespace eigen_g::dc;

namespace {

// A rank-one problem with its roots, with the groups in random order.
struct Solved {
  std::vector<double> storage;
  Arrays<double> x;
  Shape<double> shape;

  Solved(Index k, double gap_decades, std::uint64_t seed)
      : storage(static_cast<std::size_t>(arrays_size<double>(k)), support::nan),
        x(place_arrays(k, storage.data())),
        shape{k, k / 3, k / 4, k - k / 3 - k / 4, 0.5} {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform(0, 1);
    double at = 0, squares = 0;
    std::vector<Index> order;
    for (Index i = 0; i < k; ++i) {
      at += std::pow(10, -gap_decades * uniform(random)) / k;
      x.pole[i] = at;
      x.weight[i] = (random() % 2 == 0 ? 1 : -1) * (0.1 + uniform(random));
      squares += x.weight[i] * x.weight[i];
      order.push_back(i);
    }
    for (Index i = 0; i < k; ++i) x.weight[i] /= std::sqrt(squares);
    std::shuffle(order.begin(), order.end(), random);
    std::copy(order.begin(), order.end(), x.group);
    for (Index j = 0; j < k; ++j) REQUIRE(solve_secular(OneThread{}, shape, x, j));
    for (Index i = 0; i < k; ++i) correct_weight(OneThread{}, shape, x, i);
  }
};

}  // namespace

TEST_CASE("Corrected weights are Loewner's formula, and near the given ones") {
  for (const Index k : {1, 2, 3, 10, 60, 700}) {
    const Solved s(k, 4, 3);
    for (Index i = 0; i < k; ++i) {
      CAPTURE(k, i);
      const auto to_root = [&](Index j) {
        return static_cast<__float128>(s.x.pole[i]) - s.x.base[j] - s.x.tau[j];
      };
      __float128 product = -to_root(i);
      for (Index j = 0; j < k; ++j)
        if (j != i) product *= to_root(j) / (static_cast<__float128>(s.x.pole[i]) - s.x.pole[j]);
      const double weight = s.x.group_weight[s.x.group[i]];
      CHECK(s.x.group_pole[s.x.group[i]] == s.x.pole[i]);
      const __float128 error = static_cast<__float128>(weight) * weight / product - 1;
      CHECK(std::fabs(static_cast<double>(error)) <=
            support::limits::corrected_weight * unit_roundoff<double>);
      CHECK(weight * weight / s.shape.rho == Approx(s.x.weight[i] * s.x.weight[i]).epsilon(1e-10));
      CHECK(std::signbit(weight) == std::signbit(s.x.weight[i]));
    }
  }
}

TEST_CASE("Vectors are orthonormal and diagonalize, however close the poles") {
  for (const double gaps : {0.0, 6.0, 12.0})
    for (const Index k : {1, 2, 3, 33, 120}) {
      CAPTURE(gaps, k);
      const Solved s(k, gaps, 7);
      std::vector<double> u(static_cast<std::size_t>(k * k), support::nan);
      for (Index j = 0; j < k; ++j)
        form_vector(OneThread{}, s.shape, s.x, j, false,
                    [&](Index g, double v) { u[static_cast<std::size_t>(g + j * k)] = v; });
      double worst = 0, residual = 0;
      for (Index j = 0; j < k; ++j)
        for (Index l = 0; l <= j; ++l) {
          long double dot = 0;
          for (Index g = 0; g < k; ++g)
            dot += static_cast<long double>(u[static_cast<std::size_t>(g + j * k)]) *
                   u[static_cast<std::size_t>(g + l * k)];
          worst = std::max(worst, static_cast<double>(std::fabs(dot - (j == l))));
        }
      for (Index j = 0; j < k; ++j) {
        long double z_dot = 0;
        for (Index i = 0; i < k; ++i)
          z_dot +=
              static_cast<long double>(s.x.weight[i]) * u[static_cast<std::size_t>(s.x.group[i] + j * k)];
        for (Index i = 0; i < k; ++i) {
          const long double entry = u[static_cast<std::size_t>(s.x.group[i] + j * k)];
          const long double r = (static_cast<long double>(s.x.pole[i]) - s.x.base[j] - s.x.tau[j]) * entry +
                                s.shape.rho * s.x.weight[i] * z_dot;
          residual = std::max(residual, static_cast<double>(std::fabs(r)));
        }
      }
      CHECK(worst <= support::limits::rank_one_vectors * k * support::limits::ulp);
      CHECK(residual <= support::limits::rank_one_vectors * k * support::limits::ulp);
    }
}

TEST_CASE("End rows are the compressed rows times U, and U is the same with them") {
  const Index k = 24;
  const Solved s(k, 2, 5);
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (Index g = 0; g < k; ++g) {  // not read: the last row's upper columns and the first row's lower columns
    s.x.first_of_c[g] = g < s.shape.upper_end() ? uniform(random) : support::nan;
    s.x.last_of_c[g] = g >= s.shape.upper ? uniform(random) : support::nan;
  }
  for (Index j = 0; j < k; ++j) {
    double u[k], beside[k];
    form_vector(OneThread{}, s.shape, s.x, j, false, [&](Index g, double v) { u[g] = v; });
    form_vector(OneThread{}, s.shape, s.x, j, true, [&](Index g, double v) { beside[g] = v; });
    double first = 0, last = 0;
    for (Index g = 0; g < s.shape.upper_end(); ++g) first += s.x.first_of_c[g] * u[g];
    for (Index g = s.shape.upper; g < k; ++g) last += s.x.last_of_c[g] * u[g];
    CHECK(std::equal(u, u + k, beside));
    CHECK(s.x.first_of_q[j] == Approx(first).margin(1e-14));
    CHECK(s.x.last_of_q[j] == Approx(last).margin(1e-14));
  }
}
