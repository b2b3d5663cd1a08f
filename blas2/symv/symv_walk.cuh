// SymvWalk: one block's share of y = A x. It can be used inside any kernel in which all blocks walk. The partial sums are added
// later (SymvPartialSums), after a barrier over the grid or in another kernel.
//
// The partition (symv_partition.hpp) cuts the triangle into strips of H rows and groups of C columns. In a strip, the warps of
// a block form a grid of row_warps x column_warps; each row of warps has R rows of the matrix. The warp goes along the strip,
// one group at a time. A lane keeps its rows of x and of y in registers meanwhile, and the loads of the next group are in
// flight. A stored element a(r, c), r != c, is used in two products:
//
//   row part:     y(r) += a(r, c) x(c)          in a register until the piece ends
//   column part:  y(c) += conj(a(r, c)) x(r)    summed over the lanes (warp_sums.cuh), then over the warps
//
// The results of a walk are partial sums:
//
//   rows(slot, 0..H-1)   one vector for each piece, slot = partition.slot(block, strip)
//   columns(strip, c)    one number for each strip and column
//
// One thread writes each of them once, from sums in a fixed order. No value of the other triangle enters a sum, nor does the
// imaginary part of a Hermitian diagonal. No address outside rows and columns [0, n) is read.
//
// Traffic in addition to the triangle: columns(.) has n^2 / (2 H) elements, written once and read once. Together this is 2 / H
// of the triangle. rows(.) has at most (blocks + strips) H elements.
#pragma once

#include <type_traits>

#include "blas2/symv/symv_memory.cuh"
#include "blas2/symv/symv_partition.hpp"
#include "blas2/symv/symv_scalar.cuh"
#include "blas2/symv/symv_shapes.hpp"
#include "blas2/symv/warp_sums.cuh"

namespace eigen_g::blas2 {

// The compile-time parameters of a walk. aligned: a and each of its columns are 16-byte aligned (lda * sizeof(T) is a multiple
// of 16).
template <class T_, int row_warps_, int column_warps_, int loads_, int columns_, bool aligned_>
struct SymvShape {
  using T = T_;
  using Sum = typename Scalar<T>::Sum;
  static constexpr bool aligned = aligned_;
  static constexpr int row_warps = row_warps_;
  static constexpr int column_warps = column_warps_;
  static constexpr int warps = row_warps * column_warps;
  static constexpr int threads = 32 * warps;
  // C: columns of a group. V: neighbouring rows that a lane loads at once (a pack). Q: packs for each lane and column. R: rows
  // of a warp. H: rows of a strip.
  static constexpr int columns = columns_;                             // C
  static constexpr int vector = aligned_ ? 16 / int{sizeof(T)} : 1;    // V
  static constexpr int packs = loads_ * 16 / int{sizeof(T)} / vector;  // Q
  static constexpr int warp_rows = 32 * packs * vector;                // R
  static constexpr int strip_rows = row_warps * warp_rows;             // H

  // A round is the columns between two sums over the warps. It has 8 KB of column sums, but at most one column for each thread
  // and at least two groups for each column of warps.
  static constexpr int fitting = 8192 / (row_warps * int{sizeof(Sum)});
  static constexpr int least = 2 * columns * column_warps;
  static constexpr int most = fitting < threads ? fitting : threads;
  static constexpr int round_columns = most > least ? most : least;
  static constexpr int round_groups = round_columns / columns;
  static_assert(round_groups % (2 * column_warps) == 0 && round_columns <= threads);
  static_assert(columns == 4 || columns == 8 || columns == 16);

  // Number of blocks for each multiprocessor that must fit into the registers.
  static constexpr int resident_blocks =
      65536 / (symv_registers({row_warps, column_warps, loads_, columns}) * threads);

