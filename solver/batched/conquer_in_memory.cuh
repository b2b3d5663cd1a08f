// Divide and conquer for matrices of order 129 to 512, with Q, U and their product in the work arrays (symbols: conquer.cuh). T has 8 leaves up to
// order 256 and 16 for larger orders, so that a leaf has 16 to 32 rows. find_values() has computed the eigenvalues of the leaves.
//
//   leaf_vectors_in_memory    computes the vectors of the leaves; a warp has a leaf
//   merge_in_memory           z, deflation, roots, new z, and U before its columns are normalised; a thread block has a merge
//   multiply_in_memory        Q U; a thread block has 64 x 64 entries
//   order_in_memory           puts the values in ascending order, and finds the column of Q for each; a thread block has a matrix
//
// For each level of merges, merge_in_memory and multiply_in_memory are launched once for all merges of all matrices.
#pragma once

#include "solver/batched/conquer.cuh"
#include "solver/batched/tile.cuh"

namespace eigen_g::batched {

EIGEN_G_HOST_DEVICE constexpr int leaves_in_memory(int n) {
  return n <= 256 ? 8 : 16;
}
inline constexpr int leaf_rows = 32;  // at most

template <class R>
struct LeafPlan {
  static constexpr int z = leaf_rows * leaf_rows, lists = 2 * rotation_entries(leaf_rows),
                       sweeps = ql_most_sweeps(leaf_rows);
  static constexpr int shared() { return (z + 2 * lists) * static_cast<int>(sizeof(R)) + sweeps * 8; }
};

template <class T>
__global__ void __launch_bounds__(32) leaf_vectors_in_memory(Chunk<T> chunk, Work<T> work, int leaves) {
  using R = real_t<T>;
  using Plan = LeafPlan<R>;
  R* const z = reinterpret_cast<R*>(DynamicShared<pair_t<R>>::memory());  // [column][row]
  pair_t<R>* const lists = reinterpret_cast<pair_t<R>*>(z + Plan::z);
  int2* const sweeps = reinterpret_cast<int2*>(lists + Plan::lists);
  const std::int64_t problem = blockIdx.x, matrix = problem / leaves;
  const int leaf = static_cast<int>(problem % leaves), n = chunk.order(chunk.id(matrix)), lane = threadIdx.x;
  const int begin = leaf_begin(n, leaf, leaves), rows = leaf_begin(n, leaf + 1, leaves) - begin;
  const int count = work.sweep_count[problem];
  for (int q = lane; q < count; q += 32) sweeps[q] = work.sweeps[problem * work.most_sweeps + q];
  for (int c = 0; c < rows; ++c) z[c * leaf_rows + lane] = c == lane ? R(1) : R(0);
  __syncwarp();
  apply_sweeps<leaf_rows, 32>(z + lane, leaf_rows, true, lane, sweeps, count,
                              work.rotations + problem * work.room, lists, [] { __syncwarp(); });
  R* const q = work.q + (matrix * work.ld + begin) * work.ld + begin;
  if (lane < rows)
    for (int c = 0; c < rows; ++c) q[c * work.ld + lane] = z[c * leaf_rows + lane];
}

// The rows of merge g of a level, on which a merge joins `span` leaves.
struct MergeRows {
  int begin, middle, end;
  __device__ MergeRows(int n, int g, int span, int leaves)
      : begin(leaf_begin(n, g * span, leaves)),
        middle(leaf_begin(n, g * span + span / 2, leaves)),
        end(leaf_begin(n, (g + 1) * span, leaves)) {}
};

EIGEN_G_HOST_DEVICE constexpr int merge_threads(int most_rows) {
  return most_rows < 256 ? 2 * most_rows : 512;
}
template <class R, int MC>
EIGEN_G_HOST_DEVICE constexpr int merge_shared() {
  return 8 * MC * static_cast<int>(sizeof(R)) + (4 * MC + 2) * 4;
}

//   MC       largest number of rows of a merge
//   VECTORS  false: the last merge computes only the values
template <class T, int MC, bool VECTORS>
__global__ void __launch_bounds__(merge_threads(MC))
    merge_in_memory(Chunk<T> chunk, Work<T> work, int span, int leaves) {
  using R = real_t<T>;
  using L = Limits<R>;
  constexpr int TN = merge_threads(MC), roots = TN / 2;
  R* const d =
      reinterpret_cast<R*>(DynamicShared<pair_t<R>>::memory());  // as ConquerMemory, but origin follows dl
  // tau, dl and origin are neighbours. With other arrays between them nvcc 13.0 reads dl[j] from a wrong address in the loop of the new z.
  R *const ds = d + MC, *const zs = ds + MC, *const dl = zs + MC, *const origin = dl + MC,
           *const zz = origin + MC, *const rc = zz + MC, *const rs = rc + MC, *const zh = ds, *const tau = zs;
  int* const src = reinterpret_cast<int*>(rs + MC);
  int *const ks = src + MC, *const ri = ks + MC, *const rj = ri + MC, *const count = rj + MC;
  const int merges = leaves / span, tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  const std::int64_t matrix = blockIdx.x / merges, row = matrix * work.ld, ld = work.ld;
  const int n = chunk.order(chunk.id(matrix));
  const MergeRows at(n, static_cast<int>(blockIdx.x % merges), span, leaves);
  const int o = at.begin, m = at.end - o, s1 = at.middle - o;
  const R* const q = work.q + row * ld;
  R* const u = work.u + (row + o) * ld + o;  // [row][column]
  const R tear = work.e[row + at.middle - 1], rho = 2 * fabs(tear);

  R z = 0;
  if (tid < m) {
    d[tid] = work.w[row + o + tid];
    z = (tid < s1 ? q[(o + tid) * ld + at.middle - 1]
                  : (tear < 0 ? R(-1) : R(1)) * q[(o + tid) * ld + at.middle]) *
        R(0.70710678118654752440);
  }
  __syncthreads();
  if (tid < m) {  // z, and everything in ascending order of d
    const int place = rank_of(d, m, tid);
    ds[place] = d[tid];
    zs[place] = z;
    src[place] = tid;
  }
  if (tid == 0) count[1] = 0;
  __syncthreads();
  // An entry deflates if rho |z_j| is at most the tolerance, 8 half_eps times the larger of |d| and 1. T is scaled so that its norm is about 1 or
  // larger, and |z| = 1.
  const R largest = max(fabs(ds[0]), fabs(ds[m - 1])), tolerance = 8 * L::half_eps * max(largest, R(1));
  {  // All threads deflate at once. If two kept values are close, one thread deflates again below.
    const R dj = tid < m ? ds[tid] : R(0), zj = tid < m ? zs[tid] : R(0);
    const bool keep = tid < m && rho * fabs(zj) > tolerance;
    const unsigned kept = __ballot_sync(all_lanes, keep);
    if (lane == 0) ri[warp] = __popc(kept);
    __syncthreads();
    int place = __popc(kept & ((1u << lane) - 1)), all = 0;
    for (int other = 0; other < (m + 31) / 32; ++other) {
      const int here = ri[other];
      if (other < warp) place += here;
      all += here;
    }
    if (tid < m) {
      const int to = keep ? place : m - 1 - (tid - place);
      dl[to] = dj;
      if (keep) zz[to] = zj;
      ks[to] = src[tid];
    }
    if (tid == 0) count[0] = all;
    __syncthreads();
    if (keep && place > 0) {
      const R before = dl[place - 1], zb = zz[place - 1];
      if ((dj - before) * fabs(zj * zb) <= tolerance * fma(zj, zj, zb * zb)) count[1] = 1;
    }
    __syncthreads();
  }
  const bool close = count[1] != 0;
  __syncthreads();
  if (close && tid == 0) {
    const int2 counts = deflate_in_turn(m, rho, tolerance, ds, zs, src, dl, zz, ks, rc, rs, ri, rj);
    count[0] = counts.x;
    count[1] = counts.y;
  }
  __syncthreads();
  const int k = count[0], rotations = count[1], parity = tid % 2;

  bool converged = true;
#pragma unroll 1
  for (int i0 = 0; i0 < k; i0 += roots) {
    const int i = i0 + tid / 2;
    int root_origin;
    R root_tau;
    converged = find_root(dl, zz, k, i, parity, rho, root_origin, root_tau) && converged;
    if (i < k && parity == 0) {
      tau[i] = root_tau;
      origin[i] = dl[root_origin];
    }
  }
  if (!converged && work.info[matrix] == 0) work.info[matrix] = n + 1;
  __syncthreads();
  if (tid < m) work.w[row + o + tid] = tid < k ? origin[tid] + tau[tid] : dl[tid];
  if constexpr (VECTORS) {
#pragma unroll 1
    for (int i0 = 0; i0 < k; i0 += roots) {  // the z of which these roots are exact
      const int i = i0 + tid / 2;
      R product = 1;
      if (i < k) {
        const R di = dl[i];
#pragma unroll 4
        for (int j = parity; j < k; j += 2) {
          const R delta = (di - origin[j]) - tau[j];
          product *= j == i ? -delta : delta * reciprocal(di - dl[j]);
        }
      }
      product *= __shfl_xor_sync(all_lanes, product, 1);
      if (i < k && parity == 0) zh[i] = zz[i] < 0 ? -sqrt(fabs(product)) : sqrt(fabs(product));
    }
    __syncthreads();
#pragma unroll 1
    for (int i0 = 0; i0 < m; i0 += roots) {  // column i of U, its rows in the order of Q's columns
      const int i = i0 + tid / 2;
      R squares = 0;
      if (i < k) {
        const R from = origin[i], distance = tau[i];
#pragma unroll 4
        for (int j = parity; j < k; j += 2) {
          const R v = zh[j] * reciprocal((dl[j] - from) - distance);
          u[ks[j] * ld + i] = v;
          squares = fma(v, v, squares);
        }
        for (int j = k + parity; j < m; j += 2) u[ks[j] * ld + i] = 0;
      } else if (i < m) {
        for (int j = parity; j < m; j += 2) u[ks[j] * ld + i] = j == i ? R(1) : R(0);
      }
      squares += __shfl_xor_sync(all_lanes, squares, 1);
      __syncwarp();
      if (parity == 0 && i < m) {
        work.inverse_norms[row + o + i] = i < k ? 1 / sqrt(squares) : R(1);
        for (int j = rotations - 1; j >= 0; --j) {
          R *const a = u + ri[j] * ld + i, *const b = u + rj[j] * ld + i;
          const R c = rc[m - 1 - j], s = rs[m - 1 - j], ua = *a, ub = *b;
          *a = fma(c, ua, -s * ub);
          *b = fma(s, ua, c * ub);
        }
      }
    }
  }
}

// Blocks of multiply_in_memory() for a merge of at most `most_rows` rows: Q's two blocks by its columns.
EIGEN_G_HOST_DEVICE constexpr int tiles_of_merge(int most_rows) {
  const int across = (most_rows + tile_size - 1) / tile_size,
            down = (most_rows / 2 + tile_size - 1) / tile_size;
  return 2 * down * across;
}

template <class T>
__global__ void __launch_bounds__(tile_threads)
    multiply_in_memory(Chunk<T> chunk, Work<T> work, int span, int leaves, int most_rows) {
  using R = real_t<T>;
  using Product = Tile<R>;
  constexpr int KC = Product::depth, LD = tile_size + 4;
  R* const as = reinterpret_cast<R*>(DynamicShared<pair_t<R>>::memory());  // [KC][LD]
  R* const bs = as + KC * LD;                                              // [KC][LD]
  R* const inverse_norms = bs + KC * LD;                                   // [64]
  const int merges = leaves / span, tiles = tiles_of_merge(most_rows),
            across = (most_rows + tile_size - 1) / tile_size, tile = static_cast<int>(blockIdx.x % tiles),
            child = tile / (tiles / 2), tid = threadIdx.x;
  const std::int64_t merge = blockIdx.x / tiles, matrix = merge / merges, row = matrix * work.ld,
                     ld = work.ld;
  const MergeRows at(chunk.order(chunk.id(matrix)), static_cast<int>(merge % merges), span, leaves);
  const int first = child ? at.middle : at.begin, rows = child ? at.end - at.middle : at.middle - at.begin,
            columns = at.end - at.begin;
  const int r0 = tile % (tiles / 2) / across * tile_size, c0 = tile % across * tile_size;
  if (r0 >= rows || c0 >= columns) return;
  const R* const q = work.q + (row + first) * ld + first + r0;     // columns of Q
  const R* const u = work.u + (row + first) * ld + at.begin + c0;  // rows of U
  constexpr int own = KC * tile_size / tile_threads;
  const int in = tid % tile_size, depth0 = tid / tile_size;
  R next_a[own], next_b[own];
  const auto fetch = [&](int k0) {
#pragma unroll
    for (int x = 0; x < own; ++x) {
      const int k = k0 + depth0 + x * (tile_threads / tile_size);
      next_a[x] = k < rows && r0 + in < rows ? q[k * ld + in] : R(0);
      next_b[x] = k < rows && c0 + in < columns ? u[k * ld + in] : R(0);
    }
  };
  Product sum;
  sum.clear();
  if (tid < tile_size && c0 + tid < columns)
    inverse_norms[tid] = work.inverse_norms[row + at.begin + c0 + tid];
  fetch(0);
#pragma unroll 1
  for (int k0 = 0; k0 < rows; k0 += KC) {
    __syncthreads();
#pragma unroll
    for (int x = 0; x < own; ++x) {
      as[(depth0 + x * (tile_threads / tile_size)) * LD + in] = next_a[x];
      bs[(depth0 + x * (tile_threads / tile_size)) * LD + in] = next_b[x];
    }
    __syncthreads();
    fetch(k0 + KC);
    sum.template add<1, LD, 1, LD, KC>(as, bs);
  }
  R* const to = work.q_next + (row + at.begin + c0) * ld + first + r0;
  sum.each([&](int r, int c, R x) {
    if (r0 + r < rows && c0 + c < columns) to[c * ld + r] = x * inverse_norms[c];
  });
}
EIGEN_G_HOST_DEVICE constexpr int multiply_shared(int bytes) {
  return (2 * tile_depth * (tile_size + 4) + tile_size) * bytes;
}

// A thread block has a matrix. With vectors work.column[c] becomes the column of Q that has eigenvector c of the stored ones.
inline constexpr int order_threads = 256;
template <class T>
__global__ void __launch_bounds__(order_threads) order_in_memory(Chunk<T> chunk, Work<T> work) {
  using R = real_t<T>;
  const std::int64_t matrix = blockIdx.x, id = chunk.id(matrix), row = matrix * work.ld;
  const int n = chunk.order(id), info = work.info[matrix], tid = threadIdx.x;
  R* const w = reinterpret_cast<R*>(DynamicShared<pair_t<R>>::memory());
  for (int i = tid; i < n; i += order_threads) w[i] = work.w[row + i];
  __syncthreads();
  for (int i = tid; i < n; i += order_threads) {
    const int place = (info < 0 ? i : rank_of(w, n, i)) - chunk.from;
    if (place < 0 || place >= chunk.to - chunk.from) continue;
    chunk.w.of(id)[place] = info < 0 ? R(NAN) : scalbn(w[i], work.exponent[matrix]);
    if (work.column) work.column[row + place] = i;
  }
  if (tid == 0) report_status(chunk, id, info);
}

}  // namespace eigen_g::batched
