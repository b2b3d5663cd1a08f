#include "blas2/tune/tuner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>

#include "blas2/tune/d_spline.hpp"
#include "hybrid/error.hpp"

namespace eigen_g::blas2 {

namespace {

using Rates = std::map<int, std::map<std::int64_t, double>>;  // candidate -> n -> mean rate

Rates mean_rates(const std::vector<Measurement>& measured) {
  std::map<int, std::map<std::int64_t, std::pair<double, int>>> sums;
  for (const Measurement& m : measured) {
    if (m.n < 1)
      throw InvalidArgument("measured", "holds n = " + std::to_string(m.n) + ", must be at least 1");
    if (!std::isfinite(m.rate) || m.rate <= 0) continue;
    auto& [sum, count] = sums[m.candidate][m.n];
    sum += m.rate;
    ++count;
  }
  Rates rates;
  for (const auto& [candidate, by_n] : sums)
    for (const auto& [n, sum] : by_n) rates[candidate][n] = sum.first / sum.second;
  return rates;
}

std::map<std::int64_t, double> best_by_size(const Rates& rates) {
  std::map<std::int64_t, double> best;
  for (const auto& [candidate, by_n] : rates)
    for (const auto& [n, rate] : by_n) best[n] = std::max(best[n], rate);
  return best;
}

}  // namespace

std::vector<int> first_sieve(const std::vector<Measurement>& measured, const FirstSieve& rule) {
  const Rates rates = mean_rates(measured);
  const auto best = best_by_size(rates);

  struct Fit {
    int candidate;
    std::map<std::int64_t, double> share;  // n -> rate / best rate at n; absent: 0
    double sum;
  };
  std::vector<Fit> fit;
  for (const auto& [candidate, by_n] : rates) {
    Fit f{candidate, {}, 0};
    bool stays = false;
    for (const auto& [n, rate] : by_n) {
      const double share = rate / best.at(n);
      f.share[n] = share;
      f.sum += share;
      stays = stays || share >= 1 - rule.within;
    }
    if (stays) fit.push_back(std::move(f));
  }

  std::vector<int> taken;
  std::map<std::int64_t, double> reached;
  while (!fit.empty() && static_cast<int>(taken.size()) < rule.keep) {
    auto gain = [&](const Fit& f) {
      double sum = 0;
      for (const auto& [n, share] : f.share) sum += std::max(0.0, share - reached[n]);
      return sum;
    };
    auto next = fit.begin();
    double most = gain(*next);
    for (auto f = fit.begin() + 1; f != fit.end(); ++f) {
      const double g = gain(*f);
      if (g > most || (g == most && f->sum > next->sum)) {
        most = g;
        next = f;
      }
    }
    for (const auto& [n, share] : next->share) reached[n] = std::max(reached[n], share);
    taken.push_back(next->candidate);
    fit.erase(next);
  }
  return taken;
}

namespace {

// One candidate's spline and the nodes at which it may be used.
struct Curve {
  int candidate;
  std::vector<Sample> samples;
  std::unique_ptr<DSpline> spline;  // null if there is only one size
  std::vector<double> value;        // spline at the nodes; -infinity if it may not be used there
  double at(double t) const { return spline ? (*spline)(t) : samples.front().y; }
};

constexpr double not_usable = -std::numeric_limits<double>::infinity();
const std::vector<double> alphas{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0};

int cells_between(double t_first, double t_last, int an_octave) {
  return std::max(1, static_cast<int>(std::ceil((t_last - t_first) * an_octave)));
}

std::vector<Curve> fit_curves(const Rates& rates, const SecondSieve& rule) {
  std::vector<Curve> curves;
  std::vector<std::vector<Sample>> all_samples;
  double t_first = HUGE_VAL, t_last = -HUGE_VAL;
  for (const auto& [candidate, by_n] : rates) {
    Curve curve{candidate, {}, nullptr, {}};
    for (const auto& [n, rate] : by_n)
      curve.samples.push_back({std::log2(static_cast<double>(n)), std::log2(rate)});
    t_first = std::min(t_first, curve.samples.front().t);
    t_last = std::max(t_last, curve.samples.back().t);
    all_samples.push_back(curve.samples);
    curves.push_back(std::move(curve));
  }
  if (curves.empty()) return curves;
  const double alpha =
      rule.alpha > 0
          ? rule.alpha
          : choose_alpha(all_samples, cells_between(t_first, t_last, rule.cells_an_octave), alphas);
  for (Curve& c : curves)
    if (c.samples.size() > 1)
      c.spline = std::make_unique<DSpline>(
          c.samples, cells_between(c.samples.front().t, c.samples.back().t, rule.cells_an_octave), alpha);
  return curves;
}

// Sets `value` at each node: the spline if the candidate ran at both neighbouring sizes, else -infinity. If no candidate ran at
// both, running at the upper size is enough.
void evaluate(std::vector<Curve>& curves, const std::vector<double>& nodes,
              const std::vector<double>& sizes) {
  auto ran_at = [](const Curve& c, double t) {
    return std::any_of(c.samples.begin(), c.samples.end(), [t](const Sample& s) { return s.t == t; });
  };
  for (const double t : nodes) {
    const auto upper = std::min(std::lower_bound(sizes.begin(), sizes.end(), t), sizes.end() - 1);
    const auto lower = *upper <= t || upper == sizes.begin() ? upper : upper - 1;
    auto fits = [&](const Curve& c) { return ran_at(c, *lower) && ran_at(c, *upper); };
    const bool some = std::any_of(curves.begin(), curves.end(), fits);
    for (Curve& c : curves) c.value.push_back((some ? fits(c) : ran_at(c, *upper)) ? c.at(t) : not_usable);
  }
}

// Standard deviation of the samples from their splines.
double left_over(const std::vector<Curve>& curves) {
  double squares = 0;
  std::size_t freedom = 0;
  for (const Curve& c : curves) {
    if (c.samples.size() < 4) continue;
    for (const Sample& s : c.samples) squares += std::pow(s.y - c.at(s.t), 2);
    freedom += c.samples.size() - 2;
  }
  return freedom > 0 ? std::sqrt(squares / static_cast<double>(freedom)) : 0;
}

// Dynamic programming over the nodes. path[j] is the index of the curve to use at node j.
std::vector<std::size_t> best_path(const std::vector<Curve>& curves, std::size_t nodes, double h,
                                   double change_cost) {
  std::vector<double> score(curves.size());
  std::vector<std::vector<std::size_t>> came_from(nodes, std::vector<std::size_t>(curves.size()));
  for (std::size_t j = 0; j < nodes; ++j) {
    const auto leader =
        static_cast<std::size_t>(std::max_element(score.begin(), score.end()) - score.begin());
    double top = not_usable;
    for (const Curve& c : curves) top = std::max(top, c.value[j]);
    std::vector<double> next(curves.size());
    for (std::size_t c = 0; c < curves.size(); ++c) {
      const double changed = j == 0 ? 0 : score[leader] - change_cost;
      const bool change = changed > score[c];
      came_from[j][c] = change ? leader : c;
      next[c] = std::max(score[c], changed) + (curves[c].value[j] - top) * h;
    }
    score = std::move(next);
  }
  std::vector<std::size_t> path(nodes);
  path.back() = static_cast<std::size_t>(std::max_element(score.begin(), score.end()) - score.begin());
  for (std::size_t j = nodes - 1; j > 0; --j) path[j - 1] = came_from[j][path[j]];
  return path;
}

// The first n of curve `b`, which follows curve `a` between nodes j - 1 and j.
std::int64_t change_at(const Curve& a, const Curve& b, const std::vector<double>& nodes, std::size_t j) {
  const double t0 = nodes[j - 1], t1 = nodes[j];
  if (a.value[j] == not_usable) return static_cast<std::int64_t>(std::floor(std::exp2(t0) + 1e-6)) + 1;
  if (b.value[j - 1] == not_usable) return static_cast<std::int64_t>(std::ceil(std::exp2(t1) - 1e-6));
  const double before = a.value[j - 1] - b.value[j - 1], after = b.value[j] - a.value[j];
  const double theta = before > 0 && after > 0 ? before / (before + after) : 0.5;
  return static_cast<std::int64_t>(std::ceil(std::exp2(t0 + theta * (t1 - t0))));
}

}  // namespace

std::vector<Segment> second_sieve(const std::vector<Measurement>& measured, const SecondSieve& rule) {
  if (rule.cells_an_octave < 1)
    throw InvalidArgument("cells_an_octave",
                          "is " + std::to_string(rule.cells_an_octave) + ", must be at least 1");
  const Rates rates = mean_rates(measured);
  std::vector<Curve> curves = fit_curves(rates, rule);
  if (curves.empty()) return {};

  std::vector<double> sizes;
  for (const auto& [n, rate] : best_by_size(rates)) sizes.push_back(std::log2(static_cast<double>(n)));
  const int cells = cells_between(sizes.front(), sizes.back(), rule.cells_an_octave);
  const double h = (sizes.back() - sizes.front()) / cells;
  std::vector<double> nodes;
  nodes.reserve(static_cast<std::size_t>(cells) + 1);
  for (int j = 0; j < cells; ++j) nodes.push_back(sizes.front() + h * j);
  nodes.push_back(sizes.back());
  evaluate(curves, nodes, sizes);

  // Let sigma be the deviation of a sample from its spline, and m the number of sizes. The integral of the difference of two
  // splines is about a sum of m independent terms, each with deviation sqrt(2) sigma range / m. Its own deviation is `noise`.
  const double range = sizes.back() - sizes.front();
  const double noise = left_over(curves) * range * std::sqrt(2 / static_cast<double>(sizes.size()));
  const double cost = std::max(rule.change_cost, rule.noise_deviations * noise);
  // With one size h is 0; any positive step then chooses the best candidate there.
  const auto path = best_path(curves, nodes.size(), h > 0 ? h : 1, cost);
  std::vector<Segment> table{{0, curves[path.front()].candidate}};
  for (std::size_t j = 1; j < path.size(); ++j) {
    if (path[j] == path[j - 1]) continue;
    const Segment next{change_at(curves[path[j - 1]], curves[path[j]], nodes, j), curves[path[j]].candidate};
    if (next.n_from <= table.back().n_from)
      table.back().candidate = next.candidate;  // two changes within one n
    else
      table.push_back(next);
  }
  return table;
}

}  // namespace eigen_g::blas2
