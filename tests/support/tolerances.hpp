// Every limit that a numerical test compares with: ratios, free of the matrix' scale and nearly free of its order.
//
//               max |w_k - exact_k|                 |sum w - trace A|                |sum w^2 - ||A||_F^2|
//   eigenvalue  -------------------      trace      -----------------      squares   ---------------------
//                n ulp max|exact|                    n ulp ||A||_F                      n ulp ||A||_F^2
//
// with ulp = 2^-52. The ratios of eigenpairs are verify()'s, with its own limit. A backward stable solver keeps all
// of these near or below 1; the factor above that is for n of a few units, where "n" bounds nothing.
#pragma once

#include <array>
#include <cfloat>
#include <cstdint>
#include <string_view>

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

// Acts of the divide and conquer against long double: relative error of a result in units of roundoff.
inline constexpr double secular_root = 16;     // of f(root), in units of the sums of its terms' sizes
inline constexpr double corrected_weight = 4;  // of its square, however many factors
inline constexpr double host_values = 39;  // |w - bisection's| / (ulp max|T|) of the whole: 3 x 13 measured
inline constexpr double rank_one_vectors = 10;             // residual and orthogonality of U, over k ulp
inline constexpr double tridiagonal_orthogonality = 0.32;  // |Z^T Z - I|_F / (n ulp) of a random T, n >= 500
inline constexpr double leaf_defect = 8;                   // max |Z^T Z - I| of a leaf

// verify() of closed-form eigenpairs rounded to double: nothing but verify()'s own roundoff.
inline constexpr double rounded_pairs = 1;

// SYMV's rows over u sqrt(n + 2) of what they add up: the factor of BLAS++'s check_gemm.
inline constexpr double symv = 3;

// A sparse product's elements over u sqrt(m + 2) of what their m terms add up to.
inline constexpr double spmv = 3;

// Elements of a rank-2k update over u sqrt(2 k + 2) of what they add up.
inline constexpr double rank_2k = 3;

// Figures of one and the same perturbed pairs, by two ways of summing; relative.
inline constexpr double same_figure = 1e-9;

// Worst residual and orthogonality ratios measured, by family: of a matrix verify()'s, of a T with the same formulas
//
//   ||T Z - Z W||_1 / (n ulp ||T||_1)     ||Z^T Z - I||_1 / (n ulp)
//
// A loss of a factor 3 fails, but no limit is below one ulp of the norm, 1/n, unless a family is solved without any
// rounding. Families are kinds of generate, types of LAPACK's matrices, files, and kinds of T.
struct Ratios {
  double residual, orthogonality;
};
inline constexpr double loss = 3;

struct FamilyWorst {
  std::string_view family;
  std::array<Ratios, 4> worst;  // by size class; none: as of the class before
};
inline constexpr std::array<std::int64_t, 4> size_classes = {1, 8, 64, 256};  // least n
inline constexpr Ratios none = {-1, -1};

