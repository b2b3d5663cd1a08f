// Divide and conquer for matrices of order 33 to 128, in shared memory. A thread block with 2 NP threads has a matrix, and NP is the padded
// order. T is torn into four leaves (ql.cuh), whose eigenvalues find_values() has computed. Two levels of merges join them.
//
//   conquer_tridiagonal()   a kernel: leaves and merges, for values only and for complex matrices
//   conquer()               a kernel: leaves and merges, then Z := H_1 H_2 ... Z, eight reflectors at once; real matrices
//   leaf_vectors()          computes the vectors of a leaf from QL's rotations (apply_sweeps())
//   merge_level()           computes the merges of one level
//
// A merge joins two neighbours with the eigenvalues d and the eigenvectors Q = diag(Q_0, Q_1). It forms the rank-one vector z, deflates, finds the
// roots of the secular equation, and forms the z of Gu and Eisenstat for these roots. The columns of U are the eigenvectors of diag(d) + rho z z^T.
// The eigenvectors of the merge are Q U.
//
// The rotations of the deflation are applied to the rows of U instead of the columns of Q. Q then stays block diagonal, and Q and U
// fit into shared memory together.
// Source: LAPACK dlaed1 to dlaed4; M. Gu and S. C. Eisenstat, SIAM J. Matrix Anal. Appl. 16 (1995).
#pragma once

#include "solver/batched/rotations.cuh"

