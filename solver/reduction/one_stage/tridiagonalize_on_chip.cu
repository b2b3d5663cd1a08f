// Householder tridiagonalization of a matrix that stays in registers and shared memory ("on chip"). One cooperative kernel reduces all
// columns, with one thread block per multiprocessor. Block i mod blocks holds row i of the whole symmetric matrix (both triangles).
// The blocks exchange data once per column.
//
// Step k reduces column k; q = k + 1. Every block knows x, the part of column k below the diagonal. The scalars alpha = x_q, beta, s, tau
// and v = s (x - beta e_q) are defined in tridiagonalize_panel.cuh.
//
//   each block         h_i = (A x)_i for its own rows i >= q; publishes them
//   the block of row q publishes r = A(q, :)
//   each block         y = A v = s (h - beta r);   v^T y;   w = tau y - (tau / 2)(tau v^T y) v   all elements, for itself
//                      x' = r - v w_q - w          the next column
//                      A := A - v w^T - w v^T      its own rows, and h' = A x' in the same pass
//
// Hermitian matrix: r = conj(A(q, :)), v^H y (real) replaces v^T y, and A := A - v w^H - w v^H.
//
// Only h and r are exchanged, once per column, through mailboxes in device memory. A double is sent as two words; each word holds
// one half of the double and the number of the step. A float is one word, a complex number is two real ones. The reader polls a
// word until it has the step's number; neither a barrier nor a fence is needed.
// Two sets of mailboxes alternate. No block overwrites a value that is still to be read: a block publishes step k + 2 after it has
// read all of step k + 1, and the other blocks publish step k + 1 after they have read step k. A block whose rows are all reduced
// publishes nothing more, and no block waits for it.
//
// All blocks compute v, y, w and x' by the same operations in the same order, so these agree in every bit. The rows that are
// reduced last are in registers, the others in shared memory.
//
// Rejected variants: data/perf/DECISIONS.md, "Reduction on the chip".
#include <algorithm>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "blas2/symv/warp_sums.cuh"
#include "hybrid/cuda_check.hpp"
#include "hybrid/device_complex.cuh"
#include "hybrid/instantiate.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/round_up.hpp"
#include "hybrid/stream/dynamic_shared.cuh"
#include "hybrid/stream/mail_complex.cuh"
#include "hybrid/stream/queue.hpp"
#include "hybrid/stream/shared_memory.hpp"
#include "hybrid/warp_sum.cuh"
#include "solver/reduction/one_stage/reflector_scalars.cuh"
#include "solver/reduction/one_stage/tridiagonalize.hpp"
#include "solver/reduction/one_stage/tridiagonalize_on_chip.hpp"

namespace eigen_g {

namespace {

constexpr int max_rows = 32;  // rows of a block: one lane sums one row
constexpr int at_once = 4;    // rows that a pass processes together

// Neighbouring columns of a row that a thread processes together: two, or one if an element has more than 8 bytes.
template <class T>
inline constexpr int group_width = sizeof(T) <= 8 ? 2 : 1;
template <class T>
struct alignas(group_width<T> * sizeof(T)) Group {
  T column[group_width<T>];
};

template <class T>
using memory_word = pair_t<std::conditional_t<sizeof(Group<T>) == 16, double, float>>;

// The kernel's parameters.
template <class T>
struct OnChip {
  T* a;
  std::int64_t lda;
  int n, columns;  // columns to be reduced: n, or fewer
  real_t<T>*d, *e;
  T* tau;
  Packet<T>* mail;  // 2 sets of h and r, with group_width * stride packets each
  int shared_rows;  // rows of a block in shared memory, a multiple of at_once; the others are in registers
  int stride;  // groups from one row in shared memory to the next: n / group_width rounded up to a multiple of 32
  // A tail with a smaller sum of squares counts as zero; null: negligible_square.
  const real_t<T>* negligible;

