// refine(): turns float's approximate eigenvectors of a symmetric matrix A into eigenvectors in double, on a GPU. CUDA builds only. X has
// the vectors in its columns. A step:
//
//   Y = A X,  G = X^T X                     products by the engine, the lower triangle of G only
//   S = G W + X^T (Y - X W)                 this product in float, the lower triangle only; W = diag(current values)
//   X := (X + X E) diag(I, Y_c)             E: correction.hpp, with the product X E in float; Y_c of a cluster: clusters.hpp
//
// The columns of X have length 1. E shrinks quadratically. A step is the last one if three conditions hold: E's square is below double's
// rounding, the change of every value is so small that float gives it to double's precision, and there is no cluster.
// Pairs whose e_ij is not small form clusters if these are few and small. Otherwise only the pairs that would prevent convergence do.
#pragma once

#include <cstdint>
#include <functional>

#include "gemm_df/engines/products.hpp"
#include "hybrid/matrix_view.hpp"
#include "hybrid/memory/arena.hpp"
#include "solver/api/types.hpp"

namespace eigen_g {

inline constexpr int max_refinement_steps = 6;

// Bound of the rounding errors in the entries of the products, for vectors of norm 1 and a matrix of norm 1 and order n.
double product_noise(Engine engine, std::int64_t n);

// Refines the eigenpairs of A.
//   products     the products
//   engine       Options::engine of the solve
//   a_dev        n x n, both triangles, device, in; max |a_ij| about 1
//   x_dev        n x n, device, in: approximate vectors, columns ascending by value; out: the vectors, ascending
//   w_dev        n, device, in: the values found in float; out: the values
//   scratch_dev  refine_bytes(n) bytes
// The callback is called with the fraction of the expected number of steps that is done.
// Returns a Refinement without its seconds. If its result is not `refined`, x and w are undefined.
// Ordered on the products' queue. The host waits several times a step, and at the end. Two runs give the same bits.
// Throws OutOfMemory, DeviceError, and any exception of the callback.
// Cost of a step: n^3 (3 + 1/16) flops by the engine and the same number in float.
// Source: see correction.hpp.
Refinement refine(const Products<double>& products, Engine engine, MatrixView<const double> a_dev,
                  MatrixView<double> x_dev, double* w_dev, Arena scratch_dev,
                  const std::function<void(double fraction)>& progress);

std::uint64_t refine_bytes(std::int64_t n);       // device memory
std::uint64_t refine_host_bytes(std::int64_t n);  // upper bound of host memory

}  // namespace eigen_g
