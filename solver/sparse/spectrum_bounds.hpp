// What the first steps of Lanczos tell of a whole spectrum.
#pragma once

#include <cstdint>
#include <vector>

namespace eigen_g {

// A sketch of the density of eigenvalues: about so many of n at or below a value. By Lanczos' quadrature with random start vectors,
// so good to a few percent of n, and coarse near the ends (Lin, Saad, Yang, SIAM Review 58, 2016).
struct DensitySketch {
  std::vector<double> values;   // ascending
  std::vector<double> weights;  // sum 1
  double share_below(double value) const;
};

struct SpectrumBounds {
  double lower = 0, upper = 0;  // estimates from inside, widened by their residuals
  double norm = 0;              // max |lower|, |upper|
  DensitySketch density;
};

// From the Ritz pairs of -s A / scale on a basis that began with a random panel.
//   values    descending; m of them
//   vectors   column-major m x m, in the basis; its first four rows belong to the random panel
//   coupling  4 x 4 row-major: |coupling times the last four entries of a column| is its pair's residual
SpectrumBounds spectrum_bounds(const std::vector<double>& values, const std::vector<double>& vectors,
                               const double* coupling, double scale);

}  // namespace eigen_g
