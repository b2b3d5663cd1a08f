// The elementwise part of a step X := X + X E of refinement, in which X are approximate eigenvectors of a symmetric A.
//
//   G = X^T X,  S = X^T A X = G W + V,  V = X^T R,  R = A X - X W,  W a diagonal of values near A's
//   lambda_i = s_ii / g_ii;  X, S and G with X's columns made of length 1, which is exact:  r_ij = delta_ij - g_ij
//   t_ij = s_ij + (lambda_i + lambda_j) / 2 r_ij             what is left of S but for the lack of orthogonality
//   e_ij = r_ij / 2 + t_ij / (lambda_j - lambda_i),  i /= j
//
// e_ij is Ogita and Aishima's (s_ij + lambda_j r_ij) / (lambda_j - lambda_i), parted into its symmetric and antisymmetric
// halves. Where the second of them is large, i and j are neighbours in a cluster, whose small problem is solved instead
// (clusters.hpp). Where t_ij is no more than the rounding of the products it means nothing and counts as 0, unless that makes no
// difference. R is small, so that float is enough for R and V: they are exact to its 24 bits of what is small, and S as A X is.
//
//   s, g     n x n, the lower triangles, in            lambda   n, in
//   cluster  n, in: the number of the cluster that a column belongs to, -1: none
//   e        n x n, lda, out, all of it
// Host memory, or with a queue device memory, ordered on it; throw DeviceError. Sums are in a fixed order.
// Source: T. Ogita, K. Aishima, Iterative refinement for symmetric eigenvalue decomposition, JJIAM 35 (2018), and II: clustered
// eigenvalues, JJIAM 36 (2019).
#pragma once

#include <cstdint>

#include "hybrid/matrix_view.hpp"

namespace eigen_g {

class Queue;

// A |t_ij| up to `noise` may be rounding: it joins nothing, and gives an e_ij up to `fine` alone; one up to `rounding` is nothing
// else, and gives an e_ij up to `least` alone.
struct CorrectionLimits {
  double noise = 0, rounding = 0, least = 0;
  double fine = 0;    // e_ij up to this leave double's rounding after one step,
  double coarse = 0;  // and with e_ij beyond this, steps do not converge
};

// R := Y - X W, Y = A X; n x n. Cost: two reads and a write, of floats.
void residual(MatrixView<const double> y, MatrixView<const double> x, const double* w, MatrixView<float> r);
void residual(const Queue& queue, MatrixView<const double> y_dev, MatrixView<const double> x_dev,
              const double* w_dev, MatrixView<float> r_dev);

// S := V + G W, the lower triangles; above it nothing is written. Cost: reads and a write of triangles.
void rayleigh_matrix(MatrixView<const float> v, MatrixView<const double> g, const double* w,
                     MatrixView<double> s);
void rayleigh_matrix(const Queue& queue, MatrixView<const float> v_dev, MatrixView<const double> g_dev,
                     const double* w_dev, MatrixView<double> s_dev);

// lambda_i := s_ii / g_ii, scales_i := g_ii^(-1/2); s and g, in and out: s_ij := s_ij scales_i scales_j, g likewise.
// Cost: reads and writes of two triangles.
void normalise(MatrixView<double> s, MatrixView<double> g, double* lambda, double* scales);
void normalise(const Queue& queue, MatrixView<double> s_dev, MatrixView<double> g_dev, double* lambda_dev,
               double* scales_dev);

// fine[j], coarse[j] := the largest i >= j so that e_ij or e_ji, i > j, is beyond that limit; j where there is none.
// Cost: one read of two triangles.
void find_reach(MatrixView<const double> s, MatrixView<const double> g, const double* lambda,
                const CorrectionLimits& limits, std::int64_t* fine, std::int64_t* coarse);
void find_reach(const Queue& queue, MatrixView<const double> s_dev, MatrixView<const double> g_dev,
                const double* lambda_dev, const CorrectionLimits& limits, std::int64_t* fine_dev,
                std::int64_t* coarse_dev);

// E. Within a cluster it is 0 where `solved`, the small problem taking its place, else r_ij / 2.
//   squares  n, out: sum over i of e_ij^2
// Cost: one read of two triangles, a write and a read of E.
void correction(MatrixView<const double> s, MatrixView<const double> g, const double* lambda,
                const std::int64_t* cluster, bool solved, const CorrectionLimits& limits, MatrixView<float> e,
                double* squares);
void correction(const Queue& queue, MatrixView<const double> s_dev, MatrixView<const double> g_dev,
                const double* lambda_dev, const std::int64_t* cluster_dev, bool solved,
                const CorrectionLimits& limits, MatrixView<float> e_dev, double* squares_dev);

}  // namespace eigen_g
