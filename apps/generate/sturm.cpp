#include "apps/generate/sturm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace eigen_g::generate {

std::int64_t sturm_count(std::span<const double> d, std::span<const double> e, long double x) {
  std::int64_t negative = 0;
  long double q = 1;
  for (std::size_t i = 0; i < d.size(); ++i) {
    const long double coupling = i == 0 ? 0.0L : static_cast<long double>(e[i - 1]) * e[i - 1] / q;
    q = d[i] - x - coupling;
    if (q == 0) q = -std::numeric_limits<long double>::min();  // moves x by less than roundoff
    if (q < 0) ++negative;
  }
  return negative;
}

std::vector<double> sturm_eigenvalues(std::span<const double> d, std::span<const double> e) {
  const auto n = static_cast<std::int64_t>(d.size());
  std::vector<double> w(d.size());
  long double bound = 0;  // Gershgorin bound
  for (std::int64_t i = 0; i < n; ++i)
    bound = std::max(bound, std::fabs(static_cast<long double>(d[i])) + (i > 0 ? std::fabs(e[i - 1]) : 0) +
                                (i + 1 < n ? std::fabs(e[i]) : 0));
#pragma omp parallel for schedule(dynamic, 16)
  for (std::int64_t k = 0; k < n; ++k) {
    long double low = -bound, high = bound;
    while (high - low > bound * 0x1p-58L) {
      const long double middle = low + (high - low) / 2;
      (sturm_count(d, e, middle) > k ? high : low) = middle;
    }
    w[k] = static_cast<double>(low + (high - low) / 2);
  }
  return w;
}

}  // namespace eigen_g::generate
