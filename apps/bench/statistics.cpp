#include "apps/bench/statistics.hpp"

#include <algorithm>
#include <cmath>

#include "hybrid/error.hpp"

namespace eigen_g::apps::bench {

double quantile(std::vector<double> values, double q) {
  if (values.empty()) throw InvalidArgument("values", "is empty");
  if (!(q >= 0 && q <= 1)) throw InvalidArgument("q", "is " + std::to_string(q) + ", must be from 0 to 1");
  std::sort(values.begin(), values.end());
  const double place = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(place));
  const auto above = std::min(below + 1, values.size() - 1);
  const double share = place - std::floor(place);
  return (1 - share) * values[below] + share * values[above];
}

}  // namespace eigen_g::apps::bench
