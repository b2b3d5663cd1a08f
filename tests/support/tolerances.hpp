// Every limit that a numerical test compares with: ratios, free of the matrix' scale and nearly free of its order.
//
//               max |w_k - exact_k|                 |sum w - trace A|                |sum w^2 - ||A||_F^2|
//   eigenvalue  -------------------      trace      -----------------      squares   ---------------------
//                n ulp max|exact|                    n ulp ||A||_F                      n ulp ||A||_F^2
//
// with ulp = 2^-52. The ratios of eigenpairs are verify()'s, with its own limit. A backward stable solver keeps all
// of these near or below 1; the factor above that is for n of a few units, where "n" bounds nothing.
#pragma once

#include <cfloat>

#include "solver/verify/verify.hpp"

namespace support::limits {

inline constexpr double ulp = DBL_EPSILON;

inline constexpr double lapack_ratio = eigen_g::lapack_ratio_limit;  // residual and orthogonality, 1-norm
inline constexpr double frobenius_ratio = 10;                        // ||AZ-ZW||_F / (n ulp ||A||_F)
inline constexpr double eigenvalue = 3;
inline constexpr double trace = 3;
inline constexpr double squares = 3;
inline constexpr double values_only = 3;  // as eigenvalue: values without vectors against those with
inline constexpr double published =
    1e-12;  // |w - published| / max|w|: files whose values are printed to ~13 digits

// ||A - Q T Q^T||_F / (n ulp ||A||_F) and ||Q^T Q - I||_F / (n ulp) of the tridiagonalization: random matrices, where
// n is large enough to bound something, and every other family.
inline constexpr double reduction_random = 1;
inline constexpr double reduction = 10;

// Back-transformation against long double: ||z - Q z||_2 / (||z||_2 n ulp) of a column, and of T the largest error over
// the largest element times n ulp.
inline constexpr double back_transform = 1;

// ||T Z - Z W||_1 / (n ulp ||T||_1) and ||Z^T Z - I||_1 / (n ulp) of the tridiagonal divide and conquer: random T of 32
// rows and more, and every other T.
inline constexpr double tridiagonal_random = 1.5;
inline constexpr double tridiagonal = 10;

// Acts of the divide and conquer against long double: relative error of a result in units of roundoff.
inline constexpr double secular_root = 16;     // of f(root), in units of the sums of its terms' sizes
inline constexpr double corrected_weight = 4;  // of its square, however many factors
inline constexpr double tridiagonal_orthogonality = 0.32;  // |Z^T Z - I|_F / (n ulp) of a random T, n >= 500
inline constexpr double leaf_defect = 8;                   // max |Z^T Z - I| of a leaf

// verify() of closed-form eigenpairs rounded to double: nothing but verify()'s own roundoff.
inline constexpr double rounded_pairs = 1;

// SYMV's rows over u sqrt(n + 2) of what they add up: the factor of BLAS++'s check_gemm.
inline constexpr double symv = 3;

// Elements of a rank-2k update over u sqrt(2 k + 2) of what they add up.
inline constexpr double rank_2k = 3;

// Figures of one and the same perturbed pairs, by two ways of summing; relative.
inline constexpr double same_figure = 1e-9;

}  // namespace support::limits
