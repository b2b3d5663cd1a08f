// A leaf solved by a warp: a lane has one row of Z.
#pragma once

#include "hybrid/matrix_view.hpp"
#include "hybrid/scalar.hpp"
#include "solver/tridiagonal/dc_crew.cuh"
#include "solver/tridiagonal/dc_leaf.hpp"

namespace eigen_g::dc {

inline constexpr Index leaf_stride = 33;  // between columns of Z; odd, for access without bank conflicts
static_assert(leaf_rows <= 32, "a lane owns a row of Z, a warp a leaf");

// The columns of a leaf's Z for implicit_ql(): column i begins at i leaf_stride. A lane reads and writes only its own row. It keeps the entry of
// the column that the next rotation of the sweep needs again in a register.
template <class R>
struct WarpVectors {
  R* z;  // this lane's row
  R carried = 0, low = 0;
  __device__ void begin_sweep(Index i) {
    carried = z[leaf_stride * i];
    low = z[leaf_stride * (i - 1)];
  }
  __device__ void rotate(Index i, R c, R s) {
    z[leaf_stride * (i + 1)] = s * low + c * carried;
    carried = c * low - s * carried;
    low = z[leaf_stride * max(i - 1, 0)];  // loaded one rotation early
    __syncwarp();                          // no lane overwrites what another one still has to read
  }
  __device__ void end_sweep(Index i) { z[leaf_stride * i] = carried; }
  __device__ void keep(R* array, Index i, R x, bool yes) const {
    if (yes & (threadIdx.x % 32 == 0)) array[i] = x;
  }
  __device__ void sync() const { __syncwarp(); }
  __device__ Index end_of_block(const R* e, Index l, Index size, R negligible) const {
    const auto lane = static_cast<Index>(threadIdx.x % 32);
    return __ffs(static_cast<int>(__ballot_sync(~0u, block_ends(e, lane, size, negligible)) & (~0u << l))) -
           1;
  }
};

// Shared memory of a warp.
template <class R>
struct LeafMemory {
  R z[leaf_rows * leaf_stride], y[leaf_rows * leaf_stride], d[32], e[32];
};

// Solves a leaf. Arguments as of solve_leaves() in dc_device.hpp. All threads of the warp call it.
template <class R>
__device__ void solve_leaf(const Leaf& leaf, const Arrays<R>& x, Rows rows, MatrixView<same_t<R>> q,
                           MatrixView<same_t<R>> ends, unsigned* failed, LeafMemory<R>& memory) {
  const auto lane = static_cast<Index>(threadIdx.x % 32);
  R *const z = memory.z, *const d = memory.d, *const e = memory.e;
  const bool mine = lane < leaf.size;
  d[lane] = mine ? x.d[leaf.first + lane] : 0;
  e[lane] = lane + 1 < leaf.size ? x.e[leaf.first + lane] : 0;
  for (Index i = 0; i < leaf_rows; ++i) z[leaf_stride * i + lane] = i == lane;
  __syncwarp();

  const bool converged = implicit_ql(leaf.size, d, e, WarpVectors<R>{z + lane});
  __syncwarp();
  orthogonalize(Warp(), leaf.size, leaf_stride, z, memory.y);
  if (!converged && lane == 0) atomicMin(failed, static_cast<unsigned>(leaf.first + 1));

  if (mine) {
    Index place = 0;
    for (Index k = 0; k < leaf.size; ++k) place += d[k] < d[lane] || (d[k] == d[lane] && k < lane);
    x.d[leaf.first + place] = d[lane];
    x.column[leaf.first + place] = leaf.first + lane;
    if (const Index row = leaf.first + lane - rows.first; row >= 0 && row < rows.count)
      for (Index i = 0; i < leaf.size; ++i) q(row, leaf.first + i) = z[leaf_stride * i + lane];
    if (ends.data) {
      ends(0, leaf.first + lane) = z[leaf_stride * lane];
      ends(1, leaf.first + lane) = z[leaf_stride * lane + leaf.size - 1];
    }
  }
}

}  // namespace eigen_g::dc