namespace eigen_g::batched {

inline constexpr int leaves_of_conquer = 4;

// Shared memory of a block. LD and QS are chosen for few bank conflicts of the tensor cores' operands.
template <class R, int NP>
struct ConquerPlan {
  static constexpr int half = NP / 2, leaf = NP / 4;
  static constexpr int LD = NP + 4;                    // values of a row of U and Z
  static constexpr int QS = half + (NP > 64 ? 4 : 2);  // values of a column of Q's blocks
  static constexpr int most_sweeps = ql_most_sweeps(leaf), lists = 2 * rotation_entries(leaf) * 2;
  static constexpr int x = NP * LD, y = 2 * half * QS, scalars = 7 * NP, integers = 4 * NP + 8;
  static_assert(x % 2 == 0 && y % 2 == 0);
  static_assert(4 * (lists + 2 * most_sweeps) <= x && 24 * NP + 72 <= y && 4 * leaf * leaf <= y);
  static EIGEN_G_HOST_DEVICE constexpr int shared() {
    return (x + y + scalars) * static_cast<int>(sizeof(R)) + integers * 4;
  }
};

// The arrays in shared memory. Arrays that are not needed at the same time share their place.
template <class R, int NP>
struct ConquerMemory {
  R *x, *y;      // x: U, then Z; y: the blocks of Q, then reflectors
  R* d;          // eigenvalues, in the order of the columns of Q
  R *ds, *zs;    // the same and z, in ascending order of d
  R *dl, *zz;    // poles and z of the secular equation; the deflated values are at the end of dl
  R* scale;      // column j of U is scale_j times column j of x
  R *zh, *tau;   // the new z; root j is origin_j + tau_j
  R* origin;     // the pole that is nearest to a root
  R *rc, *rs;    // cosines and sines of the deflation's rotations, the first one at the end of the arrays
  int* src;      // column of Q with the vector of each ds
  int* ks;       // column of Q with the vector of each dl
  int *ri, *rj;  // the two columns of Q that a rotation changes
  int* count;    // [4]: number of kept values and of rotations, for each of the two merges of a level
  __device__ explicit ConquerMemory(R* memory) {
    using Plan = ConquerPlan<R, NP>;
    x = memory;
    y = x + Plan::x;
    d = y + Plan::y;
    ds = d + NP;
    zs = ds + NP;
    dl = zs + NP;
    zz = dl + NP;
    rc = zz + NP;
    rs = rc + NP;
    zh = ds;
    scale = zz;
    tau = zs;
    src = reinterpret_cast<int*>(rs + NP);
    ks = src + NP;
    ri = ks + NP;
    rj = ri + NP;
    count = rj + NP;
    origin = rc;  // kept values at the front, rotations at the end: at most NP entries together
  }
};

// Warp `leaf` computes the vectors of leaf `leaf`. Each of its threads has a row.
template <class R, int NP, class T>
__device__ __forceinline__ void leaf_vectors(const ConquerMemory<R, NP>& sm, const Work<T>& work,
                                             std::int64_t matrix, int n, int leaf) {
  using Plan = ConquerPlan<R, NP>;
  const int lane = threadIdx.x % 32, rows = leaf_begin(n, leaf + 1, 4) - leaf_begin(n, leaf, 4);
  const bool mine = lane < Plan::leaf;
  const std::int64_t problem = leaves_of_conquer * matrix + leaf;
  const int count = work.sweep_count[problem];
  R* const z = sm.y + leaf * Plan::leaf * Plan::leaf + lane;
  pair_t<R>* const lists = reinterpret_cast<pair_t<R>*>(sm.x) + leaf * Plan::lists / 2;
  int2* const sweeps = reinterpret_cast<int2*>(sm.x + 4 * Plan::lists) + leaf * Plan::most_sweeps;
  for (int q = lane; q < count; q += 32) sweeps[q] = work.sweeps[problem * work.most_sweeps + q];
  if (mine)
    for (int c = 0; c < rows; ++c) z[c * Plan::leaf] = c == lane ? R(1) : R(0);
  __syncwarp();
  apply_sweeps<Plan::leaf, 32>(z, Plan::leaf, mine, lane, sweeps, count, work.rotations + problem * work.room,
                               lists, [] { __syncwarp(); });
}

// The sum in the secular equation 1 / rho + sum z_j^2 / (d_j - x) = 0 at x = origin + tau, for root i. psi is the sum over the poles d_j up to
// j = i, and phi the sum over the other poles. dpsi and dphi are their derivatives. Two threads compute a root: each sums over every second
// pole, and gets the other half from its partner.
template <class R>
struct Secular {
  R psi, dpsi, phi, dphi;
};
template <class R>
__device__ __forceinline__ Secular<R> secular(const R* d, const R* z, int k, int i, int parity, bool open,
                                              R origin, R tau) {
  Secular<R> f{};
  if (open) {
    int j = parity;
#pragma unroll 4
    for (; j <= i; j += 2) {
      const R t = z[j] * reciprocal((d[j] - origin) - tau);
      f.psi = fma(z[j], t, f.psi);
      f.dpsi = fma(t, t, f.dpsi);
    }
#pragma unroll 4
    for (; j < k; j += 2) {
      const R t = z[j] * reciprocal((d[j] - origin) - tau);
      f.phi = fma(z[j], t, f.phi);
      f.dphi = fma(t, t, f.dphi);
    }
  }
  f.psi += __shfl_xor_sync(all_lanes, f.psi, 1);
  f.dpsi += __shfl_xor_sync(all_lanes, f.dpsi, 1);
  f.phi += __shfl_xor_sync(all_lanes, f.phi, 1);
  f.dphi += __shfl_xor_sync(all_lanes, f.dphi, 1);
  return f;
}

// Computes root i of the secular equation, between the poles d_i and d_(i+1): the index `origin` of its nearer pole, and tau, the root minus this
// pole. The iteration interpolates with both poles, inside a bracket, and takes at most 50 steps. Returns false if it has not converged. All
// threads of the warp call it.
template <class R>
__device__ __forceinline__ bool find_root(const R* d, const R* z, int k, int i, int parity, R rho,
                                          int& origin, R& tau) {
  using L = Limits<R>;
  const bool open = i < k, last = i == k - 1;
  const R inverse_rho = rho > 0 ? 1 / rho : R(0);
  R left = 0, gap = 0, low = 0, high = 0;
  origin = i;
  tau = 0;
  if (open) {
    left = d[i];
    gap = last ? rho : d[i + 1] - left;
  }
  const R middle = R(0.5) * gap;
  Secular<R> f = secular(d, z, k, i, parity, open, left, middle);
  if (open) {
    const R value = inverse_rho + f.psi + f.phi, zi = z[i] * z[i];
    if (last) {
      low = value >= 0 ? R(0) : middle;
      high = value >= 0 ? middle : gap;
      const R c = value + zi / middle;
      tau = c > 0 ? zi / c : R(-1);
    } else {
      const R zr = z[i + 1] * z[i + 1], c = value + zi / middle - zr / middle;
      if (value >= 0) {
        high = middle;
        const R a = fma(c, gap, zi + zr), b = zi * gap, root = sqrt(fabs(a * a - 4 * b * c));
        tau = a > 0 ? 2 * b / (a + root) : (a - root) / (2 * c);
      } else {
        origin = i + 1;
        low = -middle;
        const R a = fma(c, -gap, zi + zr), b = zr * gap, root = sqrt(fabs(a * a + 4 * b * c));
        tau = a < 0 ? 2 * b / (a - root) : -(a + root) / (2 * c);
      }
    }
    if (!(tau > low && tau < high)) tau = R(0.5) * (low + high);
  }
  const R from = open ? d[origin] : R(0);
  bool going = open;
#pragma unroll 1
  for (int step = 0; step < 50; ++step) {
    f = secular(d, z, k, i, parity, open, from, tau);
    if (going) {
      const R value = inverse_rho + f.psi + f.phi;
      const R bound = 8 * (f.phi - f.psi) + 2 * inverse_rho + fabs(tau) * (f.dpsi + f.dphi);
      if (fabs(value) <= 2 * L::half_eps * bound || value != value) {
        going = false;
      } else {
        (value < 0 ? low : high) = tau;
        const R d0 = (left - from) - tau, d1 = last ? R(0) : (d[i + 1] - from) - tau;
        R change;
        if (last) {
          const R c = value - d0 * f.dpsi;
          change = c > 0 ? d0 + d0 * d0 * f.dpsi / c : R(0);
        } else {
          const R c = value - d0 * f.dpsi - d1 * f.dphi, a = (d0 + d1) * value - d0 * d1 * (f.dpsi + f.dphi),
                  b = d0 * d1 * value, root = sqrt(fabs(a * a - 4 * b * c));
          change = c == 0 ? b / a : a <= 0 ? (a - root) / (2 * c) : 2 * b / (a + root);
        }
        if (value * change >= 0) change = -value / (f.dpsi + f.dphi);
        R next = tau + change;
        if (!(next > low && next < high)) next = R(0.5) * (low + high);
        if (next == tau || !(next > low && next < high))
          going = false;
        else
          tau = next;
      }
    }
    if (!__any_sync(all_lanes, going)) break;
  }
  return !going;
}

// Deflation as in LAPACK's dlaed2, by one thread. ds and zs are in ascending order of ds. Kept values are stored at the front of dl, deflated
// ones at its end. Returns the number of kept values and the number of rotations.
template <class R>
__device__ __forceinline__ int2 deflate_in_turn(int m, R rho, R tolerance, const R* ds, const R* zs,
                                                const int* src, R* dl, R* zz, int* ks, R* rc, R* rs, int* ri,
                                                int* rj) {
  int k = 0, gone = 0, rotations = 0, before = -1;
  R db = 0, zb = 0;  // d and z at `before`
  for (int j = 0; j < m; ++j) {
    R dj = ds[j], zj = zs[j];
    if (rho * fabs(zj) <= tolerance) {
      ++gone;
      dl[m - gone] = dj;
      ks[m - gone] = src[j];
      continue;
    }
    if (before >= 0) {
      const R gap = dj - db, sum = fma(zj, zj, zb * zb);
      if (gap * fabs(zj * zb) <= tolerance * sum) {
        const R inverse = inverse_root(sum), c = zj * inverse, s = -zb * inverse;
        rc[m - 1 - rotations] = c;
        rs[m - 1 - rotations] = s;
        ri[rotations] = src[before];
        rj[rotations] = src[j];
        ++rotations;
        zj = sum * inverse;
        const R lower = fma(db, c * c, dj * s * s);
        dj = fma(db, s * s, dj * c * c);
        ++gone;
        dl[m - gone] = lower;
        ks[m - gone] = src[before];
      } else {
        dl[k] = db;
        zz[k] = zb;
        ks[k] = src[before];
        ++k;
      }
    }
    before = j;
    db = dj;
    zb = zj;
  }
  if (before >= 0) {
    dl[k] = db;
    zz[k] = zb;
    ks[k] = src[before];
    ++k;
  }
  int2 counts;
  counts.x = k;
  counts.y = rotations;
  return counts;
}

// The result of a level of merges in shared memory, in addition to the eigenvalues, which are in d.
enum class MergeResult {
  values,   // nothing
  factors,  // U in x, with `scale`, and Q in y
  product   // Q U: in y after level 1, in x after level 2
};

// Computes all merges of a level at the same time. LEVEL 1 has two merges of half of the rows each, LEVEL 2 has one merge of all rows. Returns
// false in the threads whose root has not converged.
template <int LEVEL, MergeResult RESULT, class R, int NP>
__device__ __forceinline__ bool merge_level(const ConquerMemory<R, NP>& sm, int n, const R* __restrict__ e) {
  using L = Limits<R>;
  using Plan = ConquerPlan<R, NP>;
  constexpr int MC = LEVEL == 1 ? NP / 2 : NP;  // most columns of a merge
  constexpr int TN = 2 * MC, BS = MC / 2, LDU = MC + 4, QS = LEVEL == 1 ? BS : Plan::QS;
  static_assert(TN % 32 == 0, "a warp works on one merge");
  const int tid = threadIdx.x, g = tid / TN, tm = tid % TN;
  const int o = LEVEL == 1 ? leaf_begin(n, 2 * g, 4) : 0,
            middle = leaf_begin(n, LEVEL == 1 ? 2 * g + 1 : 2, 4),
            end = LEVEL == 1 ? leaf_begin(n, 2 * g + 2, 4) : n;
  const int m = end - o, s1 = middle - o, s2 = end - middle;
  const R* const q0 = sm.y + 2 * g * BS * QS;
  const R* const q1 = q0 + BS * QS;
  R* const u = sm.x + g * MC * LDU;
  R *const d = sm.d + o, *const ds = sm.ds + o, *const zs = sm.zs + o, *const dl = sm.dl + o,
           *const zz = sm.zz + o, *const scale = sm.scale + o, *const zh = sm.zh + o, *const tau = sm.tau + o,
           *const rc = sm.rc + o, *const rs = sm.rs + o, *const origin = sm.origin + o;
  int *const src = sm.src + o, *const ks = sm.ks + o, *const ri = sm.ri + o, *const rj = sm.rj + o,
             *const count = sm.count + 2 * g;
  const R tear = e[middle - 1], rho = 2 * fabs(tear);

  if (tm < m) {  // forms z, and puts d, z and their columns in ascending order of d
    const R z = (tm < s1 ? q0[tm * QS + s1 - 1] : (tear < 0 ? R(-1) : R(1)) * q1[(tm - s1) * QS]) *
                R(0.70710678118654752440);
    const int place = rank_of(d, m, tm);
    ds[place] = d[tm];
    zs[place] = z;
    src[place] = tm;
  }
  __syncthreads();
  // An entry deflates if rho |z_j| is at most the tolerance, 8 half_eps times the larger of |d| and 1. T is scaled so that its norm is about 1 or
  // larger, and |z| = 1.
  const R largest = max(fabs(ds[0]), fabs(ds[m - 1])), tolerance = 8 * L::half_eps * max(largest, R(1));
  {  // All threads deflate at once. If two kept values are close, count[1] = 1, and one thread deflates again below.
    const int lane = tid % 32, warp = tm / 32;
    const R dj = tm < m ? ds[tm] : R(0), zj = tm < m ? zs[tm] : R(0);
    const bool keep = tm < m && rho * fabs(zj) > tolerance;
    const unsigned kept = __ballot_sync(all_lanes, keep);
    if (lane == 0) ri[warp] = __popc(kept);
    if (tm == 0) count[1] = 0;
    __syncthreads();
    int place = __popc(kept & ((1u << lane) - 1)), all = 0;
#pragma unroll
    for (int w = 0; w < (MC + 31) / 32; ++w) {
      const int here = 32 * w < m ? ri[w] : 0;
      if (w < warp) place += here;
      all += here;
    }
    if (tm < m) {
      const int at = keep ? place : m - 1 - (tm - place);
      dl[at] = dj;
      if (keep) zz[at] = zj;
      ks[at] = src[tm];
    }
    if (tm == 0) count[0] = all;
    __syncthreads();
    if (keep && place > 0) {
      const R before = dl[place - 1], zb = zz[place - 1];
      if ((dj - before) * fabs(zj * zb) <= tolerance * fma(zj, zj, zb * zb)) count[1] = 1;
    }
    __syncthreads();
  }
  if (tm == 0 && count[1]) {
    const int2 counts = deflate_in_turn(m, rho, tolerance, ds, zs, src, dl, zz, ks, rc, rs, ri, rj);
    count[0] = counts.x;
    count[1] = counts.y;
  }
  __syncthreads();
  const int k = count[0], rotations = count[1], i = tm / 2, parity = tm % 2;

  int root_origin;
  R root_tau;
  const bool converged = find_root(dl, zz, k, i, parity, rho, root_origin, root_tau);
  if (i < k && parity == 0) {
    tau[i] = root_tau;
    origin[i] = dl[root_origin];
  }
  __syncthreads();
  if constexpr (RESULT == MergeResult::values) {
    if (i < m && parity == 0) d[i] = i < k ? origin[i] + tau[i] : dl[i];
    __syncthreads();
    return converged;
  }
  {  // the new z, for which these roots are exact
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
  {  // column i of U, its rows in the order of Q's columns
    R squares = 0, from = 0, distance = 0;
    if (i < k) {
      from = origin[i];
      distance = tau[i];
#pragma unroll 4
      for (int j = parity; j < k; j += 2) {
        const R v = zh[j] * reciprocal((dl[j] - from) - distance);
        u[ks[j] * LDU + i] = v;
        squares = fma(v, v, squares);
      }
    }
    squares += __shfl_xor_sync(all_lanes, squares, 1);
    if (i < k) {
      for (int j = k + parity; j < m; j += 2) u[ks[j] * LDU + i] = 0;
      if (parity == 0) {
        d[i] = from + distance;
        scale[i] = 1 / sqrt(squares);
      }
    } else if (i < m) {
      for (int j = parity; j < m; j += 2) u[ks[j] * LDU + i] = j == i ? R(1) : R(0);
      if (parity == 0) {
        d[i] = dl[i];
        scale[i] = 1;
      }
    }
    __syncwarp();
    if (parity == 0 && i < m)
      for (int j = rotations - 1; j >= 0; --j) {
        R *const a = u + ri[j] * LDU + i, *const b = u + rj[j] * LDU + i;
        const R c = rc[m - 1 - j], s = rs[m - 1 - j], ua = *a, ub = *b;
        *a = fma(c, ua, -s * ub);
        *b = fma(s, ua, c * ub);
      }
  }
  __syncthreads();
  if constexpr (RESULT ==
                MergeResult::product) {  // a thread computes TR rows of each block of Q times TC columns
    constexpr int RG = BS >= 64 ? 16 : 8, CG = TN / RG, TR = BS / RG, TC = MC / CG;
    static_assert(RG * TR == BS && CG * TC == MC);
    const int rg = tm % RG, cg = tm / RG;
    R sum[2][TR][TC];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
#pragma unroll
      for (int a = 0; a < TR; ++a)
#pragma unroll
        for (int c = 0; c < TC; ++c) sum[half][a][c] = 0;
      const R *const q = half ? q1 : q0, *const u_rows = u + (half ? s1 : 0) * LDU;
      const int terms = half ? s2 : s1;
#pragma unroll 2
      for (int t = 0; t < terms; ++t) {
        R q_entries[TR], u_entries[TC];
#pragma unroll
        for (int a = 0; a < TR; ++a) q_entries[a] = q[t * QS + rg + RG * a];
#pragma unroll
        for (int c = 0; c < TC; ++c) u_entries[c] = u_rows[t * LDU + cg + CG * c];
#pragma unroll
        for (int a = 0; a < TR; ++a)
#pragma unroll
          for (int c = 0; c < TC; ++c) sum[half][a][c] = fma(q_entries[a], u_entries[c], sum[half][a][c]);
      }
    }
    __syncthreads();
#pragma unroll
    for (int half = 0; half < 2; ++half)
#pragma unroll
      for (int a = 0; a < TR; ++a) {
        const int r = rg + RG * a, row = r + (half ? s1 : 0);
        if (r >= (half ? s2 : s1)) continue;
#pragma unroll
        for (int c = 0; c < TC; ++c) {
          const int column = cg + CG * c;
          if (column >= m) continue;
          if (LEVEL == 1)
            sm.y[(g * MC + column) * Plan::QS + row] = scale[column] * sum[half][a][c];
          else
            sm.x[row * LDU + column] = scale[column] * sum[half][a][c];
        }
      }
    __syncthreads();
  }
  return converged;
}

// Computes the leaves and merges of a matrix. Threads whose root has not converged set info to n + 1.
template <MergeResult RESULT, class R, int NP, class T>
__device__ __forceinline__ void leaves_and_merges(const ConquerMemory<R, NP>& sm, const Work<T>& work,
                                                  std::int64_t matrix, int n) {
  const int tid = threadIdx.x, warp = tid / 32;
  if (tid < n) sm.d[tid] = work.w[matrix * work.ld + tid];
  if (warp < leaves_of_conquer) leaf_vectors(sm, work, matrix, n, warp);
  __syncthreads();
  const R* const e = work.e + matrix * work.ld;
  const bool first = merge_level<1, MergeResult::product>(sm, n, e),
             second = merge_level<2, RESULT>(sm, n, e);
  if (!(first && second) && work.info[matrix] == 0) work.info[matrix] = n + 1;
  __syncthreads();
}

// Row r of four reflectors, for thread (r = tid % NP, h = tid / NP). fetch() reads row r of the reflectors k0 + 4 h, ..., k0 + 4 h + 3, and threads
// 0 to 7 read the eight tau from k0 on.
template <class R, int NP>
struct ReflectorRow {
  R values[4], tau;
  __device__ void fetch(const Reflectors<R>& vs, const R* tau_of, int n, int k0) {
    const int tid = threadIdx.x, r = tid % NP, h = tid / NP;
#pragma unroll
    for (int q = 0; q < 4; ++q) {
      const int k = k0 + 4 * h + q;
      values[q] = k < n - 1 && r > k && r < n ? vs(r, k) : R(0);
    }
    tau = tid < 8 && k0 + tid < n - 1 ? tau_of[k0 + tid] : R(0);
  }
  // Writes the entries to row r of V, which begins at v + r stride.
  __device__ void put(R* v, int stride) const {
    const int tid = threadIdx.x, r = tid % NP, h = tid / NP;
#pragma unroll
    for (int q = 0; q < 4; ++q) v[r * stride + 4 * h + q] = values[q];
  }
};

// Writes the selected eigenvalues in ascending order to the caller's w. sm.src[j] becomes the column of the caller's Z for eigenvalue j. An
// eigenvalue whose sm.src is negative or at least to - from is not selected. Returns false if the matrix has a NaN or an infinity.
template <class R, int NP, class T>
__device__ __forceinline__ bool store_values(const ConquerMemory<R, NP>& sm, const Chunk<T>& chunk,
                                             const Work<T>& work, std::int64_t matrix, std::int64_t id,
                                             int n) {
  const int tid = threadIdx.x, info = work.info[matrix];
  const bool valid = info >= 0;
  if (tid < n) {
    const int place = (valid ? rank_of(sm.d, n, tid) : tid) - chunk.from;
    sm.src[tid] = place;
    if (place >= 0 && place < chunk.to - chunk.from)
      chunk.w.of(id)[place] = valid ? scalbn(sm.d[tid], work.exponent[matrix]) : R(NAN);
  }
  if (tid == 0) report_status(chunk, id, info);
  __syncthreads();
  return valid;
}

// Computes the eigenvalues. With VECTORS, for complex matrices, also writes the selected eigenvectors of T to Work::u, in ascending order of the
// eigenvalues.
template <class T, int NP, bool VECTORS>
__global__ void __launch_bounds__(2 * NP) conquer_tridiagonal(Chunk<T> chunk, Work<T> work) {
  using R = real_t<T>;
  const ConquerMemory<R, NP> sm(reinterpret_cast<R*>(DynamicShared<pair_t<R>>::memory()));
  const std::int64_t matrix = blockIdx.x, id = chunk.id(matrix);
  const int tid = threadIdx.x, n = chunk.order(id);
  leaves_and_merges<VECTORS ? MergeResult::product : MergeResult::values>(sm, work, matrix, n);
  store_values(sm, chunk, work, matrix, id, n);
  if constexpr (VECTORS) {
    R* const u = work.u + matrix * work.ld * work.ld;
    const int r = tid % NP;
    if (r < n)
      for (int c = tid / NP; c < n; c += 2)
        if (sm.src[c] >= 0 && sm.src[c] < chunk.to - chunk.from)
          u[sm.src[c] * work.ld + r] = sm.x[r * ConquerPlan<R, NP>::LD + c];
  }
}

// Real matrices: computes eigenvalues and eigenvectors, with the back-transformation in the same kernel.
template <class R, int NP>
__global__ void __launch_bounds__(2 * NP) conquer(Chunk<R> chunk, Work<R> work) {
  constexpr int LD = ConquerPlan<R, NP>::LD;
  const ConquerMemory<R, NP> sm(reinterpret_cast<R*>(DynamicShared<pair_t<R>>::memory()));
  const int tid = threadIdx.x;
  const std::int64_t matrix = blockIdx.x, id = chunk.id(matrix), row = matrix * work.ld;
  const int n = chunk.order(id);
  const Reflectors<R> vs(work, matrix);
  leaves_and_merges<MergeResult::product>(sm, work, matrix, n);
  {  // Z := H_1 H_2 ... Z, the last eight reflectors first; thread (c, h) has column c and every second row
    R* const z = sm.x;               // [row][column]
    R* const v = sm.y;               // [row][8]
    R* const part = v + 8 * NP;      // [h][8][column]
    R* const gram = part + 16 * NP;  // [8][8]
    R* const tau8 = gram + 64;
    const int c = tid % NP, h = tid / NP, top = (n - 3) / 8 * 8;
    ReflectorRow<R, NP> next;
    next.fetch(vs, work.tau + row, n, top);
    for (int k0 = top; k0 >= 0; k0 -= 8) {
      next.put(v, 8);
      if (tid < 8) tau8[tid] = next.tau;
      __syncthreads();
      if (k0 > 0) next.fetch(vs, work.tau + row, n, k0 - 8);
      {
        constexpr int lanes = NP >= 128 ? 8 : 4;  // threads that sum one entry of gram
        const int pair = tid / lanes, lane = tid % lanes;
        const auto [i, j] = pair_of_8(pair);
        R sum = 0;
        if (pair < 28)
          for (int r = k0 + 1 + lane; r < n; r += lanes) sum = fma(v[r * 8 + i], v[r * 8 + j], sum);
#pragma unroll
        for (int mask = lanes / 2; mask > 0; mask /= 2) sum += __shfl_xor_sync(all_lanes, sum, mask);
        if (pair < 28 && lane == 0) gram[i * 8 + j] = sum;
      }
      const int r0 = k0 + 1 + (k0 + 1 + h) % 2;
      R y[8];
#pragma unroll
      for (int q = 0; q < 8; ++q) y[q] = 0;
#pragma unroll 4
      for (int r = r0; r < n; r += 2) {
        const R x = z[r * LD + c];
#pragma unroll
        for (int q = 0; q < 8; ++q) y[q] = fma(x, v[r * 8 + q], y[q]);
      }
#pragma unroll
      for (int q = 0; q < 8; ++q) part[(h * 8 + q) * NP + c] = y[q];
      __syncthreads();
#pragma unroll
      for (int q = 0; q < 8; ++q) y[q] = part[q * NP + c] + part[(8 + q) * NP + c];
#pragma unroll
      for (int q = 7; q >= 0; --q) {
#pragma unroll
        for (int p = 7; p > q; --p) y[q] = fma(-gram[q * 8 + p], y[p], y[q]);
        y[q] *= tau8[q];
      }
#pragma unroll 4
      for (int r = r0; r < n; r += 2) {
        R x = z[r * LD + c];
#pragma unroll
        for (int q = 0; q < 8; ++q) x = fma(-y[q], v[r * 8 + q], x);
        z[r * LD + c] = x;
      }
      __syncthreads();
    }
  }
  const bool valid = store_values(sm, chunk, work, matrix, id, n);
  const int r = tid % NP;
  const std::int64_t ldz = chunk.ldz.of(id);
  R* const to = chunk.z.of(id);
  if (r < n)
    for (int c = tid / NP; c < n; c += 2)
      if (sm.src[c] >= 0 && sm.src[c] < chunk.to - chunk.from)
        to[sm.src[c] * ldz + r] = valid ? sm.x[r * LD + c] : R(NAN);
}

}  // namespace eigen_g::batched