  // Index of row or column i in a mailbox. The first elements of all groups come first, then the second ones, so that a warp
  // reads consecutive packets.
  __device__ int place(int i) const { return i / group_width<T> + i % group_width<T> * stride; }
};

// The sum of n values in shared memory, in four independent chains.
template <int n, class T>
__device__ T sum_of(const T* x) {
  static_assert(n % 4 == 0);
  T s[4] = {x[0], x[1], x[2], x[3]};
#pragma unroll
  for (int i = 4; i < n; ++i) s[i % 4] += x[i];
  return (s[0] + s[1]) + (s[2] + s[3]);
}

// The rows and columns of a thread in a block of `threads`: all rows of the block, and the column groups t + threads u, u = 0, 1, ...
// The rows of a block are numbered by slots: slot i has row block + blocks i.
template <class T, int threads>
struct ThreadRange {
  static constexpr int width = group_width<T>;
  static constexpr int warps = threads / 32;
  int t = threadIdx.x, warp = t / 32, lane = t % 32;
  int block = blockIdx.x, blocks = gridDim.x, n;
  int rows = (n - block + blocks - 1) / blocks;  // rows of this block
  // This block writes d, e and tau; it has row n - 1, so it ends last.
  bool writer = block == (n - 1) % blocks;

  __device__ explicit ThreadRange(int n) : n(n) {}
  __device__ int row_of(int slot) const { return block + blocks * slot; }
  __device__ int column_of(int c) const { return width * (t + threads * (c / width)) + c % width; }
};

// The registers that a thread keeps from step to step. The machine code depends on the order of the members.
template <class T, int groups, int registered>
struct Registers {
  static constexpr int columns = group_width<T> * groups;
  T tau;
  real_t<T> half;  // w = tau y - half v
  T x[columns], w[columns], v[columns];
  int own[columns];                // the block's slot whose row index equals the thread's column index, or -1
  Group<T> a[registered][groups];  // the rows in registers; the slots before them are in shared memory
};

// Shared memory of a block.
template <class T, int warps>
struct Shared {
  Group<T>* rows;
  real_t<T> (&products)[warps], (&squares)[warps];
  T (&dots)[max_rows][warps + 1], (&row_v)[max_rows], (&row_y)[max_rows], &first_of_x, &first_of_y, &diagonal;
};

// The indices and mailboxes of step k, which reduces column k.
template <class T, int threads>
struct Step {
  const ThreadRange<T, threads>& mine;
  int k, q;
  unsigned number;
  Packet<T>*mail_h, *mail_r;
  int first_slot;  // the block's first slot whose row is >= q

  __device__ Step(const OnChip<T>& p, const ThreadRange<T, threads>& mine, int k)
      : mine(mine),
        k(k),
        q(k + 1),
        number(static_cast<unsigned>(q)),
        mail_h(p.mail + k % 2 * 2 * group_width<T> * p.stride),
        mail_r(mail_h + group_width<T> * p.stride),
        first_slot(q > mine.block ? (q - mine.block + mine.blocks - 1) / mine.blocks : 0) {}

