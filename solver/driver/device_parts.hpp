// DeviceParts: the buffers of a standard solve on one GPU. The bytes of the workspace follow from them. CUDA builds only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "hybrid/matrix_view.hpp"
#include "hybrid/memory/arena.hpp"
#include "hybrid/round_up.hpp"
#include "solver/driver/places.hpp"
#include "solver/driver/plan.hpp"
#include "solver/path/reduction.hpp"
#include "solver/reduction/two_stage/dealt_columns.hpp"
#include "solver/tridiagonal/divide_and_conquer.hpp"

namespace eigen_g {

// parks(): the reflectors are parked in host memory. has_slabs(): U and Z pass through the GPU in slabs. has_blocks(): A is in block columns.
inline bool parks(const Plan& plan) {
  return plan.mode != MemoryMode::in_core && plan.options.vectors;
}
inline bool has_slabs(const Plan& plan) {
  return parks(plan) && plan.mode != MemoryMode::parked;
}
inline bool has_blocks(const Plan& plan) {
  return plan.mode == MemoryMode::block_columns;
}

// Returns `rows`, rounded up so that a column of real_t<T> has a multiple of 16 bytes. Products are faster with such a leading dimension.
template <class T>
std::int64_t even_rows(std::int64_t rows) {
  return round_up(rows, 16 / sizeof(real_t<T>));
}

// A slab of rows of U, and the divide and conquer's workspace for it.
template <class T>
struct SlabOfRows {
  MatrixView<real_t<T>> u;
  Arena scratch;

  SlabOfRows(Arena arena, std::int64_t n, std::int64_t rows) : SlabOfRows(&arena, n, rows) {}
  static std::uint64_t bytes(std::int64_t n, std::int64_t rows) {
    return bytes_taken([&](Arena& arena) { SlabOfRows(&arena, n, rows); });
  }

 private:
  SlabOfRows(Arena* arena, std::int64_t n, std::int64_t rows)
      : u(arena->matrix<real_t<T>>(rows, n, even_rows<T>(rows))),
        scratch(arena->part(divide_and_conquer_bytes<real_t<T>>(n, rows))) {}
};

// A slab of columns of Z, and the workspace of its back-transformation.
//   back_bytes   the bytes that the path's back-transformation needs for these columns
template <class T>
struct SlabOfColumns {
  MatrixView<T> z;
  MatrixView<real_t<T>> u;  // complex T: the columns of U
  Arena back;

  SlabOfColumns(Arena arena, std::int64_t n, std::int64_t columns, std::uint64_t back_bytes)
      : SlabOfColumns(&arena, n, columns, back_bytes) {}
  static std::uint64_t bytes(std::int64_t n, std::int64_t columns, std::uint64_t back_bytes) {
    return bytes_taken([&](Arena& arena) { SlabOfColumns(&arena, n, columns, back_bytes); });
  }

 private:
  SlabOfColumns(Arena* arena, std::int64_t n, std::int64_t columns, std::uint64_t back_bytes)
      : z(arena->matrix<T>(n, columns, even_rows<T>(n))) {
    if (is_complex<T>) u = arena->matrix<real_t<T>>(n, columns, even_rows<T>(n));
    back = arena->part(back_bytes);
  }
};

// The buffers of the workspace. A matrix that is stored elsewhere has null data.
//
// If the mode is not in_core and A is in the workspace, A is at the beginning of `back`. With vectors the memory of A has other data after the
// reduction (Places explains the letters):
//
//   parked                 real T: Q. Complex T: U and C
//   slabs, block_columns   slabs of rows of U, then slabs of columns of Z
template <class T>
struct DeviceParts {
  MatrixView<T> matrix, z;
  DealtPart<T> blocks;                  // MemoryMode::block_columns: A instead of `matrix`
  MatrixView<real_t<T>> u, q;           // U: a buffer of its own only if T is complex
  Tridiagonal<real_t<T>> t, copy_of_t;  // the copy: for slabs
  Arena kept, scratch;                  // for the path (PathBytes); scratch also for all other stages
  // The buffer that contains q, u, scratch, and A in the cases above. The back-transformation uses all of it, unless back_in_a.
  Arena back;
  bool back_in_a = false;
  std::int64_t slab_rows = 0, slab_columns = 0;
  std::span<std::byte> products;  // for Products::lend()

  // Columns of A that are copied to the block columns at a time.
  static constexpr std::int64_t columns_at_once = 256;

  DeviceParts(Arena& arena, const Plan& plan, const Places& places, int multiprocessors);
  SlabOfRows<T> rows_of_u(std::int64_t n) const { return {back, n, slab_rows}; }
  SlabOfColumns<T> columns_of_z(std::int64_t n) const {
    const std::uint64_t before = SlabOfColumns<T>::bytes(n, slab_columns, 0);
    return {back, n, slab_columns, back.left() - before};
  }
  // The back-transformation's workspace. `a` is the caller's array of A.
  Arena back_at(MatrixView<T> a) const {
    if (!back_in_a) return back;
    const auto at = reinterpret_cast<std::uintptr_t>(a.data);
    return {a.data + (Arena::alignment - at % Arena::alignment) / sizeof(T), bytes_in_a(a.cols)};
  }

 private:
  // Sets slab_rows and slab_columns to the longest slabs that fit into `back`, and returns the bytes of `back`. These are at least `bytes`, and
  // enough for a slab of n / 8 rows of U and for a slab of an eighth of the columns of Z.
  // If the mode is block_columns and there is a Devices::memory_limit, `back` grows until the workspace has the bytes of the limit, or until all rows
  // of U and all columns of Z are one slab. This is for the native engine only, because other engines take memory during the solve.
  //   bytes    the bytes that the other data of `back` need
  //   others   the bytes of the other buffers of the workspace
  std::uint64_t bytes_with_slabs(const Plan& plan, int multiprocessors, std::uint64_t bytes,
                                 std::uint64_t others);
  static std::uint64_t bytes_in_a(std::int64_t n) {
    const auto bytes = static_cast<std::uint64_t>(n * n) * sizeof(T);
    return bytes - std::min(bytes, Arena::alignment);
  }
};

// The bytes of the workspace.
template <class T>
std::uint64_t device_parts_bytes(const Plan& plan, const Places& places, int multiprocessors) {
  return bytes_taken([&](Arena& arena) { DeviceParts<T>(arena, plan, places, multiprocessors); });
}

// Returns the number of values that the solve parks in host memory (ParkedReflectors). 0: none.
template <class T>
std::int64_t parked_values(const Plan& plan);
// Returns the bytes of host memory of the solve: for the parked values, for d and e, and for the tree of the divide and conquer.
template <class T>
std::uint64_t host_bytes(const Plan& plan) {
  return 4 * sizeof(double) * static_cast<std::uint64_t>(plan.n) +
         sizeof(T) * static_cast<std::uint64_t>(parked_values<T>(plan));
}

}  // namespace eigen_g