// OpenBLAS 0.3.21 on one thread of an AMD EPYC with its kernels for Haswell, SkylakeX, Zen and Sandybridge, five seeds.
inline constexpr FamilyWorst cpu_worst[] = {
    {"random", {{{1.7, 2.7}, {0.51, 1.8}, {0.19, 1.1}, {0.078, 0.63}}}},
    {"1-2-1", {{{0.36, 1.2}, {0.44, 1.4}, {0.22, 0.73}, none}}},
    {"arithmetic", {{{1.1, 1.9}, {0.45, 1.6}, {0.66, 1.1}, none}}},
    {"clement", {{{0.83, 1.2}, {0.94, 1.3}, {0.38, 0.66}, none}}},
    {"clustered", {{{1.4, 1.7}, {0.46, 1.3}, {0.66, 0.8}, none}}},
    {"diagonal", {{{0, 0}, {0, 0}, {0, 0}, none}}},
    {"geometric", {{{0.75, 1.9}, {0.29, 1.3}, {0.66, 0.9}, none}}},
    {"glued-wilkinson", {{{0, 0}, {0.23, 1.1}, {0.19, 0.32}, none}}},
    {"graded", {{none, none, {0.12, 0.75}, none}}},
    {"hueckel-c60", {{none, {0.82, 0.83}, none, none}}},
    {"hueckel-ring", {{{1.7, 1.8}, none, {0.62, 0.66}, none}}},
    {"identity", {{{0, 0}, {0, 0}, {0, 0}, none}}},
    {"kms", {{{0.84, 1.4}, {0.58, 1.3}, {0.38, 0.9}, none}}},
    {"minij", {{{1.4, 2.5}, {0.23, 1.2}, {0.47, 0.87}, none}}},
    {"ones", {{{0, 0.56}, {0.85, 1}, {0.37, 0.55}, {1.4, 0.29}}}},
    {"poisson2d", {{{0.75, 1.5}, {0.52, 1.4}, {0.35, 0.57}, none}}},
    {"stencil19", {{{0, 0}, {1.2, 0.92}, {0.43, 0.81}, none}}},
    {"subnormal", {{none, none, {0.077, 0.91}, none}}},
    {"uniform", {{{1.4, 2.1}, {0.47, 1.7}, {0.19, 1.3}, none}}},
    {"values", {{{1.2, 1.9}, {0.44, 1.7}, {0.19, 1.1}, none}}},
    {"wilkinson", {{{0.75, 1.5}, {0.31, 0.89}, {0.071, 0.36}, none}}},
    {"zero", {{{0, 0}, {0, 0}, {0, 0}, none}}},
    {"lapack 8", {{{1.3, 2}, {0.54, 1.9}, {0.093, 0.75}, none}}},
    {"lapack 9", {{{1.1, 2}, {0.48, 1.1}, {0.18, 0.64}, none}}},
    {"lapack 10", {{{1.2, 2.4}, {0.45, 1.7}, {0.083, 0.55}, none}}},
    {"lapack 11", {{{1.1, 1.9}, {0.51, 2}, {0.096, 0.74}, none}}},
    {"lapack 12", {{{1.9, 2.2}, {0.6, 2.2}, {0.094, 0.86}, none}}},
    {"lapack 13", {{{0.89, 1.9}, {0.57, 2}, {0.12, 0.75}, none}}},
    {"lapack 14", {{{1.6, 2.8}, {0.6, 2}, {0.11, 0.78}, none}}},
    {"lapack 15", {{{1.1, 1.8}, {0.54, 1.8}, {0.087, 0.79}, none}}},
    {"lapack 16", {{{0.88, 2}, {0.8, 1.6}, {0.4, 0.76}, none}}},
    {"lapack 17", {{{1.3, 1.8}, {0.69, 1.4}, {0.44, 0.77}, none}}},
    {"lapack 18", {{{1.2, 2.5}, {0.81, 1.6}, {0.44, 0.75}, none}}},
    {"494_bus.mtx", {{none, none, none, {0.043, 0.45}}}},
    {"A_real.csc", {{none, none, {0.42, 0.76}, none}}},
    {"Fann04.dat", {{none, none, none, {0.22, 0.19}}}},
    {"H_real.csc", {{none, none, none, {0.17, 0.4}}}},
    {"S_real.csc", {{none, none, none, {0.12, 0.36}}}},
    {"T_494_bus.dat", {{none, none, none, {0.05, 0.32}}}},
    {"T_W21_g_1e-14.dat", {{none, none, none, {0.0079, 0.012}}}},
    {"T_plat1919.dat", {{none, none, none, {0.13, 0.17}}}},
    {"bcsstk02.mtx", {{none, none, {0.24, 0.92}, none}}},
    {"bcsstk16.mtx", {{none, none, none, {0.045, 0.2}}}},
    {"gr_30_30.mtx", {{none, none, none, {0.16, 0.31}}}},
    {"journals.mtx", {{none, none, {0.064, 0.72}, none}}},
    {"mesh1e1.mtx", {{none, {0.42, 1.2}, none, none}}},
    {"nos5.mtx", {{none, none, none, {0.13, 0.47}}}},
    {"T by stedc", {{{1.5, 1.7}, {0.74, 1.1}, {0.45, 0.71}, none}}},
    {"T by stedc: subnormal", {{none, {4, 0.76}, {1.3, 0.3}, none}}},
    {"T: 1-2-1", {{{0.17, 0.6}, {0.4, 0.43}, {0.16, 0.34}, {0.13, 0.28}}}},
    {"T: Fann04.dat", {{none, none, none, {0.14, 0.11}}}},
    {"T: T_494_bus.dat", {{none, none, none, {0.02, 0.22}}}},
    {"T: a zero early", {{{0.23, 0.3}, {0.28, 0.27}, {0.15, 0.15}, {0.12, 0.06}}}},
    {"T: clement", {{{1, 0.31}, {0.71, 0.37}, {0.22, 0.36}, {0.19, 0.31}}}},
    {"T: clustered", {{{0.0015, 0}, {0.27, 0.22}, {0.027, 0.038}, {0.018, 0.016}}}},
    {"T: constant", {{{0.2, 0.6}, {0.52, 0.47}, {0.15, 0.34}, {0.12, 0.29}}}},
    {"T: diagonal", {{{0, 0}, {0, 0}, {0, 0}, {0, 0}}}},
    {"T: geometric", {{{0.15, 0.26}, {0.29, 0.21}, {0.12, 0.095}, {0.03, 0.054}}}},
    {"T: glued 1", {{{0.1, 0.059}, {0.19, 0.5}, {0.078, 0.22}, {0.077, 0.2}}}},
    {"T: glued 1e-14", {{{0.1, 0.059}, {0.19, 0.5}, {0.12, 0.083}, {0.046, 0.033}}}},
    {"T: glued 1e-3", {{{0.1, 0.059}, {0.19, 0.5}, {0.13, 0.27}, {0.2, 0.2}}}},
    {"T: glued 1e-8", {{{0.1, 0.059}, {0.3, 0.5}, {0.21, 0.19}, {0.15, 0.17}}}},
    {"T: glued 1e14", {{{0.1, 0.059}, {0.22, 0.5}, {0.083, 0.055}, {0.097, 0.02}}}},
    {"T: glued 1e4", {{{0.1, 0.059}, {0.19, 0.5}, {0.093, 0.21}, {0.17, 0.16}}}},
    {"T: godunov", {{{1, 0.31}, {0.9, 0.48}, {0.4, 0.31}, {0.35, 0.26}}}},
    {"T: graded down", {{{0.38, 0.024}, {0.028, 0.032}, {0.0028, 0.011}, {0.015, 0.0097}}}},
    {"T: graded up", {{{1e-4, 0}, {0.013, 0.028}, {0.0045, 0.015}, {0.016, 0.012}}}},
    {"T: hermite", {{{1, 0.31}, {0.54, 0.56}, {0.17, 0.29}, {0.13, 0.26}}}},
    {"T: identity", {{{0, 0}, {0, 0}, {0, 0}, {0, 0}}}},
    {"T: laguerre", {{{0.09, 0.059}, {0.26, 0.44}, {0.073, 0.33}, {0.055, 0.25}}}},
    {"T: leaf", {{{1.5, 0.66}, {1.1, 0.33}, none, none}}},
    {"T: legendre", {{{1, 0.31}, {0.71, 0.45}, {0.29, 0.33}, {0.25, 0.3}}}},
    {"T: mostly zeros", {{{0, 0}, {0.095, 0.068}, {0.013, 0.015}, {0.0043, 0.0051}}}},
    {"T: near overflow", {{{0.3, 0.06}, {0.58, 0.57}, {0.068, 0.13}, {0.069, 0.06}}}},
    {"T: negligible couplings", {{{0.18, 0}, {0.071, 0}, {0.0084, 0}, {0.003, 0}}}},
    {"T: ones", {{{0.5, 0.31}, {0.52, 0.39}, {0.2, 0.31}, {0.16, 0.28}}}},
    {"T: random", {{{0.83, 0.5}, {0.86, 0.46}, {0.26, 0.24}, {0.15, 0.099}}}},
    {"T: reduced random", {{{0.51, 0.52}, {0.61, 0.59}, {0.18, 0.35}, {0.14, 0.27}}}},
    {"T: some zeros", {{{0, 0}, {0.38, 0.21}, {0.041, 0.026}, {0.021, 0.0084}}}},
    {"T: subnormal", {{none, {3.3, 0.27}, {1.3, 0.16}, {0.56, 0.066}}}},
    {"T: tiny couplings", {{{0.27, 0.6}, {0.93, 0.63}, {0.31, 0.097}, {0.18, 0.051}}}},
    {"T: two values", {{{1e-4, 0}, {0.43, 0.093}, {0.072, 0.008}, {0.026, 0.0028}}}},
    {"T: wilkinson", {{{0.67, 0.31}, {0.38, 0.73}, {0.047, 0.13}, {0.025, 0.034}}}},
    {"T: zero", {{{0, 0}, {0, 0}, {0, 0}, {0, 0}}}}};

