#include "apps/generate/spectra.hpp"

#include <cmath>
#include <numbers>

#include "apps/generate/random.hpp"

namespace eigen_g::generate {
namespace {

constexpr long double pi_extended = std::numbers::pi_v<long double>;
constexpr std::uint64_t sign_stream = 2;

long double square(long double x) {
  return x * x;
}

}  // namespace

std::vector<double> prescribed_spectrum(const Spec& spec) {
  if (spec.kind == "values") return spec.values;
  std::vector<double> d(static_cast<std::size_t>(spec.n));
  const double last = spec.n > 1 ? static_cast<double>(spec.n - 1) : 1;
  const CounterRandom random(spec.seed, sign_stream);
  for (std::int64_t i = 0; i < spec.n; ++i) {
    const double part = static_cast<double>(i) / last;
    if (spec.kind == "arithmetic")
      d[i] = 1 - part * (1 - 1 / spec.cond);
    else if (spec.kind == "geometric")
      d[i] = std::pow(spec.cond, -part);
    else
      d[i] = i == 0 ? 1 : 1 / spec.cond;
    if (spec.random_signs && random.uniform(i, 0) < 0.5) d[i] = -d[i];
  }
  return d;
}

std::vector<double> minij_spectrum(std::int64_t n) {
  std::vector<double> w;
  for (std::int64_t k = 1; k <= n; ++k)
    w.push_back(static_cast<double>(1 / (4 * square(std::sin((2 * k - 1) * pi_extended / (4 * n + 2))))));
  return w;
}

std::vector<double> one_two_one_spectrum(std::int64_t n) {
  std::vector<double> w;
  for (std::int64_t k = 1; k <= n; ++k)
    w.push_back(static_cast<double>(4 * square(std::sin(k * pi_extended / (2 * (n + 1))))));
  return w;
}

std::vector<double> clement_spectrum(std::int64_t n) {
  std::vector<double> w;
  for (std::int64_t k = 1 - n; k < n; k += 2) w.push_back(static_cast<double>(k));
  return w;
}

std::vector<double> poisson2d_spectrum(std::int64_t n) {
  const auto m = std::llround(std::sqrt(static_cast<double>(n)));
  std::vector<double> w;
  for (std::int64_t p = 1; p <= m; ++p)
    for (std::int64_t q = 1; q <= m; ++q)
      w.push_back(static_cast<double>(4 * square(std::sin(p * pi_extended / (2 * (m + 1)))) +
                                      4 * square(std::sin(q * pi_extended / (2 * (m + 1))))));
  return w;
}

// Written with s = 1 - cos, because the smallest s lose no digits: 24 - 4 (sum of c) - 4 (sum of c c') = 12 (sum of s) - 4 (sum of s s').
std::vector<double> stencil19_spectrum(std::int64_t m) {
  std::vector<long double> s;
  for (std::int64_t p = 1; p <= m; ++p) s.push_back(2 * square(std::sin(p * pi_extended / (2 * (m + 1)))));
  std::vector<double> w;
  for (const long double x : s)
    for (const long double y : s)
      for (const long double z : s)
        w.push_back(static_cast<double>(12 * (x + y + z) - 4 * (x * y + y * z + z * x)));
  return w;
}

std::vector<double> ring_spectrum(std::int64_t n, double alpha, double beta) {
  std::vector<double> w;
  for (std::int64_t k = 0; k < n; ++k)
    w.push_back(static_cast<double>(alpha + 2 * beta * std::cos(2 * k * pi_extended / n)));
  return w;
}

// The characteristic polynomial of the truncated icosahedron's graph has the factors
//   (x - 3) (x + 2)^4 (x - 1)^9 (x^2 + x - 4)^4 (x^2 - x - 3)^5 (x^2 + x - 1)^5 (x^2 + 3x + 1)^3
//   (x^2 - g^2 x - g^-2)^3 (x^2 - g^-2 x - g^2)^3,   g the golden ratio.
std::vector<double> c60_spectrum(double alpha, double beta) {
  std::vector<double> w;
  const auto add = [&](long double x, int count) {
    w.insert(w.end(), static_cast<std::size_t>(count), static_cast<double>(alpha + beta * x));
  };
  const auto add_roots = [&](long double b, long double c, int count) {  // roots of x^2 + b x + c
    const long double root = std::sqrt(b * b - 4 * c);
    add((-b + root) / 2, count);
    add((-b - root) / 2, count);
  };
  const long double g2 = square(std::numbers::phi_v<long double>);
  add(3, 1);
  add(-2, 4);
  add(1, 9);
  add_roots(1, -4, 4);
  add_roots(-1, -3, 5);
  add_roots(1, -1, 5);
  add_roots(3, 1, 3);
  add_roots(-g2, -1 / g2, 3);
  add_roots(-1 / g2, -g2, 3);
  return w;
}

std::vector<double> kms_spectrum(std::int64_t n, double rho) {
  const long double r = rho;
  std::vector<double> w(static_cast<std::size_t>(n));
#pragma omp parallel for
  for (std::int64_t k = 1; k <= n; ++k) {
    long double low = (k - 1) * pi_extended / (n + 1), high = k * pi_extended / (n + 1);
    for (int step = 0; step < 70; ++step) {
      const long double t = (low + high) / 2;
      const long double phase = std::atan2(r * std::sin(t), 1 - r + 2 * r * square(std::sin(t / 2)));
      ((n + 1) * t + 2 * phase < k * pi_extended ? low : high) = t;
    }
    w[k - 1] =
        static_cast<double>((1 - r) * (1 + r) / (square(1 - r) + 4 * r * square(std::sin((low + high) / 4))));
  }
  return w;
}

}  // namespace eigen_g::generate
