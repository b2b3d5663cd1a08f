// inverse_iteration(): a few eigenvectors of a symmetric tridiagonal T whose eigenvalues are known.
//
// Values that follow each other go in bundles, one thread a bundle. T - w has one LU factorization with partial pivoting for each value, and
// three solves from random numbers. Values that are closer than sqrt(eps) |T| make a group: a group is in one bundle, and its vectors are made
// orthogonal in every solve.
//
// The vectors of other values have errors of eps |T| / gap. Two vectors whose values are closer than `window` are therefore made orthogonal
// afterwards: with E = Z^T Z - I for such pairs, and 0 for others, Z := Z (I - E / 2), once or twice. The change does not increase the residuals,
// because an entry of E times its gap is about eps |T|.
//
// Every result is checked. If a group does not fit in a bundle, if E is too large, or if a residual is, inverse_iteration() returns false.
//
// Sources: Peters and Wilkinson 1971; LAPACK dstein; Bjorck and Bowie 1971.
#pragma once

#include <cstdint>

#include "hybrid/matrix_view.hpp"
#include "hybrid/memory/arena.hpp"
#include "hybrid/scalar.hpp"

namespace eigen_g {

// The vectors z of the eigenvalues `values` of T. The result is the same for any number of threads.
//   d, e     n and n - 1 entries; the largest one is in [1/2, 1)
//   values   z.cols ascending values
//   z        n x count, out; undefined if the result is false
//   scratch  inverse_iteration_bytes<R>(n, count) bytes
// Returns false if the vectors are not good enough. Cost: about 50 n flops a vector, and 8 n flops for each pair of values that are closer than
// 4 |T| / n.
template <class R>
bool inverse_iteration(std::int64_t n, const R* d, const same_t<R>* e, const same_t<R>* values,
                       MatrixView<same_t<R>> z, Arena scratch, int threads);
template <class R>
std::uint64_t inverse_iteration_bytes(std::int64_t n, std::int64_t count);

}  // namespace eigen_g
