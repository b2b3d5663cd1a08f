// C := alpha op(A) op(B) + beta C in double-float: double in, double out, float operations between.
//
// Column-major, 64-bit sizes, device memory; ordered on `queue`; an empty result returns at once; beta = 0 does not
// read C. Repeat bit for bit on the same GPU. Throw OutOfMemory, DeviceError. CUDA builds only.
//
// Error of an entry for k terms (derived in README.md), beside the roundings in double:
//
//   k < anchored_terms:  |error| <= k 2^-45 |A||B|_ij
//   else                 |error| <= anchored_bound(k).of_terms 2^-45 |A||B|_ij + of_norms 2^-45 |a_i|_2 |b_j|_2
//                                <= k 2^-45 |a_i|_2 |b_j|_2
//
// both plus k 2^-194 max|a_i| max|b_j| for entries that are tiny beside others of their line. Root mean squares are
// 2^-47 |a_i|_2 |b_j|_2 / sqrt(k) at most. Sums of 256 terms are added to C in double one after the other.
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

// Lines of a times lines of b: c(i, j) := alpha sum_l a(i, l) b(j, l) + beta c(i, j).  a.lines x b.lines; a and b
// have the same number of terms. A result that does not fill the GPU is computed in parts of at least part_terms terms,
// whose sums need memory: `partials` grows where it is too small, and is kept for the next call (then as an Operand's
// memory: nothing queued may still use it). Cost: operations_per_term float operations a multiply-add.
void multiply(const Queue& queue, double alpha, const OperandView& a, const OperandView& b, double beta,
              MatrixView<double> c_dev, DeviceBuffer<double>& partials);

// c := alpha (a b^T + b a^T) + beta c on one triangle of c (n x n); a and b have n lines. BLAS: dsyr2k. The bounds of
// both products, by the anchored sum where 2 k >= anchored_terms. One launch.
void multiply_symmetric(const Queue& queue, Uplo uplo, double alpha, const OperandView& a,
                        const OperandView& b, double beta, MatrixView<double> c_dev);

// Entries of a result that occupies every multiprocessor of the queue's GPU without being cut.
std::int64_t filling_entries(const Queue& queue);

}  // namespace eigen_g::df
