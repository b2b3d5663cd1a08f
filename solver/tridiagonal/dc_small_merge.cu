// Carries out all phases of a small merge in one launch. Up to 64 rows are one block's, and up to cluster_merge_rows a cluster's of eight blocks. The
// phases are the same as in the other launches of dc_device.hpp. Barriers of the block or of the cluster separate them.
//
// The blocks of a cluster form z and deflate each for itself, in its own shared memory. Then block b has the roots, poles, vectors and columns
// b, b + 8, b + 16 and so on. The blocks pass each other roots and weights through the arrays in global memory, so there are two barriers:
//
//   z, deflation | own roots | barrier | own weights, order of the values, own columns of the compressed Q | barrier | own columns of U and of Q
//
// The leaves and the merges of up to 64 rows of a subtree are one block's, with a group of threads a merge.
//
// A merge of more than 128 rows leaves its columns of U in the panel, and dc_product multiplies.
#include <algorithm>
#include <cstddef>

#include "hybrid/instantiate.hpp"
#include "hybrid/pair.hpp"
#include "hybrid/stream/cluster.cuh"
#include "hybrid/stream/dynamic_shared.cuh"
#include "solver/devices/tuning.hpp"
#include "solver/tridiagonal/dc_crew.cuh"
#include "solver/tridiagonal/dc_deflate.hpp"
#include "solver/tridiagonal/dc_launch.cuh"
#include "solver/tridiagonal/dc_leaf.cuh"
#include "solver/tridiagonal/dc_merge.hpp"
#include "solver/tridiagonal/dc_rank_one.hpp"
#include "solver/tridiagonal/dc_secular.hpp"

