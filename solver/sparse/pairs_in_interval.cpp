// PencilSolver::interval(): all pairs between two points, by slices of the interval.
#include "solver/sparse/pencil_solver.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "hybrid/error.hpp"
#include "hybrid/machine/device.hpp"
#include "solver/sparse/search_tools.hpp"

namespace eigen_g {

// The pairs between a point and a higher one, around a shift between them.
struct PencilSolver::Slice {
  Point low, shift, high;
  std::int64_t after = 0;                    // number of eigenvalues of the interval above the shift
  static constexpr std::int64_t usual = 40;  // eigenvalues on each side of the shift

  // True if the Ritz pairs show everything between low and a point above the shift. Then high.s is this point, and `pairs` are the pairs.
  bool covered(const RitzPairs& ritz, double end, bool exhausted, const PencilSolver& solver,
               std::vector<std::int64_t>& pairs, double& gap) {
    std::int64_t left = 0;
    std::vector<double> right;
    double reach = infinity;
    std::int64_t leading = 0;
    for (; leading < ritz.size(); ++leading) {
      const double theta = ritz.theta[leading], w = solver.value_of(theta, shift.s);
      if (!exhausted && !ritz.converged[leading]) {
        reach = 1 / (std::abs(theta) + ritz.delta[leading]);
        break;
      }
      if (theta < 0 && w >= low.s) ++left;
      if (theta > 0 && w <= end) right.push_back(w - shift.s);
    }
    if (left < shift.number - low.number && reach < shift.s - low.s) return false;
    const bool to_end = after <= usual + usual / 2;
    high.s = end;
    gap = 1;
    if (to_end) {
      if (static_cast<std::int64_t>(right.size()) < after && reach < end - shift.s) return false;
    } else {
      if (static_cast<std::int64_t>(right.size()) < usual) return false;
      const Cut cut = widest_gap(right, reach, usual, 0);
      if (cut.gap <= least_gap) return false;
      high.s = shift.s + cut.at;
      gap = cut.gap;
    }
    pairs.clear();
    for (std::int64_t i = 0; i < leading; ++i) {
      const double w = solver.value_of(ritz.theta[i], shift.s);
      if (w >= low.s && w <= high.s) pairs.push_back(i);
    }
    return true;
  }
};

// Makes the vectors M-orthogonal to the given blocks of slices before, because vectors of two slices are orthogonal only as far as their
// errors allow. Afterwards the blocks are the vectors, with keep_all in addition to the older ones.
void PencilSolver::orthogonalise(FoundPairs& found, std::vector<double>& blocks, bool keep_all) {
  const std::int64_t block = pencil_.n() * block_width, p = static_cast<std::int64_t>(blocks.size()) / block,
                     count = blocks_of(found.size());
  CpuExecutor<double>& on = *on_;
  double *const product = on.take_blocks(1), *const small = on.take((p + 1) * small_block);
  for (std::int64_t q = 0; q < count && p > 0; ++q) {
    pencil_.multiply_m(1, found.vectors + q * block, product);
    on.gram(p, blocks.data(), product, small);
    on.subtract(p, blocks.data(), small, found.vectors + q * block, small + p * small_block);
  }
  if (!keep_all) blocks.clear();
  blocks.insert(blocks.end(), found.vectors, found.vectors + count * block);
}

IntervalReport PencilSolver::interval(double a, double b, std::int64_t max_pairs, std::vector<double>& w,
                                      std::vector<double>* z, double tolerance) {
  if (!(std::isfinite(a) && std::isfinite(b) && a < b))
    throw InvalidArgument("interval", "must have finite ends a < b");
  if (buckling_) throw InvalidArgument("buckling", "has no intervals");
  double seconds = 0;
  IntervalReport report;
  {
    const Stopwatch watch(seconds);
    begin_call(tolerance);
    const std::int64_t n = pencil_.n();
    w.clear();
    if (z) z->clear();
    // Ends that are eigenvalues belong to the interval for now.
    const double from = pencil_.scaled(a), to = pencil_.scaled(b), length = to - from;
    const auto outwards = [&](double end) { return std::max(1e-8 * std::abs(end), 1e-12 * length); };
    const Point end = point(to + outwards(to), outwards(to));
    Point low = point(from - outwards(from), -outwards(from));
    report.expected = end.number - low.number;
    const std::uint64_t memory = host_memory_available() / 4;
    const std::int64_t room = max_pairs > 0 || memory == 0
                                  ? max_pairs
                                  : static_cast<std::int64_t>(memory / (8 * static_cast<std::uint64_t>(n)));
    if (room > 0 && report.expected > room)
      throw InvalidArgument("max_pairs", "is " + std::to_string(room) + ", but the interval has " +
                                             std::to_string(report.expected) + " pairs");
    report.low = a;
    report.high = b;
    report.count_low = low.number;
    report.count_high = end.number;
    report.proven = true;
    std::vector<double> neighbours;  // vectors of slices before
    double step = report.expected > 0 ? length * Slice::usual / static_cast<double>(report.expected) : length;
    while (low.number < end.number) {
      Slice slice;
      // Eigenvalues that are far from all others get a slice of their own, because a shift is accurate for the eigenvalues next to it.
      Point stop = end;
      while (stop.number - low.number > 1 && stop.number - low.number <= 2 * Slice::usual &&
             stop.s - low.s > std::max(std::abs(low.s), std::abs(stop.s)) / 4) {
        const double quarter = (stop.s - low.s) / 4;
        const auto number = [&](double at) { return point(at, 1e-6 * quarter).number; };
        const Point middle = point(low.s + 2 * quarter, 1e-6 * quarter);
        if (middle.number == low.number)
          low = middle;
        else if (middle.number == stop.number || number(low.s + quarter) == number(low.s + 3 * quarter))
          stop = middle;
        else
          break;
      }
      slice.low = low;
      // The shift has about the usual number of eigenvalues below it in this slice.
      const std::int64_t rest = stop.number - low.number;
      double s =
          rest <= 2 * Slice::usual ? (low.s + stop.s) / 2 : std::min(low.s + step, (low.s + stop.s) / 2);
      for (int attempt = 0;; ++attempt) {
        slice.shift = point(s, 1e-6 * (s - low.s));
        const std::int64_t left = slice.shift.number - low.number;
        if (attempt >= 12) break;
        if (left > 2 * Slice::usual) {
          s = low.s +
              (s - low.s) * std::max(0.1, static_cast<double>(Slice::usual) / static_cast<double>(left));
        } else if (left < Slice::usual / 3 && stop.number - slice.shift.number > 2 * Slice::usual) {
          s += std::min(s - low.s, (stop.s - s) / 2);
        } else {
          break;
        }
      }
      slice.after = stop.number - slice.shift.number;
      const std::int64_t left = slice.shift.number - low.number;
      const std::int64_t wanted = left + std::min(slice.after, std::max(left, Slice::usual));
      BasisSizes sizes(wanted + 4);
      on_ = std::make_unique<CpuExecutor<double>>(n, MatrixOperator<double>());
      InverseLanczos lanczos(*on_, inverse(), 1, sizes.most, 0);
      lanczos.begin();
      std::vector<std::int64_t> pairs;
      double gap = 1;
      bool done = false;
      for (int restarts = 0, steps = 1; restarts <= 100 && !done; ++steps) {
        const bool exhausted = !lanczos.step();
        if (!exhausted && !lanczos.full() && (lanczos.columns() < wanted || steps % 2 != 0)) continue;
        const RitzPairs& ritz = lanczos.ritz(larger, inner_tolerance, slope_at(slice.shift.s));
        done = slice.covered(ritz, stop.s, exhausted, *this, pairs, gap);
        if (done || exhausted) break;
        if (!lanczos.full()) continue;
        ++restarts;
        ++report.restarts;
        if (sizes.grow(ritz.leading())) lanczos.grow(sizes.most);
        lanczos.restart(sizes.kept);
      }
      if (!done) {
        report.status = Status::not_converged;
        report.proven = false;
        report.proof_reason =
            "the pairs next to " + text_of(pencil_.unscaled(slice.shift.s)) + " have not converged";
        break;
      }
      FoundPairs found = finish(lanczos, pairs, slice.shift.s);
      const std::int64_t found_by_lanczos = found.size();
      const double cut_step = std::max(gap, least_gap) / 32 * (slice.high.s - slice.shift.s);
      slice.high = slice.high.s == stop.s ? stop : point(slice.high.s, cut_step);
      const std::int64_t expected = slice.high.number - low.number;
      for (int i = 1; i <= max_repairs && expected > found.size(); ++i)
        if (!repair(found, slice.shift.s, low.s, slice.high.s, expected, 100 + i)) break;
      report.found += found.size();
      report.repaired += found.size() - found_by_lanczos;
      orthogonalise(found, neighbours, n < 50 * report.expected);
      if (expected != found.size()) {
        report.proven = false;
        report.proof_reason = std::to_string(expected) + " eigenvalues are between " +
                              text_of(pencil_.unscaled(low.s)) + " and " +
                              text_of(pencil_.unscaled(slice.high.s)) + ", " + std::to_string(found.size()) +
                              " were found";
      }
      // Values of eigenvalues at the ends belong to [a, b) if they are not below a and not at b, up to their errors.
      std::vector<std::int64_t> chosen;
      for (std::int64_t j = 0; j < found.size(); ++j) {
        const double error = std::max(found.bound[j], 1e-13 * std::abs(found.w[j]));
        if (found.w[j] >= from - error && found.w[j] < to - error) chosen.push_back(j);
      }
      const std::size_t before = w.size();
      w.resize(before + chosen.size());
      if (z) z->resize(w.size() * static_cast<std::size_t>(n));
      write(found, chosen, w.data() + before, z ? z->data() + before * n : nullptr, n, report);
      report.expected -= found.size() - static_cast<std::int64_t>(chosen.size());
      report.shifts.push_back(pencil_.unscaled(slice.shift.s));
      step = std::max(slice.high.s - slice.shift.s, 1e-3 * step);
      low = slice.high;
    }
    for (const double error : report.backward_errors)
      if (!(error <= goal_)) report.status = Status::not_converged;
    report.tolerance = goal_;
    report_costs(report);
  }
  report.seconds = seconds;
  return report;
}

}  // namespace eigen_g
