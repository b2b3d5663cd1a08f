#include "hybrid/team/split.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hybrid/error.hpp"

namespace eigen_g {

namespace {

// Time in which the devices `active` together finish `columns` columns. The number of finished columns grows with the time, so
// it is found by bisection to the last bit.
double time_together(double columns, const std::vector<DeviceCost>& costs,
                     const std::vector<std::size_t>& active) {
  double too_short = 0, enough = std::numeric_limits<double>::infinity();
  for (const std::size_t i : active) enough = std::min(enough, costs[i].seconds(columns));
  for (;;) {
    const double time = (too_short + enough) / 2;
    if (!(time > too_short && time < enough)) return enough;
    double done = 0;
    for (const std::size_t i : active) done += costs[i].columns(time);
    (done < columns ? too_short : enough) = time;
  }
}

// Time that is added because several devices take part: the largest team_overhead_seconds.
double team_overhead(const std::vector<DeviceCost>& costs, const std::vector<std::size_t>& active) {
  double seconds = 0;
  if (active.size() > 1)
    for (const std::size_t i : active) seconds = std::max(seconds, costs[i].team_overhead_seconds);
  return seconds;
}

std::vector<std::size_t> without(std::vector<std::size_t> list, std::size_t device) {
  list.erase(std::find(list.begin(), list.end(), device));
  return list;
}

}  // namespace

std::vector<ColumnRange> split_columns(std::int64_t columns, const std::vector<double>& shares,
                                       std::int64_t granularity) {
  if (columns < 0)
    throw InvalidArgument("columns", "is " + std::to_string(columns) + ", must not be negative");
  if (granularity < 1)
    throw InvalidArgument("granularity", "is " + std::to_string(granularity) + ", must be at least 1");
  double total = 0;
  std::size_t last = shares.size();
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (!std::isfinite(shares[i]) || shares[i] < 0)
      throw InvalidArgument("shares", "share " + std::to_string(i + 1) + " must be a finite number >= 0");
    total += shares[i];
    if (shares[i] > 0) last = i;
  }
  if (last == shares.size() || !std::isfinite(total))
    throw InvalidArgument("shares", "must have a positive share, and their sum must be finite");

  std::vector<ColumnRange> ranges(shares.size());
  double before = 0;
  std::int64_t first = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    before += shares[i];
    const double grains = static_cast<double>(columns) * (before / total) / static_cast<double>(granularity);
    const std::int64_t end =
        i >= last ? columns
                  : std::clamp(static_cast<std::int64_t>(std::llround(grains)) * granularity, first, columns);
    ranges[i] = {first, shares[i] > 0 ? end - first : 0};
    first = end;
  }
  return ranges;
}

double DeviceCost::seconds(double columns) const {
  return std::max(fixed_seconds + columns * column_seconds, copies_seconds + columns * column_copy_seconds);
}

double DeviceCost::columns(double seconds) const {
  if (seconds <= std::max(fixed_seconds, copies_seconds)) return 0;
  const double computed = (seconds - fixed_seconds) / column_seconds;
  return column_copy_seconds > 0 ? std::min(computed, (seconds - copies_seconds) / column_copy_seconds)
                                 : computed;
}

DeviceCost cost_of(double column_flops, double flops, double common_bytes, double column_bytes, double link,
                   double steps) {
  constexpr double never = std::numeric_limits<double>::infinity();
  const double compute = flops > 0 ? column_flops / flops : never;
  if (link <= 0) return {0, compute};
  return {common_bytes / steps / link, compute, common_bytes / link, column_bytes / link};
}

BalancedShares finish_together(std::int64_t columns, const std::vector<DeviceCost>& costs, double min_columns,
                               double min_gain) {
  std::vector<std::size_t> active;
  for (std::size_t i = 0; i < costs.size(); ++i)
    if (std::isfinite(costs[i].fixed_seconds) && std::isfinite(costs[i].column_seconds) &&
        std::isfinite(costs[i].copies_seconds) && std::isfinite(costs[i].column_copy_seconds) &&
        costs[i].fixed_seconds >= 0 && costs[i].column_seconds > 0)
      active.push_back(i);
  if (active.empty()) throw InvalidArgument("costs", "must have a device with finite costs");

  const auto n = static_cast<double>(std::max<std::int64_t>(columns, 0));
  double time = time_together(n, costs, active);
  while (active.size() > 1) {  // leave out one device at a time, the least useful first
    std::size_t least = active.front();
    double best = std::numeric_limits<double>::infinity();
    for (const std::size_t i : active) {
      const std::vector<std::size_t> others = without(active, i);
      const double alone = time_together(n, costs, others) + team_overhead(costs, others);
      if (alone < best) {
        best = alone;
        least = i;
      }
    }
    const double together = time + team_overhead(costs, active);
    if (best > together * (1 + min_gain) && costs[least].columns(time) >= min_columns) break;
    active = without(active, least);
    time = time_together(n, costs, active);
  }

  BalancedShares plan;
  plan.shares.resize(costs.size());
  plan.seconds.resize(costs.size());
  if (n == 0) {
    plan.shares[active.front()] = 1;  // shares must not all be 0
    return plan;
  }
  double sum = 0;  // above n if a device's copies end exactly at `time`
  for (const std::size_t i : active) sum += plan.shares[i] = costs[i].columns(time);
  for (const std::size_t i : active) {
    plan.shares[i] = active.size() == 1 ? n : n * plan.shares[i] / sum;
    plan.seconds[i] = plan.shares[i] > 0 ? costs[i].seconds(plan.shares[i]) : 0;
  }
  plan.total = time + team_overhead(costs, active);
  return plan;
}

}  // namespace eigen_g
