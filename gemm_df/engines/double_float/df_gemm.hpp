// C := alpha op(A) op(B) + beta C in double-float: operands and result are double, and all operations between are float.
//
// Matrices are column-major, in device memory, with 64-bit sizes. Work is ordered on `queue`. A product with an empty result
// returns at once. C is not read if beta = 0. A GPU gives the same bits in every run.
// Throws OutOfMemory, DeviceError. CUDA builds only.
//
// Error of an entry with k terms, in addition to the roundings in double (derivation: gemm_df/README.md):
//
//   k < anchored_terms:  |error| <= k 2^-45 |A||B|_ij
//   else                 |error| <= anchored_bound(k).of_terms 2^-45 |A||B|_ij + of_norms 2^-45 |a_i|_2 |b_j|_2
//                                <= k 2^-45 |a_i|_2 |b_j|_2
//
// Here a_i is row i of op(A) and b_j column j of op(B). To both bounds k 2^-194 max|a_i| max|b_j| is added, for entries that
// are tiny compared with others of their line. The root mean square is at most 2^-47 |a_i|_2 |b_j|_2 / sqrt(k). Sums of 256
// terms are added to C in double, one after another.
#pragma once

#include <cstdint>

#include "gemm_df/engines/double_float/df_operand.hpp"
#include "hybrid/matrix_view.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/uplo.hpp"

namespace eigen_g {
class Queue;
}

namespace eigen_g::df {

// Multiplies the lines of a with the lines of b (df_operand.hpp): c(i, j) := alpha sum_l a(i, l) b(j, l) + beta c(i, j).
//   a, b      a.lines and b.lines lines with the same number of terms
//   c_dev     a.lines x b.lines
//   partials  sums of the parts, if the result does not fill the GPU. It is then computed in parts of at least part_terms terms each.
//             The buffer grows when necessary and is kept for the next call. When it grows, no queued work may still use it
// Cost: operations_per_term() float operations for each multiply-add.
void multiply(const Queue& queue, double alpha, const OperandView& a, const OperandView& b, double beta,
              MatrixView<double> c_dev, DeviceBuffer<double>& partials);

// c := alpha (a b^T + b a^T) + beta c on one triangle of c (n x n); a and b have n lines. The error is at most the sum of both
// products' bounds; the anchored sum is used if 2 k >= anchored_terms. One launch. BLAS: dsyr2k.
void multiply_symmetric(const Queue& queue, Uplo uplo, double alpha, const OperandView& a,
                        const OperandView& b, double beta, MatrixView<double> c_dev);

// Smallest number of entries of a result that occupies every multiprocessor of the queue's GPU without being divided.
std::int64_t filling_entries(const Queue& queue);

}  // namespace eigen_g::df
