// DSpline: the smoothing discrete spline of the auto-tuner. The values f_0 ... f_J on the uniform grid t_j = t_0 + j h minimise
//
//   sum_i (f(t_i) - y_i)^2  +  alpha^2 sum_j ((f_{j-1} - 2 f_j + f_{j+1}) / h^2)^2 h,
//
// where (t_i, y_i) are the samples and f is the polygon through the points (t_j, f_j). The second sum is a rectangle rule for
// the integral of f''^2, so alpha means the same on every grid. With rho samples for each unit of t, a wave of length l in t is
// halved if alpha^2 = rho (l / 2 pi)^4. A straight line has no penalty and is reproduced for every alpha. For alpha -> 0 the
// spline interpolates (with at most two samples in a cell); for alpha -> infinity it is the least-squares line.
// Source: the d-spline of CUDA-xSYMV's second sieve (IPSJ HPC-146 No.14, section 3.2).
#pragma once

#include <vector>

namespace eigen_g::blas2 {

struct Sample {
  double t = 0;
  double y = 0;
};

class DSpline {
 public:
  // samples  at least two different t, all finite, in any order; repeated t are averaged by the fit
  // cells    J >= 1; the grid extends from the smallest t to the largest
  // alpha    > 0
  // Throws InvalidArgument. Cost: O(J + number of samples) rotations of rows of three entries.
  DSpline(const std::vector<Sample>& samples, int cells, double alpha);

  double operator()(double t) const;  // outside the grid: the line of the outermost cell
  double t_first() const { return t0_; }
  double t_last() const { return t0_ + h_ * static_cast<double>(f_.size() - 1); }
  const std::vector<double>& values() const { return f_; }  // f_0 ... f_J

 private:
  double t0_ = 0;
  double h_ = 1;
  std::vector<double> f_;
};

// The alpha of `choices` with the best leave-one-out prediction. Each inner sample of each curve is predicted by the spline of
// the curve's other samples, and the sum of squared errors is the least. Curves with fewer than four samples do not count. If
// no curve counts, the result is the first choice.
// Throws InvalidArgument if `choices` is empty.
double choose_alpha(const std::vector<std::vector<Sample>>& curves, int cells,
                    const std::vector<double>& choices);

}  // namespace eigen_g::blas2
