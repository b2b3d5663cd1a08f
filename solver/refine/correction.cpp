// The elementwise part of a refinement step on the CPU.
#include "solver/refine/correction.hpp"

#include <algorithm>
#include <cmath>

#include "solver/refine/correction_pair.hpp"

namespace eigen_g {

void residual(MatrixView<const double> y, MatrixView<const double> x, const double* w, MatrixView<float> r) {
  for (std::int64_t j = 0; j < r.cols; ++j)
    for (std::int64_t i = 0; i < r.rows; ++i) r(i, j) = static_cast<float>(std::fma(-x(i, j), w[j], y(i, j)));
}

void rayleigh_matrix(MatrixView<const float> v, MatrixView<const double> g, const double* w,
                     MatrixView<double> s) {
  for (std::int64_t j = 0; j < s.cols; ++j)
    for (std::int64_t i = j; i < s.rows; ++i) s(i, j) = std::fma(g(i, j), w[j], v(i, j));
}

void normalise(MatrixView<double> s, MatrixView<double> g, double* lambda, double* scales) {
  const std::int64_t n = s.rows;
  for (std::int64_t i = 0; i < n; ++i) {
    lambda[i] = s(i, i) / g(i, i);
    scales[i] = 1 / std::sqrt(g(i, i));
  }
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = j; i < n; ++i) {
      s(i, j) = s(i, j) * scales[i] * scales[j];
      g(i, j) = g(i, j) * scales[i] * scales[j];
    }
}

void find_reach(MatrixView<const double> s, MatrixView<const double> g, const double* lambda,
                const CorrectionLimits& limits, std::int64_t* fine, std::int64_t* coarse) {
  const std::int64_t n = s.rows;
  for (std::int64_t j = 0; j < n; ++j) {
    fine[j] = coarse[j] = j;
    for (std::int64_t i = j + 1; i < n; ++i) {
      const CorrectionPair pair(s(i, j), g(i, j), lambda[i], lambda[j]);
      if (pair.beyond(limits.fine, limits.noise)) fine[j] = i;
      if (pair.beyond(limits.coarse, limits.noise)) coarse[j] = i;
    }
  }
}

void correction(MatrixView<const double> s, MatrixView<const double> g, const double* lambda,
                const std::int64_t* cluster, bool solved, const CorrectionLimits& limits, MatrixView<float> e,
                double* squares) {
  const std::int64_t n = s.rows;
  for (std::int64_t j = 0; j < n; ++j) {
    e(j, j) = 0;
    for (std::int64_t i = j + 1; i < n; ++i) {
      const CorrectionPair pair(s(i, j), g(i, j), lambda[i], lambda[j]);
      const bool together = cluster[i] >= 0 && cluster[i] == cluster[j];
      const double half = together && solved ? 0 : pair.symmetric;
      const double turn = together ? 0 : pair.antisymmetric(limits);
      e(i, j) = static_cast<float>(half + turn);
      e(j, i) = static_cast<float>(half - turn);
    }
  }
  for (std::int64_t j = 0; j < n; ++j) {
    squares[j] = 0;
    for (std::int64_t i = 0; i < n; ++i) squares[j] += static_cast<double>(e(i, j)) * e(i, j);
  }
}

}  // namespace eigen_g
