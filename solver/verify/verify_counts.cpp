#include "solver/verify/verify_counts.hpp"

#include <algorithm>
#include <cmath>

#include "solver/api/argument.hpp"

namespace eigen_g {

CountVerification verify_counts(SparseSolver<double>& solver, std::int64_t m, const double* w) {
  if (!std::is_sorted(w, w + m) || !std::all_of(w, w + m, [](double x) { return std::isfinite(x); }))
    throw InvalidArgument(Argument::w, "must ascend and be finite");
  CountVerification result;
  if (m == 0) return result;
  const double apart = 1e-6 * std::max(std::abs(w[0]), std::abs(w[m - 1]));
  const auto between = [&](double low, double high) {
    const EigenvalueCount lower = solver.count(low), upper = solver.count(high);
    result.low = lower.at;
    result.high = upper.at;
    result.below = lower.below;
    result.expected = upper.below - lower.below;
    result.given = std::lower_bound(w, w + m, upper.at) - std::lower_bound(w, w + m, lower.at);
  };
  between(w[0] - apart, w[m - 1] + apart);
  if (passed(result)) return result;
  std::int64_t first = 1,
               last = m - 1;  // the first and the last value that are apart from their predecessors
  while (first < m && w[first] - w[first - 1] <= apart) ++first;
  while (last > 0 && w[last] - w[last - 1] <= apart) --last;
  if (first >= last) return result;
  between((w[first - 1] + w[first]) / 2, (w[last - 1] + w[last]) / 2);
  result.all = false;
  return result;
}

}  // namespace eigen_g