  struct Shared {
    alignas(16) T x[2][round_columns];
    union {
      Sum column[2][row_warps][round_columns];
      Sum row[column_warps][column_warps > 1 ? strip_rows : 1];
    };
    __device__ Shared() {}
  };
};

// The partial sums, in device memory.
template <class Sum>
struct SymvPartials {
  Sum* rows = nullptr;     // slots() x H
  Sum* columns = nullptr;  // strips() x column_stride
  std::int64_t column_stride = 0;
};

// The input of a product: a(r, c) = a[r + c * lda] and x(i) = x[i * incx] for r, c, i >= shift. The caller has moved both
// pointers back by `shift` (symv_shift()), and x to its far end if incx < 0.
template <class T>
struct SymvInput {
  const T* a = nullptr;
  std::int64_t lda = 0;
  const T* x = nullptr;
  std::int64_t incx = 1;
  std::int32_t shift = 0;
  // Number of groups out of 256 that stay in L2 for the next product with the same matrix. They are spread evenly among the
  // others, so that device memory is busy all the time.
  std::int32_t kept_of_256 = 0;
};

// loads_ahead: load_ahead() may be called. This costs registers from one walk to the next.
template <class Shape, bool loads_ahead = false>
class SymvWalk {
  using T = typename Shape::T;
  using Ops = Scalar<T>;
  using Sum = typename Shape::Sum;
  static constexpr int C = Shape::columns;
  static constexpr int Q = Shape::packs;
  static constexpr int V = Shape::vector;
  using Packed = Pack<T, V>;
  struct Group {
    Packed a[C][Q];
  };
  struct Ahead {
    Group even, odd;
    bool sent = false;  // true if even and odd are loaded for the next piece
  };
  struct Nothing {};

 public:
  // All threads of a block construct and call it.
  __device__ SymvWalk(const SymvPartition& partition, const SymvInput<T>& input,
                      const SymvPartials<Sum>& partials, typename Shape::Shared& shared)
      : partition_(partition),
        input_(input),
        partials_(partials),
        shared_(shared),
        lane_(static_cast<int>(threadIdx.x % 32)),
        row_warp_(static_cast<int>(threadIdx.x / 32) % Shape::row_warps),
        column_warp_(static_cast<int>(threadIdx.x / 32) / Shape::row_warps) {}

  // Walks from `from` to `to`, which are cut(block) and cut(block + 1) of the partition, best kept in shared memory. Groups
  // that end at or before column `begin` are skipped, and their column sums are not written. All threads call meanwhile() once,
  // when the first loads are in flight, before a barrier of the block. They call piece_done(strip, first group, last group)
  // after the partial sums of each piece are written, without a barrier between.
  template <class Meanwhile, class PieceDone>
  __device__ void operator()(int block, const SymvCut& from, const SymvCut& to, std::int32_t begin,
                             Meanwhile&& meanwhile, PieceDone&& piece_done) {
    const int first = begin / C;
    bool is_first = true;
    if (!is_ahead()) loads_ = 0;
    for (int strip = from.strip; strip <= to.strip && strip < partition_.strips(); ++strip) {
      const int start = strip == from.strip ? from.group : partition_.first_group(strip);
      const int stop = strip == to.strip ? to.group : partition_.last_group(strip);
      if (start >= stop) break;
      walk_piece(partition_.slot(block, strip), strip, start > first ? start : first, stop, [&] {
        if (is_first) meanwhile();
        is_first = false;
      });
      piece_done(strip, start, stop);
    }
  }

  // Starts loading the first elements of A for the next walk, which must have these cuts and this `begin`. x need not be
  // complete yet: memory works while the blocks wait for x. Columns before `begin` may still change, to any finite values, if x
  // is 0 there.
  __device__ void load_ahead(const SymvCut& from, const SymvCut& to, std::int32_t begin) {
    if (from.strip >= partition_.strips()) return;
    const int first = begin / C;
    const int stop = from.strip == to.strip ? to.group : partition_.last_group(from.strip);
    set_strip(from.strip);
    loads_ = 0;
    ahead_.sent = true;
    const int group = (from.group > first ? from.group : first) + column_warp_;
    if (group < stop) load(ahead_.even, group);
    if (group + Shape::column_warps < stop) load(ahead_.odd, group + Shape::column_warps);
  }

  // This thread's part of x^H A x over everything walked since clear_quadratic(); not for DoubleDouble. If no code calls it, it
  // costs nothing.
  __device__ Sum quadratic() const { return quadratic_; }
  __device__ void clear_quadratic() { quadratic_ = Ops::empty(); }

