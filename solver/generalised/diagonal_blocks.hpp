// The operations with diagonal blocks of a Cholesky factor on a GPU, one launch each. CUDA builds only.
//
//   B = L L^H        X := L^-1 X, L^-H X, L X, L^H X, or X L^-1, ...
//
// They use elimination and substitution, which are backward stable as in LAPACK. Products with explicit inverses would lose a factor of
// cond(L) in accuracy (data/perf/DECISIONS.md, "Generalised problems").
//
// All arrays are in device memory. T is double, float, std::complex<double> or std::complex<float>; complex arrays are aligned to
// sizeof(T). Ordered on `queue`. Throw DeviceError.
#pragma once

#include <cstdint>

#include "gemm_df/gemm.hpp"
#include "hybrid/matrix_view.hpp"
#include "hybrid/uplo.hpp"
#include "solver/prepare/mirror.hpp"

namespace eigen_g {

class Queue;

inline constexpr std::int64_t diagonal_block = 64;  // largest number of rows of a block

// Factorises one diagonal block.
//   first      number of rows of B above the block
//   b_dev      lower triangle, in; out: L. The other triangle is neither read nor written
//   minor_dev  one value, in and out. If it is 0 and a pivot is not positive, it becomes the order of B's first leading minor that is not
//              positive. All later results are then meaningless
// Cost: 64^3 / 3 flops, one barrier a column.
template <class T>
void factor_diagonal_block(const Queue& queue, std::int64_t first, MatrixView<T> b_dev,
                           std::int64_t* minor_dev);

enum class With { inverse, itself };

// X := op(L^+-1) X or X op(L^+-1), op none or conjugate_transpose.
//   l_dev  at most 64 x 64, lower triangle, in; the other triangle is not read
//   x_dev  Side::left: rows(X) = rows(L); Side::right: cols(X) = rows(L); in and out
// One warp handles eight columns (left) or rows (right) of X. Cost: 64^2 flops for each. BLAS: dtrsm, dtrmm.
template <class T>
void apply_diagonal_block(const Queue& queue, With with, Side side, Op op, MatrixView<const T> l_dev,
                          MatrixView<T> x_dev);

// c := c - y; both have the same shape. Cost: one read of y, one read and one write of c.
template <class T>
void subtract(const Queue& queue, MatrixView<const T> y_dev, MatrixView<T> c_dev);

}  // namespace eigen_g
