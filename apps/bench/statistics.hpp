// Order statistics of a few timings.
#pragma once

#include <vector>

namespace eigen_g::apps::bench {

// The value below which the share q of the values lies, 0 <= q <= 1, linear between neighbours in order; the
// values must not be empty. q = 0.5 is the median.
double quantile(std::vector<double> values, double q);

}  // namespace eigen_g::apps::bench
