// Generalised problems A x = w B x of order 5 to 128. A pencil is the pair A, B of a problem. A team of threads solves a problem: a warp up to
// order 32, and a thread block for larger orders.
//
//   to_standard_form()     B = L L^H,  C = L^-1 A L^-H
//   (the kernels of run_chunk.cuh: C = Y W Y^H)
//   from_standard_form()   X = L^-H Y
//
// A and B are scaled by powers of two: 2^-a A and 2^-b B have their largest entry between 1/2 and 4, and b is even. Their rows are in the order
// of B's descending diagonal, if its entries differ by a factor of 4 or more (solver/generalised/order.hpp). C is stored with its rows and
// columns reversed, because the reduction begins at the first row. Only the upper triangle of C is read, so C is exactly Hermitian.
//
// L is in shared memory, in blocks of 8 x 8 entries: block (I, J), I >= J, is number I (I + 1) / 2 + J, and its rows follow each other. The
// diagonal of L has the reciprocals of its entries. The columns of A, of L^-1 A and of Y pass through shared memory in strips of C columns:
// thread (c, h) has column c and the rows h, h + H, ....
//
// X = L^-H Y is the same forward substitution: with rows and columns reversed, L^H is a lower triangular matrix.
#pragma once

#include "solver/batched/arithmetic.cuh"
#include "solver/batched/pencil_work.hpp"

namespace eigen_g::batched {

// Threads of a team, and columns of a strip.
EIGEN_G_HOST_DEVICE constexpr int threads_of_team(int n) {
  return n <= 32 ? 32 : n <= 64 ? 128 : 256;
}
EIGEN_G_HOST_DEVICE constexpr int columns_of_strip(int n) {
  return n <= 8 ? 8 : n <= 16 ? 16 : 32;
}
template <int THREADS>
__device__ __forceinline__ void team_barrier() {
  if constexpr (THREADS == 32)
    __syncwarp();
  else
    __syncthreads();
}

// Shared memory of a team for orders up to n.
template <class T, int C>
struct TeamMemory {
  using R = real_t<T>;
  static constexpr int LD = C + 1;  // few bank conflicts
  T *l, *x;                         // L, and a strip: [row][LD]
  R *diagonal, *maxima;             // B's diagonal; [2][8]
  int *order, *exponent, *bad_minor;

