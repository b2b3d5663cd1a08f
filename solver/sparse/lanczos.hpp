// The lowest eigenpairs of s A by block Lanczos with thick restarts on a Chebyshev filter of A:
//
//   a cycle   X := next panel of V;  W := p(A) X;  H's columns := V^T W;  V := [V, orthonormal W - V V^T W]
//   restart   H = Q Theta Q^T;  V := [V Q_kept, panels that are still to be multiplied]
//   measure   rho = z^T s A z and |s A z - rho z| of the kept vectors; these alone decide
//   filter    p by the values found so far; the first cycle has p(A) = A
//   probe     once all are found: a random panel beside the kept ones for a cycle. A pair that was missed, of a multiple
//             value above all, shows in it with a probability that grows as cosh(degrees of the cycle)
//
// Wu, Simon (SIAM J. Matrix Anal. 22, 2000), thick restart; Zhou, Saad (SIAM J. Matrix Anal. 29, 2007), bounds and filter;
// Fang, Saad (SIAM J. Sci. Comput. 34, 2012), filtered Lanczos. Every sum has a fixed order: results repeat bit for bit.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "solver/sparse/basis.hpp"
#include "solver/sparse/chebyshev_filter.hpp"
#include "solver/sparse/spectrum_bounds.hpp"

namespace eigen_g {

// Panels of a run, by the number of pairs.
struct LanczosSizes {
  std::int64_t chain = 1;  // panels that begin the basis: blocks of 4 chain columns
  std::int64_t kept = 1;   // at a restart
  std::int64_t basis = 1;  // at most
};
LanczosSizes lanczos_sizes(std::int64_t wanted);
// That a run takes of its executor.
std::int64_t lanczos_values(std::int64_t n, std::int64_t wanted);
// Below this order the basis is too large a part of the space.
std::int64_t lanczos_least_order(std::int64_t wanted);

struct LanczosOptions {
  std::int64_t wanted = 1;
  bool highest = false;
  double tolerance = 1e-9;  // of a residual, relative to the norm of A
  std::int64_t max_products = 0;
  double scale = 1;                               // about the norm of A; 0: not known
  std::function<void(double fraction)> progress;  // may be empty; an exception of it passes through
};

struct ProbeResult {
  bool done = false, passed = false;
  std::int64_t runs = 0, found = 0;  // cycles of it; pairs that they found
};

template <class T>
struct LanczosResult {
  bool converged = false;
  T* vectors = nullptr;               // panels of the executor's memory; column[i] of them is pair i
  std::vector<std::int64_t> columns;  // values ascending of A
  std::vector<double> values, residuals;
  SpectrumBounds bounds;   // of s A
  ChebyshevFilter filter;  // the last one
  double factor = 1;  // values, residuals, bounds and filter are of this power of two times A (scaling_of)
  std::int64_t products = 0;  // of A with one vector
  std::int64_t restarts = 0;
  double predicted_products = 0;  // in all, as of the last prediction
  ProbeResult probe;
  T orthogonality = 0;  // max |Z^T Z - I|
};

// `start`: panels of the executor's memory to begin with, beside a random one, or null: random ones. Throws InvalidArgument (a)
// where a product is not finite, OutOfMemory.
template <class T>
LanczosResult<T> lanczos(Executor<T>& on, const LanczosOptions& options, const T* start = nullptr,
                         std::int64_t start_panels = 0);

}  // namespace eigen_g
