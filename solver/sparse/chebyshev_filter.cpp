// The Chebyshev filter: its application and the choice of its degree and cut.
#include "solver/sparse/chebyshev_filter.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "hybrid/instantiate.hpp"

namespace eigen_g {

namespace {

double chebyshev(int degree, double t) {
  if (std::abs(t) <= 1) return std::cos(degree * std::acos(t));
  const double growth = std::cosh(std::min(degree * std::acosh(std::abs(t)), 700.0));
  return t > 0 || degree % 2 == 0 ? growth : -growth;
}

constexpr double max_value = 1e4;  // largest value of p
constexpr std::array degrees{1, 2, 4, 6, 8, 10, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64, 72, 80};

}  // namespace

double ChebyshevFilter::at(double value) const {
  return chebyshev(degree, (middle - value) / half);
}

template <class T>
void apply_filter(Executor<T>& on, const ChebyshevFilter& filter, const T* x, T* y, T* work) {
  const T alpha = static_cast<T>(-filter.sign / filter.half);
  const T gamma = static_cast<T>(filter.middle / filter.half);
  if (filter.degree == 1) return on.multiply(alpha, x, gamma, T(0), y);
  // `even` and `odd` hold T_0 = X and T_1. T_2 overwrites T_0, T_3 overwrites T_1, and so on; the last one must end in y.
  T *even = filter.degree % 2 == 0 ? y : work, *odd = filter.degree % 2 == 0 ? work : y;
  on.copy(x, on.order() * block_width, even);
  on.multiply(alpha, x, gamma, T(0), odd);
  for (int d = 2; d <= filter.degree; ++d) {
    on.multiply(2 * alpha, odd, 2 * gamma, T(-1), even);  // T_d = 2 t T_(d-1) - T_(d-2)
    std::swap(even, odd);
  }
}

namespace {

// The value of the wanted vector that converges last.
double slowest_of(const KnownSpectrum& spectrum) {
  const std::int64_t last = static_cast<std::int64_t>(spectrum.lowest.size()) - 1;
  return spectrum.lowest[std::min(spectrum.wanted - 1, last)];
}

}  // namespace

double gain_of_step(const ChebyshevFilter& filter, const KnownSpectrum& spectrum) {
  if (spectrum.lowest.empty()) return 0;
  const double outside = std::max(1.0, filter.at(spectrum.lowest.back()));
  return std::acosh(1 + 2 * std::max(0.0, filter.at(slowest_of(spectrum)) - outside) / (outside + 1));
}

double gain_of_product(const ChebyshevFilter& filter, const KnownSpectrum& spectrum, double overhead) {
  return gain_of_step(filter, spectrum) / (filter.degree + overhead);
}

ChebyshevFilter choose_filter(const KnownSpectrum& spectrum, double sign, double overhead, double range) {
  const double low = spectrum.lowest.front(), slowest = slowest_of(spectrum), spread = spectrum.upper - low;
  ChebyshevFilter best{sign, spectrum.upper / 2 + low / 2, spread / 2 > 0 ? spread / 2 : 1, 1};
  double best_gain = 0;
  for (const double value : spectrum.lowest) {
    for (const double beyond : {0.0, 0.5, 2.0}) {
      const double cut = value + beyond * (value - low);
      if (!(cut > low) || !(spectrum.upper - cut > 1e-3 * spread)) continue;
      for (const int degree : degrees) {
        const ChebyshevFilter filter{sign, spectrum.upper / 2 + cut / 2, (spectrum.upper - cut) / 2, degree};
        if (degree > 1 && !(filter.at(low) <= std::min(max_value, range * std::max(1.0, filter.at(slowest)))))
          break;
        const double gain = gain_of_product(filter, spectrum, overhead);
        if (gain > best_gain) {
          best_gain = gain;
          best = filter;
        }
      }
    }
  }
  return best;
}

EIGEN_G_INSTANTIATE(double_type, apply_filter);

}  // namespace eigen_g
