// ChebyshevFilter: a polynomial p of A that enlarges the wanted end of the spectrum, so that a few Lanczos steps see only this end:
//
//   p(A) = T_d((m - s A) / h),   T_d: Chebyshev polynomial, s = 1 for the lowest pairs, -1 for the highest
//
// m - h is the cut and m + h is an upper bound of s A. p maps the values between them to [-1, 1]. Below the cut, with t the argument of
// T_d, it grows as cosh(d arcosh t). Degree 1 is A itself, shifted and scaled: plain Lanczos.
#pragma once

#include <cstdint>
#include <vector>

#include "solver/sparse/executor.hpp"

namespace eigen_g {

struct ChebyshevFilter {
  double sign = 1;
  double middle = 0, half = 1;
  int degree = 1;

  double cut() const { return middle - half; }
  double upper() const { return middle + half; }
  double at(double value) const;  // p for an eigenvalue of s A
};

// Y := p(A) X. x, y and `work` are blocks and do not overlap. Cost: `degree` products.
template <class T>
void apply_filter(Executor<T>& on, const ChebyshevFilter& filter, const T* x, T* y, T* work);

// Known data of the spectrum of s A when a filter is chosen. `lowest` has Ritz values, ascending from the lower end. A restart keeps all of
// them, and the first `wanted` must converge. `upper` is an upper bound of the spectrum.
struct KnownSpectrum {
  std::vector<double> lowest;
  std::int64_t wanted = 1;
  double upper = 0;
};

// Nepers (natural logarithms of the amplitude) by which one block step of Lanczos on p(A) improves the slowest wanted vector. The gain
// grows with p(w) / p(u), where w is the value of this vector and u is the last value of `lowest`.
double gain_of_step(const ChebyshevFilter& filter, const KnownSpectrum& spectrum);
// gain_of_step() divided by the products of a step. `overhead` is the cost of the rest of a step, in products.
double gain_of_product(const ChebyshevFilter& filter, const KnownSpectrum& spectrum, double overhead);

// Chooses the filter with the largest gain a product, with degrees from 1 to 80 and cuts at the known values and above them. The values
// of p at the wanted values differ by at most the factor `range`. With a larger range the rounding errors of the large values would hide
// the small ones. A cut above the wanted values keeps this factor small, so that the degree can be high.
ChebyshevFilter choose_filter(const KnownSpectrum& spectrum, double sign, double overhead, double range);

}  // namespace eigen_g
