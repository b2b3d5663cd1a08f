// Order statistics of a few timings.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "hybrid/error.hpp"

namespace eigen_g::apps::bench {

// The value below which the share q of the values lies, 0 <= q <= 1, linear between neighbours in order; q = 0.5 is the
// median. Throws InvalidArgument, for no values too.
inline double quantile(std::vector<double> values, double q) {
  if (values.empty()) throw InvalidArgument("values", "is empty");
  if (!(q >= 0 && q <= 1)) throw InvalidArgument("q", "is " + std::to_string(q) + ", must be from 0 to 1");
  std::sort(values.begin(), values.end());
  const double place = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(place));
  const auto above = std::min(below + 1, values.size() - 1);
  const double share = place - std::floor(place);
  return (1 - share) * values[below] + share * values[above];
}
inline double median(std::vector<double> values) {
  return quantile(std::move(values), 0.5);
}

// Of the quotients a_i / b_i: what changes from round to round, and meets both, does not count. 0 without rounds.
inline double median_ratio(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) ratios.push_back(a[i] / b[i]);
  return ratios.empty() ? 0 : median(ratios);
}

}  // namespace eigen_g::apps::bench
