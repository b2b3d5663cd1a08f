// DealtColumns: the columns of a Hermitian n x n matrix, dealt out to the GPUs of a team. CUDA builds only, except for the struct.
//
// The columns are dealt out in pieces of `width` columns: part p of the matrix has pieces p, p + parts, p + 2 parts, ... A strip is `height`
// consecutive columns, a multiple of width * parts. A column is stored from its strip's first row on, so that the square block of a strip on the
// diagonal is whole:
//
//          strip 0   strip 1
//        [ 0 1 0 1 |         ]      width 1, height 4, 2 parts; the digit is the part that stores an entry, entries of a blank are stored nowhere
//        [ 0 1 0 1 |         ]
//        [ 0 1 0 1 |         ]
//        [ 0 1 0 1 |         ]
//        [ 0 1 0 1 | 0 1 0 1 ]
//        [ 0 1 0 1 | 0 1 0 1 ]
//
// The memory of a part has its columns side by side. If it is not packed, it is an n x columns() matrix with blanks. If it is packed, each strip is a
// matrix of its own, without the rows before its first row, and the strips follow each other: about n^2 / 2 + n height / 2 values of all parts.
//
// Functions below work on one part in device memory and are ordered on `queue`. They throw DeviceError.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "hybrid/error.hpp"
#include "hybrid/host_device.hpp"
#include "hybrid/matrix_view.hpp"
#include "hybrid/memory/arena.hpp"
#include "hybrid/scalar.hpp"
#include "hybrid/uplo.hpp"
#include "solver/prepare/mirror.hpp"

namespace eigen_g {

class Queue;

struct DealtColumns {
  std::int64_t n = 0, width = 1, parts = 1, height = 1;
  bool packed = false;

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

  // Values before a strip of a part, and values of the largest part. `ld` is the leading dimension of strip 0, at least n.
  EIGEN_G_HOST_DEVICE std::int64_t values_before(std::int64_t strip, std::int64_t ld) const {
    return share() * (strip * ld - (packed ? height * (strip * (strip - 1) / 2) : 0));
  }
  std::int64_t most_values(std::int64_t ld) const {
    const std::int64_t last = std::max<std::int64_t>(strips() - 1, 0);
    return values_before(last, ld) +
           (most_columns() - last * share()) * (ld - (packed ? first_row(last) : 0));
  }
};

// The lower block columns of a matrix on one GPU, packed: a strip has about a tenth of the columns, so that they take about 0.55 n^2 values.
//   smallest, largest   limits of a strip's height; multiples of 64, and so of every bandwidth
inline DealtColumns block_columns(std::int64_t n, std::int64_t smallest, std::int64_t largest) {
  constexpr std::int64_t multiple = 64, strips = 10;
  const std::int64_t height = std::clamp(n / strips / multiple * multiple, smallest, largest);
  return {n, height, 1, height, true};
}

// Part `part` of a matrix in memory.
//   ld   leading dimension of strip 0; a multiple of 64 aligns all columns to 16 bytes if the height is such a multiple too
template <class T>
struct DealtPart {
  DealtColumns deal;
  int part = 0;
  T* data = nullptr;
  std::int64_t ld = 1;