 private:
  __device__ bool is_ahead() const {
    if constexpr (loads_ahead)
      return ahead_.sent;
    else
      return false;
  }
  __device__ Group& ahead_or(Group& own, int which) {
    if constexpr (loads_ahead)
      return which == 0 ? ahead_.even : ahead_.odd;
    else
      return own;
  }
  __device__ void set_strip(int strip) {
    warp_row_ = strip * Shape::strip_rows + row_warp_ * Shape::warp_rows;
    lane_row_ = warp_row_ + lane_ * V;
  }
  __device__ void add_to_quadratic(const T& x, const Sum& y) {
    if constexpr (std::is_same_v<T, Sum>) Ops::conjugate_multiply_add(quadratic_, x, y);
  }
  __device__ T x_at(std::int32_t i) const {
    return i >= input_.shift && i < partition_.n() ? load_from_l2(input_.x + i * input_.incx) : Ops::zero();
  }
  __device__ std::int32_t row_of(int q, int v) const { return lane_row_ + q * 32 * V + v; }

  __device__ bool is_stored(std::int32_t r, std::int32_t c) const {
    return r < partition_.n() && c < partition_.n() && (partition_.lower() ? r >= c : r <= c);
  }
  // True if all rows of the warp are stored in all columns of the group and none is on the diagonal.
  __device__ bool is_clean(int group) const {
    const std::int32_t c = group * C;
    const bool beside = partition_.lower() ? c + C <= warp_row_ : c >= warp_row_ + Shape::warp_rows;
    return beside && c + C <= partition_.n() && warp_row_ + Shape::warp_rows <= partition_.n();
  }

  // True if no row of the warp is stored in any column of the group.
  __device__ bool is_void(int group) const {
    const std::int32_t c = group * C;
    return partition_.lower() ? c >= warp_row_ + Shape::warp_rows : c + C <= warp_row_;
  }

  __device__ void load(Group& g, int group) {
    const std::int32_t kept = input_.kept_of_256;
    loader_.keep_in_l2(((loads_ + 1) * kept >> 8) > (loads_ * kept >> 8));
    ++loads_;
    const T* p = input_.a + lane_row_ + static_cast<std::int64_t>(group * C) * input_.lda;
    if (is_clean(group)) {
#pragma unroll
      for (int j = 0; j < C; ++j, p += input_.lda)
#pragma unroll
        for (int q = 0; q < Q; ++q) load_pack(g.a[j][q], p + q * 32 * V);
    } else {
#pragma unroll
      for (int j = 0; j < C; ++j, p += input_.lda)
#pragma unroll
        for (int q = 0; q < Q; ++q) load_stored(g.a[j][q], p + q * 32 * V, q, group * C + j);
    }
  }
  __device__ void load_pack(Packed& pack, const T* from) const {
    if constexpr (Shape::aligned)
      pack = loader_.template load_16_bytes<Packed>(from);
    else
      pack.value[0] = loader_.load(from);
  }
  // Loads a pack as a whole if it has a stored element. A pack that would extend beyond the last column of the matrix is loaded
  // element by element. multiply() masks the elements that are not stored. No instruction here waits for a load, so all loads
  // of a group are in flight together.
  __device__ void load_stored(Packed& pack, const T* from, int q, std::int32_t c) const {
    const std::int32_t first = row_of(q, 0), last = row_of(q, V - 1), n = partition_.n();
    const bool any = c < n && first < n && (partition_.lower() ? last >= c : first <= c);
#pragma unroll
    for (int v = 0; v < V; ++v) pack.value[v] = Ops::zero();
    if (any && (last < n || c < n - 1)) {
      load_pack(pack, from);
    } else if (any) {
#pragma unroll
      for (int v = 0; v < V; ++v)
        if (is_stored(row_of(q, v), c)) pack.value[v] = loader_.load(from + v);
    }
  }

