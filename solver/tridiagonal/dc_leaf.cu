// Kernel for the leaves: one warp solves a leaf, and a lane has one row of Z.
#include "hybrid/instantiate.hpp"
#include "solver/tridiagonal/dc_crew.cuh"
#include "solver/tridiagonal/dc_launch.cuh"
#include "solver/tridiagonal/dc_leaf.hpp"

namespace eigen_g::dc {

namespace {

constexpr int leaves_a_block = 2;
constexpr Index stride = 33;  // between columns of Z; odd, for access without bank conflicts
static_assert(leaf_rows <= 32, "a lane owns a row of Z, a warp a leaf");

// The columns of a leaf's Z for implicit_ql(): column i begins at i stride. A lane reads and writes only its own row. It keeps the entry of
// the column that the next rotation of the sweep needs again in a register.
template <class R>
struct WarpVectors {
  R* z;  // this lane's row
  R carried = 0, low = 0;
  __device__ void begin_sweep(Index i) {
    carried = z[stride * i];
    low = z[stride * (i - 1)];
  }
  __device__ void rotate(Index i, R c, R s) {
    z[stride * (i + 1)] = s * low + c * carried;
    carried = c * low - s * carried;
    low = z[stride * max(i - 1, 0)];  // loaded one rotation early
    __syncwarp();                     // no lane overwrites what another one still has to read
  }
  __device__ void end_sweep(Index i) { z[stride * i] = carried; }
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

template <class R>
__global__ void __launch_bounds__(32 * leaves_a_block)
    leaf_kernel(const Leaf* leaves, Index count, Arrays<R> x, Rows rows, MatrixView<R> q, MatrixView<R> ends,
                unsigned* failed) {
  enter_in_turn();
  __shared__ R all_z[leaves_a_block][leaf_rows * stride], all_y[leaves_a_block][leaf_rows * stride];
  __shared__ R all_d[leaves_a_block][32], all_e[leaves_a_block][32];
  const int warp = threadIdx.x / 32;
  const Index lane = threadIdx.x % 32, which = blockIdx.x * leaves_a_block + warp;
  if (which >= count) return;
  const Leaf leaf = leaves[which];
  R *const z = all_z[warp], *const d = all_d[warp], *const e = all_e[warp];
  const bool mine = lane < leaf.size;
  d[lane] = mine ? x.d[leaf.first + lane] : 0;
  e[lane] = lane + 1 < leaf.size ? x.e[leaf.first + lane] : 0;
  for (Index i = 0; i < leaf_rows; ++i) z[stride * i + lane] = i == lane;
  __syncwarp();

  const bool converged = implicit_ql(leaf.size, d, e, WarpVectors<R>{z + lane});
  __syncwarp();
  orthogonalize(Warp(), leaf.size, stride, z, all_y[warp]);
  if (!converged && lane == 0) atomicMin(failed, static_cast<unsigned>(leaf.first + 1));

  if (mine) {
    Index place = 0;
    for (Index k = 0; k < leaf.size; ++k) place += d[k] < d[lane] || (d[k] == d[lane] && k < lane);
    x.d[leaf.first + place] = d[lane];
    x.column[leaf.first + place] = leaf.first + lane;
    if (const Index row = leaf.first + lane - rows.first; row >= 0 && row < rows.count)
      for (Index i = 0; i < leaf.size; ++i) q(row, leaf.first + i) = z[stride * i + lane];
    if (ends.data) {
      ends(0, leaf.first + lane) = z[stride * lane];
      ends(1, leaf.first + lane) = z[stride * lane + leaf.size - 1];
    }
  }
}

}  // namespace

template <class R>
void solve_leaves(const Queue& queue, const Leaf* leaves, Index count, const Arrays<R>& arrays, Rows rows,
                  MatrixView<same_t<R>> q, MatrixView<same_t<R>> ends, unsigned* failed) {
  if (count == 0) return;
  const auto blocks = static_cast<unsigned>((count + leaves_a_block - 1) / leaves_a_block);
  launch_dependent(queue, leaf_kernel<R>, blocks, 32 * leaves_a_block, leaves, count, arrays, rows, q, ends,
                   failed);
}

EIGEN_G_INSTANTIATE(real_types, solve_leaves);

}  // namespace eigen_g::dc
