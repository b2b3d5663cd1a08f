// max_or_nan(): a maximum that keeps a NaN. std::max() loses it if another number follows.
#pragma once

namespace eigen_g {

// The larger of m and x; NaN if one of them is NaN.
constexpr double max_or_nan(double m, double x) {
  return m < x || x != x ? x : m;
}

}  // namespace eigen_g