  EIGEN_G_HOST_DEVICE std::int64_t columns() const { return deal.columns(part); }
  EIGEN_G_HOST_DEVICE std::int64_t ld_of(std::int64_t strip) const {
    return ld - (deal.packed ? deal.first_row(strip) : 0);
  }
  // The address that row 0 of a local column has, or would have.
  EIGEN_G_HOST_DEVICE T* column(std::int64_t local) const {
    const std::int64_t strip = local / deal.share();
    return data + deal.values_before(strip, ld) + (local - strip * deal.share()) * ld_of(strip) -
           (deal.packed ? deal.first_row(strip) : 0);
  }
  // Rows `row` ... and local columns `local` ... of the part; at least one column. In a packed part the columns must be of one strip. Rows before the strip's first
  // row must not be used.
  EIGEN_G_HOST_DEVICE MatrixView<T> block(std::int64_t row, std::int64_t local, std::int64_t rows,
                                          std::int64_t cols) const {
    return {column(local) + row, rows, cols, ld_of(local / deal.share())};
  }
  template <class U>
  requires(std::is_same_v<U, const T> && !std::is_const_v<T>) EIGEN_G_HOST_DEVICE operator DealtPart<U>()
      const {
    return {deal, part, data, ld};
  }
};

// Calls take(local, count, at) for runs of a part's columns that make up columns first ... first + count - 1 of the matrix: `count` columns from
// `local` on are the columns from first + at on. Each run is one piece of `width` columns or less of part deal.part_of(first + at).
template <class Take>
void for_runs(const DealtColumns& deal, std::int64_t first, std::int64_t count, const Take& take) {
  for (std::int64_t at = 0; at < count;) {
    const std::int64_t column = first + at,
                       columns = std::min(count - at, (column / deal.width + 1) * deal.width - column);
    take(deal.local(column), columns, at);
    at += columns;
  }
}

// to(i, j) := conj(from(j, i)). from_dev: rows x cols; to_dev: cols x rows.
template <class T>
void copy_adjoint(const Queue& queue, MatrixView<const same_t<T>> from_dev, MatrixView<T> to_dev);

// Copies local columns l ... l + count - 1, which are consecutive columns of one strip, into a part: from the strip's first row on, with the rows above the
// diagonal.
//   uplo         the triangle of A that is given. Entries of the other triangle are copied at most, and replaced
//   fetch        fetch(i, j, to, then) copies A(i: i + to.rows, j: j + to.cols) to `to`, ordered on `queue`, and then calls then(). then() queues work.
//                fetch() may also store its arguments, and the caller makes the copies after this function has returned. The copies must be made
//                in the order of the calls, and each then() must be called before the next copy is queued. `queue`, the part and scratch_dev must
//                exist until the last then() has been called
//   scratch_dev  count * n values. All calls for one queue may use the same memory
template <class T, class Fetch>
void load_columns(const Queue& queue, const DealtPart<T>& part, std::int64_t l, std::int64_t count, Uplo uplo,
                  T* scratch_dev, const Fetch& fetch) {
  const DealtColumns& deal = part.deal;
  const std::int64_t n = deal.n, first = deal.global(part.part, l), row = deal.first_row(first / deal.height);
  const MatrixView<T> above = part.block(row, l, first - row, count),
                      below = part.block(first, l, n - first, count);
  const auto mirror_diagonal = [&queue, square = below.block(0, 0, count, count)] {
    mirror(queue, Uplo::lower, square);
  };
  const auto fetch_adjoint = [&](std::int64_t i, std::int64_t j, MatrixView<T> to, const auto& then) {
    const MatrixView<T> copy{scratch_dev, to.cols, to.rows, to.cols};
    fetch(i, j, copy, [&queue, copy, to, then] {
      copy_adjoint<T>(queue, copy, to);
      then();
    });
  };
  const auto nothing = [] {};
  if (uplo == Uplo::lower) {
    if (first > row) fetch_adjoint(first, row, above, nothing);
    fetch(first, first, below, mirror_diagonal);
  } else {
    if (first > row) fetch(row, first, above, nothing);
    fetch_adjoint(first, first, below, mirror_diagonal);
  }
}

// The result of check_part(), for the lower triangle.
template <class R>
struct PartFacts {
  R largest = 0;  // max |a_ij| of finite entries; of a complex entry the larger of |Re| and |Im|
  std::int64_t first_bad = -1;  // i + j n of the first entry in column order that is not finite; -1: none
  R bad_value = 0;              // that entry; of a complex one the part that is not finite
};
// Throws NonFiniteEntry (a) for the first entry that is not finite, if there is one. `given` is the caller's triangle.
template <class R>
void require_finite(const PartFacts<R>& facts, std::int64_t n, Uplo given) {
  if (facts.first_bad < 0) return;
  std::int64_t i = facts.first_bad % n, j = facts.first_bad / n;
  if (given == Uplo::upper) std::swap(i, j);
  throw NonFiniteEntry(i, j, static_cast<double>(facts.bad_value));
}
// Blocks until done. scratch_dev: check_part_bytes bytes. Cost: one read of the part's lower triangle.
template <class T>
PartFacts<real_t<T>> check_part(const Queue& queue, const DealtPart<const same_t<T>>& part_dev,
                                T* scratch_dev);
inline constexpr std::uint64_t check_part_bytes = Arena::alignment;

// a := 2^k a.
template <class T>
void scale_part(const Queue& queue, const DealtPart<T>& part_dev, int k);

// squares_dev[l] := the contribution of local column l to |A|_F^2: its diagonal entry counts once, the entries below it count twice. Fixed sums.
template <class T>
void squares_of_part(const Queue& queue, const DealtPart<const same_t<T>>& part_dev, real_t<T>* squares_dev);

// band(i - j, j) := A(i, j) for the columns j of the part and the rows i >= j of their blocks on the diagonal. These blocks have b columns each; the
// last one has the columns from `last` on. No panel's R contains this part of the band.
template <class T>
void band_of_part(const Queue& queue, std::int64_t b, std::int64_t last,
                  const DealtPart<const same_t<T>>& part_dev, MatrixView<T> band_dev);

}  // namespace eigen_g
