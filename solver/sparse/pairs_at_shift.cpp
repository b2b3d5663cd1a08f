// PencilSolver::solve(): the pairs at an end of the spectrum or next to a target.
#include "solver/sparse/pencil_solver.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>

#include "hybrid/error.hpp"
#include "solver/sparse/search_tools.hpp"

namespace eigen_g {

namespace {

std::function<bool(double, double)> order_of(End end) {
  if (end == End::above) return [](double x, double y) { return x > y; };
  if (end == End::below) return [](double x, double y) { return x < y; };
  return larger;
}

InvalidArgument too_many(std::int64_t count, std::int64_t existing, bool one_side) {
  return {"count", "is " + std::to_string(count) + ", but there are only " + std::to_string(existing) +
                       " finite eigenvalues" + (one_side ? " on this side of the target" : "")};
}

}  // namespace

// Returns an interval with at least the `count` lowest pairs if K is indefinite. It returns nothing for other K, and the factor is then that of the
// point 0.
std::optional<PencilSolver::Range> PencilSolver::range_of_lowest(const Point& zero, std::int64_t count) {
  if (zero.number == 0) return std::nullopt;
  const double unit = pencil_.k_norm() / pencil_.m_norm();
  // If M is singular, N may be positive below all finite eigenvalues.
  const std::int64_t infinite_below = point(-std::ldexp(unit, 20), -unit).number;
  const auto number = [&](const Point& at) { return at.number - infinite_below; };
  if (number(zero) <= 0) {
    factor(zero.s);
    return std::nullopt;
  }
  Point first = point(-unit, -1e-3 * unit);
  for (int i = 1; number(first) > 0 && i <= 20; ++i) first = point(-std::ldexp(unit, i), -1e-3 * unit);
  Point low = first, high = zero;
  for (int i = -20; number(high) < count && i <= 20; ++i)
    high = point(std::ldexp(unit, i), 1e-3 * std::ldexp(unit, i));
  if (number(high) < count) throw too_many(count, number(high), false);
  for (int i = 0; i < 60 && number(high) > 2 * count + 20 && high.s - low.s > 1e-10 * std::abs(low.s); ++i) {
    const Point middle = point((low.s + high.s) / 2, 1e-4 * (high.s - low.s));
    (number(middle) < count ? low : high) = middle;
  }
  return Range{first.s, high.s};
}

// Takes the vectors of the caller as the first ones of the basis.
const double* PencilSolver::start_blocks(const FewOptions& options, std::int64_t width) {
  const std::int64_t n = pencil_.n(), count = std::min(options.start_count, width * block_width);
  if (count == 0) return nullptr;
  double* const blocks = on_->take_blocks(width);
  std::fill_n(blocks, width * n * block_width, 0.0);
  for (std::int64_t j = 0; j < count; ++j) {
    const double* const x = options.start + j * options.start_ld;
    double largest = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      if (!std::isfinite(x[i])) throw InvalidArgument("start", "has a NaN or an infinity, must be finite");
      largest = std::max(largest, std::abs(x[i]));
    }
    for (std::int64_t i = 0; i < n && largest > 0; ++i)
      blocks[(j / block_width * n + i) * block_width + j % block_width] = x[i] / largest;
  }
  return blocks;
}

FewReport PencilSolver::solve(const FewOptions& options, double* w, double* z, std::int64_t ldz) {
  double seconds = 0;
  FewReport report;
  {
    const Stopwatch watch(seconds);
    begin_call(options.tolerance);
    const bool one_side = options.end == End::above || options.end == End::below;
    const double direction =
        options.end == End::below || (options.end == End::nearest && options.target > 0) ? 1 : -1;
    const double wished = pencil_.scaled(options.end == End::lowest ? 0 : options.target);
    if (buckling_ && (wished == 0 || options.end == End::lowest))
      throw InvalidArgument("target", "must not be 0 for buckling");
    Point shift = shift_near(wished, options.end == End::lowest ? -1 : direction, report);
    if (options.end == End::lowest)
      if (const auto range = range_of_lowest(shift, options.count))
        return solve_in(*range, options, w, z, ldz);
    report.shift_wished = pencil_.unscaled(wished);
    std::optional<InverseLanczos> lanczos;
    Judgement judgement;
    const RitzPairs* ritz = nullptr;
    bool exhausted = false;
    for (int moves = 0; !judgement.done; ++moves) {
      if (options.end == End::below && factorisation_ && !buckling_ && shift.number < options.count)
        throw too_many(options.count, shift.number, true);
      on_ = std::make_unique<CpuExecutor<double>>(pencil_.n(), MatrixOperator<double>());
      const double* const start = start_blocks(options, 1);
      BasisSizes sizes(options.count + 4);
      lanczos.emplace(*on_, inverse(), 1, sizes.most, 0);
      lanczos->begin(start, start ? options.start_count : 0);
      std::int64_t extra = 4;
      std::optional<double> moved;
      for (std::int64_t steps = 1; !judgement.done && !exhausted; ++steps) {
        exhausted = !lanczos->step();
        const bool stop = solved_ >= options.max_products;
        const bool ripe = lanczos->columns() >= options.count + options.count / 2 && steps % 2 == 0;
        if (!exhausted && !lanczos->full() && !ripe && !stop) continue;
        ritz = &lanczos->ritz(order_of(options.end), buckling_ ? buckling_tolerance : inner_tolerance,
                              slope_at(shift.s));
        judgement = judge(options, *ritz, shift, extra, exhausted);
        if (options.progress)
          options.progress(
              std::min(1.0, static_cast<double>(judgement.leading) / static_cast<double>(options.count)));
        if (moves < max_moves && report.restarts == 0 &&
            (judgement.done || judgement.few || lanczos->full())) {
          std::string reason;
          moved = better_shift(options, *ritz, shift.s, judgement.few, reason);
          if (moved) {
            report.shift_reason += (report.shift_reason.empty() ? "" : "; ") + reason;
            judgement = {};
            exhausted = false;
            break;
          }
        }
        if (judgement.few) throw too_many(options.count, judgement.leading, one_side);
        if (judgement.done || stop) break;
        if (judgement.leading >= options.count + extra) extra = 2 * extra + 4;
        if (!lanczos->full()) continue;
        ++report.restarts;
        if (sizes.grow(judgement.leading)) lanczos->grow(sizes.most);
        lanczos->restart(sizes.kept);
      }
      if (!moved) break;
      shift = point(*moved, 1e-3 * (*moved - shift.s));
    }
    report.shift_used = pencil_.unscaled(shift.s);
    if (!judgement.done) {
      report.status = Status::not_converged;
      for (std::int64_t i = 0; i < std::min(options.count, ritz->size()); ++i) judgement.pairs.push_back(i);
    }
    FoundPairs found = finish(*lanczos, judgement.pairs, shift.s,
                              one_side ? other_side(*ritz, judgement.pairs) : std::vector<std::int64_t>());
    if (!judgement.done)
      report.proof_reason = "the pairs have not converged";
    else if (options.proof == Proof::probe || (options.proof == Proof::automatic && !factorisation_))
      probe(found, shift, judgement, report);
    else if (options.proof != Proof::none)
      prove(found, shift, judgement, report);
    write(found, choose(found, options, shift.s), w, z, ldz, report);
    report_costs(report);
    report.tolerance = goal_;
    for (const double error : report.backward_errors)
      if (!(error <= report.tolerance)) report.status = Status::not_converged;
    if (report.m < options.count) report.status = Status::not_converged;
  }
  report.seconds = seconds;
  return report;
}