  EIGEN_G_HOST_DEVICE static constexpr int rows(int n) { return (n + 7) / 8 * 8; }
  static constexpr int bytes(int n) {
    return (entries_of_factor(n) + rows(n) * LD) * static_cast<int>(sizeof(T)) +
           (rows(n) + 16) * static_cast<int>(sizeof(R)) + (2 * rows(n) + 2) * 4;
  }
  __device__ explicit TeamMemory(int n) {
    l = reinterpret_cast<T*>(DynamicShared<pair_t<R>>::memory());
    x = l + entries_of_factor(n);
    diagonal = reinterpret_cast<R*>(x + rows(n) * LD);
    maxima = diagonal + rows(n);
    order = reinterpret_cast<int*>(maxima + 16);
    exponent = order + rows(n);
    bad_minor = exponent + rows(n);
  }
};

template <class T>
__device__ __forceinline__ T* block_of(T* l, int i, int j) {
  return l + (i * (i + 1) / 2 + j) * 64;
}
// Loads the first `count` entries of a row of a block, or one more.
template <class T>
__device__ __forceinline__ void load_row(const T* from, T (&to)[8], int count = 8) {
  if constexpr (is_complex<T>) {
#pragma unroll
    for (int q = 0; q < 8; ++q)
      if (q < count) to[q] = from[q];
  } else {
#pragma unroll
    for (int q = 0; q < 4; ++q)
      if (2 * q < count) {
        const pair_t<T> pair = reinterpret_cast<const pair_t<T>*>(from)[q];
        to[2 * q] = pair.x;
        to[2 * q + 1] = pair.y;
      }
  }
}

// Returns the largest real or imaginary part, by modulus, of the thread's entries of the triangle; infinity if an entry is not finite.
template <class T>
__device__ __forceinline__ real_t<T> largest_entry(const T* a, std::int64_t lda, int n, bool upper, int group,
                                                   int groups, int lane, int lanes) {
  using R = real_t<T>;
  R largest = 0;
  for (int r = lane; r < n; r += lanes)
#pragma unroll 4
    for (int c = group; c < n; c += groups) {
      const T entry = (upper ? r <= c : r >= c) ? a[c * lda + r] : T(0);
      const R size = largest_part(r == c ? diagonal_entry(entry) : entry);
      if (!(size <= Limits<R>::largest)) largest = R(INFINITY);
      if (size > largest) largest = size;
    }
  return largest;
}

// store(r, c, load(r, c)) for the rows r < rows of the columns c < columns. A thread loads four entries before it stores the first one, because the
// compiler does not move loads before stores.
template <int THREADS, int C, class Load, class Store>
__device__ __forceinline__ void copy_entries(int rows, int columns, const Load& load, const Store& store) {
  constexpr int H = THREADS / C;
  for (int c = threadIdx.x / C; c < columns; c += 4 * H)
    for (int r = threadIdx.x % C; r < rows; r += C) {
      decltype(load(r, c)) entry[4];
#pragma unroll
      for (int q = 0; q < 4; ++q)
        if (c + q * H < columns) entry[q] = load(r, c + q * H);
#pragma unroll
      for (int q = 0; q < 4; ++q)
        if (c + q * H < columns) store(r, c + q * H, entry[q]);
    }
}

// L from B in the blocks of l, whose diagonal blocks are whole. Returns 0 or the order of the first leading minor that is not positive.
template <class T, int THREADS>
__device__ int cholesky_of_team(T* l, int blocks, int* bad_minor) {
  using R = real_t<T>;
  const int tid = threadIdx.x;
  for (int k = 0; k < blocks; ++k) {
    const bool has_row = tid < (blocks - k) * 8;
    T* const mine = block_of(l, k + tid / 8, k) + tid % 8 * 8;  // row 8 k + tid
    T x[8];
    if (has_row) {  // each thread factors the block on the diagonal, and solves for its row
      const T* const d = block_of(l, k, k);
      T f[8][8];
      R inverse[8];
#pragma unroll
      for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j <= i; ++j) f[i][j] = d[i * 8 + j];
      load_row(mine, x);
      int bad = 0;
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        R pivot = real_of(f[j][j]);
#pragma unroll
        for (int p = 0; p < j; ++p) pivot -= real_product(f[j][p], f[j][p]);
        if (!(pivot > 0)) {
          if (bad == 0) bad = 8 * k + j + 1;
          pivot = 1;
        }
        inverse[j] = inverse_root(pivot);
#pragma unroll
        for (int i = j + 1; i < 8; ++i) {
#pragma unroll
          for (int p = 0; p < j; ++p) f[i][j] = fma(-f[i][p], conj_of(f[j][p]), f[i][j]);
          f[i][j] = inverse[j] * f[i][j];
        }
#pragma unroll
        for (int p = 0; p < j; ++p) x[j] = fma(-x[p], conj_of(f[j][p]), x[j]);
        x[j] = inverse[j] * x[j];
      }
#pragma unroll
      for (int j = 0; j < 8; ++j)
        if (tid <= j) x[j] = tid == j ? T(inverse[j]) : T(0);  // the block on the diagonal
      if (tid == 0 && bad > 0) *bad_minor = bad;
    }
    team_barrier<THREADS>();
    if (*bad_minor > 0) return *bad_minor;
    if (has_row) {
#pragma unroll
      for (int j = 0; j < 8; ++j) mine[j] = x[j];
    }
    team_barrier<THREADS>();
    const int left = blocks - k - 1, items = left * (left + 1) / 2 * 8;  // rows of blocks
    for (int item = tid; item < items; item += THREADS) {
      int i = 0, j = item / 8;
      while (j > i) j -= ++i;
      const int row = item % 8;
      T* const to = block_of(l, k + 1 + i, k + 1 + j) + row * 8;
      const T* const other = block_of(l, k + 1 + j, k);
      T y[8];
      load_row(block_of(l, k + 1 + i, k) + row * 8, y);
#pragma unroll
      for (int c = 0; c < 8; ++c) {
        T u[8], sum = to[c];
        load_row(other + c * 8, u);
#pragma unroll
        for (int q = 0; q < 8; ++q) sum = fma(-y[q], conj_of(u[q]), sum);
        to[c] = sum;
      }
    }
    team_barrier<THREADS>();
  }
  return 0;
}

