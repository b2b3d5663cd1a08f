// Matrix products by cuBLAS in the matrices' own type: the native engine.
//
// Matrices are column-major, in device memory, with 64-bit sizes. Work is ordered on `queue`. A product with an empty result
// returns at once. Throws DeviceError. A GPU gives the same bits in every run. CUDA builds only.
//
// T is float, double or complex of these. It is deduced from C's view; if C is written in braces, call gemm<T>(...).
#pragma once

#include <cstdint>

#include "hybrid/matrix_view.hpp"
#include "hybrid/scalar.hpp"

namespace eigen_g {

class Queue;

enum class Op : char { none = 'N', transpose = 'T', conjugate_transpose = 'C' };

// C := alpha op_a(A) op_b(B) + beta C. C is c.rows x c.cols, and the inner size k follows from op_a(A). Long sums are computed
// in slices (ProductTuning::max_terms_of_a_sum). A large product of complex double (min_products_of_three) consists of three
// real products instead of four. Its errors are small compared with the moduli of the entries, but not with each of their
// parts.
// Cost: 2 m n k flops, complex 8 m n k, with three products 6 m n k. BLAS: dgemm, zgemm; cuBLAS: zgemm3m.
template <class T>
void gemm(const Queue& queue, Op op_a, Op op_b, same_t<T> alpha, MatrixView<const same_t<T>> a_dev,
          MatrixView<const same_t<T>> b_dev, same_t<T> beta, MatrixView<T> c_dev);

// `count` products of the same shape, with step_a, step_b and step_c elements between successive matrices. Sums are not
// computed in slices. Cost: 2 m n k count flops. cuBLAS: gemmStridedBatched.
struct Batched {
  std::int64_t count, step_a, step_b, step_c;
};
template <class T>
void gemm_batched(const Queue& queue, const Batched& batch, Op op_a, Op op_b, same_t<T> alpha,
                  MatrixView<const same_t<T>> a_dev, MatrixView<const same_t<T>> b_dev, same_t<T> beta,
                  MatrixView<T> c_dev);

// C := alpha A B^H + conj(alpha) B A^H + beta C on the lower triangle of C (n x n); A and B are n x k. With few columns and
// beta = 1 it is the kernel of rank_2k/syr2k.hpp, otherwise cuBLAS. Cost: 2 n^2 k flops. BLAS: dsyr2k, zher2k.
template <class T>
void syr2k_lower(const Queue& queue, same_t<T> alpha, MatrixView<const same_t<T>> a_dev,
                 MatrixView<const same_t<T>> b_dev, real_t<same_t<T>> beta, MatrixView<T> c_dev);

}  // namespace eigen_g
