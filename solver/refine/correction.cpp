#include "solver/refine/correction.hpp"

#include <algorithm>
#include <cmath>

#include "solver/refine/correction_pair.hpp"

namespace eigen_g {

void rayleigh_quotients(MatrixView<const double> s, MatrixView<const double> g, double* lambda) {
  for (std::int64_t i = 0; i < s.rows; ++i) lambda[i] = s(i, i) / g(i, i);
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
    e(j, j) = solved && cluster[j] >= 0 ? 0 : static_cast<float>(1 / std::sqrt(g(j, j)) - 1);
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
