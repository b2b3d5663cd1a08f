// Carries out all phases of a small merge in one launch: one block a merge, and eight lanes for a root, a pole or a vector. The phases are
// the same as in the other launches of dc_device.hpp. Barriers of the block separate them, and their arrays are in shared memory.
#include "hybrid/instantiate.hpp"
#include "hybrid/pair.hpp"
#include "solver/tridiagonal/dc_crew.cuh"
#include "solver/tridiagonal/dc_deflate.hpp"
#include "solver/tridiagonal/dc_launch.cuh"
#include "solver/tridiagonal/dc_merge.hpp"
#include "solver/tridiagonal/dc_rank_one.hpp"
#include "solver/tridiagonal/dc_secular.hpp"

namespace eigen_g::dc {

namespace {

constexpr Index max_rows = small_merge_rows;
constexpr int lanes = 8, threads = lanes * max_rows;
using Crew = Lanes<lanes>;

// U with its rows contiguous, so that a thread finds the columns that it needs of a row next to each other.
constexpr Index columns_a_thread = max_rows * max_rows / threads, stride = max_rows + 2;
template <class R>
using Vectors = R[max_rows * stride];

// A thread's row, and its columns: columns_a_thread from `column` on, or every `slices`-th from `slice` on.
constexpr Index slices = threads / max_rows;
struct ThreadRange {
  Index row = static_cast<Index>(threadIdx.x % max_rows);
  Index slice = static_cast<Index>(threadIdx.x / max_rows), column = slice * columns_a_thread;
};

// forms_ends: first_of_c and last_of_c too.
template <class R>
__device__ void compress_all(const Merge& merge, Rows rows, const Shape<R>& shape, const Arrays<R>& x,
                             MatrixView<const same_t<R>> q, MatrixView<same_t<R>> compressed,
                             bool forms_ends) {
  const ThreadRange place;
  const Index upper = rows.upper_count(merge);
  if (place.row >= upper + rows.lower_count(merge)) return;
  const bool upper_row = place.row < upper;
  const Index row =
      upper_row ? rows.upper_first(merge) + place.row : rows.lower_first(merge) + place.row - upper;
  R* const end_row = forms_ends ? rows.of_end_row(merge, row, x.first_of_c, x.last_of_c) : nullptr;
  R entry[columns_a_thread];  // loaded together, so that the latencies overlap
#pragma unroll
  for (Index j = 0; j < columns_a_thread; ++j)
    if (const Index s = place.slice + j * slices; s < merge.size)
      entry[j] = entry_of_row(merge, x, q, row, upper_row, s);
#pragma unroll
  for (Index j = 0; j < columns_a_thread; ++j)
    if (const Index s = place.slice + j * slices;
        s < merge.size && !x.linked[s] && !compress_skips(shape, x, upper_row, s))
      compress_row(merge, shape, x, q, compressed, row, upper_row, end_row, s, entry[j]);
}

// First k columns of Q := compressed Q times U, except the end rows, which are copied from first_of_q and last_of_q. The deflated columns
// are copied.
template <class R>
__device__ void multiply_all(const Merge& merge, Rows rows, const Shape<R>& shape, const Arrays<R>& x,
                             bool end_rows, MatrixView<const same_t<R>> compressed, const Vectors<R>& u,
                             MatrixView<same_t<R>> q) {
  const Index row = ThreadRange().row, column = ThreadRange().column, kept = merge.first + row - rows.first;
  if (row >= merge.size || kept < 0 || kept >= rows.count) return;
  const bool upper = row < merge.upper;
  const R* const end_row = end_rows ? rows.of_end_row(merge, kept, x.first_of_q, x.last_of_q) : nullptr;
  const Index begin = upper ? 0 : shape.lower_begin(), end = upper ? shape.upper_end() : shape.k;
  R sums[columns_a_thread] = {};
  if (column < shape.k)
#pragma unroll 4
    for (Index g = begin; g < end; ++g) {
      const R factor = compressed(kept, merge.first + g);
#pragma unroll
      for (Index j = 0; j < columns_a_thread; j += 2) {
        const pair_t<R> pair = *reinterpret_cast<const pair_t<R>*>(&u[g * stride + column + j]);
        sums[j] = fma(factor, pair.x, sums[j]);
        sums[j + 1] = fma(factor, pair.y, sums[j + 1]);
      }
    }
#pragma unroll
  for (Index j = 0; j < columns_a_thread; ++j)
    if (column + j < merge.size)
      q(kept, merge.first + column + j) = column + j >= shape.k ? compressed(kept, merge.first + column + j)
                                          : end_row             ? end_row[column + j]
                                                                : sums[j];
}

// range: q and compressed have the end rows, and the rows `kept` are in kept_q and kept_compressed. Without it q and compressed have batch.rows.
template <class R, bool range>
__global__ void __launch_bounds__(threads)
    small_merge_kernel(Batch<R> batch, MatrixView<R> q, MatrixView<R> compressed, Rows kept,
                       MatrixView<R> kept_q, MatrixView<R> kept_compressed) {
  enter_in_turn();
  __shared__ __align__(16) Vectors<R> u;
  __shared__ R storage[arrays_size<R>(max_rows)];
  __shared__ Shape<R> shape;
  const Merge merge = batch.merges[blockIdx.x];
  const Arrays<R> global = batch.arrays.at(merge.first), x = place_arrays(max_rows, storage);
  const R e = batch.arrays.e[merge.first + merge.upper - 1];
  const Index rank = Block<R>::rank(), mine = rank / lanes;

  if (rank < merge.size) {
    x.d[rank] = global.d[rank];
    x.column[rank] = global.column[rank];
  }
  Block<R>::sync();
  if (rank < merge.size) form_z(merge, batch.rows, q, x, e, rank);
  Block<R>::sync();
  if (rank < Warp::size()) deflate(Warp(), merge, x, e, &shape);  // needs no block barriers
  Block<R>::sync();
  if (mine < shape.k && !solve_secular(Crew(), shape, x, mine) && Crew::rank() == 0)
    atomicMin(batch.failed, static_cast<unsigned>(merge.first + mine + 1));
  Block<R>::sync();
  if (mine < shape.k) correct_weight(Crew(), shape, x, mine);
  if (mine < merge.size) order_value(Crew(), merge, shape, x, mine);
  compress_all(merge, batch.rows, shape, x, q, compressed, true);
  if constexpr (range) compress_all(merge, kept, shape, x, kept_q, kept_compressed, false);
  Block<R>::sync();
  if (rank < merge.size) {
    global.d[rank] = x.d[rank];
    global.column[rank] = x.column[rank];
  }
  if (!range && batch.rows.ends_only() && mine < shape.k) form_end_rows(Crew(), shape, x, mine);
  if ((range || !batch.rows.ends_only()) && mine < shape.k)
    form_vector(Crew(), shape, x, mine, batch.end_rows,
                [&](Index g, R value) { u[g * stride + mine] = value; });
  Block<R>::sync();
  if (batch.rows.ends_only() && (!range || batch.end_rows) && rank < merge.size) {
    q(0, merge.first + rank) = rank < shape.k ? x.first_of_q[rank] : compressed(0, merge.first + rank);
    q(1, merge.first + rank) = rank < shape.k ? x.last_of_q[rank] : compressed(1, merge.first + rank);
  }
  if constexpr (range)
    multiply_all(merge, kept, shape, x, batch.end_rows, kept_compressed, u, kept_q);
  else if (!batch.rows.ends_only())
    multiply_all(merge, batch.rows, shape, x, batch.end_rows, compressed, u, q);
}

}  // namespace

template <class R>
void merge_small(const Queue& queue, const Batch<R>& batch, MatrixView<same_t<R>> q,
                 MatrixView<same_t<R>> compressed) {
  launch_dependent(queue, small_merge_kernel<R, false>, static_cast<unsigned>(batch.count), threads, batch, q,
                   compressed, Rows{}, MatrixView<R>{}, MatrixView<R>{});
}
template <class R>
void merge_small_in_range(const Queue& queue, const Batch<R>& batch, MatrixView<same_t<R>> ends,
                          MatrixView<same_t<R>> compressed_ends, Rows kept, MatrixView<same_t<R>> q,
                          MatrixView<same_t<R>> compressed) {
  launch_dependent(queue, small_merge_kernel<R, true>, static_cast<unsigned>(batch.count), threads, batch,
                   ends, compressed_ends, kept, q, compressed);
}

EIGEN_G_INSTANTIATE(real_types, merge_small, merge_small_in_range);

}  // namespace eigen_g::dc
