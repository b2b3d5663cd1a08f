// DealtColumns: the columns of a Hermitian n x n matrix, dealt out to the GPUs of a team. CUDA builds only, except for the struct.
//
// The columns are dealt out in pieces of `width` columns: part p of the matrix has pieces p, p + parts, p + 2 parts, ... A part is stored as an
// n x columns() matrix with its columns side by side. A strip is `height` consecutive columns, a multiple of width * parts. A column is stored from its strip's first
// row on, so that the square block of a strip on the diagonal is whole:
//
//          strip 0   strip 1
//        [ 0 1 0 1 |         ]      width 1, height 4, 2 parts; the digit is the part that stores an entry, entries of a blank are stored nowhere
//        [ 0 1 0 1 |         ]
//        [ 0 1 0 1 |         ]
//        [ 0 1 0 1 |         ]
//        [ 0 1 0 1 | 0 1 0 1 ]
//        [ 0 1 0 1 | 0 1 0 1 ]
//
// Functions below work on one part in device memory and are ordered on `queue`. part_dev is n x columns(). They throw DeviceError.
#pragma once

#include <cstdint>

#include "hybrid/host_device.hpp"
#include "hybrid/matrix_view.hpp"
#include "hybrid/memory/arena.hpp"
#include "hybrid/scalar.hpp"
#include "hybrid/uplo.hpp"

namespace eigen_g {

class Queue;

struct DealtColumns {
  std::int64_t n = 0, width = 1, parts = 1, height = 1;

  EIGEN_G_HOST_DEVICE std::int64_t round() const { return width * parts; }
  // The number of a part's columns in a whole strip.
  EIGEN_G_HOST_DEVICE std::int64_t share() const { return height / parts; }
  EIGEN_G_HOST_DEVICE std::int64_t strips() const { return (n + height - 1) / height; }
  EIGEN_G_HOST_DEVICE std::int64_t first_row(std::int64_t strip) const { return strip * height; }

  EIGEN_G_HOST_DEVICE int part_of(std::int64_t column) const {
    return static_cast<int>(column / width % parts);
  }
  // The column in its part, and the inverse.
  EIGEN_G_HOST_DEVICE std::int64_t local(std::int64_t column) const {
    return column / round() * width + column % width;
  }
  EIGEN_G_HOST_DEVICE std::int64_t global(int part, std::int64_t local_column) const {
    return local_column / width * round() + part * width + local_column % width;
  }
  // The number of the part's columns before `column`, and in the matrix.
  EIGEN_G_HOST_DEVICE std::int64_t before(std::int64_t column, int part) const {
    const std::int64_t in_round = column % round() - part * width;
    return column / round() * width + (in_round < 0 ? 0 : in_round < width ? in_round : width);
  }
  EIGEN_G_HOST_DEVICE std::int64_t columns(int part) const { return before(n, part); }
  std::int64_t most_columns() const { return columns(0); }
};

// to(i, j) := conj(from(j, i)). from_dev: rows x cols; to_dev: cols x rows.
template <class T>
void copy_adjoint(const Queue& queue, MatrixView<const same_t<T>> from_dev, MatrixView<T> to_dev);

// The result of check_part(), for the lower triangle.
template <class R>
struct PartFacts {
  R largest = 0;  // max |a_ij| of finite entries; of a complex entry the larger of |Re| and |Im|
  std::int64_t first_bad = -1;  // i + j n of the first entry in column order that is not finite; -1: none
  R bad_value = 0;              // that entry; of a complex one the part that is not finite
};
// Blocks until done. scratch_dev: check_part_bytes bytes. Cost: one read of the part's lower triangle.
template <class T>
PartFacts<real_t<T>> check_part(const Queue& queue, const DealtColumns& deal, int part,
                                MatrixView<const same_t<T>> part_dev, T* scratch_dev);
inline constexpr std::uint64_t check_part_bytes = Arena::alignment;

// a := 2^k a.
template <class T>
void scale_part(const Queue& queue, const DealtColumns& deal, int part, MatrixView<T> part_dev, int k);

// squares_dev[l] := the contribution of local column l to |A|_F^2: its diagonal entry counts once, the entries below it count twice. Fixed sums.
template <class T>
void squares_of_part(const Queue& queue, const DealtColumns& deal, int part,
                     MatrixView<const same_t<T>> part_dev, real_t<T>* squares_dev);

// band(i - j, j) := A(i, j) for the columns j of the part and the rows i >= j of their blocks on the diagonal. These blocks have b columns each; the
// last one has the columns from `last` on. No panel's R contains this part of the band.
template <class T>
void band_of_part(const Queue& queue, const DealtColumns& deal, int part, std::int64_t b, std::int64_t last,
                  MatrixView<const same_t<T>> part_dev, MatrixView<T> band_dev);

}  // namespace eigen_g