// X := L^-1 X for a strip. Begins and ends with a barrier.
template <class T, int THREADS, int C>
__device__ void solve_strip(const T* l, T* x, int blocks) {
  constexpr int H = THREADS / C, LD = TeamMemory<T, C>::LD;
  const int tid = threadIdx.x, c = tid % C, h = tid / C;
  x += c;
  team_barrier<THREADS>();
  for (int k = 0; k < blocks; ++k) {
    const T* const d = block_of(l, k, k);
    T y[8];
#pragma unroll
    for (int q = 0; q < 8; ++q) y[q] = x[(8 * k + q) * LD];
#pragma unroll
    for (int q = 0; q < 8; ++q) {
      T u[8];
      load_row(d + q * 8, u, q + 1);
#pragma unroll
      for (int p = 0; p < q; ++p) y[q] = fma(-u[p], y[p], y[q]);
      y[q] = real_of(u[q]) * y[q];
    }
    // Two rows at a time: their loads come before their stores.
    const auto update = [&](const T* row0, T* x0, const T* row1, T* x1, bool both) {
      T u0[8], u1[8], sum0 = *x0, sum1 = *x1;
      load_row(row0, u0);
      load_row(row1, u1);
#pragma unroll
      for (int q = 0; q < 8; ++q) {
        sum0 = fma(-u0[q], y[q], sum0);
        sum1 = fma(-u1[q], y[q], sum1);
      }
      *x0 = sum0;
      if (both) *x1 = sum1;
    };
    const T* row = block_of(l, k + 1, k) + h * 8;
    T* to = x + (8 * (k + 1) + h) * LD;
    if constexpr (H < 8) {
      for (int i = k + 1; i < blocks; ++i) {
#pragma unroll
        for (int t = 0; t < 8; t += 2 * H)
          update(row + t * 8, to + t * LD, row + (t + H) * 8, to + (t + H) * LD, true);
        row += (i + 1) * 64;
        to += 8 * LD;
      }
    } else {
      for (int i = k + 1; i < blocks; i += 2) {
        const bool both = i + 1 < blocks;
        update(row, to, both ? row + (i + 1) * 64 : row, both ? to + 8 * LD : to, both);
        row += (2 * i + 3) * 64;
        to += 16 * LD;
      }
    }
    team_barrier<THREADS>();
#pragma unroll
    for (int q = 0; q < 8; ++q)
      if (q % H == h) x[(8 * k + q) * LD] = y[q];
  }
  team_barrier<THREADS>();
}

