// Householder tridiagonalization of a matrix that stays on the chip: one block a multiprocessor, row i of the symmetric
// matrix (whole, both triangles) in block i mod blocks, one cooperative kernel for all columns, one exchange a column.
//
// Step k reduces column k; q = k + 1. Every block knows x, column k below the diagonal. With the scalars of
// tridiagonalize_panel.cuh (alpha = x_q, beta, s, tau; v = s (x - beta e_q)):
//
//   each block    h_i = (A x)_i for its own rows i >= q, and publishes them
//   owner of q    publishes r = A(q, :)
//   each block    y = A v = s (h - beta r);   v^T y;   w = tau y - (tau / 2)(tau v^T y) v   whole, for itself
//                 x' = r - v w_q - w        the next column
//                 A := A - v w^T - w v^T    its own rows, and h' = A x' in the same pass
//
// Only h and r travel, once a column. A double travels as two words; each holds one half of it and the step's number (a
// float as one). The reader polls until the number is there: no barrier, no fence. Two sets of mailboxes take turns. A block publishes step
// k + 2 after it has read all of step k + 1, which the others published after they had read step k: nobody overwrites what
// is still to be read. A block that ends with step k publishes nothing more, and nobody waits for it.
//
// All blocks compute v, y, w and x' by the same operations in the same order, so they agree to the bit. The rows that
// live longest are in registers, the others in shared memory.
//
// Rejected variants: data/perf/DECISIONS.md, "Reduction on the chip".
#include <algorithm>
#include <vector>

#include "blas2/symv/warp_sums.cuh"
#include "hybrid/cuda_check.hpp"
#include "hybrid/pair.hpp"
#include "hybrid/stream/dynamic_shared.cuh"
#include "hybrid/stream/mail.cuh"
#include "hybrid/stream/queue.hpp"
#include "hybrid/stream/shared_memory.hpp"
#include "solver/reduction/one_stage/tridiagonalize.hpp"
#include "solver/reduction/one_stage/tridiagonalize_on_chip.hpp"

namespace eigen_g {

namespace {

constexpr int max_rows = 32;  // of a block: a lane sums a row
constexpr int at_once = 4;    // rows in a pass

template <class T>
struct OnChip {
  T* a;
  std::int64_t lda;
  int n;
  T *d, *e, *tau;
  Packet<T>* mail;  // 2 sets of h and r, 2 stride each
  int shared_rows;  // of a block, a multiple of at_once; the others are in registers
  int stride;       // of shared rows, in pairs of doubles: n / 2 rounded up to whole warps

  // Place of row or column i in its mailboxes: even ones, then odd ones, so that what a warp reads lies side by side.
  __device__ int place(int i) const { return i / 2 + i % 2 * stride; }
};

template <class T>
__device__ T warp_sum(T x) {
#pragma unroll
  for (int mask = 16; mask > 0; mask /= 2) x += __shfl_xor_sync(~0u, x, mask);
  return x;
}

// The sum of n values in shared memory, in four chains.
template <int n, class T>
__device__ T sum_of(const T* x) {
  static_assert(n % 4 == 0);
  T s[4] = {x[0], x[1], x[2], x[3]};
#pragma unroll
  for (int i = 4; i < n; ++i) s[i % 4] += x[i];
  return (s[0] + s[1]) + (s[2] + s[3]);
}

// Where a thread of a block of `threads` works: all rows of its block, columns 2 (t + threads u) and the next, u = 0, 1, ...
template <int threads>
struct Seat {
  static constexpr int warps = threads / 32;
  int t = threadIdx.x, warp = t / 32, lane = t % 32;
  int block = blockIdx.x, blocks = gridDim.x, n;
  int rows = (n - block + blocks - 1) / blocks;  // of the block
  bool writer = block == (n - 1) % blocks;       // of d, e and tau: the block that lives longest

