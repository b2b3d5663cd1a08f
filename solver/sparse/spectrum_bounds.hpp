// spectrum_bounds(): estimates the bounds of the whole spectrum from the first Lanczos steps.
#pragma once

#include <cstdint>
#include <vector>

namespace eigen_g {

struct SpectrumBounds {
  double lower = 0, upper = 0;  // extreme Ritz values, moved outwards by their residuals
  double norm = 0;              // largest absolute Ritz value
};

// Estimates the bounds of s A from the Ritz pairs of -s A / scale, s = 1 or -1. Some of the first vectors
// of the basis must be random.
//   values    m Ritz values, descending
//   vectors   m x m, column-major, as coefficients in the basis
//   coupling  4 x 4, row-major; the residual of a pair is |coupling times the last four entries of its column|
SpectrumBounds spectrum_bounds(const std::vector<double>& values, const std::vector<double>& vectors,
                               const double* coupling, double scale);

}  // namespace eigen_g
