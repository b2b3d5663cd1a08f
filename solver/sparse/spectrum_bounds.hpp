// What the first steps of Lanczos tell of a whole spectrum.
#pragma once

#include <cstdint>
#include <vector>

namespace eigen_g {

struct SpectrumBounds {
  double lower = 0, upper = 0;  // estimates from inside, widened by their residuals
  double norm = 0;              // max |lower|, |upper|
};

// From the Ritz pairs of -s A / scale on a basis that began with random vectors, among others.
//   values    descending; m of them
//   vectors   column-major m x m, in the basis
//   coupling  4 x 4 row-major: |coupling times the last four entries of a column| is its pair's residual
SpectrumBounds spectrum_bounds(const std::vector<double>& values, const std::vector<double>& vectors,
                               const double* coupling, double scale);

}  // namespace eigen_g
