// CorrectionPair: the entries e_ij and e_ji of correction.hpp, for host and device.
#pragma once

#include <cmath>

#include "hybrid/host_device.hpp"
#include "solver/refine/correction.hpp"

namespace eigen_g {

struct CorrectionPair {
  double symmetric, t, gap;  // r_ij / 2, t_ij, lambda_j - lambda_i

  EIGEN_G_HOST_DEVICE CorrectionPair(double s, double g, double lambda_i, double lambda_j)
      : symmetric(-g / 2), t(s - (lambda_i + lambda_j) / 2 * g), gap(lambda_j - lambda_i) {}

  EIGEN_G_HOST_DEVICE bool beyond(double limit, double noise) const {
    const double size = std::fabs(t);
    return std::fabs(symmetric) > limit || (size > noise && size > limit * std::fabs(gap));
  }
  EIGEN_G_HOST_DEVICE double antisymmetric(const CorrectionLimits& limits) const {
    const double size = std::fabs(t);
    const auto beyond = [&](double limit) { return size > limit * std::fabs(gap); };
    if (size == 0 || (size <= limits.noise && beyond(limits.fine)) ||
        (size <= limits.rounding && beyond(limits.least)))
      return 0;
    return t / gap;
  }
};

}  // namespace eigen_g
