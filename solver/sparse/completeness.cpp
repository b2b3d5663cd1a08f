// PencilSolver::prove(), probe() and repair(): counts that prove the found pairs complete, and the search for missing pairs.
#include "solver/sparse/pencil_solver.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "solver/sparse/search_tools.hpp"

namespace eigen_g {

// Searches pairs between low and high in addition to the found ones, until there are `expected`. Returns false if this number does not come. If
// expected is larger than any number, one cycle searches, and goes on while it finds pairs.
bool PencilSolver::repair(FoundPairs& found, double s, double low, double high, std::int64_t expected,
                          std::uint64_t seed) {
  const bool probing = expected > pencil_.n();
  if (factorisation_) factor(s);
  std::vector<double> theta;
  for (const double w : found.w) theta.push_back(theta_of(w, s));
  const BasisSizes sizes(probing ? found.size() : expected);
  const std::int64_t locked = blocks_of(found.size()), width = probing ? 1 : 2;
  InverseLanczos lanczos(*on_, inverse(), width, locked + (probing ? 12 : sizes.most), seed);
  lanczos.begin_beside(found.vectors, theta);
  constexpr int max_restarts = 40;
  for (int restarts = 0, steps = 1; restarts < max_restarts; ++steps) {
    const bool more = lanczos.step();
    if (more && !lanczos.full() && (probing || steps % 3 != 0)) continue;
    const RitzPairs& ritz = lanczos.ritz(larger, inner_tolerance);
    std::vector<std::int64_t> pairs;
    bool rising = false;  // a pair that has not converged is in the window
    for (std::int64_t i = 0; i < ritz.size(); ++i) {
      const double w = value_of(ritz.theta[i], s);
      if (w < low || w > high || std::abs(ritz.theta[i]) <= double_ulp * std::abs(ritz.theta[0])) continue;
      if (ritz.converged[i])
        pairs.push_back(i);
      else
        rising = true;
    }
    const auto converged = static_cast<std::int64_t>(pairs.size());
    if (converged >= expected || (probing && converged > found.size() && !rising)) {
      found = finish(lanczos, pairs, s);
      return found.size() >= expected;
    }
    if (!more || (probing && !rising)) return false;
    if (lanczos.full()) {
      ++restarts;
      lanczos.restart(
          std::min(locked * block_width + (probing ? 4 : sizes.kept), lanczos.columns() - 4 * block_width));
    }
  }
  return false;
}

// One cycle of random vectors in addition to the found pairs. It shows a missed pair with high probability.
void PencilSolver::probe(FoundPairs& found, const Point& shift, const Judgement& window, FewReport& report) {
  const std::int64_t at_first = found.size();
  for (int i = 0; i < max_repairs; ++i) {
    const std::int64_t before = found.size();
    repair(found, shift.s, window.low, window.high, std::numeric_limits<std::int64_t>::max(), 100 + i);
    if (found.size() == before) break;
  }
  report.probed = true;
  report.probe_found = found.size() - at_first;
  report.proof_reason = "the probe is no proof";
}

void PencilSolver::prove(FoundPairs& found, const Point& shift, const Judgement& window, FewReport& report) {
  Point low{window.low, 0}, high{window.high, 0};
  std::int64_t below = 0;
  for (const double w : found.w) below += w < shift.s;
  const std::int64_t on_side = buckling_ && shift.s < 0 ? below - found.size() : below;
  const bool complete_below = on_side == shift.number;  // all eigenvalues that N(s) counts have been found
  const double step = std::max(window.gap, least_gap) / 32;
  const auto count_at = [&](double s) {
    if (s == shift.s) return shift;
    return point(s, step * (s - shift.s));
  };
  if (buckling_ && !(std::isfinite(low.s) && std::isfinite(high.s))) {
    report.proof_reason = "the pairs reach beyond infinity";
    return;
  }
  if (buckling_) {
    if (complete_below) (shift.s > 0 ? low : high) = {0, 0};
    if (low.s != 0) low = count_at(low.s);
    if (high.s != 0) high = count_at(high.s);
  } else {
    if (complete_below) low.s = -infinity;
    if (low.s != -infinity) low = count_at(low.s);
    high = count_at(high.s);
    // Below all finite eigenvalues N may be positive, if M is singular and K is indefinite on its null space.
    if (low.s == -infinity && high.number > found.size() && !pencil_.identity()) {
      const double unit = pencil_.k_norm() / pencil_.m_norm();
      low.number = point(-std::ldexp(unit, 20), -unit).number;
    }
  }
  std::int64_t expected = high.number - low.number;
  const std::int64_t at_first = found.size();
  for (int i = 1; i <= max_repairs && expected > found.size(); ++i) {
    const std::int64_t before = found.size();
    if (!repair(found, shift.s, low.s, high.s, expected, 100 + i) && found.size() <= before) break;
  }
  report.low = pencil_.unscaled(low.s);
  report.high = pencil_.unscaled(high.s);
  report.count_low = low.number;
  report.count_high = high.number;
  report.found = found.size();
  report.repaired = found.size() - at_first;
  report.proven = expected == found.size();
  if (report.proven) report.proof_reason.clear();
  if (!report.proven)
    report.proof_reason = std::to_string(expected) + " eigenvalues are between " +
                          text_of(pencil_.unscaled(low.s)) + " and " + text_of(pencil_.unscaled(high.s)) +
                          ", " + std::to_string(found.size()) + " were found";
}

}  // namespace eigen_g
