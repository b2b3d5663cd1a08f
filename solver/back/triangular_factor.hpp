// triangular_factors(): T of the compact WY form. A block of k reflectors of the reduction to tridiagonal form is
//
//   H_1 H_2 ... H_k = I - V T V^T,    T upper triangular, k x k.
#pragma once

#include <algorithm>
#include <cstdint>

#include "hybrid/matrix_view.hpp"
#include "hybrid/scalar.hpp"
#include "solver/back/reflector_blocks.hpp"
#include "solver/devices/tuning.hpp"

namespace eigen_g {

class Queue;

// Computes T of every block from S = V^T V. (Complex T: V^H V.) If the first block has few reflectors, their rows of S are computed again by
// accurate sums (adjoint_product_of_few.hpp).
//   blocks   n > 1; width: a multiple of 32, at most triangular_factor_max_width; complex: 32 times a power of two
//   a_dev    n x n, in: the reflectors as tridiagonalize() leaves them on the GPU; lda and alignment as there
//   tau_dev  n - 1 values, in
//   s_dev    blocks.elements(), scratch; may be null if T is real and width is 32
//   t_dev    blocks.elements(), out: T of all blocks, one after the other, each column-major with leading dimension `width`
// Everything is in device memory. Ordered on `queue`. Throws DeviceError. Repeated runs on the same GPU give the same bits.
// Cost: n^2 width flops. Source: Schreiber and Van Loan 1989; LAPACK dlarft.
template <class T>
void triangular_factors(const Queue& queue, const ReflectorBlocks& blocks, MatrixView<const same_t<T>> a_dev,
                        const same_t<T>* tau_dev, same_t<T>* s_dev, T* t_dev);

// T of one block.
//   v_dev    rows x k, 0 < k <= width, in: the complete reflectors
//   tau_dev  k values, in
//   s_dev    width^2 values, scratch
//   t_dev    k x k, out; leading dimension `width`, width^2 values
// All else as above, but every block with few reflectors has accurate sums. The sums may have another order than in triangular_factors().
template <class T>
void triangular_factor(const Queue& queue, std::int64_t width, MatrixView<const same_t<T>> v_dev,
                       const same_t<T>* tau_dev, same_t<T>* s_dev, T* t_dev);

}  // namespace eigen_g
