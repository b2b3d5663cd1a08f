#include "solver/tridiagonal/dc_secular.hpp"

#include <random>

#include "tests/support/catch.hpp"
#include "tests/support/dc_on_cpu.hpp"
#include "tests/support/tolerances.hpp"

using namespace eigen_g::dc;

namespace {

struct Problem {
  std::vector<double> pole, weight;
  double rho;
  Secular<double> view() const { return {pole.data(), weight.data(), static_cast<Index>(pole.size()), rho}; }
};

// |f| over the sum of the sizes of its terms, in roundoff, at the stored root. Cancellation in __float128 is negligible.
double backward_error(const Problem& p, const Root<double>& root) {
  __float128 sum = 1 / static_cast<__float128>(p.rho), size = sum, slope = 0;
  for (std::size_t i = 0; i < p.pole.size(); ++i) {
    const __float128 gap = static_cast<__float128>(p.pole[i]) - root.base - root.tau;
    const __float128 term = static_cast<__float128>(p.weight[i]) * p.weight[i] / gap;
    sum += term;
    size += term < 0 ? -term : term;
    slope += term / gap;
  }
  size += (root.tau < 0 ? -root.tau : root.tau) * slope;
  return std::fabs(static_cast<double>(sum / size)) / unit_roundoff<double>;
}

int check_all(const Problem& p) {
  const auto k = static_cast<Index>(p.pole.size());
  int most = 0;
  double sum = 0;
  for (const double w : p.weight) sum += w * w;
  for (Index j = 0; j < k; ++j) {
    CAPTURE(k, j, p.rho);
    const Root<double> root = secular_root(OneThread{}, p.view(), j);
    REQUIRE(root.steps <= secular_steps);
    most = std::max(most, root.steps);
    const double below = (p.pole[j] - root.base) - root.tau;
    CHECK(below < 0);
    if (j + 1 < k) {
      const double above = (p.pole[j + 1] - root.base) - root.tau;
      CHECK(above > 0);
      CHECK(std::fabs(root.tau) <= 1.02 * std::min(-below, above));  // from the nearest pole
    } else {
      CHECK(root.tau <= p.rho * sum * (1 + 1e-14));
    }
    CHECK(backward_error(p, root) <= support::limits::secular_root);
  }
  return most;
}

Problem random_problem(std::mt19937_64& random, std::size_t k, double gap_decades, double weight_decades) {
  std::uniform_real_distribution<double> uniform(0, 1);
  Problem p{{}, {}, std::pow(10, -3 * uniform(random))};
  double at = -1, squares = 0;
  for (std::size_t i = 0; i < k; ++i) {
    at += std::pow(10, -gap_decades * uniform(random)) / static_cast<double>(k);
    if (i > 0 && at <= p.pole.back()) at = std::nextafter(p.pole.back(), 2.0);
    p.pole.push_back(at);
    p.weight.push_back((random() % 2 == 0 ? 1 : -1) * std::pow(10, -weight_decades * uniform(random)));
    squares += p.weight.back() * p.weight.back();
  }
  for (double& w : p.weight) w /= std::sqrt(squares);
  return p;
}

}  // namespace

TEST_CASE("One pole and two poles have closed forms") {
  const Problem one{{0.25}, {0.5}, 2};
  const Root<double> root = secular_root(OneThread{}, one.view(), 0);
  CHECK(root.base == 0.25);
  CHECK(root.tau == 0.5);

  const Problem two{{-1, 1}, {std::sqrt(0.5), std::sqrt(0.5)}, 1};  // x^2 - x - 1 = 0
  const Root<double> low = secular_root(OneThread{}, two.view(), 0),
                     high = secular_root(OneThread{}, two.view(), 1);
  CHECK(low.base + low.tau == Approx((1 - std::sqrt(5)) / 2).epsilon(1e-15));
  CHECK(high.base + high.tau == Approx((1 + std::sqrt(5)) / 2).epsilon(1e-15));
}

TEST_CASE("Random equations of every size and spread, against __float128") {
  std::mt19937_64 random(17);
  int most = 0;
  for (const std::size_t k : {2u, 3u, 4u, 5u, 8u, 33u, 100u})
    for (const double gaps : {0.0, 3.0, 8.0, 13.0})
      for (const double weights : {0.0, 4.0, 8.0, 14.0})
        for (int round = 0; round < 6; ++round) {
          CAPTURE(gaps, weights, round);
          most = std::max(most, check_all(random_problem(random, k, gaps, weights)));
        }
  CHECK(most <= 40);
}

TEST_CASE("A light pole next to a heavy one, and a root in the middle of its interval") {
  Problem p{{-5.61e-9, 0, 0.06, 0.0732, 0.1}, {2.19e-4, 8.59e-6, -0.707, 3.26e-8, 0.7}, 0.1};
  CHECK(check_all(p) <= 20);
  p = {{-1, 1}, {std::sqrt(0.5), std::sqrt(0.5)}, 1e-10};
  check_all(p);
  // f is odd except for 1/rho: the roots next to the light pole are very close to it.
  p = {{-1, 0, 1}, {0.5, 1e-7, 0.5}, 1e6};
  check_all(p);
}

TEST_CASE("rho from tiny to large") {
  std::mt19937_64 random(23);
  for (const double rho : {1e-15, 1e-8, 1.0, 2.0}) {
    Problem p = random_problem(random, 40, 2, 3);
    p.rho = rho;
    check_all(p);
  }
}