// Returns the lowest pairs. The range has at least options.count pairs.
FewReport PencilSolver::solve_in(const Range& range, const FewOptions& options, double* w, double* z,
                                 std::int64_t ldz) {
  std::vector<double> values, vectors;
  IntervalReport found = interval(pencil_.unscaled(range.low), pencil_.unscaled(range.high), 0, values,
                                  z ? &vectors : nullptr, options.tolerance);
  const std::int64_t n = pencil_.n(), m = std::min(options.count, static_cast<std::int64_t>(values.size()));
  std::copy_n(values.begin(), m, w);
  for (std::int64_t j = 0; z && j < m; ++j) std::copy_n(vectors.begin() + j * n, n, z + j * ldz);
  found.m = m;
  found.residuals.resize(static_cast<std::size_t>(m));
  found.error_bounds.resize(static_cast<std::size_t>(m));
  found.backward_errors.resize(static_cast<std::size_t>(m));
  if (m < options.count) found.status = Status::not_converged;
  found.shift_wished = 0;
  found.shift_used = found.shifts.front();
  found.shift_reason = "K is not positive semidefinite";
  return found;
}

// The Ritz pairs on the other side of the shift that are not farther from it than the given ones. Restarts may have dropped them, so that they are
// accurate to a part only; the purification makes them accurate.
std::vector<std::int64_t> PencilSolver::other_side(const RitzPairs& ritz,
                                                   const std::vector<std::int64_t>& pairs) const {
  std::vector<std::int64_t> others;
  if (buckling_ || pairs.empty()) return others;
  double least = infinity;
  for (const std::int64_t i : pairs) least = std::min(least, std::abs(ritz.theta[i]));
  for (std::int64_t i = 0; i < ritz.size(); ++i)
    if (ritz.theta[i] * ritz.theta[pairs.front()] < 0 && std::abs(ritz.theta[i]) >= least &&
        ritz.delta[i] <= 1e-3 * std::abs(ritz.theta[i]))
      others.push_back(i);
  return others;
}

// The columns of the found pairs that the options ask for, values ascending.
std::vector<std::int64_t> PencilSolver::choose(const FoundPairs& found, const FewOptions& options,
                                               double s) const {
  const double t = pencil_.scaled(options.target);
  std::vector<std::int64_t> all(static_cast<std::size_t>(found.size())), chosen;
  std::iota(all.begin(), all.end(), 0);
  const auto distance = [&](std::int64_t j) {
    const double w = found.w[j];
    return buckling_                    ? std::abs((w - s) / w)
           : options.end == End::lowest ? w
                                        : std::abs(w - (options.end == End::nearest ? t : s));
  };
  std::stable_sort(all.begin(), all.end(),
                   [&](std::int64_t i, std::int64_t j) { return distance(i) < distance(j); });
  std::int64_t below = options.end == End::both ? options.count / 2 : options.count,
               above = options.count - (options.end == End::both ? below : 0);
  for (const std::int64_t j : all) {
    const bool is_below = theta_of(found.w[j], s) < 0;
    if (options.end == End::above && is_below) continue;
    if (options.end == End::below && !is_below) continue;
    if (options.end == End::both && --(is_below ? below : above) < 0) continue;
    if (static_cast<std::int64_t>(chosen.size()) < options.count) chosen.push_back(j);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace eigen_g
