// Applies the rotations of find_values(): to the unit matrix for the eigenvectors of T, or to Q for Z. Each thread has a row, and no data is
// exchanged between the rows.
#pragma once

#include "solver/batched/ql.cuh"

namespace eigen_g::batched {

// Sweeps that apply_sweeps() takes through the columns together.
inline constexpr int sweeps_at_once = 4;
// Rotations of these sweeps, with the delays between them, for problems of `rows` rows. The last step loads the rotations of one step more,
// which no thread uses.
EIGEN_G_HOST_DEVICE constexpr int rotation_entries(int rows) {
  return (rows + 2 * sweeps_at_once) * sweeps_at_once;
}

// Applies the rotations of a problem of at most ROWS rows to this thread's row of Z: column c is at z[c ld]. `THREADS` threads call it
// together; number `thread` of them has a row if `mine`.
//
// The sweeps go through the columns as a pipeline: sweep k is 2 k columns behind the first one. A step loads one column, applies one
// rotation of each sweep, and stores one column.
//   sweeps     [count] first | last << 16, and the place of the first rotation in `rotations`; shared memory
//   two_lists  [2][rotation_entries(ROWS)], shared memory, for the rotations in the order of the steps
//   sync       barrier of the threads
template <int ROWS, int THREADS, class T, class Sync>
__device__ __forceinline__ void apply_sweeps(T* z, int ld, bool mine, int thread, const int2* sweeps,
                                             int count, const pair_t<real_t<T>>* __restrict__ rotations,
                                             pair_t<real_t<T>>* two_lists, Sync sync) {
  using R = real_t<T>;
  using Pair = pair_t<R>;
  constexpr int K = sweeps_at_once, entries = rotation_entries(ROWS), own = (entries + THREADS - 1) / THREADS;
  Pair next[own];
  int next_low = 0, next_high = 0;
  const auto fetch = [&](int s0) {
    int low = ROWS, high = 0;
#pragma unroll
    for (int k = 0; k < K; ++k)
      if (s0 + k < count) {
        const int range = sweeps[s0 + k].x;
        low = min(low, range & 0xffff);
        high = max(high, range >> 16);
      }
    next_low = low;
    next_high = high;
    const int needed = (high - low + 2 * K) * K;
#pragma unroll
    for (int q = 0; q < own; ++q) {
      const int at = thread + q * THREADS, k = at % K, i = high - (at / K - 2 * k);
      Pair x;
      x.x = 1;
      x.y = 0;
      if (at < needed && s0 + k < count && i < high) {
        const int2 sweep = sweeps[s0 + k];
        const int first = sweep.x & 0xffff, last = sweep.x >> 16;
        if (i >= first && i < last) x = rotations[sweep.y + (last - 1 - i)];
      }
      next[q] = x;
    }
  };
  const auto put = [&](int list) {
#pragma unroll
    for (int q = 0; q < own; ++q)
      if (thread + q * THREADS < entries) two_lists[list * entries + thread + q * THREADS] = next[q];
  };
  if (count > 0) {
    fetch(0);
    put(0);
  }
  int list = 0;
  for (int s0 = 0; s0 < count; s0 += K) {
    const int low = next_low, high = next_high, steps = high - low + 2 * K, loads = high - low + 1;
    sync();
    if (s0 + K < count) fetch(s0 + K);
    const Pair* step_rotations = two_lists + list * entries;
    T carried[K], out[K];
#pragma unroll
    for (int k = 0; k < K; ++k) carried[k] = out[k] = T(0);
    // A step loads what the next step needs. The loads of the last step are not used.
    const T* from = z + high * ld;
    T* to = z + high * ld;
    Pair q[K];
#pragma unroll
    for (int k = 0; k < K; ++k) q[k] = step_rotations[k];
    T in = mine ? *from : T(0);
    int t = 0;
    const auto step = [&](bool store) {
      ++t;
      step_rotations += K;
      from -= ld;
      Pair next_q[K];
#pragma unroll
      for (int k = 0; k < K; ++k) next_q[k] = step_rotations[k];
      const T next_in = t < loads && mine ? *from : T(0);
#pragma unroll
      for (int k = K - 1; k >= 0; --k) {
        const T y = select(k > 0, out[k > 0 ? k - 1 : 0], in);
        out[k] = add_scaled(q[k].y, y, q[k].x * carried[k]);
        carried[k] = add_scaled(-q[k].y, carried[k], q[k].x * y);
      }
      if (store) {
        if (mine) *to = out[K - 1];
        to -= ld;
      }
#pragma unroll
      for (int k = 0; k < K; ++k) q[k] = next_q[k];
      in = next_in;
    };
#pragma unroll
    for (int k = 0; k < 2 * K - 1; ++k) step(false);
#pragma unroll 2
    while (t < steps) step(true);
    list ^= 1;
    if (s0 + K < count) put(list);
  }
  sync();
}

// Reflectors that the back-transformation applies at once.
inline constexpr int reflectors_at_once = 8;

// Number `pair` of the pairs (i, j) with 0 <= i < j < 8, in the order (0, 1), (0, 2), ..., (6, 7).
struct Pair8 {
  int i, j;
};
__device__ __forceinline__ Pair8 pair_of_8(int pair) {
  int i = 0, rest = pair;
#pragma unroll
  for (int q = 0; q < 7; ++q)
    if (i == q && rest >= 7 - q) {
      rest -= 7 - q;
      ++i;
    }
  return {i, i + 1 + rest};
}

// Shared memory of rows_of_z(): Z's rows, then memory that the phases use in turn, then the sweeps.
template <class T, int NP>
struct RowsPlan {
  using R = real_t<T>;
  static constexpr int z = NP * NP * static_cast<int>(sizeof(T));
  static constexpr int lists = 2 * rotation_entries(NP) * static_cast<int>(sizeof(pair_t<R>));
  static constexpr int reflectors =
      (NP * 8 + 64) * static_cast<int>(sizeof(T)) + 8 * static_cast<int>(sizeof(R));
  static constexpr int work = ((lists > reflectors ? lists : reflectors) + 15) / 16 * 16;
  static int shared(int most_sweeps) { return z + work + most_sweeps * 8; }
};

// Computes Z = Q D U and the eigenvalues in ascending order, where U is the product of the rotations. A warp has a matrix, and each thread a row.
template <class T>
__global__ void __launch_bounds__(32) rows_of_z(Chunk<T> chunk, Work<T> work) {
  using R = real_t<T>;
  using Pair = pair_t<R>;
  constexpr int NP = 32;
  using Plan = RowsPlan<T, NP>;
  T* const z = reinterpret_cast<T*>(DynamicShared<Pair>::memory());  // [column][row]
  char* const memory = reinterpret_cast<char*>(z) + Plan::z;
  int2* const sweeps = reinterpret_cast<int2*>(memory + Plan::work);
  const int r = threadIdx.x;
  const std::int64_t matrix = blockIdx.x, id = chunk.id(matrix), row = matrix * work.ld;
  const int n = chunk.order(id), count = work.sweep_count[matrix];
  const Reflectors<T> vs(work, matrix);
  for (int q = r; q < count; q += NP) sweeps[q] = work.sweeps[matrix * work.most_sweeps + q];
  for (int c = 0; c < n; ++c) z[c * NP + r] = T(c == r ? 1 : 0);
  __syncwarp();

  {  // Q = H_1 H_2 ..., eight reflectors at once: Z H_1 ... H_8 = Z - G V^H
    T* const v = reinterpret_cast<T*>(memory);  // [column][8]
    T* const gram = v + NP * 8;                 // [8][8]: v_i^H v_j
    R* const tau8 = reinterpret_cast<R*>(gram + 64);
    T next[8];
    R next_tau = 0;
    const auto fetch = [&](int k0) {
#pragma unroll
      for (int q = 0; q < 8; ++q) {
        const int k = k0 + q;
        next[q] = k < n - 1 && r > k && r < n ? vs(r, k) : T(0);
      }
      next_tau = r < 8 && k0 + r < n - 1 ? work.tau[row + k0 + r] : R(0);
    };
    fetch(0);
    for (int k0 = 0; k0 < n - 2; k0 += 8) {
      __syncwarp();
#pragma unroll
      for (int q = 0; q < 8; ++q) v[r * 8 + q] = next[q];
      if (r < 8) tau8[r] = next_tau;
      __syncwarp();
      if (k0 + 8 < n - 2) fetch(k0 + 8);
      const auto [i, j] = pair_of_8(r);
      T sum = T(0);
      if (r < 28)
        for (int c = k0 + 1; c < n; ++c) sum = fma(conj_of(v[c * 8 + i]), v[c * 8 + j], sum);
      if (r < 28) gram[i * 8 + j] = sum;
      T g[8];
#pragma unroll
      for (int q = 0; q < 8; ++q) g[q] = T(0);
#pragma unroll 4
      for (int c = k0 + 1; c < n; ++c) {
        const T x = z[c * NP + r];
#pragma unroll
        for (int q = 0; q < 8; ++q) g[q] = fma(x, v[c * 8 + q], g[q]);
      }
      __syncwarp();
#pragma unroll
      for (int q = 0; q < 8; ++q) {
#pragma unroll
        for (int p = 0; p < q; ++p) g[q] = fma(-g[p], gram[p * 8 + q], g[q]);
        g[q] = tau8[q] * g[q];
      }
#pragma unroll 4
      for (int c = k0 + 1; c < n; ++c) {
        T x = z[c * NP + r];
#pragma unroll
        for (int q = 0; q < 8; ++q) x = fma(-g[q], conj_of(v[c * 8 + q]), x);
        z[c * NP + r] = x;
      }
    }
    __syncwarp();
  }
  if constexpr (is_complex<T>)
    for (int c = 1; c < n; ++c) z[c * NP + r] = z[c * NP + r] * work.phase[row + c];

  apply_sweeps<NP, NP>(z + r, NP, true, r, sweeps, count, work.rotations + matrix * work.room,
                       reinterpret_cast<Pair*>(memory), [] { __syncwarp(); });

  R* const w = reinterpret_cast<R*>(memory);
  int* const rank = reinterpret_cast<int*>(w + NP);
  const int info = work.info[matrix];
  const bool valid = info >= 0;
  if (r < n) w[r] = work.w[row + r];
  __syncwarp();
  if (r < n) {
    const int place = valid ? rank_of(w, n, r) : r;
    rank[r] = place - chunk.from;
    if (place >= chunk.from && place < chunk.to)
      chunk.w.of(id)[place - chunk.from] = valid ? scalbn(w[r], work.exponent[matrix]) : R(NAN);
  }
  __syncwarp();
  const std::int64_t ldz = chunk.ldz.of(id);
  T* const to = chunk.z.of(id);
  if (r < n)
    for (int c = 0; c < n; ++c)
      if (rank[c] >= 0 && rank[c] < chunk.to - chunk.from)
        to[rank[c] * ldz + r] = valid ? z[c * NP + r] : not_a_number<T>();
  if (r == 0) report_status(chunk, id, info);
}

}  // namespace eigen_g::batched
