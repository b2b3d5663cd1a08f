// The diagonal blocks of a Cholesky factor on a GPU, a launch each. CUDA builds only.
//
//   B = L L^H        X := L^-1 X, L^-H X, L X, L^H X, or X L^-1, ...
//
// By elimination and by substitution, backward stable as LAPACK's; an inverse in their place lost a factor of cond(L)
// (data/perf/DECISIONS.md, "Generalised problems").
//
// Device memory, T is double, float or std::complex of one, whose arrays are aligned to their entries. Ordered on `queue`. Throw DeviceError.
#pragma once

#include <cstdint>

#include "gemm_df/gemm.hpp"
#include "hybrid/matrix_view.hpp"
#include "hybrid/uplo.hpp"

namespace eigen_g {

class Queue;

inline constexpr std::int64_t diagonal_block = 64;  // rows of a block at most

//   b_dev      lower triangle, in; out: L. Its other triangle is neither read nor written
//   minor_dev  one, in and out: where it is 0, the order of the first leading minor that is not positive; `first` rows of B
//              are above the block. What is eliminated after that means nothing
// Cost: 64^3 / 3 flops, a barrier a column.
template <class T>
void factor_diagonal_block(const Queue& queue, std::int64_t first, MatrixView<T> b_dev,
                           std::int64_t* minor_dev);

enum class Side { left, right };
enum class With { inverse, itself };

// X := op(L^+-1) X or X op(L^+-1), op none or conjugate_transpose.
//   l_dev  at most 64 x 64, lower triangle, in; the other one is not read      x_dev  as many rows (left) or columns, in and out
// A warp takes eight columns (left) or rows of X. Cost: 64^2 flops each. BLAS: dtrsm, dtrmm.
template <class T>
void apply_diagonal_block(const Queue& queue, With with, Side side, Op op, MatrixView<const T> l_dev,
                          MatrixView<T> x_dev);

// a(j, i) := conj(a(i, j)) for (i, j) in the triangle `from`, and the diagonal real; n x n. Cost: one read and one write of a triangle.
template <class T>
void mirror(const Queue& queue, Uplo from, MatrixView<T> a_dev);

// c := c - y, both of c's shape. Cost: two reads and one write of it.
template <class T>
void subtract(const Queue& queue, MatrixView<const T> y_dev, MatrixView<T> c_dev);

}  // namespace eigen_g
