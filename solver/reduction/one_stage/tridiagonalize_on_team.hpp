// tridiagonalize_on_team(), Q^H A Q = T on the CPU, by a team of threads (hybrid/team/team.hpp). tridiagonalize.hpp has the equations.
#pragma once

#include <cstdint>
#include <functional>

#include "hybrid/matrix_view.hpp"
#include "hybrid/memory/arena.hpp"
#include "hybrid/scalar.hpp"
#include "hybrid/uplo.hpp"

namespace eigen_g {

//   uplo      the triangle of A that is read
//   a         n x n, lda, in: that triangle, with max |a_ij| within the range that scale() leaves alone; out: for both values of `uplo` the
//             reflectors as dsytrd('L') leaves them in the lower triangle, below the subdiagonal. Nothing else of A is written
//   d, e, tau n, n - 1, n - 1 values, out
//   scratch   tridiagonalize_on_team_bytes<T>(n) bytes of host memory
//   progress  called by the calling thread with the fraction of the work that is done. Its exceptions pass through; A, d, e and tau are
//             then unspecified
// Takes team_threads(n) threads. The results do not depend on their number. They have other bits for each vector width (width.hpp).
// Cost: 4/3 n^3 flops; half of the matrix is read once for each column, from the caches where it fits; two barriers a column.
//
// The matrix is dealt out to a number of members that depends on n alone, and every sum is formed member by member. A thread acts for one or
// several members. Each step has two phases:
//   1. a member multiplies its tiles with the column x, and sums a part of the dot products of x with the panel's v and w;
//   2. all threads form the scalars of the reflector. A member forms its rows of v, w and of the next column, which becomes x, and its
//      parts of the dot products with it.
// The product is formed with A as it was when the panel began. With the dot products f = V^H x and g = W^H x of the panel so far
//   A' x = A x - V g - W f,   x^H A' x = x^H A x - 2 Re f^H g,   v = s (x - beta e_q),   w = tau A' v - |tau|^2 / 2 (v^H A' v) v.
// Source: LAPACK zlatrd; the fused form as in tridiagonalize_panel.cuh.
template <class T>
void tridiagonalize_on_team(Uplo uplo, MatrixView<T> a, real_t<T>* d, real_t<T>* e, T* tau, Arena scratch,
                            const std::function<void(double fraction)>& progress = {});
template <class T>
std::uint64_t tridiagonalize_on_team_bytes(std::int64_t n);

}  // namespace eigen_g