  // Adds both parts of a group; the column sums of the warp go to shared memory. The loads of group `next` start as soon as the
  // elements of this group are multiplied, before the sums over the lanes.
  __device__ void multiply(Group& g, int group, int next, int stop, int round, int buffer) {
    const int at = (group - round) * C;
    const T* x = &shared_.x[buffer][at];
    Sum column[C];
    if (is_void(group)) {
#pragma unroll
      for (int j = 0; j < C; ++j) column[j] = Ops::empty();
    } else if (is_clean(group)) {
#pragma unroll
      for (int j = 0; j < C; ++j) {
        const T xc = x[j];
        column[j] = Ops::conjugate_product(g.a[j][0].value[0], x_row_[0][0]);
#pragma unroll
        for (int q = 0; q < Q; ++q)
#pragma unroll
          for (int v = 0; v < V; ++v) {
            const T a = g.a[j][q].value[v];
            Ops::multiply_add(y_row_[q][v], a, xc);
            if (q + v > 0) Ops::conjugate_multiply_add(column[j], a, x_row_[q][v]);
          }
      }
    } else {
#pragma unroll
      for (int j = 0; j < C; ++j) {
        const T xc = x[j];
        column[j] = Ops::empty();
#pragma unroll
        for (int q = 0; q < Q; ++q)
#pragma unroll
          for (int v = 0; v < V; ++v) {
            const std::int32_t r = row_of(q, v), c = group * C + j;
            const bool on_diagonal = r == c;
            const T a = is_stored(r, c) ? g.a[j][q].value[v] : Ops::zero();
            Ops::multiply_add(y_row_[q][v], on_diagonal ? Ops::diagonal(a) : a, xc);
            Ops::conjugate_multiply_add(column[j], on_diagonal ? Ops::zero() : a, x_row_[q][v]);
          }
      }
    }
    if (next < stop) load(g, next);
    warp_sums<T>(column, lane_);
    if (lane_ % (32 / C) == 0) shared_.column[buffer][row_warp_][at + lane_ / (32 / C)] = column[0];
  }

  template <class Meanwhile>
  __device__ void walk_piece(int slot, int strip, int start, int stop, Meanwhile&& meanwhile) {
    set_strip(strip);
    const int thread = static_cast<int>(threadIdx.x);

    // x is loaded first, because no product can start without it. Behind the loads of the matrix it would come late.
    T x_first = Ops::zero();
    if (thread < Shape::round_columns) x_first = x_at(start * C + thread);
#pragma unroll
    for (int q = 0; q < Q; ++q)
#pragma unroll
      for (int v = 0; v < V; ++v) {
        x_row_[q][v] = x_at(row_of(q, v));
        y_row_[q][v] = Ops::empty();
      }

    // Two groups take turns: one is multiplied while the other is loaded.
    constexpr int step = Shape::column_warps;
    int group = start + column_warp_;
    Group own_even, own_odd;
    Group &even = ahead_or(own_even, 0), &odd = ahead_or(own_odd, 1);
    if (!is_ahead()) {
      if (group < stop) load(even, group);
      if (group + step < stop) load(odd, group + step);
    }
    if constexpr (loads_ahead) ahead_.sent = false;
    if (thread < Shape::round_columns) shared_.x[0][thread] = x_first;
    meanwhile();
    __syncthreads();

    int buffer = 0;
    for (int round = start; round < stop; round += Shape::round_groups, buffer ^= 1) {
      const int round_end = round + Shape::round_groups < stop ? round + Shape::round_groups : stop;
      T x_next = Ops::zero();
      if (thread < Shape::round_columns && round_end < stop) x_next = x_at(round_end * C + thread);
      for (; group < round_end; group += 2 * step) {
        multiply(even, group, group + 2 * step, stop, round, buffer);
        if (group + step >= round_end) break;  // only in the last round: a round has an even number of steps
        multiply(odd, group + step, group + 3 * step, stop, round, buffer);
      }
      if (thread < Shape::round_columns) shared_.x[buffer ^ 1][thread] = x_next;
      __syncthreads();
      const std::int32_t c = round * C + thread;
      if (c < round_end * C && c < partition_.n()) {
        Sum sum = shared_.column[buffer][0][thread];
#pragma unroll
        for (int w = 1; w < Shape::row_warps; ++w) sum = Ops::add(sum, shared_.column[buffer][w][thread]);
        partials_.columns[strip * partials_.column_stride + c] = sum;
        add_to_quadratic(shared_.x[buffer][thread], sum);
      }
    }
    flush_rows(partials_.rows + static_cast<std::int64_t>(slot) * Shape::strip_rows);
  }