  __device__ bool needed(int c) const { return mine.column_of(c) >= q && mine.column_of(c) < mine.n; }
  // True if group u of some thread of the warp has a column >= q.
  __device__ bool live(int u) const {
    constexpr int width = group_width<T>;
    return mine.column_of(width * u) - width * mine.lane < mine.n &&
           mine.column_of(width * u + width - 1) + width * (31 - mine.lane) >= q;
  }
};

template <class T>
struct Reflector {
  real_t<T> beta;
  T s, tau;
};

// The reflector of alpha and ||tail||^2. A whole warp calls it: two lanes compute the two divisions at the same time.
template <class R>
__device__ __forceinline__ Reflector<R> reflect(R alpha, R tail, R negligible, int lane) {
  R beta = alpha, s = 0, tau = 0;
  if (tail >= negligible) {
    beta = -copysign(sqrt(fma(alpha, alpha, tail)), alpha);
    const bool odd = lane % 2 == 1;
    const R quotient = (odd ? beta - alpha : 1) / (odd ? beta : alpha - beta);
    s = __shfl_sync(~0u, quotient, 0);
    tau = __shfl_sync(~0u, quotient, 1);
  }
  return {beta, s, tau};
}
template <class R>
__device__ __forceinline__ Reflector<DeviceComplex<R>> reflect(DeviceComplex<R> alpha, R tail, R negligible,
                                                               int lane) {
  R beta = alpha.re;
  DeviceComplex<R> s = 0, tau = 0;
  const R square = fma(alpha.im, alpha.im, tail);
  if (square >= negligible) {
    beta = -copysign(sqrt(fma(alpha.re, alpha.re, square)), alpha.re);
    const R difference = alpha.re - beta;
    const R quotient = 1 / (lane % 2 == 1 ? beta : fma(difference, difference, alpha.im * alpha.im));
    const R factor = __shfl_sync(~0u, quotient, 0), of_beta = __shfl_sync(~0u, quotient, 1);
    s = {difference * factor, -alpha.im * factor};
    tau = {-difference * of_beta, -alpha.im * of_beta};
  }
  return {beta, s, tau};
}

// Loads the block's rows and x = A(:, 0).
template <class T, int threads, int groups, int registered>
__device__ __forceinline__ void load(const OnChip<T>& p, const ThreadRange<T, threads>& mine,
                                     Registers<T, groups, registered>& state,
                                     const Shared<T, threads / 32>& shared) {
  const int n = mine.n, rows = mine.rows, t = mine.t, block = mine.block, blocks = mine.blocks;
  constexpr int width = group_width<T>, columns = width * groups;
  const auto element = [&](int i, int j) {
    return i < n && j < n ? reduction::of_lower(__ldcg(p.a + max(i, j) + min(i, j) * p.lda), i, j) : T(0);
  };
#pragma unroll
  for (int r = 0; r < registered; ++r)
#pragma unroll
    for (int u = 0; u < groups; ++u) {
      const int row = p.shared_rows + r < rows ? mine.row_of(p.shared_rows + r) : n;
#pragma unroll
      for (int c = 0; c < width; ++c) state.a[r][u].column[c] = element(row, mine.column_of(width * u + c));
    }
  for (int slot = 0; slot < p.shared_rows; ++slot)
    for (int group = t; group < p.stride; group += threads) {
      const int row = slot < rows ? mine.row_of(slot) : n;
      Group<T> entry;
#pragma unroll
      for (int c = 0; c < width; ++c) entry.column[c] = element(row, width * group + c);
      shared.rows[slot * p.stride + group] = entry;
    }
#pragma unroll
  for (int c = 0; c < columns; ++c) {
    const int column = mine.column_of(c);
    state.v[c] = state.w[c] = 0;
    state.x[c] = column > 0 ? element(column, 0) : T(0);
    state.own[c] = column < n && column % blocks == block ? column / blocks : -1;
  }
  for (int slot = t; slot < max_rows; slot += threads) shared.row_v[slot] = shared.row_y[slot] = 0;
  if (mine.writer && t == 0) p.d[0] = real_of(p.a[0]);
}

// With few threads the sum of squares of x over a warp is formed in the same steps as the sums of its last rows. With more threads a block needs the
// registers for other things.
template <int threads>
inline constexpr bool squares_with_rows = threads <= 256;

// warp_sums() of the rows' sums and warp_sum() of `square` in the same steps.
template <class T>
__device__ __forceinline__ void sums_and_square(T (&x)[at_once], real_t<T>& square, int lane) {
  int mask = 16;
#pragma unroll
  for (int half = at_once / 2; half > 0; half /= 2, mask /= 2) {
#pragma unroll
    for (int i = 0; i < half; ++i) {
      const bool upper = lane & mask;
      const T kept = upper ? x[i + half] : x[i], given = upper ? x[i] : x[i + half];
      x[i] = kept + __shfl_xor_sync(~0u, given, mask);
    }
    square = square + __shfl_xor_sync(~0u, square, mask);
  }
#pragma unroll
  for (; mask > 0; mask /= 2) {
    x[0] = x[0] + __shfl_xor_sync(~0u, x[0], mask);
    square = square + __shfl_xor_sync(~0u, square, mask);
  }
}

// Processes the rows in slots slot ... slot + at_once - 1: applies A := A - v w^T - w v^T of the last step and sums their part of
// h = A x. Publishes r if row q is among them. entry_of(i, u) is group u of the row in slot slot + i. square: the thread's part of ||tail of x||^2.
template <class T, int threads, int groups, int registered, class EntryOf>
__device__ __forceinline__ void update_rows(const OnChip<T>& p, const Step<T, threads>& step,
                                            const Registers<T, groups, registered>& state,
                                            const Shared<T, threads / 32>& shared, int slot, real_t<T> square,
                                            const EntryOf& entry_of) {
  const auto& [tau, half, x, w, v, own, a] = state;
  const ThreadRange<T, threads>& mine = step.mine;
  constexpr int width = group_width<T>;
  T v_row[at_once], w_row[at_once], sums[at_once];
#pragma unroll
  for (int i = 0; i < at_once; ++i) {
    v_row[i] = shared.row_v[slot + i];
    w_row[i] = fma(tau, shared.row_y[slot + i], -half * v_row[i]);
    sums[i] = 0;
  }
#pragma unroll
  for (int u = 0; u < groups; ++u)
    if (step.live(u))
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        Group<T> entry = entry_of(i, u);
#pragma unroll
        for (int c = 0; c < width; ++c)
          entry.column[c] = fma(-v_row[i], conj_of(w[width * u + c]),
                                fma(-w_row[i], conj_of(v[width * u + c]), entry.column[c]));
        entry_of(i, u) = entry;
#pragma unroll
        for (int c = width - 1; c >= 0; --c) sums[i] = fma(entry.column[c], x[width * u + c], sums[i]);
      }
  if (mine.row_of(step.first_slot) == step.q)
#pragma unroll
    for (int i = 0; i < at_once; ++i)
      if (slot + i == step.first_slot)
#pragma unroll
        for (int u = 0; u < groups; ++u) {
          const int first = width * u, last = first + width - 1;  // written out: a loop would be more code
          const int first_column = mine.column_of(first), last_column = mine.column_of(last);
          if (step.needed(first))
            publish(step.mail_r + p.place(first_column), conj_of(entry_of(i, u).column[0]), step.number);
          if (width > 1 && step.needed(last))
            publish(step.mail_r + p.place(last_column), conj_of(entry_of(i, u).column[width - 1]),
                    step.number);
        }
  if (squares_with_rows<threads> &&
      slot + at_once >= mine.rows) {  // the last rows, which are live as long as the block is
    sums_and_square(sums, square, mine.lane);
    if (mine.lane == 0) shared.squares[mine.warp] = square;
  } else {
    blas2::warp_sums<T>(sums, mine.lane);
  }
  if (mine.lane % (32 / at_once) == 0) shared.dots[slot + mine.lane / (32 / at_once)][mine.warp] = sums[0];
}

// The pass over the block's rows, `at_once` at a time. If such a set contains finished or missing rows, they are computed too.
template <class T, int threads, int groups, int registered>
__device__ __forceinline__ void update_and_multiply(const OnChip<T>& p, const Step<T, threads>& step,
                                                    Registers<T, groups, registered>& state,
                                                    const Shared<T, threads / 32>& shared) {
  real_t<T> square = 0;
  if (squares_with_rows<threads>)
#pragma unroll
    for (int c = 0; c < group_width<T> * groups; ++c)
      if (step.mine.column_of(c) > step.q) square = add_real_product(state.x[c], state.x[c], square);
  const int end = squares_with_rows<threads> ? min(p.shared_rows, step.mine.rows) : p.shared_rows;
  for (int slot = step.first_slot / at_once * at_once; slot < end; slot += at_once)
    update_rows(p, step, state, shared, slot, square, [&](int i, int u) -> Group<T>& {
      return shared.rows[(slot + i) * p.stride + step.mine.t + threads * u];
    });
#pragma unroll
  for (int r = 0; r < registered; r += at_once) {
    const int slot = p.shared_rows + r;
    if (slot < step.mine.rows && slot + at_once > step.first_slot)
      update_rows(p, step, state, shared, slot, square,
                  [&](int i, int u) -> Group<T>& { return state.a[r + i][u]; });
  }
}

// Publishes h. While h is on its way, computes the reflector from alpha and ||tail of x||^2, and v.
template <class T, int threads, int groups, int registered>
__device__ __forceinline__ Reflector<T> publish_and_reflect(const OnChip<T>& p, const Step<T, threads>& step,
                                                            Registers<T, groups, registered>& state,
                                                            const Shared<T, threads / 32>& shared) {
  auto& [tau, half, x, w, v, own, a] = state;
  const ThreadRange<T, threads>& mine = step.mine;
  constexpr int columns = group_width<T> * groups;
  const int lane = mine.lane;
  const real_t<T> negligible = p.negligible ? *p.negligible : negligible_square<real_t<T>>;
  real_t<T> square = 0;
#pragma unroll
  for (int c = 0; c < columns; ++c) {
    if (mine.column_of(c) == step.q) shared.first_of_x = x[c];
    if (!squares_with_rows<threads> && mine.column_of(c) > step.q)
      square = add_real_product(x[c], x[c], square);
  }
  if (!squares_with_rows<threads>) {
    square = warp_sum(square);
    if (lane == 0) shared.squares[mine.warp] = square;
  }
  __syncthreads();
  if (mine.warp == 0 && lane >= step.first_slot && lane < mine.rows)
    publish(step.mail_h + p.place(mine.row_of(lane)), sum_of<mine.warps>(shared.dots[lane]), step.number);

  const Reflector<T> reflector =
      reflect(shared.first_of_x, sum_of<mine.warps>(shared.squares), negligible, lane);
  tau = reflector.tau;
  if (mine.writer && mine.t == 0) {
    p.e[step.k] = reflector.beta;
    p.tau[step.k] = tau;
  }
#pragma unroll
  for (int c = 0; c < columns; ++c) v[c] = mine.column_of(c) == step.q ? T(1) : reflector.s * x[c];
  return reflector;
}

// Polls for h and r of all blocks until the warp has all values that it needs.
template <class T, int threads, int columns>
__device__ __forceinline__ void receive(const OnChip<T>& p, const Step<T, threads>& step,
                                        Packet<T> (&h)[columns], Packet<T> (&r)[columns]) {
#pragma unroll
  for (int c = 0; c < columns; ++c) h[c] = r[c] = Packet<T>{};
  // The conditions are equal in all threads of a warp.
  for (bool more_h = true, more_r = true; more_h || more_r;) {
    if (more_r)
#pragma unroll
      for (int c = 0; c < columns; ++c)
        if (step.needed(c)) r[c] = look(step.mail_r + p.place(step.mine.column_of(c)));
    if (more_h)
#pragma unroll
      for (int c = 0; c < columns; ++c)
        if (step.needed(c)) h[c] = look(step.mail_h + p.place(step.mine.column_of(c)));
    more_h = more_r = false;
#pragma unroll
    for (int c = 0; c < columns; ++c) {
      more_h = more_h || (step.needed(c) && !arrived(h[c], step.number));
      more_r = more_r || (step.needed(c) && !arrived(r[c], step.number));
    }
    more_h = __any_sync(~0u, more_h);
    more_r = __any_sync(~0u, more_r);
  }
}

// Computes y = A v, stores v and y of the block's own rows for the next pass, and writes d_q and v. Returns w_q.
template <class T, int threads, int groups, int registered>
__device__ __forceinline__ T finish(const OnChip<T>& p, const Step<T, threads>& step,
                                    Registers<T, groups, registered>& state,
                                    const Shared<T, threads / 32>& shared, const Reflector<T>& reflector,
                                    const Packet<T> (&h)[group_width<T> * groups],
                                    const Packet<T> (&r)[group_width<T> * groups],
                                    T (&y)[group_width<T> * groups]) {
  auto& [tau, half, x, w, v, own, a] = state;
  const ThreadRange<T, threads>& mine = step.mine;
  constexpr int columns = group_width<T> * groups;
  real_t<T> product = 0;
#pragma unroll
  for (int c = 0; c < columns; ++c) {
    y[c] =
        reflector.s * reduction::minus_scaled(value(h[c]), reflector.beta, value(r[c]));  // 0 in columns < q
    product = add_real_product(v[c], y[c], product);
    if (own[c] >= 0) {
      shared.row_v[own[c]] = v[c];
      shared.row_y[own[c]] = y[c];
    }
    if (mine.column_of(c) == step.q) {
      shared.first_of_y = y[c];
      shared.diagonal = value(r[c]);
    }
  }
  product = warp_sum(product);
  if (mine.lane == 0) shared.products[mine.warp] = product;
  __syncthreads();
  half = reduction::half_of(tau, sum_of<mine.warps>(shared.products));
  const T w_q = fma(tau, shared.first_of_y, T(-half));
  if (mine.writer && mine.t == 0) p.d[step.q] = real_of(shared.diagonal) - 2 * real_of(w_q);
  // A may be overwritten: every block has sent h, so every block has loaded A.
  if (step.q % mine.blocks == mine.block)
#pragma unroll
    for (int c = 0; c < columns; ++c)
      if (step.needed(c)) p.a[mine.column_of(c) + step.k * p.lda] = v[c];
  return w_q;
}

// Computes w and the next column x' = r - v w_q - w.
template <class T, int threads, int groups, int registered>
__device__ __forceinline__ void next_column(const Step<T, threads>& step,
                                            Registers<T, groups, registered>& state,
                                            const Packet<T> (&r)[group_width<T> * groups],
                                            const T (&y)[group_width<T> * groups], T w_q) {
  auto& [tau, half, x, w, v, own, a] = state;
  const ThreadRange<T, threads>& mine = step.mine;
  constexpr int columns = group_width<T> * groups;
#pragma unroll
  for (int c = 0; c < columns; ++c) {
    w[c] = fma(tau, y[c], -half * v[c]);
    x[c] = mine.column_of(c) > step.q && mine.column_of(c) < mine.n
               ? fma(-v[c], conj_of(w_q), value(r[c]) - w[c])
               : T(0);
  }
}

// Stores the matrix that is left before step k: its lower triangle, from column k on. d_k is in memory already.
template <class T, int threads, int groups, int registered>
__device__ __forceinline__ void store_rest(const OnChip<T>& p, const Step<T, threads>& step,
                                           Registers<T, groups, registered>& state,
                                           const Shared<T, threads / 32>& shared) {
  const ThreadRange<T, threads>& mine = step.mine;
  constexpr int width = group_width<T>;
  const auto store_row = [&](int slot, const auto& entry_of) {
    const int row = mine.row_of(slot);
#pragma unroll
    for (int c = 0; c < width * groups; ++c) {
      const int column = mine.column_of(c);
      if (column >= row && column < mine.n)
        p.a[column + row * p.lda] = conj_of(entry_of(c / width).column[c % width]);
    }
  };
  for (int slot = step.first_slot; slot < min(p.shared_rows, mine.rows); ++slot)
    store_row(slot, [&](int u) { return shared.rows[slot * p.stride + mine.t + threads * u]; });
#pragma unroll
  for (int r = 0; r < registered; ++r) {
    const int slot = p.shared_rows + r;
    if (slot >= step.first_slot && slot < mine.rows) store_row(slot, [&](int u) { return state.a[r][u]; });
  }
  if (!mine.writer) return;
  if (mine.t == 0) p.a[step.k + step.k * p.lda] = p.d[step.k];
#pragma unroll
  for (int c = 0; c < width * groups; ++c)
    if (step.needed(c)) p.a[mine.column_of(c) + step.k * p.lda] = state.x[c];
}

// A block of `threads` threads holds `registered` rows in registers and the others in shared memory.
template <class T, int threads, int groups, int registered>
__global__ void __launch_bounds__(threads, 1) reduce_on_chip_kernel(const __grid_constant__ OnChip<T> p) {
  static_assert(registered % at_once == 0);
  constexpr int warps = threads / 32;
  constexpr int columns = group_width<T> * groups;
  auto* const shared_rows = reinterpret_cast<Group<T>*>(DynamicShared<memory_word<T>>::memory());
  __shared__ real_t<T> products[warps], squares[warps];
  __shared__ T dots[max_rows][warps + 1], row_v[max_rows], row_y[max_rows], first_of_x, first_of_y, diagonal;
  const Shared<T, warps> shared{shared_rows, products,   squares,    dots,    row_v,
                                row_y,       first_of_x, first_of_y, diagonal};
  const ThreadRange<T, threads> mine(p.n);
  Registers<T, groups, registered> state;
  load(p, mine, state, shared);
  if (mine.n == 1) return;
  state.tau = state.half = 0;
  __syncthreads();

  for (int k = 0;; ++k) {
    const Step<T, threads> step(p, mine, k);
    update_and_multiply(p, step, state, shared);
    if (k == p.columns) {
      store_rest(p, step, state, shared);
      break;
    }
    const Reflector<T> reflector = publish_and_reflect(p, step, state, shared);
    Packet<T> h[columns], r[columns];
    receive(p, step, h, r);
    T y[columns];
    const T w_q = finish(p, step, state, shared, reflector, h, r, y);
    if (step.q == mine.n - 1 || mine.row_of(mine.rows - 1) <= step.q)
      break;  // all is reduced, or all rows of this block
    next_column(step, state, r, y, w_q);
  }
}

struct Variant {
  int threads, columns, registered;
  const void* kernel;
};
template <class T, int threads, int groups, int registered>
Variant variant() {
  return {threads, group_width<T> * threads * groups, registered,
          reinterpret_cast<const void*>(reduce_on_chip_kernel<T, threads, groups, registered>)};
}
// Measured on an H100. Small n: few threads, because latency decides. Larger n: more threads, because the pass decides. Rows of float
// need half the memory, so float has one more variant.
template <class T>
const std::vector<Variant>& variants() {
  static const std::vector<Variant> all = [] {
    std::vector<Variant> list{variant<T, 128, 1, 4>(), variant<T, 256, 1, 4>()};
    const auto add = [&](std::initializer_list<Variant> more) { list.insert(list.end(), more); };
    if constexpr (group_width<T> == 1)
      add({variant<T, 256, 2, 4>(), variant<T, 384, 2, 4>(), variant<T, 384, 3, 4>(),
           variant<T, 384, 4, 4>()});
    else
      add({variant<T, 256, 2, 8>(), variant<T, 384, 2, 8>(), variant<T, 512, 2, 4>(),
           variant<T, 384, 3, 8>()});
    if constexpr (sizeof(T) < sizeof(double)) add({variant<T, 384, 4, 8>()});
    return list;
  }();
  return all;
}

template <class T>
std::int64_t row_groups(std::int64_t n) {
  return (n + 32 * group_width<T> - 1) / (32 * group_width<T>)*32;
}

// Dynamic shared memory that a block may use on the current GPU, for each variant. CUDA is asked once for each GPU, because the answers take
// longer than a launch.
template <class T>
const std::vector<std::size_t>& shared_bytes_of_variants() {
  static std::mutex mutex;
  static std::map<int, std::vector<std::size_t>> known;  // by GPU
  const int gpu = current_gpu();
  const std::lock_guard lock(mutex);
  std::vector<std::size_t>& bytes = known[gpu];
  if (!bytes.empty()) return bytes;
  int per_block = 0;
  EIGEN_G_CUDA(cudaDeviceGetAttribute(&per_block, cudaDevAttrMaxSharedMemoryPerBlockOptin, gpu));
  std::vector<std::size_t> found;
  for (const Variant& v : variants<T>()) {
    cudaFuncAttributes attributes{};
    EIGEN_G_CUDA(cudaFuncGetAttributes(&attributes, v.kernel));
    found.push_back(static_cast<std::size_t>(per_block) - attributes.sharedSizeBytes);
  }
  return bytes = std::move(found);
}

// Multiprocessors and shared memory that are available.
template <class T>
struct Chip {
  int multiprocessors;
  const std::vector<std::size_t>& shared_bytes = shared_bytes_of_variants<T>();