  __device__ explicit Seat(int n) : n(n) {}
  __device__ int row_of(int slot) const { return block + blocks * slot; }
  __device__ int column_of(int c) const { return 2 * (t + threads * (c / 2)) + c % 2; }
};

// What a thread keeps from step to step. The machine code depends on the members' order.
template <class T, int pairs, int registered>
struct State {
  T tau, half;  // w = tau y - half v
  T x[2 * pairs], w[2 * pairs], v[2 * pairs];
  int own[2 * pairs];              // slot of the block's row whose number is the thread's column, or -1
  pair_t<T> a[registered][pairs];  // rows in registers; those before them are in shared memory
};

// What the threads of a block share.
template <class T, int warps>
struct Shared {
  pair_t<T>* rows;
  T(&products)
  [warps], (&squares)[warps], (&dots)[max_rows][warps + 1], (&row_v)[max_rows], (&row_y)[max_rows],
      &first_of_x, &first_of_y, &diagonal;
};

// Step k reduces column k.
template <class T, int threads>
struct Step {
  const Seat<threads>& seat;
  int k, q;
  unsigned number;
  Packet<T>*mail_h, *mail_r;
  int first_slot;  // of the block's rows >= q

  __device__ Step(const OnChip<T>& p, const Seat<threads>& seat, int k)
      : seat(seat),
        k(k),
        q(k + 1),
        number(static_cast<unsigned>(q)),
        mail_h(p.mail + k % 2 * 4 * p.stride),
        mail_r(mail_h + 2 * p.stride),
        first_slot(q > seat.block ? (q - seat.block + seat.blocks - 1) / seat.blocks : 0) {}

