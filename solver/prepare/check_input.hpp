// max |a_ij| over the named triangle of an n x n matrix, of complex entries over their two parts; 0 for n = 0.
//
//   a        n x n, lda, host or (with a queue) device memory, in; only the triangle `uplo` is read
//   given    device only: the triangle that the caller named; a_dev holds it as its lower triangle, transposed for the upper,
//            and NonFiniteEntry names the entry as the caller stored it
//   width    device only: diagonals below the main one that are read; the others count as zeros and need not be there
//   scratch  device only: check_input_bytes of it
// On a device it also finds the bandwidth: the largest i - j of an entry that is not zero.
// Blocks until done. Throws NonFiniteEntry with the first NaN or infinity in column order.
// Cost: one read of the triangle. LAPACK: dlansy('M') and LAPACKE_dsy_nancheck in one.
#pragma once

#include <cstdint>
#include <limits>

#include "hybrid/matrix_view.hpp"
#include "hybrid/memory/arena.hpp"
#include "hybrid/scalar.hpp"
#include "hybrid/uplo.hpp"

namespace eigen_g {

class Queue;

template <class T>
real_t<T> check_input(Uplo uplo, MatrixView<const T> a);
template <class R>
struct InputFacts {
  R largest = 0;
  std::int64_t bandwidth = 0;
};
template <class T>
InputFacts<real_t<T>> check_input(const Queue& queue, Uplo given, MatrixView<const T> a_dev,
                                  Arena scratch_dev,
                                  std::int64_t width = std::numeric_limits<std::int64_t>::max());
inline constexpr std::uint64_t check_input_bytes = Arena::alignment;

}  // namespace eigen_g
