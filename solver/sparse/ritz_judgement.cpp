// PencilSolver::judge() and better_shift(): whether the Ritz pairs show the wanted pairs, and whether the shift is good.
#include "solver/sparse/pencil_solver.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "solver/sparse/search_tools.hpp"

namespace eigen_g {

PencilSolver::Judgement PencilSolver::judge(const FewOptions& options, const RitzPairs& ritz,
                                            const Point& shift, std::int64_t extra, bool exhausted) const {
  const double s = shift.s, t = pencil_.scaled(options.target);
  const double unit = buckling_ ? 1 : pencil_.k_norm() / pencil_.m_norm();
  double largest = 0;
  for (const double theta : ritz.theta) largest = std::max(largest, std::abs(theta));
  Judgement found;
  const bool one_side = options.end == End::above || options.end == End::below;
  const double side = options.end == End::below ? -1 : 1;
  // The converged pairs in their order, and a bound of the distance from the shift to the next one.
  std::vector<std::int64_t> known;
  double next = infinity;
  for (std::int64_t i = 0; i < ritz.size(); ++i) {
    const double theta = ritz.theta[i];
    if (one_side && side * theta <= 0) break;
    if (exhausted ? std::abs(theta) <= infinite * largest : !ritz.converged[i]) {
      if (!exhausted) next = 1 / (std::abs(theta) + ritz.delta[i]);
      break;
    }
    known.push_back(i);
  }
  if (!exhausted && next == infinity && static_cast<std::int64_t>(known.size()) == ritz.size() &&
      !known.empty())
    next = 1 / std::abs(ritz.theta[known.back()]);
  found.leading = static_cast<std::int64_t>(known.size());
  found.few = exhausted && found.leading < options.count;
  if (found.few) return found;
  // Distances are 1 / |theta| for a shift at the target. With the target elsewhere they are measured from the target, and `beyond` is added:
  // gaps are then relative to the distance from the shift, and an unknown value is at least `next` away.
  const double beyond = options.end == End::nearest && !buckling_ ? std::abs(s - t) : 0;
  const auto distance = [&](std::int64_t i) {
    const double theta = ritz.theta[i];
    return beyond > 0 ? std::abs(value_of(theta, s) - t) + beyond : 1 / std::abs(theta);
  };
  const bool enough = found.leading >= options.count + extra || exhausted;
  const auto accept = [&](const Cut& cut) { return cut.gap > (enough ? least_gap : good_gap); };
  const auto cut_at = [&](const std::vector<std::int64_t>& pairs, double bound, std::int64_t count) {
    std::vector<double> distances(pairs.size());
    std::transform(pairs.begin(), pairs.end(), distances.begin(), distance);
    std::sort(distances.begin(), distances.end());
    if (static_cast<std::int64_t>(distances.size()) < count) return Cut{};
    return widest_gap(distances, bound, count, unit);
  };
  if (options.end == End::both) {
    std::vector<std::int64_t> below, above;
    for (const std::int64_t i : known) (ritz.theta[i] < 0 ? below : above).push_back(i);
    const std::int64_t half = options.count / 2;
    const Cut low = cut_at(below, next, half), high = cut_at(above, next, options.count - half);
    if (!accept(low) || !accept(high)) return found;
    found.done = true;
    found.gap = std::min(low.gap, high.gap);
    found.low = s - low.at;
    found.high = s + high.at;
  } else if (options.end == End::lowest) {
    std::sort(known.begin(), known.end(), [&](std::int64_t i, std::int64_t j) {
      return value_of(ritz.theta[i], s) < value_of(ritz.theta[j], s);
    });
    if (known.empty()) return found;
    std::int64_t below = 0;
    for (const std::int64_t i : known) below += ritz.theta[i] < 0;
    if (below < shift.number && found.leading < shift.number + options.count + 8 && !exhausted) return found;
    // Distances from a point that is as far below the first value as the shift is from it, so that gaps are relative to the distance from the
    // shift.
    const double first = value_of(ritz.theta[known.front()], s), from = first - std::abs(first - s);
    std::vector<double> distances(known.size());
    std::transform(known.begin(), known.end(), distances.begin(),
                   [&](std::int64_t i) { return value_of(ritz.theta[i], s) - from; });
    if (static_cast<std::int64_t>(distances.size()) < options.count) return found;
    const Cut cut = widest_gap(distances, s + next - from, options.count, unit);
    if (!accept(cut)) return found;
    found.done = true;
    found.gap = cut.gap;
    found.high = from + cut.at;
  } else {
    Cut cut = cut_at(known, next, options.count);
    if (!accept(cut)) return found;
    cut.at -= beyond;
    found.done = true;
    found.gap = cut.gap;
    if (buckling_) {
      // Pairs with |w / (w - s)| >= 1 / at. The side of w = 0 is nearer.
      const double inner = s / (1 + cut.at),
                   outer = cut.at < 1 ? s / (1 - cut.at) : std::copysign(infinity, s);
      found.low = std::min(inner, outer);
      found.high = std::max(inner, outer);
      if (options.end != End::nearest) (side * s > 0 ? found.low : found.high) = s;
    } else {
      const double from = options.end == End::nearest ? t : s;
      found.low = options.end == End::above ? s : from - cut.at;
      found.high = options.end == End::below ? s : from + cut.at;
    }
  }
  for (const std::int64_t i : known) {
    const double w = value_of(ritz.theta[i], s);
    if (w >= found.low && w <= found.high) found.pairs.push_back(i);
  }
  return found;
}

// The shift behind the cluster of eigenvalues that the present shift hits, or nearer to eigenvalues that are far away. Empty: the
// present one is good.
std::optional<double> PencilSolver::better_shift(const FewOptions& options, const RitzPairs& ritz, double s,
                                                 bool few, std::string& reason) const {
  const std::int64_t k = std::min(options.count, ritz.size());
  double largest = 0;
  for (const double theta : ritz.theta) largest = std::max(largest, std::abs(theta));
  const double last = std::abs(ritz.theta[k - 1]);
  if (buckling_ || !factorisation_) return std::nullopt;
  const double unit = pencil_.k_norm() / pencil_.m_norm(), size = std::max(std::abs(s), 1e-4 * unit);
  if (few && 1 / largest < 1e-10 * size) {  // the value that was hit hides all others
    reason = text_of(pencil_.unscaled(s)) + " is an eigenvalue to working accuracy";
    return s + (options.end == End::above ? -1e-6 : 1e-6) * size;
  }
  if (!(last > infinite * largest)) return std::nullopt;
  if (largest > hit * last) {
    // 0.3 of the way to the next value outside the cluster, which is behind the widest gap.
    const double side = options.end == End::above ? -1 : 1;
    const bool one_side = options.end == End::above || options.end == End::below || options.end == End::both;
    std::vector<double> distances;
    for (std::int64_t i = 0; i < ritz.size(); ++i)
      if (std::abs(ritz.theta[i]) > infinite * largest && ritz.delta[i] <= 1e-3 * std::abs(ritz.theta[i]) &&
          !(one_side && ritz.theta[i] * side <= 0 && std::abs(ritz.theta[i]) <= hit * last))
        distances.push_back(1 / std::abs(ritz.theta[i]));
    std::sort(distances.begin(), distances.end());
    double step = 1 / last, gap = 1;
    for (std::size_t i = 1; i < distances.size(); ++i)
      if (distances[i] > gap * distances[i - 1]) {
        gap = distances[i] / distances[i - 1];
        step = distances[i];
      }
    reason = text_of(pencil_.unscaled(s)) + " is an eigenvalue to working accuracy";
    return s + side * 0.3 * step;
  }
  if (options.end == End::both) return std::nullopt;
  for (std::int64_t i = 0; i < k; ++i)
    if (ritz.theta[i] * ritz.theta[0] <= 0) return std::nullopt;
  const double first = value_of(ritz.theta[0], s), spread = std::abs(value_of(ritz.theta[k - 1], s) - first);
  if (last < (1 - far) * largest || spread < 1e-6 * std::abs(first - s)) return std::nullopt;
  reason = text_of(pencil_.unscaled(s)) + " is far from the eigenvalues";
  return first - std::copysign(spread, ritz.theta[0]);
}

}  // namespace eigen_g
