#include "solver/sparse/spectrum_bounds.hpp"

#include <algorithm>
#include <cmath>

namespace eigen_g {

double DensitySketch::share_below(double value) const {
  double share = 0;
  for (std::size_t i = 0; i < values.size() && values[i] <= value; ++i) share += weights[i];
  return share;
}

SpectrumBounds spectrum_bounds(const std::vector<double>& values, const std::vector<double>& vectors,
                               const double* coupling, double scale) {
  const std::int64_t m = static_cast<std::int64_t>(values.size());
  const auto residual = [&](std::int64_t j) {
    double square = 0;
    for (int i = 0; i < 4; ++i) {
      double sum = 0;
      for (int k = 0; k < 4; ++k) sum += coupling[4 * i + k] * vectors[(j + 1) * m - 4 + k];
      square += sum * sum;
    }
    return scale * std::sqrt(square);
  };
  SpectrumBounds bounds;
  bounds.lower = -scale * values.front() - residual(0);
  bounds.upper = -scale * values.back() + residual(m - 1);
  bounds.norm = scale * std::max(std::abs(values.front()), std::abs(values.back()));
  for (std::int64_t j = 0; j < m; ++j) {
    double weight = 0;
    for (int i = 0; i < 4; ++i) weight += vectors[i + j * m] * vectors[i + j * m] / 4;
    bounds.density.values.push_back(-scale * values[j]);
    bounds.density.weights.push_back(weight);
  }
  return bounds;
}

}  // namespace eigen_g
