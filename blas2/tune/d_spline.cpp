#include "blas2/tune/d_spline.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "hybrid/error.hpp"

namespace eigen_g::blas2 {

namespace {

// Least squares with rows of three neighbouring entries, solved by R f = Q^T b. add() rotates each row into the upper triangle
// R, which has three diagonals. The normal equations would be shorter, but they square the condition number, which for small
// alpha is already about 1 / (alpha h^3).
class BandedLeastSquares {
 public:
  explicit BandedLeastSquares(std::size_t unknowns) : r_(unknowns), b_(unknowns, 0.0) {}

  // Adds the equation row . (f_first, f_{first+1}, f_{first+2}) = b. Entries of `row` beyond the last unknown must be 0.
  void add(std::size_t first, std::array<double, 3> row, double b) {
    for (std::size_t k = first; k < r_.size(); ++k) {
      auto& pivot = r_[k];
      if (row[0] != 0) {
        const double length = std::hypot(pivot[0], row[0]);
        const double c = pivot[0] / length, s = row[0] / length;
        for (std::size_t i = 0; i < 3; ++i) {
          const double p = pivot[i];
          pivot[i] = c * p + s * row[i];
          row[i] = c * row[i] - s * p;
        }
        const double q = b_[k];
        b_[k] = c * q + s * b;
        b = c * b - s * q;
      }
      row = {row[1], row[2], 0};
      if (row[0] == 0 && row[1] == 0) return;
    }
  }

  std::vector<double> solve() const {
    std::vector<double> f(b_.size());
    for (std::size_t k = b_.size(); k-- > 0;) {
      double sum = b_[k];
      for (std::size_t i = 1; i < 3 && k + i < f.size(); ++i) sum -= r_[k][i] * f[k + i];
      f[k] = sum / r_[k][0];
    }
    return f;
  }

 private:
  std::vector<std::array<double, 3>> r_;  // row k: columns k, k+1, k+2
  std::vector<double> b_;
};

void check(const std::vector<Sample>& samples, int cells, double alpha) {
  if (cells < 1) throw InvalidArgument("cells", "is " + std::to_string(cells) + ", must be at least 1");
  if (!(alpha > 0) || !std::isfinite(alpha))
    throw InvalidArgument("alpha", "is " + std::to_string(alpha) + ", must be positive and finite");
  for (const Sample& s : samples)
    if (!std::isfinite(s.t) || !std::isfinite(s.y)) throw InvalidArgument("samples", "must be finite");
}

}  // namespace

DSpline::DSpline(const std::vector<Sample>& samples, int cells, double alpha) {
  check(samples, cells, alpha);
  const auto [least, greatest] = std::minmax_element(
      samples.begin(), samples.end(), [](const Sample& a, const Sample& b) { return a.t < b.t; });
  if (samples.empty() || least->t == greatest->t)
    throw InvalidArgument("samples", "must hold at least two different t");
  t0_ = least->t;
  h_ = (greatest->t - t0_) / cells;

  BandedLeastSquares fit(static_cast<std::size_t>(cells) + 1);
  const double w = alpha / (h_ * std::sqrt(h_));  // alpha sqrt(h) / h^2
  for (std::size_t j = 0; j + 2 < static_cast<std::size_t>(cells) + 1; ++j) fit.add(j, {w, -2 * w, w}, 0);
  for (const Sample& s : samples) {
    const double x = (s.t - t0_) / h_;
    const auto j = std::min(static_cast<std::size_t>(x), static_cast<std::size_t>(cells) - 1);
    const double theta = x - static_cast<double>(j);
    fit.add(j, {1 - theta, theta, 0}, s.y);
  }
  f_ = fit.solve();
}

double DSpline::operator()(double t) const {
  const double x = (t - t0_) / h_;
  const double last_cell = static_cast<double>(f_.size() - 2);
  const auto j = static_cast<std::size_t>(std::clamp(std::floor(x), 0.0, last_cell));
  const double theta = x - static_cast<double>(j);
  return (1 - theta) * f_[j] + theta * f_[j + 1];
}

double choose_alpha(const std::vector<std::vector<Sample>>& curves, int cells,
                    const std::vector<double>& choices) {
  if (choices.empty()) throw InvalidArgument("choices", "must not be empty");
  double best_alpha = choices.front();
  double best_error = HUGE_VAL;
  for (const double alpha : choices) {
    double error = 0;
    bool voted = false;
    for (std::vector<Sample> curve : curves) {
      if (curve.size() < 4) continue;
      std::sort(curve.begin(), curve.end(), [](const Sample& a, const Sample& b) { return a.t < b.t; });
      for (std::size_t out = 1; out + 1 < curve.size(); ++out) {
        std::vector<Sample> others = curve;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(out));
        const double miss = DSpline(others, cells, alpha)(curve[out].t) - curve[out].y;
        error += miss * miss;
        voted = true;
      }
    }
    if (voted && error < best_error) {
      best_error = error;
      best_alpha = alpha;
    }
  }
  return best_alpha;
}

}  // namespace eigen_g::blas2