  explicit Chip(int taking_part) : multiprocessors(taking_part) {}
};

// The distribution of a matrix of order n over the chip.
template <class T>
struct Layout {
  std::size_t variant = 0;
  int blocks, shared_rows, stride;
  bool fits;

  Layout(std::int64_t n, const Chip<T>& chip)
      : blocks(static_cast<int>(std::min<std::int64_t>(n, chip.multiprocessors))),
        stride(static_cast<int>(row_groups<T>(n))) {
    while (variant + 1 < variants<T>().size() && n > variants<T>()[variant].columns) ++variant;
    const int rows = static_cast<int>((n + blocks - 1) / blocks),
              registered = variants<T>()[variant].registered;
    shared_rows = std::max(0, round_up(rows - registered, at_once));
    fits = n <= variants<T>()[variant].columns && shared_rows + registered <= max_rows &&
           shared_bytes() <= chip.shared_bytes[variant];
  }
  std::size_t shared_bytes() const {
    return sizeof(Group<T>) * static_cast<std::size_t>(shared_rows) * static_cast<std::size_t>(stride);
  }
};

}  // namespace

template <class T>
std::int64_t max_on_chip(int multiprocessors) {
  using D = device_t<T>;
  const Chip<D> chip(multiprocessors);
  std::int64_t low = 0, high = variants<D>().back().columns;  // order low fits; no order above high does
  while (low < high) {
    const std::int64_t middle = (low + high + 1) / 2;
    if (Layout<D>(middle, chip).fits)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

template <class T>
std::int64_t on_chip_workspace(std::int64_t n) {
  static_assert(sizeof(Packet<device_t<T>>) == 2 * sizeof(T));
  return 8 * group_width<T> * row_groups<T>(n);
}

template <class T>
void tridiagonalize_on_chip(const Queue& queue, MatrixView<T> a_dev, real_t<same_t<T>>* d_dev,
                            real_t<same_t<T>>* e_dev, same_t<T>* tau_dev, same_t<T>* workspace_dev,
                            int multiprocessors, const real_t<same_t<T>>* negligible_dev, std::int64_t left) {
  using D = device_t<T>;
  const std::int64_t n = a_dev.cols;
  const Layout<D> layout(n, Chip<D>(multiprocessors));
  const Variant& kernel = variants<D>()[layout.variant];
  EIGEN_G_CUDA(cudaMemsetAsync(
      workspace_dev, 0, sizeof(T) * static_cast<std::size_t>(on_chip_workspace<T>(n)), queue.stream()));
  OnChip<D> problem{on_device(a_dev.data),
                    a_dev.lda,
                    static_cast<int>(n),
                    static_cast<int>(n - left),
                    d_dev,
                    e_dev,
                    on_device(tau_dev),
                    reinterpret_cast<Packet<D>*>(workspace_dev),
                    layout.shared_rows,
                    layout.stride,
                    negligible_dev};
  void* arguments[] = {&problem};
  allow_shared_memory(kernel.kernel, layout.shared_bytes());
  EIGEN_G_CUDA(cudaLaunchCooperativeKernel(kernel.kernel, dim3(static_cast<unsigned>(layout.blocks)),
                                           dim3(static_cast<unsigned>(kernel.threads)), arguments,
                                           layout.shared_bytes(), queue.stream()));
}

EIGEN_G_INSTANTIATE(all_types, max_on_chip, on_chip_workspace, tridiagonalize_on_chip);

}  // namespace eigen_g
