// A polynomial of A that lifts the wanted end of the spectrum out of the rest, so that few steps of Lanczos see it alone:
//
//   p(A) = T_d((m - s A) / h),   T_d: Chebyshev's polynomial, s = 1 for the lowest pairs, -1 for the highest
//
// With m - h and m + h the cut and the upper bound of s A, what lies between them goes to [-1, 1], and what lies below the cut
// grows beyond 1 as cosh(d arcosh t). Degree 1 is A itself, shifted: plain Lanczos.
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

// Y := p(A) X. `work` is a panel; x, y, work do not overlap. Cost: `degree` products.
template <class T>
void apply_filter(Executor<T>& on, const ChebyshevFilter& filter, const T* x, T* y, T* work);

// What is known of the spectrum of s A when a filter is chosen: Ritz values from below, ascending, of which the first `wanted`
// are to converge and all are kept at a restart, and a bound for all from above.
struct KnownSpectrum {
  std::vector<double> lowest;
  std::int64_t wanted = 1;
  double upper = 0;
};

// Nepers that the wanted vector which converges last gains in a block step of Lanczos on p(A), by the distance of p at it from p
// at the first value that is not kept; and that divided by the products it takes, `overhead` products a step included.
double gain_of_step(const ChebyshevFilter& filter, const KnownSpectrum& spectrum);
double gain_of_product(const ChebyshevFilter& filter, const KnownSpectrum& spectrum, double overhead);

// The one of the greatest gain a product among degrees from 1 to 80 and cuts at the known values and above. The wanted values
// differ by at most `range` in p: beyond that the small ones drown in the large ones' roundoff.
ChebyshevFilter choose_filter(const KnownSpectrum& spectrum, double sign, double overhead, double range);

}  // namespace eigen_g