  __device__ bool needed(int c) const { return seat.column_of(c) >= q && seat.column_of(c) < seat.n; }
  // Some pair u of the warp has a column >= q.
  __device__ bool live(int u) const {
    return seat.column_of(2 * u) - 2 * seat.lane < seat.n &&
           seat.column_of(2 * u + 1) + 2 * (31 - seat.lane) >= q;
  }
};

template <class T>
struct Reflector {
  T beta, s;
};

// The rows, and x = A(:, 0).
template <class T, int threads, int pairs, int registered>
__device__ __forceinline__ void load(const OnChip<T>& p, const Seat<threads>& seat,
                                     State<T, pairs, registered>& state,
                                     const Shared<T, threads / 32>& shared) {
  const int n = seat.n, rows = seat.rows, t = seat.t, block = seat.block, blocks = seat.blocks;
  const auto element = [&](int i, int j) {
    return i < n && j < n ? __ldcg(p.a + max(i, j) + min(i, j) * p.lda) : 0;
  };
#pragma unroll
  for (int r = 0; r < registered; ++r)
#pragma unroll
    for (int u = 0; u < pairs; ++u) {
      const int row = p.shared_rows + r < rows ? seat.row_of(p.shared_rows + r) : n;
      state.a[r][u] = {element(row, seat.column_of(2 * u)), element(row, seat.column_of(2 * u + 1))};
    }
  for (int slot = 0; slot < p.shared_rows; ++slot)
    for (int pair = t; pair < p.stride; pair += threads) {
      const int row = slot < rows ? seat.row_of(slot) : n;
      shared.rows[slot * p.stride + pair] = {element(row, 2 * pair), element(row, 2 * pair + 1)};
    }
#pragma unroll
  for (int c = 0; c < 2 * pairs; ++c) {
    const int column = seat.column_of(c);
    state.v[c] = state.w[c] = 0;
    state.x[c] = column > 0 ? element(column, 0) : 0;
    state.own[c] = column < n && column % blocks == block ? column / blocks : -1;
  }
  for (int slot = t; slot < max_rows; slot += threads) shared.row_v[slot] = shared.row_y[slot] = 0;
  if (seat.writer && t == 0) p.d[0] = p.a[0];
}

// Rows slot ... slot + at_once - 1: A := A - v w^T - w v^T of the last step, their part of h = A x, and r where row q is
// among them. `entry_of(i, u)`: row slot + i, pair u.
template <class T, int threads, int pairs, int registered, class EntryOf>
__device__ __forceinline__ void update_rows(const OnChip<T>& p, const Step<T, threads>& step,
                                            const State<T, pairs, registered>& state,
                                            const Shared<T, threads / 32>& shared, int slot,
                                            const EntryOf& entry_of) {
  const auto& [tau, half, x, w, v, own, a] = state;
  const Seat<threads>& seat = step.seat;
  T v_row[at_once], w_row[at_once], sums[at_once];
#pragma unroll
  for (int i = 0; i < at_once; ++i) {
    v_row[i] = shared.row_v[slot + i];
    w_row[i] = fma(tau, shared.row_y[slot + i], -half * v_row[i]);
    sums[i] = 0;
  }
#pragma unroll
  for (int u = 0; u < pairs; ++u)
    if (step.live(u))
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        pair_t<T> entry = entry_of(i, u);
        entry.x = fma(-v_row[i], w[2 * u], fma(-w_row[i], v[2 * u], entry.x));
        entry.y = fma(-v_row[i], w[2 * u + 1], fma(-w_row[i], v[2 * u + 1], entry.y));
        entry_of(i, u) = entry;
        sums[i] = fma(entry.x, x[2 * u], fma(entry.y, x[2 * u + 1], sums[i]));
      }
  if (seat.row_of(step.first_slot) == step.q)
#pragma unroll
    for (int i = 0; i < at_once; ++i)
      if (slot + i == step.first_slot)
#pragma unroll
        for (int u = 0; u < pairs; ++u) {
          const int even = seat.column_of(2 * u), odd = seat.column_of(2 * u + 1);
          if (step.needed(2 * u)) publish(step.mail_r + p.place(even), entry_of(i, u).x, step.number);
          if (step.needed(2 * u + 1)) publish(step.mail_r + p.place(odd), entry_of(i, u).y, step.number);
        }
  blas2::warp_sums<T>(sums, seat.lane);
  if (seat.lane % (32 / at_once) == 0) shared.dots[slot + seat.lane / (32 / at_once)][seat.warp] = sums[0];
}

// The pass over the block's rows, `at_once` at a time. Rows that are done or do not exist come along among these.
template <class T, int threads, int pairs, int registered>
__device__ __forceinline__ void update_and_multiply(const OnChip<T>& p, const Step<T, threads>& step,
                                                    State<T, pairs, registered>& state,
                                                    const Shared<T, threads / 32>& shared) {
  for (int slot = step.first_slot / at_once * at_once; slot < p.shared_rows; slot += at_once)
    update_rows(p, step, state, shared, slot, [&](int i, int u) -> pair_t<T>& {
      return shared.rows[(slot + i) * p.stride + step.seat.t + threads * u];
    });
#pragma unroll
  for (int r = 0; r < registered; r += at_once) {
    const int slot = p.shared_rows + r;
    if (slot < step.seat.rows && slot + at_once > step.first_slot)
      update_rows(p, step, state, shared, slot,
                  [&](int i, int u) -> pair_t<T>& { return state.a[r + i][u]; });
  }
}

// h to all; while it is on its way the reflector's scalars from alpha and ||tail of x||^2, and v.
template <class T, int threads, int pairs, int registered>
__device__ __forceinline__ Reflector<T> publish_and_reflect(const OnChip<T>& p, const Step<T, threads>& step,
                                                            State<T, pairs, registered>& state,
                                                            const Shared<T, threads / 32>& shared) {
  auto& [tau, half, x, w, v, own, a] = state;
  const Seat<threads>& seat = step.seat;
  const int lane = seat.lane;
  T square = 0;
#pragma unroll
  for (int c = 0; c < 2 * pairs; ++c) {
    if (seat.column_of(c) == step.q) shared.first_of_x = x[c];
    if (seat.column_of(c) > step.q) square = fma(x[c], x[c], square);
  }
  square = warp_sum(square);
  if (lane == 0) shared.squares[seat.warp] = square;
  __syncthreads();
  if (seat.warp == 0 && lane >= step.first_slot && lane < seat.rows)
    publish(step.mail_h + p.place(seat.row_of(lane)), sum_of<seat.warps>(shared.dots[lane]), step.number);

  const T alpha = shared.first_of_x, tail = sum_of<seat.warps>(shared.squares);
  T beta = alpha, s = 0;
  tau = 0;
  if (tail >= negligible_square<T>) {
    beta = -copysign(sqrt(fma(alpha, alpha, tail)), alpha);
    const bool odd = lane % 2 == 1;  // two lanes, two divisions
    const T quotient = (odd ? beta - alpha : 1) / (odd ? beta : alpha - beta);
    s = __shfl_sync(~0u, quotient, 0);
    tau = __shfl_sync(~0u, quotient, 1);
  }
  if (seat.writer && seat.t == 0) {
    p.e[step.k] = beta;
    p.tau[step.k] = tau;
  }
#pragma unroll
  for (int c = 0; c < 2 * pairs; ++c) v[c] = seat.column_of(c) == step.q ? 1 : s * x[c];
  return {beta, s};
}

// h and r from all blocks: asks until nothing that the warp needs is missing.
template <class T, int threads, int columns>
__device__ __forceinline__ void receive(const OnChip<T>& p, const Step<T, threads>& step,
                                        Packet<T> (&h)[columns], Packet<T> (&r)[columns]) {
#pragma unroll
  for (int c = 0; c < columns; ++c) h[c] = r[c] = Packet<T>{};
  for (bool more_h = true, more_r = true; more_h || more_r;) {  // the same for a whole warp
    if (more_r)
#pragma unroll
      for (int c = 0; c < columns; ++c)
        if (step.needed(c)) r[c] = look(step.mail_r + p.place(step.seat.column_of(c)));
    if (more_h)
#pragma unroll
      for (int c = 0; c < columns; ++c)
        if (step.needed(c)) h[c] = look(step.mail_h + p.place(step.seat.column_of(c)));
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

// y = A v, the rows' v and y for the next pass, d_q, and v into A. Returns w_q.
template <class T, int threads, int pairs, int registered>
__device__ __forceinline__ T finish(const OnChip<T>& p, const Step<T, threads>& step,
                                    State<T, pairs, registered>& state, const Shared<T, threads / 32>& shared,
                                    const Reflector<T>& reflector, const Packet<T> (&h)[2 * pairs],
                                    const Packet<T> (&r)[2 * pairs], T (&y)[2 * pairs]) {
  auto& [tau, half, x, w, v, own, a] = state;
  const Seat<threads>& seat = step.seat;
  T product = 0;
#pragma unroll
  for (int c = 0; c < 2 * pairs; ++c) {
    y[c] = reflector.s * fma(-reflector.beta, value(r[c]), value(h[c]));  // 0 in columns below q
    product = fma(v[c], y[c], product);
    if (own[c] >= 0) {
      shared.row_v[own[c]] = v[c];
      shared.row_y[own[c]] = y[c];
    }
    if (seat.column_of(c) == step.q) {
      shared.first_of_y = y[c];
      shared.diagonal = value(r[c]);
    }
  }
  product = warp_sum(product);
  if (seat.lane == 0) shared.products[seat.warp] = product;
  __syncthreads();
  half = T(0.5) * tau * (tau * sum_of<seat.warps>(shared.products));
  const T w_q = fma(tau, shared.first_of_y, -half);
  if (seat.writer && seat.t == 0) p.d[step.q] = shared.diagonal - 2 * w_q;
  if (step.q % seat.blocks == seat.block)  // all blocks have read A: they sent h
#pragma unroll
    for (int c = 0; c < 2 * pairs; ++c)
      if (step.needed(c)) p.a[seat.column_of(c) + step.k * p.lda] = v[c];
  return w_q;
}

// w, and the next column: x' = r - v w_q - w.
template <class T, int threads, int pairs, int registered>
__device__ __forceinline__ void next_column(const Step<T, threads>& step, State<T, pairs, registered>& state,
                                            const Packet<T> (&r)[2 * pairs], const T (&y)[2 * pairs], T w_q) {
  auto& [tau, half, x, w, v, own, a] = state;
  const Seat<threads>& seat = step.seat;
#pragma unroll
  for (int c = 0; c < 2 * pairs; ++c) {
    w[c] = fma(tau, y[c], -half * v[c]);
    x[c] = seat.column_of(c) > step.q && seat.column_of(c) < seat.n ? fma(-v[c], w_q, value(r[c]) - w[c]) : 0;
  }
}

// A block of `threads` has `registered` rows in registers, the others in shared memory.
template <class T, int threads, int pairs, int registered>
__global__ void __launch_bounds__(threads, 1) reduce_on_chip_kernel(const __grid_constant__ OnChip<T> p) {
  static_assert(registered % at_once == 0);
  constexpr int warps = threads / 32;
  pair_t<T>* const shared_rows = DynamicShared<pair_t<T>>::memory();
  __shared__ T products[warps], squares[warps], dots[max_rows][warps + 1], row_v[max_rows], row_y[max_rows],
      first_of_x, first_of_y, diagonal;
  const Shared<T, warps> shared{shared_rows, products,   squares,    dots,    row_v,
                                row_y,       first_of_x, first_of_y, diagonal};
  const Seat<threads> seat(p.n);
  State<T, pairs, registered> state;
  load(p, seat, state, shared);
  if (seat.n == 1) return;
  state.tau = state.half = 0;
  __syncthreads();

  for (int k = 0;; ++k) {
    const Step<T, threads> step(p, seat, k);
    update_and_multiply(p, step, state, shared);
    const Reflector<T> reflector = publish_and_reflect(p, step, state, shared);
    Packet<T> h[2 * pairs], r[2 * pairs];
    receive(p, step, h, r);
    T y[2 * pairs];
    const T w_q = finish(p, step, state, shared, reflector, h, r, y);
    if (step.q == seat.n - 1 || seat.row_of(seat.rows - 1) <= step.q)
      break;  // nothing is left, or for this block
    next_column(step, state, r, y, w_q);
  }
}

struct Variant {
  int threads, columns, registered;
  const void* kernel;
};
template <class T, int threads, int pairs, int registered>
Variant variant() {
  return {threads, 2 * threads * pairs, registered,
          reinterpret_cast<const void*>(reduce_on_chip_kernel<T, threads, pairs, registered>)};
}
// As measured on an H200: few threads while latency counts, more as the pass does. Rows of float take half the room.
template <class T>
const std::vector<Variant>& variants() {
  static const std::vector<Variant> all = [] {
    std::vector<Variant> list{variant<T, 128, 1, 4>(), variant<T, 256, 1, 4>(), variant<T, 256, 2, 8>(),
                              variant<T, 384, 2, 8>(), variant<T, 512, 2, 4>(), variant<T, 384, 3, 8>()};
    if constexpr (sizeof(T) < sizeof(double)) list.push_back(variant<T, 384, 4, 8>());
    return list;
  }();
  return all;
}

std::int64_t row_pairs(std::int64_t n) {
  return (n + 63) / 64 * 32;
}

// What a GPU has room for.
template <class T>
struct Chip {
  int multiprocessors;
  std::vector<std::size_t> shared_bytes;  // of a block, by variant

  explicit Chip(int taking_part) : multiprocessors(taking_part) {
    int device = 0, per_block = 0;
    EIGEN_G_CUDA(cudaGetDevice(&device));
    EIGEN_G_CUDA(cudaDeviceGetAttribute(&per_block, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    for (const Variant& v : variants<T>()) {
      cudaFuncAttributes attributes{};
      EIGEN_G_CUDA(cudaFuncGetAttributes(&attributes, v.kernel));
      shared_bytes.push_back(static_cast<std::size_t>(per_block) - attributes.sharedSizeBytes);
    }
  }
};

// How a matrix of order n lies on it.
template <class T>
struct Layout {
  std::size_t variant = 0;
  int blocks, shared_rows, stride;
  bool fits;

  Layout(std::int64_t n, const Chip<T>& chip)
      : blocks(static_cast<int>(std::min<std::int64_t>(n, chip.multiprocessors))),
        stride(static_cast<int>(row_pairs(n))) {
    while (variant + 1 < variants<T>().size() && n > variants<T>()[variant].columns) ++variant;
    const int rows = static_cast<int>((n + blocks - 1) / blocks),
              registered = variants<T>()[variant].registered;
    shared_rows = std::max(0, (rows - registered + at_once - 1) / at_once * at_once);
    fits = n <= variants<T>()[variant].columns && shared_rows + registered <= max_rows &&
           shared_bytes() <= chip.shared_bytes[variant];
  }
  std::size_t shared_bytes() const {
    return sizeof(pair_t<T>) * static_cast<std::size_t>(shared_rows) * static_cast<std::size_t>(stride);
  }
};

}  // namespace

template <class T>
std::int64_t most_on_chip(int multiprocessors) {
  const Chip<T> chip(multiprocessors);
  std::int64_t low = 0, high = variants<T>().back().columns;  // low fits, above high nothing does
  while (low < high) {
    const std::int64_t middle = (low + high + 1) / 2;
    if (Layout<T>(middle, chip).fits)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

template <class T>
std::int64_t on_chip_workspace(std::int64_t n) {
  return 16 * row_pairs(n);
}

template <class T>
void tridiagonalize_on_chip(const Queue& queue, MatrixView<T> a_dev, real_t<same_t<T>>* d_dev,
                            real_t<same_t<T>>* e_dev, same_t<T>* tau_dev, same_t<T>* workspace_dev,
                            int multiprocessors) {
  const std::int64_t n = a_dev.cols;
  const Layout<T> layout(n, Chip<T>(multiprocessors));
  const Variant& kernel = variants<T>()[layout.variant];
  EIGEN_G_CUDA(cudaMemsetAsync(
      workspace_dev, 0, sizeof(T) * static_cast<std::size_t>(on_chip_workspace<T>(n)), queue.stream()));
  OnChip<T> problem{a_dev.data,
                    a_dev.lda,
                    static_cast<int>(n),
                    d_dev,
                    e_dev,
                    tau_dev,
                    reinterpret_cast<Packet<T>*>(workspace_dev),
                    layout.shared_rows,
                    layout.stride};
  void* arguments[] = {&problem};
  allow_shared_memory(kernel.kernel, layout.shared_bytes());
  EIGEN_G_CUDA(cudaLaunchCooperativeKernel(kernel.kernel, dim3(static_cast<unsigned>(layout.blocks)),
                                           dim3(static_cast<unsigned>(kernel.threads)), arguments,
                                           layout.shared_bytes(), queue.stream()));
}

template std::int64_t most_on_chip<double>(int);
template std::int64_t on_chip_workspace<double>(std::int64_t);
template void tridiagonalize_on_chip(const Queue&, MatrixView<double>, double*, double*, double*, double*,
                                     int);
template std::int64_t most_on_chip<float>(int);
template std::int64_t on_chip_workspace<float>(std::int64_t);
template void tridiagonalize_on_chip(const Queue&, MatrixView<float>, float*, float*, float*, float*, int);

}  // namespace eigen_g
