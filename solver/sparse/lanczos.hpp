// lanczos(): the lowest eigenpairs of s A by block Lanczos with thick restarts, applied to a Chebyshev filter p of A. s = 1 for the lowest
// pairs of A, -1 for the highest ones. V is the basis, H = V^T p(A) V.
//
//   cycle     X := next block of V;  W := p(A) X;  columns of H := V^T W;  V := [V, orthonormalised W - V V^T W]; repeated
//   restart   H = Q Theta Q^T;  V := [V Q_kept, the blocks that have not been multiplied yet]
//   measure   rho = z^T s A z and |s A z - rho z| of each kept vector z; only these decide on convergence
//   filter    p is chosen from the values found so far; the first cycle has p(A) = A, shifted and scaled
//   probe     once all wanted pairs have converged: a cycle with the kept vectors and a random block. It finds missed pairs, for example
//             further pairs of a multiple eigenvalue. A larger sum of the filter degrees of the cycle makes a find more probable
//
// Sources: Wu, Simon (SIAM J. Matrix Anal. 22, 2000), thick restart; Zhou, Saad (SIAM J. Matrix Anal. 29, 2007), bounds and filter;
// Fang, Saad (SIAM J. Sci. Comput. 34, 2012), filtered Lanczos. Every sum has a fixed order, so results repeat bit for bit.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "solver/sparse/basis.hpp"
#include "solver/sparse/chebyshev_filter.hpp"
#include "solver/sparse/spectrum_bounds.hpp"

namespace eigen_g {

// Numbers of blocks, chosen from the number of wanted pairs.
struct LanczosSizes {
  std::int64_t chain = 1;  // blocks at the beginning of the basis: block Lanczos with 4 * chain columns
  std::int64_t kept = 1;   // blocks kept at a restart
  std::int64_t basis = 1;  // largest number of blocks in the basis
};
LanczosSizes lanczos_sizes(std::int64_t wanted);
// Number of values that a solve takes of its executor.
std::int64_t lanczos_values(std::int64_t n, std::int64_t wanted);
// Smallest order for Lanczos. Below it the basis would be too large a part of the space.
std::int64_t lanczos_least_order(std::int64_t wanted);

struct LanczosOptions {
  std::int64_t wanted = 1;
  bool highest = false;
  double tolerance = 1e-9;  // largest residual, relative to the norm of A
  std::int64_t max_products = 0;
  double scale = 1;                               // about the norm of A; 0: not known
  std::function<void(double fraction)> progress;  // may be empty; its exceptions pass through
};

struct ProbeResult {
  bool done = false, passed = false;
  std::int64_t runs = 0, found = 0;  // cycles of the probe; missed pairs that they found
};

template <class T>
struct LanczosResult {
  bool converged = false;
  T* vectors = nullptr;               // blocks in the executor's memory; column columns[i] of them is pair i
  std::vector<std::int64_t> columns;  // values of A ascend
  std::vector<double> values, residuals;
  SpectrumBounds bounds;   // bounds for s A
  ChebyshevFilter filter;  // the last filter
  double scale = 1;  // power of two (scaling_of); values, residuals, bounds and filter are for scale * A
  std::int64_t products = 0;  // products of A with one vector
  std::int64_t restarts = 0;
  double predicted_products = 0;  // total number by the last prediction
  ProbeResult probe;
  T orthogonality = 0;  // max |Z^T Z - I|
};

// `start`: blocks in the executor's memory to begin with, in addition to a random one. null: only random blocks. Throws InvalidArgument
// (a) if a product is not finite or A is not symmetric, and OutOfMemory.
template <class T>
LanczosResult<T> lanczos(Executor<T>& on, const LanczosOptions& options, const T* start = nullptr,
                         std::int64_t start_blocks = 0);

}  // namespace eigen_g
