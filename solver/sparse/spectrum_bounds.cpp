// Bounds of the spectrum from Ritz pairs.
#include "solver/sparse/spectrum_bounds.hpp"

#include <algorithm>
#include <cmath>

namespace eigen_g {

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
  return bounds;
}

}  // namespace eigen_g