namespace eigen_g::dc {

namespace {

// How a merge of up to `rows_` rows is shared out over `blocks_` blocks. `multiplies_`: the launch multiplies by U, which is in shared memory.
//   threads                   the threads of a block, or the group of neighbouring threads of a block, for a merge
//   columns                   the columns of a block
//   lanes                     the threads that compute a root, a pole or a vector together
//   slices, columns_a_thread  a thread has a row, and the columns of one of the slices of the block's columns
//   stride                    the length of a row of U in shared memory
template <Index rows_, Index blocks_, bool multiplies_, int threads_ = 512>
struct Split {
  static constexpr Index rows = rows_, blocks = blocks_;
  static constexpr bool multiplies = multiplies_;
  static constexpr int threads = threads_;
  static constexpr Index columns = rows / blocks;
  static constexpr int lanes = threads / columns;
  static constexpr Index slices = threads / rows, columns_a_thread = columns / slices;
  static constexpr Index stride = columns + 2;
  using Crew = Lanes<lanes>;
};
using OneBlock = Split<small_merge_rows, 1, true>;
using Cluster = Split<128, 8, true>;
using LargeCluster = Split<cluster_merge_rows, 8, false>;

template <class R, class S>
struct Shared {
  // The block's columns of U with rows contiguous, so that a thread finds the columns that it needs of a row next to each other.
  alignas(16) R u[S::multiplies ? S::rows * S::stride : 2];
  R arrays[arrays_size<R>(S::rows)];
  typename Block<R>::Scratch scratch;
  Shape<R> shape;
};

// The block's number in its cluster, and the columns of the merge that the block has: column(0), column(1), ...
template <class S>
struct Part {
  Index block = static_cast<Index>(blockIdx.x) % S::blocks;
  __device__ Index column(Index slot) const { return block + S::blocks * slot; }
};

// A thread's row, and its slots: columns_a_thread from `slot` on, or every `slices`-th from `slice` on.
template <class S>
struct ThreadRange {
  Index rank = static_cast<Index>(threadIdx.x) % S::threads;
  Index row = rank % S::rows, slice = rank / S::rows, slot = slice * S::columns_a_thread;
};

// The block's columns of the compressed Q. forms_ends: first_of_c and last_of_c too.
template <class S, class R>
__device__ void compress_all(const Merge& merge, Rows rows, const Shape<R>& shape, const Arrays<R>& x,
                             MatrixView<const same_t<R>> q, MatrixView<same_t<R>> compressed,
                             bool forms_ends) {
  const ThreadRange<S> place;
  const Part<S> part;
  const Index upper = rows.upper_count(merge);
  if (place.row >= upper + rows.lower_count(merge)) return;
  const bool upper_row = place.row < upper;
  const Index row =
      upper_row ? rows.upper_first(merge) + place.row : rows.lower_first(merge) + place.row - upper;
  R* const end_row = forms_ends ? rows.of_end_row(merge, row, x.first_of_c, x.last_of_c) : nullptr;
  R entry[S::columns_a_thread];  // loaded together, so that the latencies overlap
#pragma unroll
  for (Index j = 0; j < S::columns_a_thread; ++j)
    if (const Index s = part.column(place.slice + j * S::slices); s < merge.size)
      entry[j] = entry_of_row(merge, x, q, row, upper_row, s);
#pragma unroll
  for (Index j = 0; j < S::columns_a_thread; ++j)
    if (const Index s = part.column(place.slice + j * S::slices);
        s < merge.size && !x.linked[s] && !compress_skips(shape, x, upper_row, s))
      compress_row(merge, shape, x, q, compressed, row, upper_row, end_row, s, entry[j]);
}

// The block's columns of Q := compressed Q times U, except the end rows, which are copied from first_of_q and last_of_q. The deflated columns
// are copied.
template <class S, class R>
__device__ void multiply_all(const Merge& merge, Rows rows, const Shape<R>& shape, const Arrays<R>& x,
                             bool end_rows, MatrixView<const same_t<R>> compressed, const R* u,
                             MatrixView<same_t<R>> q) {
  const ThreadRange<S> place;
  const Part<S> part;
  const Index row = place.row, slot = place.slot, kept = merge.first + row - rows.first;
  if (row >= merge.size || kept < 0 || kept >= rows.count) return;
  const bool upper = row < merge.upper;
  const R* const end_row = end_rows ? rows.of_end_row(merge, kept, x.first_of_q, x.last_of_q) : nullptr;
  const Index begin = upper ? 0 : shape.lower_begin(), end = upper ? shape.upper_end() : shape.k;
  R sums[S::columns_a_thread] = {};
  if (part.column(slot) < shape.k)
#pragma unroll 4
    for (Index g = begin; g < end; ++g) {
      const R factor = compressed(kept, merge.first + g);
#pragma unroll
      for (Index j = 0; j < S::columns_a_thread; j += 2) {
        const pair_t<R> pair = *reinterpret_cast<const pair_t<R>*>(&u[g * S::stride + slot + j]);
        sums[j] = fma(factor, pair.x, sums[j]);
        sums[j + 1] = fma(factor, pair.y, sums[j + 1]);
      }
    }
#pragma unroll
  for (Index j = 0; j < S::columns_a_thread; ++j)
    if (const Index t = part.column(slot + j); t < merge.size)
      q(kept, merge.first + t) = t >= shape.k ? compressed(kept, merge.first + t)
                                 : end_row    ? end_row[t]
                                              : sums[j];
}

// The matrices of a launch. `range`: q and compressed have the end rows, and the rows `kept` are in kept_q and kept_compressed. Without it q and
// compressed have batch.rows.
template <class R>
struct Matrices {
  MatrixView<R> q, compressed;
  Rows kept;
  MatrixView<R> kept_q, kept_compressed;
  MatrixView<R> panel;  // for U, if the launch does not multiply
};

// Carries out all phases of merge `which`. there = false: the group has no merge, and only comes to the barriers of the block.
template <bool range, class S, class R>
__device__ void merge_all_phases(const Batch<R>& batch, const Matrices<R>& m, Index which, bool there,
                                 Shared<R, S>& shared) {
  using Crew = typename S::Crew;
  constexpr bool several = S::blocks > 1;
  const Part<S> part;
  const Merge merge = there ? batch.merges[which] : Merge{};
  const Arrays<R> global = batch.arrays.at(merge.first), x = place_arrays(S::rows, shared.arrays);
  Arrays<R> to = x;  // where the results of a phase go that another block or the next launch needs
  to.d = global.d;
  to.column = global.column;
  if constexpr (several) {
    to.base = global.base;
    to.tau = global.tau;
    to.root = global.root;
    to.group_pole = global.group_pole;
    to.group_weight = global.group_weight;
    to.first_of_c = global.first_of_c;
    to.last_of_c = global.last_of_c;
    to.first_of_q = global.first_of_q;
    to.last_of_q = global.last_of_q;
  }
  const auto meet = [] {
    if constexpr (several)
      cluster_barrier();
    else
      Block<R>::sync();
  };
  const R e = there ? batch.arrays.e[merge.first + merge.upper - 1] : R(0);
  const Index rank = ThreadRange<S>().rank, slot = rank / S::lanes, mine = part.column(slot);
  const Shape<R>& shape = shared.shape;

  if (rank < merge.size) {
    x.d[rank] = global.d[rank];
    x.column[rank] = global.column[rank];
  }
  if (!there && rank == 0) shared.shape = {};
  Block<R>::sync();
  if (rank < merge.size) form_z(merge, batch.rows, m.q, x, e, rank);
  Block<R>::sync();
  if constexpr (several) {
    deflate(Block<R>(shared.scratch), merge, x, e, &shared.shape);
  } else {
    if (there && rank < Warp::size()) deflate(Warp(), merge, x, e, &shared.shape);  // needs no block barriers
  }
  Block<R>::sync();
  if (mine < shape.k) {
    Arrays<R> roots = x;
    roots.base = to.base;
    roots.tau = to.tau;
    roots.root = to.root;
    if (!solve_secular(Crew(), shape, roots, mine) && Crew::rank() == 0)
      atomicMin(batch.failed, static_cast<unsigned>(merge.first + mine + 1));
  }
  meet();
  if constexpr (several) {
    if (rank < shape.k) {
      x.base[rank] = global.base[rank];
      x.tau[rank] = global.tau[rank];
      x.root[rank] = global.root[rank];
    }
    if (part.block == 0 && rank == 0) batch.shapes[which] = shape;
    Block<R>::sync();
  }
  Arrays<R> ordered = x;
  ordered.d = to.d;
  ordered.column = to.column;
  ordered.group_pole = to.group_pole;
  ordered.group_weight = to.group_weight;
  ordered.first_of_c = to.first_of_c;
  ordered.last_of_c = to.last_of_c;
  if (mine < shape.k) correct_weight(Crew(), shape, ordered, mine);
  if (mine < merge.size) order_value(Crew(), merge, shape, ordered, mine);
  compress_all<S>(merge, batch.rows, shape, ordered, m.q, m.compressed, true);
  if constexpr (range) compress_all<S>(merge, m.kept, shape, ordered, m.kept_q, m.kept_compressed, false);
  meet();
  if constexpr (several) {
    if (rank < shape.k) {
      x.group_pole[rank] = global.group_pole[rank];
      x.group_weight[rank] = global.group_weight[rank];
      if (rank < shape.upper_end()) x.first_of_c[rank] = global.first_of_c[rank];
      if (rank >= shape.upper) x.last_of_c[rank] = global.last_of_c[rank];
    }
    Block<R>::sync();
  }
  Arrays<R> formed = x;
  formed.first_of_q = to.first_of_q;
  formed.last_of_q = to.last_of_q;
  if (!range && batch.rows.ends_only() && mine < shape.k) form_end_rows(Crew(), shape, formed, mine);
  if ((range || !batch.rows.ends_only()) && mine < shape.k)
    form_vector(Crew(), shape, formed, mine, batch.end_rows, [&](Index g, R value) {
      if constexpr (S::multiplies)
        shared.u[g * S::stride + slot] = value;
      else
        m.panel(merge.first + g, mine) = value;
    });
  Block<R>::sync();
  if (batch.rows.ends_only() && (!range || batch.end_rows) && rank < S::columns)
    if (const Index t = part.column(rank); t < merge.size) {
      m.q(0, merge.first + t) = t < shape.k ? formed.first_of_q[t] : m.compressed(0, merge.first + t);
      m.q(1, merge.first + t) = t < shape.k ? formed.last_of_q[t] : m.compressed(1, merge.first + t);
    }
  if constexpr (S::multiplies) {
    if constexpr (range)
      multiply_all<S>(merge, m.kept, shape, formed, batch.end_rows, m.kept_compressed, shared.u, m.kept_q);
    else if (!batch.rows.ends_only())
      multiply_all<S>(merge, batch.rows, shape, formed, batch.end_rows, m.compressed, shared.u, m.q);
  }
}

template <class R, class S, bool range>
__global__ void __launch_bounds__(S::threads)
    small_merge_kernel(const __grid_constant__ Batch<R> batch, const __grid_constant__ Matrices<R> m) {
  enter_in_turn();
  merge_all_phases<range, S>(batch, m, static_cast<Index>(blockIdx.x) / S::blocks, true,
                             *reinterpret_cast<Shared<R, S>*>(DynamicShared<pair_t<R>>::memory()));
}

constexpr int subtree_threads = 512;
// A level of the merges of a subtree: a group of threads a merge.
template <bool range, Index rows, class R>
__device__ void merge_in_subtree(const Batch<R>& batch, const Matrices<R>& m, Index first, Index count) {
  using S = Split<rows, 1, true, 8 * rows>;
  static_assert(subtree_threads % S::threads == 0);
  const Index group = static_cast<Index>(threadIdx.x) / S::threads;
  auto* const shared = reinterpret_cast<Shared<R, S>*>(DynamicShared<pair_t<R>>::memory());
  merge_all_phases<range, S>(batch, m, first + group, group < count, shared[group]);
  Block<R>::sync();
}
template <class R>
constexpr std::size_t subtree_shared = std::max({subtree_rows / leaf_rows * sizeof(LeafMemory<R>),
                                                 4 * sizeof(Shared<R, Split<16, 1, true, 128>>),
                                                 2 * sizeof(Shared<R, Split<32, 1, true, 256>>),
                                                 sizeof(Shared<R, Split<64, 1, true, 512>>)});

// All phases of a subtree, by one block: a warp solves a leaf, then the levels follow.
template <class R, bool range>
__global__ void __launch_bounds__(subtree_threads, 1)
    subtree_kernel(const __grid_constant__ Batch<R> batch, const __grid_constant__ Matrices<R> m,
                   const Leaf* leaves, const Subtree* subtrees) {
  enter_in_turn();
  const Subtree subtree = subtrees[blockIdx.x];
  const auto warp = static_cast<Index>(threadIdx.x / 32);
  auto* const memory = reinterpret_cast<LeafMemory<R>*>(DynamicShared<pair_t<R>>::memory());
  const bool ends = range || batch.rows.ends_only();
  if (warp < subtree.leaves)
    solve_leaf(leaves[subtree.leaf + warp], batch.arrays, range ? m.kept : batch.rows, range ? m.kept_q : m.q,
               ends ? m.q : MatrixView<R>{}, batch.failed, memory[warp]);
  Block<R>::sync();
  merge_in_subtree<range, 2 * leaf_rows>(batch, m, subtree.merge[0], subtree.merges[0]);
  merge_in_subtree<range, 4 * leaf_rows>(batch, m, subtree.merge[1], subtree.merges[1]);
  merge_in_subtree<range, 8 * leaf_rows>(batch, m, subtree.merge[2], subtree.merges[2]);
}
static_assert(subtree_levels == 3 && subtree_rows == small_merge_rows && subtree_threads == 8 * subtree_rows);

// A kernel can have this shared memory without asking for it.
constexpr std::size_t shared_without_permission = 48 << 10;
template <bool range, class S, class R>
void launch(const Queue& queue, const Batch<R>& batch, const Matrices<R>& matrices) {
  static_assert(sizeof(Shared<R, S>) <= shared_without_permission);
  launch_dependent_cluster(queue, small_merge_kernel<R, S, range>,
                           static_cast<unsigned>(batch.count * S::blocks), S::blocks, S::threads,
                           sizeof(Shared<R, S>), batch, matrices);
}

template <bool range, class R>
void solve_all(const Queue& queue, const TreeOnDevice& tree, const Batch<R>& batch,
               const Matrices<R>& matrices) {
  static_assert(subtree_shared<R> <= shared_without_permission);
  Batch<R> all = batch;
  all.end_rows = true;  // a further level follows
  launch_dependent_cluster(queue, subtree_kernel<R, range>, static_cast<unsigned>(tree.subtree_count), 1,
                           subtree_threads, subtree_shared<R>, all, matrices, tree.leaves, tree.subtrees());
}

template <bool range, class R>
void merge_all(const Queue& queue, const Batch<R>& batch, const Matrices<R>& matrices) {
  if (batch.largest <= OneBlock::rows) return launch<range, OneBlock>(queue, batch, matrices);
  if (batch.largest <= Cluster::rows) return launch<range, Cluster>(queue, batch, matrices);
  launch<range, LargeCluster>(queue, batch, matrices);
  if (!range && batch.rows.ends_only()) return;
  Batch<R> product = batch;
  if (range) product.rows = matrices.kept;
  multiply<R>(queue, product, 0, batch.largest, range ? matrices.kept_compressed : matrices.compressed,
              matrices.panel, range ? matrices.kept_q : matrices.q);
}

}  // namespace

Index largest_small_merge(Index count) {
  const SolverTuning& t = solver_tuning();
  if (!dependent_launches() || count > t.dc_max_clusters) return small_merge_rows;
  return std::max(small_merge_rows, static_cast<Index>(t.dc_max_rows_in_cluster));
}

template <class R>
void solve_subtrees(const Queue& queue, const TreeOnDevice& tree, const Batch<R>& batch,
                    MatrixView<same_t<R>> q, MatrixView<same_t<R>> compressed) {
  solve_all<false, R>(queue, tree, batch, {q, compressed, {}, {}, {}, {}});
}
template <class R>
void solve_subtrees_in_range(const Queue& queue, const TreeOnDevice& tree, const Batch<R>& batch,
                             MatrixView<same_t<R>> ends, MatrixView<same_t<R>> compressed_ends, Rows kept,
                             MatrixView<same_t<R>> q, MatrixView<same_t<R>> compressed) {
  solve_all<true, R>(queue, tree, batch, {ends, compressed_ends, kept, q, compressed, {}});
}
template <class R>
void merge_small(const Queue& queue, const Batch<R>& batch, MatrixView<same_t<R>> q,
                 MatrixView<same_t<R>> compressed, MatrixView<same_t<R>> panel) {
  merge_all<false, R>(queue, batch, {q, compressed, {}, {}, {}, panel});
}
template <class R>
void merge_small_in_range(const Queue& queue, const Batch<R>& batch, MatrixView<same_t<R>> ends,
                          MatrixView<same_t<R>> compressed_ends, Rows kept, MatrixView<same_t<R>> q,
                          MatrixView<same_t<R>> compressed, MatrixView<same_t<R>> panel) {
  merge_all<true, R>(queue, batch, {ends, compressed_ends, kept, q, compressed, panel});
}

EIGEN_G_INSTANTIATE(real_types, solve_subtrees, solve_subtrees_in_range, merge_small, merge_small_in_range);

}  // namespace eigen_g::dc
