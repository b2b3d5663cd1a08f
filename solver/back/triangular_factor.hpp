// The triangular factors of the compact WY form: a block of k reflectors of the tridiagonalization is
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

// T of every block, from S = V^T V.
//   width    a multiple of 32, at most triangular_factor_max_width
//   a_dev    n x n: the reflectors as tridiagonalize() leaves them on the GPU, lda and alignment as there; n > 1
//   tau_dev  n-1
//   s_dev    blocks.elements(), scratch; unused, and may be null, where width is 32
//   t_dev    blocks.elements(), out: T of a block after the other, each column-major with leading dimension `width`
// All in device memory, ordered on `queue`. Throws DeviceError. Repeats bit for bit on the same GPU.
// Cost: n^2 width flops. Source: Schreiber and Van Loan 1989; LAPACK dlarft.
template <class T>
void triangular_factors(const Queue& queue, const ReflectorBlocks& blocks, MatrixView<const same_t<T>> a_dev,
                        const same_t<T>* tau_dev, same_t<T>* s_dev, T* t_dev);

}  // namespace eigen_g
