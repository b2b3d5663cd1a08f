// Computes the results of verify() from its sums, and says what passes. It is apart from the products, so that a program without a GPU does
// not need to link their library.
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <vector>

#include "solver/verify/verify.hpp"
#include "solver/verify/verify_columns.hpp"

namespace eigen_g {

namespace {

// The larger of m and x; NaN if one of them is NaN.
double max_or_nan(double m, double x) {
  return m < x || x != x ? x : m;
}

double root_of_sum(const std::vector<double>& squares) {
  double sum = 0;
  for (const double value : squares) sum += value;
  return std::sqrt(sum);
}

}  // namespace

double maximum(const std::vector<double>& x) {
  double m = 0;
  for (const double value : x) m = max_or_nan(m, value);
  return m;
}

void set_figures(const ColumnSums& sums, int e, double ulp, Verification& v) {
  const bool all = v.m == v.n && sums.reconstruction_squares.size() == sums.matrix_squares.size();
  if (all) v.reconstruction = 0;
  if (v.n == 0) return;
  const auto unscaled = [e](double x) { return std::ldexp(x, e); };
  const double order = static_cast<double>(v.n), smallest = std::ldexp(DBL_MIN, -e);
  const double one = maximum(sums.matrix_abs), frobenius = root_of_sum(sums.matrix_squares);
  const double one_divisor = max_or_nan(smallest, one), frobenius_divisor = max_or_nan(smallest, frobenius);
  const double worst_squared = maximum(sums.residual_squares);
  const auto worst = std::find_if(sums.residual_squares.begin(), sums.residual_squares.end(),
                                  [=](double x) { return x == worst_squared || x != x; });
  v.norm_one = unscaled(one);
  v.norm_frobenius = unscaled(frobenius);
  v.residual_frobenius = unscaled(root_of_sum(sums.residual_squares));
  if (all) v.reconstruction = root_of_sum(sums.reconstruction_squares) / frobenius_divisor / order;
  v.orthogonality = root_of_sum(sums.gram_squares) / order;
  v.lapack_residual = maximum(sums.residual_abs) / one_divisor / (order * ulp);
  v.lapack_orthogonality = maximum(sums.gram_abs) / (order * ulp);
  v.worst_residual = std::sqrt(worst_squared) / frobenius_divisor;
  v.worst_index = v.m > 0 ? worst - sums.residual_squares.begin() : 0;
}

// An error (test ratio times n ulp) of 1 % in the residual or of 10 % in the orthogonality never passes. Random vectors have a larger
// residual than that, and correct pairs in float with a condition near 1 / ulp have smaller errors.
void set_figures(const GeneralisedSums& sums, double ulp, GeneralisedVerification& v) {
  const double unit = static_cast<double>(v.n) * ulp, largest_z = maximum(sums.vectors);
  v.residual_limit = std::min(10.0, 0.01 / unit);
  v.orthogonality_limit = std::min(10 * v.condition, 0.1 / unit);
  const double whole =
      std::min(10 * std::sqrt(v.condition), 0.01 / unit) / v.residual_limit * sums.constant * largest_z;
  v.residual = 0;
  for (std::size_t k = 0; k < sums.residual.size(); ++k) {
    const double pencil = (sums.constant + std::fabs(sums.values[k]) * sums.of_value) * sums.vectors[k];
    const double scale = std::max(max_or_nan(pencil, whole), DBL_MIN);
    if (sums.residual[k] != 0) v.residual = max_or_nan(v.residual, sums.residual[k] / scale / unit);
  }
  v.orthogonality = maximum(sums.gram) / unit;
}

bool passed(const Verification& v) {
  return v.finite && v.ascending && v.lapack_residual <= lapack_ratio_limit &&
         v.lapack_orthogonality <= lapack_ratio_limit;
}

bool passed(const GeneralisedVerification& v) {
  return v.bad_minor == 0 && std::isfinite(v.condition) && v.finite && v.ascending &&
         v.residual <= v.residual_limit && v.orthogonality <= v.orthogonality_limit;
}

}  // namespace eigen_g
