// Powers of two that bring a matrix into the range where sums of squares neither overflow nor vanish.
//
//   A := 2^k A,  w := 2^-k w
//
// LAPACK's dsyevd scales max |a_ij| to the edge of [sqrt(safe minimum / eps), sqrt(eps / safe minimum)] when
// it lies outside; here it is brought to [1, 2), and a power of two keeps every bit (but those of entries
// that are below the largest by more than the exponent's range).
#pragma once

#include "hybrid/matrix_view.hpp"
#include "hybrid/uplo.hpp"

namespace eigen_g {

class Queue;

// k for a matrix with this largest absolute entry (finite); 0 where nothing is to be done.
template <class R>
int scale_exponent(R largest);

// a := 2^k a over the triangle `uplo`; n x n, lda, in place; k = 0 returns at once. Cost: one read and write
// of the triangle. The device form takes the lower triangle and is ordered on `queue`.
template <class T>
void scale(Uplo uplo, MatrixView<T> a, int k);
template <class T>
void scale(const Queue& queue, MatrixView<T> a_dev, int k);

// w := 2^k w, n values in place; a value beyond R's range becomes infinite.
template <class R>
void scale_values(std::int64_t n, R* w, int k);
template <class R>
void scale_values(const Queue& queue, std::int64_t n, R* w_dev, int k);

}  // namespace eigen_g
