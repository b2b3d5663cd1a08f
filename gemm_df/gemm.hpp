// The solver's large matrix products by cuBLAS in the matrices' own type: the native engine.
//
// Column-major, 64-bit sizes, device memory; ordered on `queue`; a product with an empty result returns at
// once. Throw DeviceError. Repeat bit for bit on the same GPU. CUDA builds only.
//
// T is float, double or complex of these. C's view says it: where C is written in braces, gemm<T>(...).
#pragma once

#include <cstdint>

#include "hybrid/matrix_view.hpp"
#include "hybrid/scalar.hpp"

namespace eigen_g {

class Queue;

enum class Op : char { none = 'N', transpose = 'T', conjugate_transpose = 'C' };

// C := alpha op_a(A) op_b(B) + beta C, long sums in slices (ProductTuning::max_terms_of_a_sum); C is c.rows x c.cols, the inner
// size is read off op_a(A). Large ones of complex doubles (min_products_of_three) by three real products: errors are small against
// the entries' moduli, not against each part.
// Cost: 2 m n k flops, complex 8 m n k, of three products 6. BLAS: dgemm, zgemm; cuBLAS: zgemm3m.
template <class T>
void gemm(const Queue& queue, Op op_a, Op op_b, same_t<T> alpha, MatrixView<const same_t<T>> a_dev,
          MatrixView<const same_t<T>> b_dev, same_t<T> beta, MatrixView<T> c_dev);

// `count` products alike, whose matrices stand step_a, step_b and step_c elements apart; not in slices.
// Cost: 2 m n k count flops. cuBLAS: gemmStridedBatched.
struct Batched {
  std::int64_t count, step_a, step_b, step_c;
};
template <class T>
void gemm_batched(const Queue& queue, const Batched& batch, Op op_a, Op op_b, same_t<T> alpha,
                  MatrixView<const same_t<T>> a_dev, MatrixView<const same_t<T>> b_dev, same_t<T> beta,
                  MatrixView<T> c_dev);

// C := alpha A B^H + conj(alpha) B A^H + beta C on the lower triangle of C (n x n); A and B are n x k.
// Few columns and beta = 1 go to syr2k.hpp's kernel, the rest to cuBLAS. Cost: 2 n^2 k flops. BLAS: dsyr2k, zher2k.
template <class T>
void syr2k_lower(const Queue& queue, same_t<T> alpha, MatrixView<const same_t<T>> a_dev,
                 MatrixView<const same_t<T>> b_dev, real_t<same_t<T>> beta, MatrixView<T> c_dev);

}  // namespace eigen_g
