// The smoothing discrete spline (d-spline) of the auto-tuner: values f_0 ... f_J on a uniform grid t_j = t_0
// + j h that
//
//   minimise  sum_i (f(t_i) - y_i)^2  +  alpha^2 sum_j ((f_{j-1} - 2 f_j + f_{j+1}) / h^2)^2 h,
//
// f being the polygon through the (t_j, f_j). The second sum is a rectangle rule for the integral of f''^2,
// so that alpha means the same on every grid: a wave of length l in t is halved where alpha^2 = rho (l / 2
// pi)^4, rho the samples a unit of t. Straight lines cost nothing and are reproduced whatever alpha is; alpha
// -> 0 interpolates (with at most two samples a cell), alpha -> infinity is the least-squares line. Source:
// the d-spline of CUDA-xSYMV's second sieve (IPSJ HPC-146 No.14, section 3.2).
#pragma once

#include <vector>

namespace eigen_g::blas2 {

struct Sample {
  double t = 0;
  double y = 0;
};

class DSpline {
 public:
  // samples  in any order, at least two different t, all finite; repeated t are averaged by the fit
  // cells    J >= 1: the grid goes from the least to the greatest t
  // alpha    > 0
  // Throws InvalidArgument. Cost: O(J + samples) rotations of rows of three entries.
  DSpline(const std::vector<Sample>& samples, int cells, double alpha);

  double operator()(double t) const;  // beyond the grid the outermost cell's line goes on
  double t_first() const { return t0_; }
  double t_last() const { return t0_ + h_ * static_cast<double>(f_.size() - 1); }
  const std::vector<double>& values() const { return f_; }  // f_0 ... f_J

 private:
  double t0_ = 0;
  double h_ = 1;
  std::vector<double> f_;
};

// The alpha of `choices` whose splines best foretell a sample that they were not given: least sum of squared
// leave-one-out errors over the inner samples of all curves. Curves of fewer than four samples do not vote;
// where none votes, the first choice is returned. `choices` must not be empty.
double choose_alpha(const std::vector<std::vector<Sample>>& curves, int cells,
                    const std::vector<double>& choices);

}  // namespace eigen_g::blas2
