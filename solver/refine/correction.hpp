// The elementwise part of a refinement step X := X + X E, where the columns of X are approximate eigenvectors of a symmetric A.
//
//   G = X^T X,  S = X^T A X = G W + V,  V = X^T R,  R = A X - X W,  W a diagonal matrix of values near A's eigenvalues
//   lambda_i = s_ii / g_ii;  X, S and G are then scaled so that X's columns have length 1;  r_ij = delta_ij - g_ij
//   t_ij = s_ij + (lambda_i + lambda_j) / 2 r_ij             the part of S that is not due to the lack of orthogonality
//   e_ij = r_ij / 2 + t_ij / (lambda_j - lambda_i),  i /= j
//
// e_ij is equal to (s_ij + lambda_j r_ij) / (lambda_j - lambda_i) of Ogita and Aishima, split into its symmetric and its antisymmetric
// part. If the antisymmetric part is large, i and j are neighbours in a cluster, and the small problem of the cluster is solved instead
// (clusters.hpp). If t_ij is below the rounding errors of the products, it counts as 0, unless its e_ij is too small to do harm. R is
// small, so float is enough for R and V: their errors are relative to small numbers, and S is as accurate as A X.
//
//   s, g     n x n, the lower triangles, in
//   lambda   n, in
//   cluster  n, in: cluster of each column; -1: none
//   e        n x n, lda, out, all of it
// All arrays are in host memory, or with a queue in device memory; the work is then ordered on it. Throw DeviceError. Sums have a fixed
// order. Source: T. Ogita, K. Aishima, Iterative refinement for symmetric eigenvalue decomposition, JJIAM 35 (2018), and II: clustered
// eigenvalues, JJIAM 36 (2019).
#pragma once

#include <cstdint>

#include "hybrid/matrix_view.hpp"

namespace eigen_g {

class Queue;

// Thresholds that keep rounding errors out of E. With e = t_ij / (lambda_j - lambda_i):
//
//   |t_ij| <= noise      t_ij may be rounding: i and j are not made neighbours by it, and e counts only if |e| <= fine
//   |t_ij| <= rounding   t_ij is rounding: e counts only if |e| <= least
//   |e| <= fine          one step brings e below double's rounding
//   |e| > coarse         steps do not converge
struct CorrectionLimits {
  double noise = 0, rounding = 0, least = 0;
  double fine = 0;    // also the limit of `fine` in find_reach()
  double coarse = 0;  // also the limit of `coarse` in find_reach()
};

// R := Y - X W, Y = A X; n x n. Cost: two reads of doubles and one write of floats.
void residual(MatrixView<const double> y, MatrixView<const double> x, const double* w, MatrixView<float> r);
void residual(const Queue& queue, MatrixView<const double> y_dev, MatrixView<const double> x_dev,
              const double* w_dev, MatrixView<float> r_dev);

// S := V + G W, the lower triangles; nothing is written above the diagonal. Cost: two reads and one write of triangles.
void rayleigh_matrix(MatrixView<const float> v, MatrixView<const double> g, const double* w,
                     MatrixView<double> s);
void rayleigh_matrix(const Queue& queue, MatrixView<const float> v_dev, MatrixView<const double> g_dev,
                     const double* w_dev, MatrixView<double> s_dev);

// lambda_i := s_ii / g_ii, scales_i := g_ii^(-1/2); s_ij := s_ij scales_i scales_j, g_ij := g_ij scales_i scales_j, in place.
// Cost: one read and one write of two triangles.
void normalise(MatrixView<double> s, MatrixView<double> g, double* lambda, double* scales);
void normalise(const Queue& queue, MatrixView<double> s_dev, MatrixView<double> g_dev, double* lambda_dev,
               double* scales_dev);

// Finds neighbours. fine[j], coarse[j] := the largest i > j for which |e_ij| or |e_ji| may exceed limits.fine or limits.coarse; j if
// there is none. Cost: one read of two triangles.
void find_reach(MatrixView<const double> s, MatrixView<const double> g, const double* lambda,
                const CorrectionLimits& limits, std::int64_t* fine, std::int64_t* coarse);
void find_reach(const Queue& queue, MatrixView<const double> s_dev, MatrixView<const double> g_dev,
                const double* lambda_dev, const CorrectionLimits& limits, std::int64_t* fine_dev,
                std::int64_t* coarse_dev);

// Computes E. Within a cluster e_ij is 0 if `solved`, because the small problem replaces it; else it is r_ij / 2.
//   squares  n, out: sum over i of e_ij^2
// Cost: one read of two triangles, one write and one read of E.
void correction(MatrixView<const double> s, MatrixView<const double> g, const double* lambda,
                const std::int64_t* cluster, bool solved, const CorrectionLimits& limits, MatrixView<float> e,
                double* squares);
void correction(const Queue& queue, MatrixView<const double> s_dev, MatrixView<const double> g_dev,
                const double* lambda_dev, const std::int64_t* cluster_dev, bool solved,
                const CorrectionLimits& limits, MatrixView<float> e_dev, double* squares_dev);

}  // namespace eigen_g
