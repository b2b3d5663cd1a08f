// find_values(): computes the eigenvalues of T, or of each leaf of T, by QL with implicit shifts. One thread solves one problem. A problem is a
// whole T or one leaf of it (leaf_begin()).
//
// With VECTORS the rotations are stored in memory, for apply_sweeps() (rotations.cuh). e_i counts as zero if
//
//   |e_i| <= half_eps max(|d_i| + |d_(i+1)|, 1/16),   half_eps = 2^-53 for double and 2^-24 for float
//
// The bound 1/16 is small compared with T, because the reductions scale the largest entry of A to a value between 1 and 2. Without this bound
// QL would take a hundred sweeps for each value of a graded matrix.
// Source: LAPACK dsteqr; EISPACK imtql2.
#pragma once

#include "solver/batched/arithmetic.cuh"

namespace eigen_g::batched {

// The divide and conquer tears T into `leaves` tridiagonal matrices T_l, the leaves. Leaf l has the rows n l / leaves, ..., n (l + 1) / leaves - 1
// of T. With the entries e between two neighbouring leaves
//
//   T = diag(T_0, T_1, ...) + sum over these e of |e| v v^T,   v = 1 and sign(e) in the two rows of e, else 0
//
// so that the two diagonal entries of T_l next to an e are the entries of T minus |e|. Returns the first row of a leaf.
EIGEN_G_HOST_DEVICE inline int leaf_begin(int n, int leaf, int leaves) {
  return n * leaf / leaves;
}

// Values of a row of shared memory. A row has one value of each of the warp's 32 problems. With 33 values there are no bank conflicts, neither if the
// threads of a warp read a row nor if they load a column.
inline constexpr int ql_row = 33;
EIGEN_G_HOST_DEVICE constexpr int ql_most_rows(int n, int leaves) {
  return (n + leaves - 1) / leaves;
}
// Returns the bytes of shared memory for problems of matrices of order up to n, with real numbers of `bytes` bytes.
EIGEN_G_HOST_DEVICE constexpr int ql_shared(int n, int leaves, int bytes) {
  return ((2 * ql_most_rows(n, leaves) * ql_row + 1) / 2 * 2 + 32 * 9 * 2) * bytes;
}
// ql_room() and ql_most_sweeps() return the numbers of rotations and of sweeps for which a problem of `rows` rows has memory. A problem that needs
// more counts as not converged.
EIGEN_G_HOST_DEVICE constexpr int ql_room(int rows) {
  return (rows * rows * 8 / 5 + 32 * rows + 7) / 8 * 8;
}
EIGEN_G_HOST_DEVICE constexpr int ql_most_sweeps(int rows) {
  return 4 * rows + 16;
}

// The block is one warp.
//   lanes    number of problems of the warp. Thread `lane` of the warp has problem `lane`, and the threads from `lanes` on have none
//   leaves   leaves of each matrix; 1: a problem is a whole T
template <class T, bool VECTORS>
__global__ void __launch_bounds__(32) find_values(Chunk<T> chunk, Work<T> work, int lanes, int leaves) {
  using R = real_t<T>;
  using L = Limits<R>;
  const int lane = threadIdx.x, most_rows = ql_most_rows(chunk.n, leaves);
  pair_t<R>* const memory = DynamicShared<pair_t<R>>::memory();
  R* const d = reinterpret_cast<R*>(memory);                          // [row][problem]
  R* const e = d + most_rows * ql_row;                                // [row][problem]
  pair_t<R>* const ring = memory + (2 * most_rows * ql_row + 1) / 2;  // [lane][9]: the last eight rotations
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * lanes, all = chunk.count * leaves;
  const int here = all - first < lanes ? static_cast<int>(all - first) : lanes;
  for (int q = 0; q < here; ++q) {
    const std::int64_t matrix = (first + q) / leaves, row = matrix * work.ld;
    const int leaf = static_cast<int>((first + q) % leaves), n = chunk.order(chunk.id(matrix));
    const int begin = leaf_begin(n, leaf, leaves), end = leaf_begin(n, leaf + 1, leaves);
    for (int i = begin + lane; i < end; i += 32) {
      R x = work.d[row + i];
      if (i == begin && leaf > 0) x -= fabs(work.e[row + begin - 1]);
      if (i == end - 1 && leaf < leaves - 1) x -= fabs(work.e[row + end - 1]);
      d[(i - begin) * ql_row + q] = x;
      e[(i - begin) * ql_row + q] = i < end - 1 ? work.e[row + i] : R(0);
    }
  }
  __syncwarp();

  const bool mine = lane < here;
  const std::int64_t problem = first + lane;
  int n = 0;
  if (mine) {
    const int order = chunk.order(chunk.id(problem / leaves)), leaf = static_cast<int>(problem % leaves);
    n = leaf_begin(order, leaf + 1, leaves) - leaf_begin(order, leaf, leaves);
  }
  const auto D = [=](int i) -> R& { return d[i * ql_row + lane]; };
  const auto E = [=](int i) -> R& { return e[i * ql_row + lane]; };
  const auto negligible = [](R x, R sum) {
    return fabs(x) <= L::half_eps * (sum > R(0x1p-4) ? sum : R(0x1p-4));
  };

  // All threads of the warp go through the sweeps of their problems together. A thread keeps its rotations in shared memory until it has eight.
  // Eight threads then write them as one line of memory.
  int used = 0, count = 0, failed = 0;
  int l = 0, m = -1;  // a sweep is over the rows l..m; m < l: m is not known
  for (;;) {
    int length = 0;
    while (l < n - 1 && !failed) {
      if (m < l) {
        R at = fabs(D(l));
        for (m = l; m < n - 1; ++m) {
          const R next = fabs(D(m + 1));
          if (negligible(E(m), at + next)) break;
          at = next;
        }
      }
      if (m > l) {
        length = m - l;
        break;
      }
      ++l;
      m = -1;
    }
    if (length > 0 && (count >= work.most_sweeps || (VECTORS && used + length + 8 > work.room))) {
      failed = l + 1;
      length = 0;
    }
    if (!__any_sync(all_lanes, length > 0)) break;
    R g = 0, s = 1, c = 1, p = 0, d_next = 0,
      above = 0;     // d_next: d_(i+1); above: |d_(i+2)| after its rotation
    int next_m = m;  // the smallest i > l with a negligible e_i
    if (length > 0) {
      const R el = E(l), dl = D(l);
      g = (D(l + 1) - dl) / (R(2) * el);
      R r = sqrt(fma(g, g, R(1)));
      if (!(fabs(g) < R(1e15))) r = fabs(g);
      d_next = D(m);
      g = d_next - dl + el / (g + (g < 0 ? -r : r));
    }
    const auto rotate = [&](int t) {
      const int i = m - 1 - t;
      const R ei = E(i), di = D(i);
      const R f = s * ei, b = c * ei, squares = fma(f, f, g * g);
      R r;
      if (squares > L::hypotenuse) {
        const R inverse = inverse_root(squares);
        r = squares * inverse;
        s = f * inverse;
        c = g * inverse;
      } else {
        const R fs = f * L::up, gs = g * L::up, scaled = fma(fs, fs, gs * gs);
        if (scaled > 0) {
          const R inverse = inverse_root(scaled);
          r = scaled * inverse * L::down;
          s = fs * inverse;
          c = gs * inverse;
        } else {
          r = 0;
          s = 0;
          c = 1;
        }
      }
      if (VECTORS) {  // corrects c and s, because inverse_root() is not accurate enough for c^2 + s^2 = 1
        const R defect = R(0.5) * fma(-c, c, fma(-s, s, R(1)));
        pair_t<R> rotation;
        rotation.x = fma(defect, c, c);
        rotation.y = fma(defect, s, s);
        ring[lane * 9 + (t & 7)] = rotation;
      }
      const R rest = d_next - p, rt = fma(di - rest, s, R(2) * c * b);
      p = s * rt;
      const R value = rest + p, size = fabs(value);
      D(i + 1) = value;
      if (t > 0) {
        E(i + 1) = r;
        if (negligible(r, size + above)) next_m = i + 1;
      }
      above = size;
      g = fma(c, rt, -b);
      d_next = di;
    };
    if (VECTORS) {
      for (int t0 = 0; __any_sync(all_lanes, t0 < length); t0 += 8) {
        for (int t = t0; t < t0 + 8 && t < length; ++t) rotate(t);
        __syncwarp();
        const int have = length - t0, to = used + t0;
#pragma unroll
        for (int q = 0; q < 8; ++q) {  // writes the rotations of four problems at once
          const int from = 4 * q + (lane >> 3), column = lane & 7;
          const int from_have = __shfl_sync(all_lanes, have, from),
                    from_to = __shfl_sync(all_lanes, to, from);
          if (column < from_have)
            work.rotations[(first + from) * work.room + from_to + column] = ring[from * 9 + column];
        }
        __syncwarp();
      }
    } else {
      for (int t = 0; t < length; ++t) rotate(t);
    }
    if (length > 0) {
      const R value = d_next - p;
      D(l) = value;
      E(l) = g;
      if (m < n - 1) E(m) = 0;
      if (VECTORS) {
        int2 sweep;
        sweep.x = l | m << 16;
        sweep.y = used;
        work.sweeps[problem * work.most_sweeps + count] = sweep;
        used += (length + 7) & ~7;
      }
      ++count;
      if (negligible(g, fabs(value) + above)) ++l;
      m = next_m;
      if (m == l) {
        ++l;
        m = -1;
      }
    }
  }
  if (mine) {
    if (VECTORS) work.sweep_count[problem] = count;
    if (failed && work.info[problem / leaves] == 0) work.info[problem / leaves] = failed;
  }
  __syncwarp();
  for (int q = 0; q < here; ++q) {
    const std::int64_t matrix = (first + q) / leaves;
    const int leaf = static_cast<int>((first + q) % leaves), order = chunk.order(chunk.id(matrix));
    const int begin = leaf_begin(order, leaf, leaves), end = leaf_begin(order, leaf + 1, leaves);
    for (int i = begin + lane; i < end; i += 32) work.w[matrix * work.ld + i] = d[(i - begin) * ql_row + q];
  }
}

// Values only: a warp puts the eigenvalues of a matrix in ascending order, and multiplies them by 2^exponent, which undoes the scaling.
template <class T>
__global__ void __launch_bounds__(128) order_values(Chunk<T> chunk, Work<T> work) {
  using R = real_t<T>;
  const int lane = threadIdx.x % 32;
  const std::int64_t matrix = static_cast<std::int64_t>(blockIdx.x) * 4 + threadIdx.x / 32;
  if (matrix >= chunk.count) return;
  const std::int64_t id = chunk.id(matrix);
  const int n = chunk.order(id), info = work.info[matrix];
  const R* const w = work.w + matrix * work.ld;
  R* const to = chunk.w.of(id);
  for (int i = lane; i < n; i += 32) {
    const int place = info < 0 ? i : rank_of(w, n, i);
    if (place >= chunk.from && place < chunk.to)
      to[place - chunk.from] = info < 0 ? R(NAN) : scalbn(w[i], work.exponent[matrix]);
  }
  if (lane == 0) report_status(chunk, id, info);
}

}  // namespace eigen_g::batched