// One H200, driver 580.159.04, CUDA 13.0. What has not been measured there by family keeps gpu_limit_kept.
inline constexpr Ratios gpu_limit_kept = {lapack_ratio, lapack_ratio};
inline constexpr FamilyWorst gpu_worst[] = {
    {"random", {{{0.75, 0.97}, {0.29, 1.4}, {0.17, 0.9}, {0.043, 0.43}}}},
    {"1-2-1", {{{0.55, 0.41}, {0.23, 0.48}, {0.15, 0.34}, none}}},
    {"494_bus.mtx", {{none, none, none, {0.057, 0.33}}}},
    {"A_real.csc", {{none, none, {0.3, 0.6}, none}}},
    {"Fann04.dat", {{none, none, none, {0.14, 0.11}}}},
    {"H_real.csc", {{none, none, none, {0.28, 0.31}}}},
    {"S_real.csc", {{none, none, none, {0.15, 0.32}}}},
    {"arithmetic", {{{0.77, 0.65}, {0.26, 1.1}, {0.52, 0.75}, none}}},
    {"bcsstk02.mtx", {{none, none, {0.17, 0.66}, none}}},
    {"bcsstk16.mtx", {{none, none, none, {0.034, 0.26}}}},
    {"clement", {{{0.5, 0.41}, {0.38, 0.42}, {0.21, 0.36}, none}}},
    {"clustered", {{{0.57, 0.93}, {0.26, 0.83}, {0.52, 0.61}, none}}},
    {"diagonal", {{{0, 0}, {0, 0}, {0, 0}, none}}},
    {"geometric", {{{0.38, 0.71}, {0.26, 0.9}, {0.52, 0.58}, none}}},
    {"glued-wilkinson", {{{0, 0}, {0.17, 0.36}, {0.15, 0.2}, none}}},
    {"gr_30_30.mtx", {{none, none, none, {0.26, 0.28}}}},
    {"graded", {{none, none, {0.00014, 0.043}, none}}},
    {"hueckel-c60", {{none, {0.72, 0.6}, none, none}}},
    {"hueckel-ring", {{{1.5, 1.6}, none, {0.46, 0.47}, none}}},
    {"identity", {{{0, 0}, {0, 0}, {0, 0}, none}}},
    {"journals.mtx", {{none, none, {0.043, 0.47}, none}}},
    {"kms", {{{0.32, 0.86}, {0.3, 0.86}, {0.29, 0.65}, none}}},
    {"lapack 10", {{{0.46, 1.1}, {0.41, 0.75}, {0.06, 0.42}, none}}},
    {"lapack 11", {{{0.67, 1.4}, {0.19, 0.88}, {0.068, 0.54}, none}}},
    {"lapack 12", {{{0.91, 0.73}, {0.27, 1.2}, {0.057, 0.5}, none}}},
    {"lapack 13", {{{0.63, 0.82}, {0.36, 0.99}, {0.059, 0.53}, none}}},
    {"lapack 14", {{{0.71, 1.4}, {0.36, 0.85}, {0.055, 0.51}, none}}},
    {"lapack 15", {{{0.42, 0.66}, {0.26, 0.97}, {0.065, 0.57}, none}}},
    {"lapack 16", {{{0.23, 0.36}, {0.24, 0.42}, {0.28, 0.48}, none}}},
    {"lapack 17", {{{0.14, 0.37}, {0.31, 0.41}, {0.29, 0.49}, none}}},
    {"lapack 18", {{{0.4, 0.47}, {0.24, 0.44}, {0.26, 0.45}, none}}},
    {"lapack 8", {{{0.41, 0.71}, {0.17, 0.9}, {0.068, 0.5}, none}}},
    {"lapack 9", {{{1.6, 1.2}, {0.22, 1.1}, {0.099, 0.48}, none}}},
    {"mesh1e1.mtx", {{none, {0.34, 0.69}, none, none}}},
    {"minij", {{{0.24, 0.65}, {0.28, 0.89}, {0.2, 0.66}, none}}},
    {"nos5.mtx", {{none, none, none, {0.12, 0.34}}}},
    {"ones", {{{0.36, 0.41}, {0.41, 0.48}, {0.31, 0.48}, {0.74, 1}}}},
    {"poisson2d", {{{0.34, 0.67}, {0.62, 0.98}, {0.32, 0.5}, none}}},
    {"random, df", {{none, none, none, {0.071, 2.8}}}},
    {"random, emulated", {{none, none, none, {0.017, 0.4}}}},
    {"subnormal", {{none, none, {0.056, 0.56}, none}}},
    {"uniform", {{{0.77, 0.47}, {0.29, 0.98}, {0.098, 0.67}, none}}},
    {"values", {{{0.62, 0.49}, {0.27, 0.94}, {0.13, 0.86}, none}}},
    {"wilkinson", {{{0.59, 0.43}, {0.13, 0.28}, {0.15, 0.15}, none}}},
    {"zero", {{{0, 0}, {0, 0}, {0, 0}, none}}},
    {"T by stedc", {{{0.88, 0.6}, {0.56, 0.39}, {0.34, 0.33}, {0.13, 0.23}}}},
    {"T by stedc: subnormal", {{none, {2.8, 0.23}, {1.2, 0.094}, none}}},
    {"T: 1-2-1", {{none, {0.18, 0.34}, {0.13, 0.33}, {0.11, 0.26}}}},
    {"T: Fann04.dat", {{none, none, none, {0.14, 0.11}}}},
    {"T: T_494_bus.dat", {{none, none, none, {0.02, 0.19}}}},
    {"T: T_W21_g_1e-14.dat", {{none, none, none, {0.0053, 0.0054}}}},
    {"T: T_plat1919.dat", {{none, none, none, {0.15, 0.13}}}},
    {"T: a zero early", {{none, {0.13, 0.27}, {0.14, 0.092}, {0.062, 0.035}}}},
    {"T: clement", {{none, {0.27, 0.34}, {0.22, 0.32}, {0.16, 0.27}}}},
    {"T: clustered", {{none, {0.078, 0.096}, {0.034, 0.043}, {0.011, 0.012}}}},
    {"T: constant", {{none, {0.19, 0.35}, {0.13, 0.29}, {0.072, 0.26}}}},
    {"T: diagonal", {{none, {0, 0}, {0, 0}, {0, 0}}}},
    {"T: geometric", {{none, {0.25, 0.13}, {0.12, 0.084}, {0.026, 0.046}}}},
    {"T: glued 1", {{none, {0.12, 0.28}, {0.076, 0.24}, {0.076, 0.19}}}},
    {"T: glued 1e-14", {{none, {0.18, 0.2}, {0.11, 0.091}, {0.03, 0.024}}}},
    {"T: glued 1e-3", {{none, {0.13, 0.2}, {0.13, 0.22}, {0.14, 0.18}}}},
    {"T: glued 1e-8", {{none, {0.28, 0.23}, {0.21, 0.18}, {0.13, 0.14}}}},
    {"T: glued 1e14", {{none, {0.22, 0.13}, {0.093, 0.049}, {0.073, 0.015}}}},
    {"T: glued 1e4", {{none, {0.084, 0.26}, {0.093, 0.18}, {0.17, 0.15}}}},
    {"T: godunov", {{none, {0.39, 0.33}, {0.34, 0.3}, {0.35, 0.25}}}},
    {"T: graded down", {{none, {0.025, 0.029}, {0.0068, 0.012}, {0.0077, 0.011}}}},
    {"T: graded up", {{none, {0.013, 0.026}, {0.0045, 0.011}, {0.015, 0.013}}}},
    {"T: hermite", {{none, {0.23, 0.38}, {0.14, 0.29}, {0.12, 0.25}}}},
    {"T: identity", {{none, {0, 0}, {0, 0}, {0, 0}}}},
    {"T: laguerre", {{none, {0.093, 0.39}, {0.066, 0.29}, {0.045, 0.23}}}},
    {"T: legendre", {{none, {0.31, 0.36}, {0.3, 0.31}, {0.24, 0.27}}}},
    {"T: mostly zeros", {{none, {0.018, 0.026}, {0.009, 0.0098}, {0.003, 0.0033}}}},
    {"T: near overflow", {{none, {0.13, 0.17}, {0.064, 0.089}, {0.044, 0.037}}}},
    {"T: negligible couplings", {{none, {0.019, 0}, {0.0084, 0}, {0.0022, 0}}}},
    {"T: ones", {{none, {0.23, 0.36}, {0.2, 0.31}, {0.15, 0.26}}}},
    {"T: random", {{{0.72, 0.48}, {0.6, 0.44}, {0.24, 0.23}, none}}},
    {"T: reduced random", {{none, {0.18, 0.33}, {0.14, 0.29}, {0.13, 0.25}}}},
    {"T: some zeros", {{none, {0.088, 0.044}, {0.052, 0.017}, {0.016, 0.006}}}},
    {"T: subnormal", {{none, {2.8, 0.23}, {1.2, 0.094}, {0.33, 0.031}}}},
    {"T: tiny couplings", {{none, {0.56, 0.25}, {0.24, 0.11}, {0.11, 0.029}}}},
    {"T: two values", {{none, {0.12, 0.036}, {0.043, 0.014}, {0.012, 0.0036}}}},
    {"T: wilkinson", {{none, {0.11, 0.17}, {0.044, 0.12}, {0.019, 0.028}}}},
    {"T: zero", {{none, {0, 0}, {0, 0}, {0, 0}}}},
    {"T_494_bus.dat", {{none, none, none, {0.02, 0.19}}}},
    {"T_W21_g_1e-14.dat", {{none, none, none, {0.0053, 0.0054}}}},
    {"T_plat1919.dat", {{none, none, none, {0.15, 0.13}}}}};

}  // namespace support::limits
