// Eigenvalues of a symmetric tridiagonal matrix by bisection on Sturm counts, in long double. Slow, but the error is in the last bits
// of a double relative to the norm, for any clustering.
//
//   #{ lambda < x } = number of negative q_i,   q_1 = d_1 - x,   q_i = d_i - x - e_{i-1}^2 / q_{i-1}.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace eigen_g::generate {

//   d  n diagonal entries     e  n - 1 off-diagonal entries
std::int64_t sturm_count(std::span<const double> d, std::span<const double> e, long double x);

// All n eigenvalues, ascending. Cost: about 64 n^2 divisions.
std::vector<double> sturm_eigenvalues(std::span<const double> d, std::span<const double> e);

}  // namespace eigen_g::generate