template <class T, int THREADS, int C>
__global__ void EIGEN_G_REGISTERS(THREADS, 1, (sizeof(T) == 16 || THREADS == 32 ? 255 : 128))
    to_standard_form(Chunk<T> chunk, PencilWork<T> work) {
  using R = real_t<T>;
  using L = Limits<R>;
  constexpr int H = THREADS / C, LD = TeamMemory<T, C>::LD;
  const TeamMemory<T, C> sm(chunk.n);
  const int tid = threadIdx.x, lane = tid % C, h = tid / C;
  const std::int64_t matrix = blockIdx.x, id = chunk.id(matrix), ld = work.ld;
  const int n = chunk.order(id), blocks = (n + 7) / 8;
  const Triangle<T> a(chunk.a.of(id), chunk.lda.of(id), chunk.upper),
      b(chunk.b.of(id), chunk.ldb.of(id), chunk.upper);
  T* const c = work.c + matrix * ld * ld;  // in reverse: entry (i, j) is at (n - 1 - i) + (n - 1 - j) ld

  R largest_a = warp_max(largest_entry(a.data, chunk.lda.of(id), n, chunk.upper, h, H, lane, C)),
    largest_b = warp_max(largest_entry(b.data, chunk.ldb.of(id), n, chunk.upper, h, H, lane, C));
  if (tid % 32 == 0) {
    sm.maxima[tid / 32] = largest_a;
    sm.maxima[8 + tid / 32] = largest_b;
  }
  if (tid < n) {
    sm.diagonal[tid] = fabs(real_of(b(tid, tid)));
    sm.exponent[tid] = ilogb(sm.diagonal[tid]);
  }
  if (tid == 0) *sm.bad_minor = 0;
  team_barrier<THREADS>();
#pragma unroll
  for (int q = 0; q < THREADS / 32; ++q) {
    largest_a = sm.maxima[q] > largest_a ? sm.maxima[q] : largest_a;
    largest_b = sm.maxima[8 + q] > largest_b ? sm.maxima[8 + q] : largest_b;
  }
  const bool finite = largest_a <= L::largest && largest_b <= L::largest;
  const int of_a = finite ? scale_exponent(largest_a) : 0,
            of_b = finite ? scale_exponent(largest_b) / 2 * 2 : 0;
  const R scale_a = scalbn(R(1), -of_a), scale_b = scalbn(R(1), -of_b);
  int state = -1;
  if (finite) {
    R smallest = largest_b;
    int place = 0;  // place of row tid in the descending order
    const int mine = tid < n ? sm.exponent[tid] : 0;
    for (int i = 0; i < n; ++i) {
      smallest = sm.diagonal[i] < smallest ? sm.diagonal[i] : smallest;
      place += sm.exponent[i] > mine || (sm.exponent[i] == mine && i < tid);
    }
    // If the factorization fails, it is tried again in the caller's order, whose leading minors the status counts.
    bool ordered = largest_b >= 4 * smallest;
    for (;;) {
      if (tid < n) sm.order[ordered ? place : tid] = tid;
      team_barrier<THREADS>();
      copy_entries<THREADS, C>(
          8 * blocks, 8 * blocks,
          [&](int q, int r) {  // the lanes have the columns q
            return q / 8 > r / 8 || q >= n || r >= n ? T(r == q ? 1 : 0)
                                                     : scale_b * b(sm.order[r], sm.order[q]);
          },
          [&](int q, int r, T entry) {
            if (q / 8 <= r / 8) block_of(sm.l, r / 8, q / 8)[r % 8 * 8 + q % 8] = entry;
          });
      team_barrier<THREADS>();
      const int bad_minor = cholesky_of_team<T, THREADS>(sm.l, blocks, sm.bad_minor);
      state = bad_minor > 0 ? n + bad_minor : 0;
      if (bad_minor == 0 || !ordered) break;
      ordered = false;
      team_barrier<THREADS>();
      if (tid == 0) *sm.bad_minor = 0;
    }
  }
  if (tid == 0) {
    work.state[matrix] = state;
    work.exponents[matrix].x = of_a - of_b;
    work.exponents[matrix].y = of_b / 2;
    work.orders[matrix] = n;
  }
  if (state != 0) {
    for (int q = h; q < n; q += H)
      for (int r = lane; r < n; r += C) c[q * ld + r] = T(0);
    return;
  }

  // V := (L^-1 A)^H, then C := L^-1 V over V.
  for (int begin = 0; begin < n; begin += C) {
    copy_entries<THREADS, C>(
        8 * blocks, C,
        [&](int r, int q) {
          return r < n && begin + q < n ? scale_a * a(sm.order[r], sm.order[begin + q]) : T(0);
        },
        [&](int r, int q, T entry) { sm.x[r * LD + q] = entry; });
    solve_strip<T, THREADS, C>(sm.l, sm.x, blocks);
    if (begin + lane < n)
      for (int r = h; r < n; r += H)
        c[(n - 1 - r) * ld + n - 1 - begin - lane] = conj_of(sm.x[r * LD + lane]);
    team_barrier<THREADS>();
  }
  for (int begin = 0; begin < n; begin += C) {
    copy_entries<THREADS, C>(
        8 * blocks, C,
        [&](int r, int q) { return r < n && begin + q < n ? c[(n - 1 - begin - q) * ld + n - 1 - r] : T(0); },
        [&](int r, int q, T entry) { sm.x[r * LD + q] = entry; });
    solve_strip<T, THREADS, C>(sm.l, sm.x, blocks);
    for (int q = h; q < C && begin + q < n; q += H)
      for (int r = begin + q + lane; r < n; r += C)
        c[(n - 1 - begin - q) * ld + n - 1 - r] = sm.x[r * LD + q];
    team_barrier<THREADS>();
  }
  if (!work.factor) return;
  T* const factor = work.factor + matrix * entries_of_factor(work.ld);
  for (int r = h; r < 8 * blocks; r += H)
    for (int q = lane; q <= r; q += C) {
      const int i = n - 1 - q, j = n - 1 - r;  // i >= j
      block_of(factor, r / 8, q / 8)[r % 8 * 8 + q % 8] =
          r < n ? conj_of(block_of(sm.l, i / 8, j / 8)[i % 8 * 8 + j % 8]) : T(r == q ? 1 : 0);
    }
  if (tid < n) work.order[matrix * ld + tid] = sm.order[n - 1 - tid];
}

