// Approximate eigenvectors of a symmetric matrix, float's, made those of double by steps on a GPU. CUDA builds only.
//
//   Y = A X,  G = X^T X                     products of the engine, of G the lower triangle
//   S = G W + X^T (Y - X W)                 the product in float, the lower triangle; W: the values so far
//   X := (X + X E) diag(I, Y_c)             E: correction.hpp, the product X E in float; Y_c of a cluster: clusters.hpp
//
// X's columns have length 1. E shrinks quadratically. A step is the last one when E's square is below double's rounding, no value
// changes by more than float tells to double's rounding, and there is no cluster. Pairs whose e_ij is not small are clusters where
// these are few and small, else those pairs alone that would keep steps from converging.
#pragma once

#include <cstdint>
#include <functional>

#include "gemm_df/products.hpp"
#include "hybrid/matrix_view.hpp"
#include "hybrid/memory/arena.hpp"
#include "solver/api/types.hpp"

namespace eigen_g {

inline constexpr int most_refinement_steps = 6;

// Largest rounding of the products' entries, for vectors of norm 1 and a matrix of norm 1 and order n.
double product_noise(Engine engine, std::int64_t n);

//   a_dev   n x n, both triangles, device, in; max |a_ij| about 1
//   x_dev   n x n, device, in: approximate vectors, columns ascending by value; out: the vectors, ascending
//   w_dev   n, device, in: their values, as float has them; out: the values
//   engine  what `products` were asked for
//   scratch refine_bytes(n)
//   tell    of the steps done, of about how many
// Returns what was done; x and w are undefined where its way is not `refined`. Its seconds are not set.
// Ordered on the products' queue; the host waits several times a step, and at the end. Throws OutOfMemory, DeviceError, what
// `tell` throws. Repeats bit for bit. Cost of a step: n^3 (3 + 1/16) flops of the engine and as many in float.
// Source: as correction.hpp.
Refinement refine(const Products<double>& products, Engine engine, MatrixView<const double> a_dev,
                  MatrixView<double> x_dev, double* w_dev, Arena scratch_dev,
                  const std::function<void(double fraction)>& tell);

std::uint64_t refine_bytes(std::int64_t n);       // of device memory
std::uint64_t refine_host_bytes(std::int64_t n);  // at most

}  // namespace eigen_g
