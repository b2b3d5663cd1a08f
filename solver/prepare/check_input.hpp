// max |a_ij| over the named triangle of an n x n matrix, of complex entries over their two parts; 0 for n = 0.
//
//   a        n x n, lda, host or (with a queue) device memory, in; only the triangle `uplo` is read
//   given    device only: the triangle that the caller named; a_dev holds it as its lower triangle, transposed for the upper,
//            and NonFiniteEntry names the entry as the caller stored it
//   scratch  device only: check_input_bytes of it
// Blocks until done. Throws NonFiniteEntry with the first NaN or infinity in column order.
// Cost: one read of the triangle. LAPACK: dlansy('M') and LAPACKE_dsy_nancheck in one.
#pragma once

#include <cstdint>

#include "hybrid/matrix_view.hpp"
#include "hybrid/memory/arena.hpp"
#include "hybrid/scalar.hpp"
#include "hybrid/uplo.hpp"

namespace eigen_g {

class Queue;

template <class T>
real_t<T> check_input(Uplo uplo, MatrixView<const T> a);
template <class T>
real_t<T> check_input(const Queue& queue, Uplo given, MatrixView<const T> a_dev, Arena scratch_dev);
inline constexpr std::uint64_t check_input_bytes = Arena::alignment;

}  // namespace eigen_g
