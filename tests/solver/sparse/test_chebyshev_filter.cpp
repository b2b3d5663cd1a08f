#include "solver/sparse/chebyshev_filter.hpp"

#include "solver/sparse/cpu_executor.hpp"
#include "tests/support/catch.hpp"

using namespace eigen_g;

TEST_CASE("a filter multiplies eigenvectors by its value at their eigenvalues") {
  constexpr std::int64_t n = 50;
  const double sign = GENERATE(1.0, -1.0);
  const auto eigenvalue = [](std::int64_t i) { return -3 + 0.2 * static_cast<double>(i); };
  CpuExecutor<double> on(n, [&](double alpha, const double* x, double gamma, double beta, double* y) {
    for (std::int64_t e = 0; e < 4 * n; ++e)
      y[e] = (alpha * eigenvalue(e / 4) + gamma) * x[e] + (beta == 0 ? 0 : beta * y[e]);
  });
  const int degree = GENERATE(1, 2, 3, 20, 33);
  const ChebyshevFilter filter{sign, 2, 4, degree};  // damps s A from -2 to 6
  CAPTURE(sign, degree);
  std::vector<double> x(4 * n, 1), y(4 * n, 7), work(4 * n, 7);
  apply_filter(on, filter, x.data(), y.data(), work.data());
  for (std::int64_t i = 0; i < n; ++i) {
    const double value = filter.at(sign * eigenvalue(i));
    CHECK(y[static_cast<std::size_t>(4 * i + 3)] == Approx(value).epsilon(1e-9).margin(1e-12));
    if (std::abs(sign * eigenvalue(i) - 2) < 4) CHECK(std::abs(value) <= 1);
  }
  CHECK(filter.at(-2.5) > 1);
}

TEST_CASE("the chosen filter amplifies the wanted eigenvectors, within its range") {
  KnownSpectrum known;
  for (int i = 0; i < 20; ++i) known.lowest.push_back(0.001 * (i + 1));
  known.wanted = 10;
  known.upper = 12;
  const ChebyshevFilter filter = choose_filter(known, 1, 5, 1e4);
  CHECK(filter.degree >= 20);
  CHECK(filter.at(known.lowest[9]) > filter.at(known.lowest[19]));
  CHECK(filter.at(known.lowest[0]) <= 1e4);
  CHECK(filter.upper() == Approx(12));
  CHECK(gain_of_step(filter, known) > 0);

  known.lowest.assign(20, 1.0);  // one value many times: the spectrum gives no choice
  CHECK(choose_filter(known, 1, 5, 1e4).degree == 1);
}
