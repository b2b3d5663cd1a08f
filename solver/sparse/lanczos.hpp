// lanczos(): the lowest eigenpairs of s A by block Lanczos with thick restarts. s = 1 for the lowest pairs of A, -1 for the highest ones. Lanczos
// works on p(A), where the polynomial p is a Chebyshev filter (chebyshev_filter.hpp). V is the orthonormal basis in blocks of four vectors, and
// H = V^T p(A) V.
//
//   cycle     repeated steps: X := next block of V;  W := p(A) X;  columns of H := V^T W;  V := [V, orthonormalised W - V V^T W]
//   restart   H = Y Theta Y^T;  V := [V Y_kept, the blocks of V that p(A) has not multiplied yet]
//   measure   rho = z^T s A z and |s A z - rho z| of each kept vector z; only these decide on convergence
//   filter    p is chosen from the values found so far; the first cycle has p(A) = A, shifted and scaled
//   probe     a cycle with the kept vectors and a random block, when all wanted pairs have converged. It finds missed pairs, for example further
//             pairs of a multiple eigenvalue. More steps and a higher degree of the filter make it more probable that it finds them
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

// Numbers of blocks of four vectors, chosen from the number of wanted pairs.
struct LanczosSizes {
  std::int64_t chain = 1;  // blocks with which the basis begins
  std::int64_t kept = 1;   // blocks kept at a restart
  std::int64_t basis = 1;  // largest number of blocks in the basis
};
LanczosSizes lanczos_sizes(std::int64_t wanted);
// Returns the number of values of memory that a solve takes from its executor.
std::int64_t lanczos_values(std::int64_t n, std::int64_t wanted);
// Returns the smallest order n for Lanczos. For a smaller n the basis would have at least 2/3 n columns.
std::int64_t lanczos_least_order(std::int64_t wanted);

struct LanczosOptions {
  std::int64_t wanted = 1;
  bool highest = false;
  double tolerance = 1e-9;  // largest residual, relative to the norm of A
  std::int64_t max_products = 0;
  double scale = 1;                               // an estimate of the norm of A; 0: not known
  std::function<void(double fraction)> progress;  // may be empty; its exceptions pass through
};

struct ProbeResult {
  bool done = false, passed = false;
  std::int64_t runs = 0, found = 0;  // cycles of the probe; missed pairs that they found
};

template <class T>
struct LanczosResult {
  bool converged = false;
  T* vectors = nullptr;                   // blocks in the executor's memory
  std::vector<std::int64_t> columns;      // pair i has its vector in column columns[i] of `vectors`
  std::vector<double> values, residuals;  // values of A ascend
  SpectrumBounds bounds;                  // bounds for s A
  ChebyshevFilter filter;                 // the last filter
  double scale = 1;  // power of two (scaling_of()); values, residuals, bounds and filter are for scale * A
  std::int64_t products = 0;  // number of products of A with one vector
  std::int64_t restarts = 0;
  double predicted_products = 0;  // the last prediction of the final `products`
  ProbeResult probe;
  T orthogonality = 0;  // max |Z^T Z - I|
};

// Finds options.wanted pairs of the matrix that `on` multiplies with.
//   start   start_blocks blocks in the executor's memory, with which the basis begins behind a random block. null: only random blocks
// Throws InvalidArgument (a) if a product is not finite or A is not symmetric, and OutOfMemory.
template <class T>
LanczosResult<T> lanczos(Executor<T>& on, const LanczosOptions& options, const T* start = nullptr,
                         std::int64_t start_blocks = 0);

}  // namespace eigen_g
