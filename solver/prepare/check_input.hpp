// check_input(): finds max |a_ij| over one triangle of an n x n matrix, and throws if an entry is NaN or infinite. For a complex entry
// |a_ij| is the larger of |Re| and |Im|. n = 0: 0.
//
//   uplo     CPU: the triangle of `a` that is read
//   a        n x n, lda, in; host memory
//   given    GPU: the caller's triangle. a_dev has it as its lower triangle, transposed if it is the upper one. NonFiniteEntry has the
//            row and column of the caller's matrix
//   a_dev    n x n, lda, in; device memory; its lower triangle is read
//   scratch  GPU: check_input_bytes bytes
//   width    GPU: number of diagonals below the main one that are read; all others count as zeros and need not exist
//   name     the matrix's name in NonFiniteEntry
// On a GPU it also finds the bandwidth, which is the largest i - j of an entry that is not zero, and the smallest |a_ii|.
// Blocks until done. Throws NonFiniteEntry with the first NaN or infinity in column order.
// Cost: one read of the triangle. LAPACK: dlansy('M') and LAPACKE_dsy_nancheck together.
#pragma once

#include <cstdint>
#include <limits>

#include "hybrid/matrix_view.hpp"
#include "hybrid/memory/arena.hpp"
#include "hybrid/scalar.hpp"
#include "hybrid/uplo.hpp"
#include "solver/api/argument.hpp"

namespace eigen_g {

class Queue;

template <class T>
real_t<T> check_input(Uplo uplo, MatrixView<const T> a, Argument name = Argument::a);
template <class R>
struct InputFacts {
  R largest = 0;
  std::int64_t bandwidth = 0;
  R smallest_diagonal = 0;
};
template <class T>
InputFacts<real_t<T>> check_input(const Queue& queue, Uplo given, MatrixView<const T> a_dev,
                                  Arena scratch_dev,
                                  std::int64_t width = std::numeric_limits<std::int64_t>::max(),
                                  Argument name = Argument::a);
inline constexpr std::uint64_t check_input_bytes = Arena::alignment;

}  // namespace eigen_g