  __device__ void flush_rows(Sum* to) {
    const int lane_in_strip = row_warp_ * Shape::warp_rows + lane_ * V;
#pragma unroll
    for (int q = 0; q < Q; ++q)
#pragma unroll
      for (int v = 0; v < V; ++v) add_to_quadratic(x_row_[q][v], y_row_[q][v]);
    if constexpr (Shape::column_warps == 1) {
#pragma unroll
      for (int q = 0; q < Q; ++q)
#pragma unroll
        for (int v = 0; v < V; ++v) to[lane_in_strip + q * 32 * V + v] = y_row_[q][v];
    } else {
      __syncthreads();  // the column sums, which use the same memory, have been read
#pragma unroll
      for (int q = 0; q < Q; ++q)
#pragma unroll
        for (int v = 0; v < V; ++v) shared_.row[column_warp_][lane_in_strip + q * 32 * V + v] = y_row_[q][v];
      __syncthreads();
      for (int r = static_cast<int>(threadIdx.x); r < Shape::strip_rows; r += Shape::threads) {
        Sum sum = shared_.row[0][r];
#pragma unroll
        for (int w = 1; w < Shape::column_warps; ++w) sum = Ops::add(sum, shared_.row[w][r]);
        to[r] = sum;
      }
      __syncthreads();  // the sums are read before the next piece writes there
    }
  }

  const SymvPartition& partition_;
  const SymvInput<T>& input_;
  const SymvPartials<Sum>& partials_;
  typename Shape::Shared& shared_;
  MatrixLoader loader_;
  int lane_, row_warp_, column_warp_;
  std::conditional_t<loads_ahead, Ahead, Nothing> ahead_;
  std::int32_t loads_ = 0;  // loads of this warp so far
  std::int32_t warp_row_ = 0, lane_row_ = 0;
  T x_row_[Q][V];
  Sum y_row_[Q][V];
  Sum quadratic_ = Ops::empty();
};

// The partial sums of one row of y: column sums by strip, then row sums by block. The constructor does integer divisions, but
// it needs no data of other blocks.
template <class Shape>
class SymvPartialSums {
  using Ops = Scalar<typename Shape::T>;
  using Sum = typename Shape::Sum;
  static constexpr int H = Shape::strip_rows;

 public:
  __device__ SymvPartialSums(const SymvPartition& partition, const SymvPartials<Sum>& partials,
                             std::int32_t row)
      : stride_(partials.column_stride) {
    const int strip = row / H;
    const int first_source = partition.first_source(strip);
    const int first_block = partition.first_block(strip);
    sources_ = partition.last_source(strip) - first_source + 1;
    all_ = sources_ + partition.last_block(strip) - first_block + 1;
    columns_ = partials.columns + first_source * stride_ + row;
    rows_ = partials.rows + static_cast<std::int64_t>(partition.slot(first_block, strip)) * H + row % H;
  }

  // A part is the sums number part, part + parts, part + 2 parts, ..., added in this order. The sum of all parts is the row of
  // y. The partial sums of all blocks must be complete. The first `batch` sums can be fetched ahead: fetch() only starts the
  // loads, and add() waits for them.
  template <int batch>
  struct Fetched {
    Sum value[batch];
  };
  template <int batch>
  __device__ Fetched<batch> fetch(int part, int parts, bool wanted = true) const {
    Fetched<batch> fetched;
    const int end = wanted ? all_ : 0;
#pragma unroll
    for (int i = 0; i < batch; ++i) {
      const int k = part + i * parts;
      fetched.value[i] = k >= end       ? Ops::empty()
                         : k < sources_ ? load_from_l2(columns_ + k * stride_)
                                        : load_from_l2(rows_ + static_cast<std::int64_t>(k - sources_) * H);
    }
    return fetched;
  }
  template <int batch>
  __device__ Sum add(Fetched<batch> fetched, int part, int parts) const {
    Sum sum = Ops::empty();
    for (int k = part;;) {
#pragma unroll
      for (int i = 0; i < batch; ++i) sum = Ops::add(sum, fetched.value[i]);
      k += batch * parts;
      if (k >= all_) return sum;
      fetched = fetch<batch>(k, parts);
    }
  }
  template <int batch>
  __device__ Sum add(int part, int parts) const {
    return add(fetch<batch>(part, parts), part, parts);
  }

 private:
  const Sum* columns_;
  const Sum* rows_;
  std::int64_t stride_;
  int sources_, all_;
};

}  // namespace eigen_g::blas2
