// A = Q T Q^H for matrices of order 129 to 512. A cluster of thread blocks reduces a matrix, which is stored in the work array of its reflectors.
//
// Only the triangle below the diagonal is stored, in whole blocks of 64 x 64 entries; the diagonal is in registers. A panel is a group of
// successive columns. A is updated by the reflectors of a panel together, when the panel is complete (LAPACK zlatrd). A product with A takes each
// entry for its row and for its column. A warp multiplies 64 rows of 16 columns and stores the sums of the rows and of the columns. The columns belong to eight groups, in
// turns of 16, and each block of the cluster has its share of the groups. The sums of a row are added in a fixed order: within a group,
// then as a tree over the groups. Their bits therefore do not depend on the number of blocks. All blocks compute the same reflectors.
//
// Source: LAPACK zhetrd, with v_1 not scaled to one.
#pragma once

#include "hybrid/stream/cluster.cuh"
#include "solver/batched/piece.cuh"
#include "solver/batched/tridiagonalize.cuh"

namespace eigen_g::batched {

inline constexpr int strip_rows = 64;
EIGEN_G_HOST_DEVICE constexpr int in_strips(int n) {
  return (n + strip_rows - 1) / strip_rows * strip_rows;
}

template <class T, int NP>
EIGEN_G_HOST_DEVICE constexpr int reduction_threads() {
  return sizeof(T) == 16 ? 256 : NP;  // a complex double takes more registers
}

// Groups of the columns of a matrix: column block b, 16 columns, is in group b % 8. Block `rank` of a cluster of C blocks has 8 / C groups
// that follow each other.
template <int C>
struct ColumnBlocks {
  static constexpr int columns = 16, groups = 8, own_groups = groups / C;
  static __device__ __forceinline__ int owner(int b) { return b % groups / own_groups; }
  // Place of a block among the blocks of its owner, and the block at a place.
  static __device__ __forceinline__ int place(int b) { return b / groups * own_groups + b % own_groups; }
  static __device__ __forceinline__ int at(int rank, int place) {
    return place / own_groups * groups + rank * own_groups + place % own_groups;
  }
  // Blocks of the owner before block b.
  static __device__ __forceinline__ int before(int rank, int b) {
    return b / groups * own_groups + min(max(b % groups - rank * own_groups, 0), own_groups);
  }
};

// NP: 256 or 512, the largest order. C: blocks of a cluster.
template <class T, int NP, int C>
struct ReductionPlan {
  static constexpr int threads = reduction_threads<T, NP>(), warps = threads / 32, own_rows = NP / threads;
  static constexpr int panel = static_cast<int>(sizeof(T)) * NP > 4096 ? 4 : 16;
  static constexpr int registers = sizeof(T) == 16 ? 255 : 128;
  static constexpr int row_sums = NP / 16 / C * NP, column_sums = NP / strip_rows * (NP / C),
                       exchange = C > 1 ? 2 * NP : 0;
  static constexpr int shared() {
    return (2 * panel * NP + row_sums + column_sums + NP + exchange + 2 * panel) *
               static_cast<int>(sizeof(T)) +
           3 * warps * static_cast<int>(sizeof(real_t<T>));
  }
};

// The eight rows of a strip that a lane has: places of the first row of its pieces, 8 pieces' rows apart.
template <class T>
struct LaneRows {
  static constexpr int E = Piece<T>::values, pieces = 8 / E;
  static __device__ __forceinline__ int first(int lane, int piece) { return (piece * 8 + lane % 8) * E; }
  // Row of value q, 0 <= q < 8.
  static __device__ __forceinline__ int row(int lane, int q) { return first(lane, q / E) + q % E; }
  static __device__ __forceinline__ void load(T (&to)[8], const T* from, int lane) {
    load_from(to, from, lane, 0);
  }
  // With zeros for the pieces that have no row from `least` on.
  static __device__ __forceinline__ void load_from(T (&to)[8], const T* from, int lane, int least) {
#pragma unroll
    for (int p = 0; p < pieces; ++p) {
      Piece<T> piece{};
      if ((p + 1) * 8 * E > least) piece = *reinterpret_cast<const Piece<T>*>(from + first(lane, p));
#pragma unroll
      for (int e = 0; e < E; ++e) to[p * E + e] = piece.of[e];
    }
  }
  static __device__ __forceinline__ void store(const T (&from)[8], T* to, int lane) {
#pragma unroll
    for (int p = 0; p < pieces; ++p) {
      Piece<T> piece;
#pragma unroll
      for (int e = 0; e < E; ++e) piece.of[e] = from[p * E + e];
      *reinterpret_cast<Piece<T>*>(to + first(lane, p)) = piece;
    }
  }
};

// Sum over the block of what its warps' lanes have, for all threads; a barrier is inside.
template <int WARPS, class R>
__device__ __forceinline__ R block_sum(R x, R* parts) {
  x = warp_sum(x);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = x;
  __syncthreads();
  R sum = parts[0];
#pragma unroll
  for (int q = 1; q < WARPS; ++q) sum += parts[q];
  return sum;
}

template <class T, int NP, int C>
__global__ void EIGEN_G_REGISTERS((reduction_threads<T, NP>()), 1, (ReductionPlan<T, NP, C>::registers))
    tridiagonalize_in_memory(Chunk<T> chunk, Work<T> work) {
  using R = real_t<T>;
  using L = Limits<R>;
  using Plan = ReductionPlan<T, NP, C>;
  using Rows = LaneRows<T>;
  using Blocks = ColumnBlocks<C>;
  constexpr int NB = Plan::panel, TN = Plan::threads, WARPS = Plan::warps, OWN = Plan::own_rows,
                S = strip_rows, U = Blocks::columns, OG = Blocks::own_groups;
  T* const vs =
      reinterpret_cast<T*>(DynamicShared<pair_t<R>>::memory());  // [NB][NP]: reflectors of the panel
  T* const ws = vs + NB * NP;                                    // [NB][NP]: A - V W^H - W V^H
  T* const row_sums = ws + NB * NP;                              // [own column block][NP]
  T* const column_sums = row_sums + Plan::row_sums;              // [strip][own column]
  T* const exchange = column_sums + Plan::column_sums;   // [2][NP], in turns: this block's part of a product
  T* const ys = exchange + Plan::exchange;               // [NP]
  T* const dots = ys + NP;                               // [2][NB]: V^H v and W^H v
  R* const parts = reinterpret_cast<R*>(dots + 2 * NB);  // [3][warps]
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32, rank = static_cast<int>(blockIdx.x % C);
  const std::int64_t matrix = blockIdx.x / C, id = chunk.id(matrix), row = matrix * work.ld;
  const int n = chunk.order(id), strips = in_strips(n) / S;
  const Reflectors<T> a(work, matrix);
  const Triangle<T> source(chunk.a.of(id), chunk.lda.of(id), chunk.upper);
  const auto barrier = [] {  // for all blocks of the matrix
    if constexpr (C > 1)
      cluster_barrier();
    else
      __syncthreads();
  };
  // Entry (r, c), which another block may have written.
  const auto entry = [&](int r, int c) {
    if constexpr (C > 1)
      return __ldcg(&a(r, c));
    else
      return a(r, c);
  };
  // Calls act(strip, column block) for this warp's share of this block's units: the columns of the blocks from first_block on in the
  // triangle's strips from first_strip on.
  const auto each_unit = [&](int first_strip, int first_block, const auto& act) {
    const int skipped = Blocks::before(rank, first_block);
    int u = warp;
#pragma unroll 1
    for (int i = first_strip; i < strips; ++i) {
      const int count = Blocks::before(rank, (i + 1) * (S / U)) - skipped;
#pragma unroll 1
      for (; u < count; u += WARPS) act(i, Blocks::at(rank, skipped + u));
      u -= count;
    }
  };

  R largest = 0;
  for (int c = warp; c < n; c += WARPS)
    for (int r = c + lane; r < n; r += 32) {
      const R size = largest_part(source(r, c));
      if (!(size <= L::largest)) largest = R(INFINITY);
      if (size > largest) largest = size;
    }
  largest = warp_max(largest);
  if (lane == 0) parts[warp] = largest;
  __syncthreads();
#pragma unroll
  for (int q = 0; q < WARPS; ++q) largest = parts[q] > largest ? parts[q] : largest;
  const bool finite = largest <= L::largest;
  const int exponent = finite ? scale_exponent(largest) : 0;
  const R scale = scalbn(R(1), -exponent);
  if (rank == 0 && tid == 0) store_constants(work, matrix, n, exponent, finite);
  for (int c = warp; c < strips * S; c += WARPS)
    if (Blocks::owner(c / U) == rank)
      for (int r = c / S * S + lane; r < strips * S; r += 32)
        a(r, c) = finite && r > c && r < n && c < n ? scale * source(r, c) : T(0);
  R diagonal[OWN], before[OWN] = {};  // before: as A is in memory, without the updates of the panel
#pragma unroll
  for (int q = 0; q < OWN; ++q) {
    const int r = tid + TN * q;
    diagonal[q] = finite && r < n ? scale * real_of(source(r, r)) : R(0);
  }
  for (int q = tid; q < 2 * NB * NP; q += TN) vs[q] = T(0);
  barrier();

  T next[OWN];  // the next column of A
#pragma unroll
  for (int q = 0; q < OWN; ++q) next[q] = T(0);
  T phase = T(1), last_v0 = T(0);
  R last_tau = 0, last_half = 0;
  int k0 = 0;  // first column of the panel
  int turn = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    const int j = k - k0;
    if (j == 0) {
#pragma unroll
      for (int q = 0; q < OWN; ++q) before[q] = diagonal[q];
    }
    T* const v = vs + j * NP;
    T* const w = ws + j * NP;
    if (rank == 0 && tid == k % TN) {
#pragma unroll
      for (int q = 0; q < OWN; ++q)
        if (k / TN == q) work.d[row + k] = diagonal[q];
    }
    if (k == n - 1) break;
    // Column k of A - V W^H - W V^H. The last w is not in memory for all threads.
    T x[OWN];
    R squares = 0;
#pragma unroll
    for (int q = 0; q < OWN; ++q) {
      const int r = tid + TN * q;
      x[q] = next[q];
      if (j == 0) x[q] = r > k && r < n ? entry(r, k) : T(0);
    }
    if (tid / 32 * 32 + 31 + TN * (OWN - 1) > k) {  // the warp has rows below the diagonal
#pragma unroll 4
      for (int p = 0; p < j; ++p) {
        const bool last = p == j - 1;
        const T vk = conj_of(last ? last_v0 : vs[p * NP + k]),
                wk = conj_of(last ? add_scaled(-last_half, last_v0, last_tau * ys[k]) : ws[p * NP + k]);
#pragma unroll
        for (int q = 0; q < OWN; ++q) {
          const int r = tid + TN * q;
          x[q] = fma(-vs[p * NP + r], wk, fma(-ws[p * NP + r], vk, x[q]));
        }
      }
    }
#pragma unroll
    for (int q = 0; q < OWN; ++q) {
      const int r = tid + TN * q;
      if (r <= k || r >= n) x[q] = T(0);
      v[r] = x[q];
      if (r > k + 1) squares = add_real_product(x[q], x[q], squares);
    }
    squares = block_sum<WARPS>(squares, parts);
    const Reflector<T> h = make_reflector(v[k + 1], squares);
    if (rank == 0 && tid == 0) store_reflector(work, row, k, h, phase);
#pragma unroll
    for (int q = 0; q < OWN; ++q) {
      const int r = tid + TN * q;
      if (r == k + 1) x[q] = h.v0;
    }
    const auto load_next = [&] {
#pragma unroll
      for (int q = 0; q < OWN; ++q) {
        const int r = tid + TN * q;
        next[q] = r > k + 1 && r < n ? entry(r, k + 1) : T(0);
      }
    };
    // The reflector replaces column k of A. Other blocks read this column until the barrier of this step.
    const auto store_column = [&] {
      if (Blocks::owner(k / U) != rank) return;
#pragma unroll
      for (int q = 0; q < OWN; ++q) {
        const int r = tid + TN * q;
        if (r > k && r < n) a(r, k) = x[q];
      }
    };
    R half = 0;
    const int first = (k + 1) / S, first_block = (k + 1) / U;
    if (h.tau != 0) {
      {  // a warp has DOTS of the products. Others read v[k + 1] as it is, so that v_0 is not yet there.
        constexpr int DOTS = (2 * NB + WARPS - 1) / WARPS;
        T dot[DOTS];
#pragma unroll
        for (int q = 0; q < DOTS; ++q) dot[q] = T(0);
        for (int r = (k + 1) / 32 * 32 + lane; r < n; r += 32) {
          const T of_row = select(r == k + 1, h.v0, v[r]);
#pragma unroll
          for (int q = 0; q < DOTS; ++q) {
            const int p = warp + WARPS * q;
            if (p < 2 * j)
              dot[q] = fma(conj_of(p < j ? vs[p * NP + r] : ws[(p - j) * NP + r]), of_row, dot[q]);
          }
        }
        const int kept = sum_over_lanes<DOTS, 5>(dot, 16, lane);
#pragma unroll
        for (int q = 0; q < kept_values(DOTS, 5); ++q) {
          const int p = warp + WARPS * (kept + q);
          if (p < 2 * j) dots[p < j ? p : NB + p - j] = dot[q];
        }
      }
      each_unit(first, first_block, [&](int i, int block) {
        const int r0 = i * S, c = block * U, place = Blocks::place(block);
        T v_rows[8], rows[8], entries[4][8], columns[4];
        Rows::load(v_rows, v + r0, lane);
#pragma unroll
        for (int q = 0; q < 4; ++q) Rows::load_from(entries[q], &a(r0, c + lane / 8 + 4 * q), lane, c - r0);
#pragma unroll
        for (int q = 0; q < 8; ++q) {
          rows[q] = T(0);
          if (r0 + Rows::row(lane, q) == k + 1) v_rows[q] = h.v0;
        }
#pragma unroll
        for (int q = 0; q < 4; ++q) {
          const int column = c + lane / 8 + 4 * q;
          const T v_column = select(column == k + 1, h.v0, v[column]);
          T even = T(0), odd = T(0);
#pragma unroll
          for (int e = 0; e < 8; ++e) {
            rows[e] = fma(entries[q][e], v_column, rows[e]);
            T& sum = e % 2 == 0 ? even : odd;
            sum = fma(conj_of(entries[q][e]), v_rows[e], sum);
          }
          columns[q] = even + odd;
        }
        const int kept_column = sum_over_lanes<4, 3>(columns, 4, lane);
        column_sums[i * (NP / C) + place * U + lane / 8 + 4 * kept_column] = columns[0];
        const int kept_row = sum_over_lanes<8, 2>(rows, 16, lane);
#pragma unroll
        for (int q = 0; q < 2; ++q) row_sums[place * NP + r0 + Rows::row(lane, kept_row + q)] = rows[q];
      });
      __syncthreads();
      load_next();
      T y[OWN];
#pragma unroll
      for (int q = 0; q < OWN; ++q) {  // this block's groups
        const int r = tid + TN * q, own_block = r / U;
        T group[OG];
#pragma unroll
        for (int g = 0; g < OG; ++g) {
          group[g] = T(0);
#pragma unroll
          for (int t = 0; t < NP / U / Blocks::groups; ++t) {
            const int block = t * Blocks::groups + rank * OG + g;
            if (r > k && r < n && block >= first_block && block < (r / S + 1) * (S / U))
              group[g] = group[g] + row_sums[(t * OG + g) * NP + r];
          }
          if (r > k && r < n && own_block % Blocks::groups == rank * OG + g)
            for (int i = r / S; i < strips; ++i)
              group[g] = group[g] + column_sums[i * (NP / C) + Blocks::place(own_block) * U + r % U];
        }
#pragma unroll
        for (int width = 1; width < OG; width *= 2)
#pragma unroll
          for (int g = 0; g < OG; g += 2 * width) group[g] = group[g] + group[g + width];
        y[q] = group[0];
        if constexpr (C > 1) exchange[turn * NP + r] = y[q];
      }
      if constexpr (C > 1) {
        cluster_barrier();
#pragma unroll
        for (int q = 0; q < OWN; ++q) {
          T part[C];
#pragma unroll
          for (int c = 0; c < C; ++c) part[c] = *in_block_of_cluster(exchange + turn * NP + tid + TN * q, c);
#pragma unroll
          for (int width = 1; width < C; width *= 2)
#pragma unroll
            for (int c = 0; c < C; c += 2 * width) part[c] = part[c] + part[c + width];
          y[q] = part[0];
        }
        turn ^= 1;
      }
      store_column();
      R dot = 0;
#pragma unroll
      for (int q = 0; q < OWN; ++q) {
        const int r = tid + TN * q;
        if (r > k && r < n) {
          T sum = add_scaled(before[q], x[q], y[q]);
#pragma unroll 4
          for (int p = 0; p < j; ++p)
            sum = fma(-vs[p * NP + r], dots[NB + p], fma(-ws[p * NP + r], dots[p], sum));
          y[q] = sum;
          if (r == k + 1) v[r] = h.v0;
        } else {
          y[q] = T(0);
        }
        ys[r] = y[q];
        dot = dot + real_product(x[q], y[q]);
      }
      dot = block_sum<WARPS>(dot, parts + WARPS);
      half = R(0.5) * h.tau * (h.tau * dot);
#pragma unroll
      for (int q = 0; q < OWN; ++q) {
        const T of_row = add_scaled(-half, x[q], h.tau * y[q]);  // w = tau y - half v
        w[tid + TN * q] = of_row;
        diagonal[q] -= twice_real_product(x[q], of_row);
      }
    } else {
      __syncthreads();
      load_next();
#pragma unroll
      for (int q = 0; q < OWN; ++q) {
        const int r = tid + TN * q;
        v[r] = w[r] = ys[r] = T(0);
      }
      barrier();
      store_column();
    }
    last_v0 = h.tau != 0 ? h.v0 : T(0);
    last_tau = h.tau;
    last_half = half;
    if (j < NB - 1) continue;

    // The entries below the diagonal of the columns behind the panel.
    __syncthreads();
    each_unit(first, first_block, [&](int i, int block) {
      const int r0 = i * S, c0 = block * U + lane / 8;
      T entries[4][8];
#pragma unroll
      for (int q = 0; q < 4; ++q) Rows::load(entries[q], &a(r0, c0 + 4 * q), lane);
#pragma unroll 1
      for (int p = 0; p < NB; ++p) {
        T v_rows[8], w_rows[8];
        Rows::load(v_rows, vs + p * NP + r0, lane);
        Rows::load(w_rows, ws + p * NP + r0, lane);
#pragma unroll
        for (int q = 0; q < 4; ++q) {
          const int c = c0 + 4 * q;
          const bool behind = c > k;
          const T vc = select(behind, conj_of(vs[p * NP + c]), T(0)),
                  wc = select(behind, conj_of(ws[p * NP + c]), T(0));
#pragma unroll
          for (int e = 0; e < 8; ++e) entries[q][e] = fma(-v_rows[e], wc, fma(-w_rows[e], vc, entries[q][e]));
        }
      }
#pragma unroll
      for (int q = 0; q < 4; ++q) {
        const int c = c0 + 4 * q;
        if (r0 <= c)  // a block on the diagonal
#pragma unroll
          for (int e = 0; e < 8; ++e)
            if (r0 + Rows::row(lane, e) <= c) entries[q][e] = T(0);
        Rows::store(entries[q], &a(r0, c), lane);
      }
    });
    barrier();
    k0 = k + 1;
  }
  if constexpr (C > 1) cluster_barrier();  // no block ends while others read its shared memory
}

}  // namespace eigen_g::batched
