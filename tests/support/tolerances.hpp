// Limits of the numerical tests: ratios that do not depend on the matrix' scale and hardly on its order n.
//
//               max |w_k - exact_k|                 |sum w - trace A|                |sum w^2 - ||A||_F^2|
//   eigenvalue  -------------------      trace      -----------------      squares   ---------------------
//                n ulp max|exact|                    n ulp ||A||_F                      n ulp ||A||_F^2
//
// ulp is 2^-52. A backward stable solver keeps each of them near or below 1. The limits are larger because for n of a few units
// "n" bounds nothing. Limits of residual and orthogonality by family of matrices: ratios.hpp.
#pragma once

#include <cfloat>
#include <cstdint>

#include "solver/verify/verify.hpp"

namespace support::limits {

inline constexpr double ulp = DBL_EPSILON;

inline constexpr double lapack_ratio = eigen_g::lapack_ratio_limit;  // residual and orthogonality, 1-norm
inline constexpr double frobenius_ratio = 10;                        // ||AZ-ZW||_F / (n ulp ||A||_F)
inline constexpr double eigenvalue = 3;
inline constexpr double trace = 3;
inline constexpr double squares = 3;
inline constexpr double values_only = 3;    // as eigenvalue, between solves without and with vectors
inline constexpr double published = 1e-12;  // |w - published| / max|w|; printed to about 13 digits

// ||A - Q T Q^T||_F / (n ulp ||A||_F) and ||Q^T Q - I||_F / (n ulp) of the tridiagonalization. reduction_random holds for random
// matrices and for reductions in a cluster, of an order for which "n" bounds something; reduction holds for everything else.
inline constexpr double reduction_random = 1;
inline constexpr double reduction = 10;

// Back-transformation against long double: ||z - Q z||_2 / (||z||_2 n ulp) of a column. Triangular factor T: largest error /
// (largest element n ulp).
inline constexpr double back_transform = 1;

// Phases of the divide and conquer against long double: relative error of a result in units of roundoff.
inline constexpr double secular_root = 16;     // |f(root)| over the sum of its terms' sizes
inline constexpr double corrected_weight = 4;  // square of a weight, for any number of its factors
inline constexpr double host_values =
    39;  // |w - bisection's| / (ulp max|T|) of a whole solve: 3 x 13 measured
inline constexpr double rank_one_vectors = 10;             // residual and orthogonality of U, over k ulp
inline constexpr double tridiagonal_orthogonality = 0.32;  // |Z^T Z - I|_F / (n ulp) of a random T, n >= 500
inline constexpr double leaf_defect = 8;                   // max |Z^T Z - I| of a leaf

// verify()'s ratios of closed-form eigenpairs that are rounded to double: only verify()'s own roundoff.
inline constexpr double rounded_pairs = 1;

// Error of an element over u sqrt(terms + 2) times the sum of its terms' sizes, u = 2^-53; the factor is that of BLAS++'s
// check_gemm. symv: n terms; spmv: the row's entries; rank_2k: 2 k terms.
inline constexpr double symv = 3;
inline constexpr double spmv = 3;
inline constexpr double rank_2k = 3;

// |A Z - Z W| / (|A| n ulp) and |Z^H Z - I| / (n ulp) of a matrix of a batch, in 1-norms. LAPACK reaches 2.9 for orders from 5 to 16.
// On the CPU the residual of a matrix of order up to 4 has a limit of its own: most of the residual of the identity with noise is the
// roundoff of its values.
constexpr double batch(std::int64_t n) {
  return n <= 4 ? 2.5 : n <= 16 ? 3.2 : 2;
}
inline constexpr double tiny_batch_residual_on_cpu = 3;

// Relative difference of a value of the same perturbed pairs that was summed in two orders.
inline constexpr double same_figure = 1e-9;

}  // namespace support::limits