// Writes the caller's values, vectors and status.
template <class T, int THREADS, int C>
__global__ void __launch_bounds__(THREADS) from_standard_form(Chunk<T> chunk, PencilWork<T> work) {
  using R = real_t<T>;
  constexpr int H = THREADS / C, LD = TeamMemory<T, C>::LD;
  const TeamMemory<T, C> sm(chunk.n);
  const int tid = threadIdx.x, lane = tid % C, h = tid / C;
  const std::int64_t matrix = blockIdx.x, id = chunk.id(matrix), ld = work.ld, row = matrix * ld;
  const int n = chunk.order(id), blocks = (n + 7) / 8,
            columns = min(chunk.to, n) > chunk.from ? min(chunk.to, n) - chunk.from : 0;
  const int2 exponents = work.exponents[matrix];
  const R* const w = work.w + row;
  int info = pencil_info(work.state[matrix], work.status[matrix], n);
  if (columns > 0 && !(fabs(scalbn(w[0], exponents.x)) <= Limits<R>::largest &&
                       fabs(scalbn(w[columns - 1], exponents.x)) <= Limits<R>::largest))
    info = info > 0 ? info : -1;  // values overflow
  const bool valid = info >= 0 && info <= n;
  for (int q = tid; q < columns; q += THREADS) chunk.w.of(id)[q] = valid ? scalbn(w[q], exponents.x) : R(NAN);
  if (tid == 0) report_status(chunk, id, info);
  if (!work.factor) return;

  const std::int64_t ldz = chunk.ldz.of(id);
  T* const z = chunk.z.of(id);
  if (!valid) {
    for (int q = h; q < columns; q += H)
      for (int r = lane; r < n; r += C) z[q * ldz + r] = not_a_number<T>();
    return;
  }
  const R scale = scalbn(R(1), -exponents.y);
  const T *const factor = work.factor + matrix * entries_of_factor(work.ld), *const y = work.c + row * ld;
  copy_entries<THREADS, C>(
      C, entries_of_factor(n) / C, [&](int r, int q) { return factor[C * q + r]; },
      [&](int r, int q, T entry) { sm.l[C * q + r] = entry; });
  if (tid < n) sm.order[tid] = work.order[row + tid];
  for (int begin = 0; begin < columns; begin += C) {
    copy_entries<THREADS, C>(
        8 * blocks, C,
        [&](int r, int q) { return r < n && begin + q < columns ? y[(begin + q) * ld + r] : T(0); },
        [&](int r, int q, T entry) { sm.x[r * LD + q] = entry; });
    solve_strip<T, THREADS, C>(sm.l, sm.x, blocks);
    for (int q = h; q < C && begin + q < columns; q += H)
      for (int r = lane; r < n; r += C) z[(begin + q) * ldz + sm.order[r]] = scale * sm.x[r * LD + q];
    team_barrier<THREADS>();
  }
}

}  // namespace eigen_g::batched
