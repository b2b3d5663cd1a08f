// What is below a matrix's rounding.
#pragma once

#include "hybrid/matrix_view.hpp"
#include "hybrid/scalar.hpp"

namespace eigen_g {

class Queue;

// squares_dev[n] := max((ulp |A|_F)^2, negligible_square), of which the address is returned: a column whose tail's squares sum to less
// counts as zero. Of a matrix of low rank the columns beyond it are rounding alone, all of one kind where A's entries are: reflectors
// of them would cost Q its orthogonality (|Z^T Z - I| in n ulp: two blocks of equal entries 14.4 at n = 2049 in one stage, ones 4.2
// at 10000 in two).
//   a_dev        n x n, device, lower triangle
//   squares_dev  n + 1 elements
// Ordered on `queue`; a fixed order of sums. Cost: n^2 / 2 elements read, two launches.
template <class T>
const real_t<T>* negligible_square_of(const Queue& queue, MatrixView<const T> a_dev, real_t<T>* squares_dev);

}  // namespace eigen_g
