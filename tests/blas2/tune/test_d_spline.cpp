#include "blas2/tune/d_spline.hpp"

#include <cmath>
#include <random>

#include "hybrid/error.hpp"
#include "tests/support/catch.hpp"

using eigen_g::blas2::choose_alpha;
using eigen_g::blas2::DSpline;
using eigen_g::blas2::Sample;

namespace {

template <class F>
std::vector<Sample> sampled(F f, double from, double to, int count) {
  std::vector<Sample> samples;
  for (int i = 0; i < count; ++i) {
    const double t = from + (to - from) * i / (count - 1);
    samples.push_back({t, f(t)});
  }
  return samples;
}

template <class F>
double worst(const DSpline& spline, F truth, double from, double to) {
  double w = 0;
  for (int i = 0; i <= 1000; ++i) {
    const double t = from + (to - from) * i / 1000;
    w = std::max(w, std::fabs(spline(t) - truth(t)));
  }
  return w;
}

// The least-squares line through the samples, by the textbook formula.
std::pair<double, double> line(const std::vector<Sample>& samples) {
  double t = 0, y = 0, tt = 0, ty = 0;
  const double m = static_cast<double>(samples.size());
  for (const Sample& s : samples) {
    t += s.t / m;
    y += s.y / m;
  }
  for (const Sample& s : samples) {
    tt += (s.t - t) * (s.t - t);
    ty += (s.t - t) * (s.y - y);
  }
  return {y - ty / tt * t, ty / tt};
}

const auto smooth = [](double t) { return std::sin(1.3 * t) + 0.2 * t; };

}  // namespace

TEST_CASE("a straight line is reproduced for any alpha and grid") {
  const auto truth = [](double t) { return 3 - 0.7 * t; };
  const std::vector<Sample> samples{{5, truth(5)}, {1, truth(1)}, {2.3, truth(2.3)}, {9.1, truth(9.1)}};
  for (const double alpha : {1e-4, 0.1, 1.0, 1e3})
    for (const int cells : {1, 2, 7, 200}) {
      CAPTURE(alpha, cells);
      const DSpline spline(samples, cells, alpha);
      CHECK(worst(spline, truth, 0, 12) < 1e-8);
      CHECK(spline.t_first() == 1);
      CHECK(spline.t_last() == Approx(9.1).epsilon(1e-14));
    }
}

TEST_CASE("alpha to 0 interpolates") {
  const auto samples = sampled(smooth, 0, 8, 12);
  const DSpline spline(samples, 100, 1e-5);
  for (const Sample& s : samples) CHECK(std::fabs(spline(s.t) - s.y) < 1e-6);
  CHECK(spline.values().size() == 101);
}

TEST_CASE("alpha to infinity is the least-squares line") {
  auto samples = sampled(smooth, 0, 8, 12);
  samples.push_back({3.21, -4});  // uneven
  const auto [c, slope] = line(samples);
  const DSpline spline(samples, 64, 1e5);
  CHECK(worst(
            spline, [c = c, slope = slope](double t) { return c + slope * t; }, 0, 8) < 1e-6);
}

TEST_CASE("the fit minimises its functional") {
  const auto samples = sampled(smooth, 0, 8, 9);
  const int cells = 23;
  const double alpha = 0.3, h = 8.0 / cells;
  const DSpline spline(samples, cells, alpha);
  auto functional = [&](const std::vector<double>& f) {
    double sum = 0;
    for (const Sample& s : samples) {
      const double x = s.t / h;
      const int j = std::min(static_cast<int>(x), cells - 1);
      const auto k = static_cast<std::size_t>(j);
      const double miss = (1 - (x - j)) * f[k] + (x - j) * f[k + 1] - s.y;
      sum += miss * miss;
    }
    for (std::size_t j = 1; j + 1 < f.size(); ++j) {
      const double bend = (f[j - 1] - 2 * f[j] + f[j + 1]) / (h * h);
      sum += alpha * alpha * bend * bend * h;
    }
    return sum;
  };
  const double least = functional(spline.values());
  for (std::size_t j = 0; j < spline.values().size(); ++j)
    for (const double step : {1e-4, -1e-4}) {
      auto f = spline.values();
      f[j] += step;
      CHECK(functional(f) > least);
    }
}

TEST_CASE("a smooth truth is found again under noise, nearer than the samples are") {
  std::mt19937 random(7);
  std::normal_distribution<double> noise(0, 0.1);
  auto samples = sampled(smooth, 0, 8, 80);
  double misses = 0, kept = 0;
  for (Sample& s : samples) s.y += noise(random);
  const DSpline spline(samples, 128, 0.3);
  for (const Sample& s : samples) {
    misses += std::pow(s.y - smooth(s.t), 2);
    kept += std::pow(spline(s.t) - smooth(s.t), 2);
  }
  CHECK(std::sqrt(kept / misses) < 0.5);
  CHECK(worst(spline, smooth, 0, 8) < 0.2);
}

TEST_CASE("the grid does not change the meaning of alpha") {
  auto samples = sampled(smooth, 0, 8, 20);
  std::mt19937 random(3);
  std::normal_distribution<double> noise(0, 0.2);
  for (Sample& s : samples) s.y += noise(random);
  const DSpline coarse(samples, 160, 0.3), fine(samples, 640, 0.3);
  CHECK(worst(
            coarse, [&](double t) { return fine(t); }, 0, 8) < 0.02);
}

TEST_CASE("repeated samples count as their mean") {
  const std::vector<Sample> twice{{0, 1}, {1, 4}, {1, 6}, {2, 3}};
  const DSpline spline(twice, 32, 1e-5);
  CHECK(spline(1) == Approx(5).epsilon(1e-6));
}

TEST_CASE("alpha is chosen by foretelling") {
  const std::vector<double> choices{0.01, 0.1, 1, 10};
  std::mt19937 random(11);
  std::normal_distribution<double> noise(0, 0.3);
  auto noisy_line = sampled([](double t) { return 2 * t; }, 0, 8, 40);
  for (Sample& s : noisy_line) s.y += noise(random);
  CHECK(choose_alpha({noisy_line}, 64, choices) >= 1);
  CHECK(choose_alpha({sampled([](double t) { return std::sin(4 * t); }, 0, 8, 40)}, 256, choices) == 0.01);
  CHECK(choose_alpha({{{0, 0}, {1, 1}, {2, 5}}}, 8, choices) == 0.01);  // too few to vote
}

TEST_CASE("arguments that a d-spline refuses") {
  using eigen_g::InvalidArgument;
  const std::vector<Sample> good{{0, 1}, {1, 2}};
  CHECK_THROWS_AS(DSpline({}, 4, 1), InvalidArgument);
  CHECK_THROWS_AS(DSpline({{1, 1}, {1, 2}}, 4, 1), InvalidArgument);
  CHECK_THROWS_AS(DSpline({{0, 1}, {1, NAN}}, 4, 1), InvalidArgument);
  CHECK_THROWS_AS(DSpline(good, 0, 1), InvalidArgument);
  CHECK_THROWS_AS(DSpline(good, 4, 0), InvalidArgument);
  CHECK_THROWS_AS(DSpline(good, 4, INFINITY), InvalidArgument);
  CHECK_THROWS_AS(choose_alpha({good}, 4, {}), InvalidArgument);
}
