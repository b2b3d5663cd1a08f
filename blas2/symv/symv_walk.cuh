// One block's share of y = A x: the device building block of the symmetric product, usable inside any kernel whose
// blocks all walk (and later, after a barrier over the grid or a kernel's end, add the partial sums).
//
// In a strip of H rows the block's warps stand in row_warps rows of R rows each and column_warps columns. A lane
// keeps its rows of x and of y in registers while the warp goes along the strip by groups of C columns, with the next
// group's loads on their way. A stored element a(r, c), r != c, gives two products:
//
//   row part:     y(r) += a(r, c) x(c)          in a register until the piece ends
//   column part:  y(c) += conj(a(r, c)) x(r)    summed over the lanes by a butterfly that halves the number of
//                                               columns a lane carries at each step, then over the warps
//
// and leaves   rows(slot, 0..H-1)   one vector a piece, slot = partition.slot(block, strip)
//              columns(strip, c)    one number a strip and column.
// Each is written once, by one thread, from sums in a fixed order. Of the other triangle no value enters a sum (nor of
// a Hermitian diagonal the imaginary part); no address outside rows and columns [0, n) is read.
//
// Traffic besides the triangle: columns(.) has n^2 / (2 H) elements, written once and read once, hence 2 / H of the
// triangle in all; rows(.) has at most (blocks + strips) H.
#pragma once

#include <type_traits>

#include "blas2/symv/symv_memory.cuh"
#include "blas2/symv/symv_partition.hpp"
#include "blas2/symv/symv_scalar.cuh"
#include "blas2/symv/symv_shapes.hpp"
#include "blas2/symv/warp_sums.cuh"

namespace eigen_g::blas2 {

// aligned: a is 16-byte aligned and so is every column (lda * sizeof(T) a multiple of 16).
template <class T_, int row_warps_, int column_warps_, int loads_, int columns_, bool aligned_>
struct SymvShape {
  using T = T_;
  using Sum = typename Scalar<T>::Sum;
  static constexpr bool aligned = aligned_;
  static constexpr int row_warps = row_warps_;
  static constexpr int column_warps = column_warps_;
  static constexpr int warps = row_warps * column_warps;
  static constexpr int threads = 32 * warps;
  static constexpr int columns = columns_;                             // C
  static constexpr int vector = aligned_ ? 16 / int{sizeof(T)} : 1;    // V rows of a lane lie side by side
  static constexpr int packs = loads_ * 16 / int{sizeof(T)} / vector;  // Q such packs a lane and column
  static constexpr int warp_rows = 32 * packs * vector;                // R
  static constexpr int strip_rows = row_warps * warp_rows;             // H

  // Columns between two sums over the warps: 8 KB of column sums, a thread a column at most.
  static constexpr int fitting = 8192 / (row_warps * int{sizeof(Sum)});
  static constexpr int least = 2 * columns * column_warps;
  static constexpr int most = fitting < threads ? fitting : threads;
  static constexpr int round_columns = most > least ? most : least;
  static constexpr int round_groups = round_columns / columns;
  static_assert(round_groups % (2 * column_warps) == 0 && round_columns <= threads);
  static_assert(columns == 4 || columns == 8 || columns == 16);

  // Blocks a multiprocessor for which the registers must do.
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

// Where the partial sums go; both in device memory.
template <class Sum>
struct SymvPartials {
  Sum* rows = nullptr;     // slots() x H
  Sum* columns = nullptr;  // strips() x column_stride
  std::int64_t column_stride = 0;
};

// A product's input: a(r, c) = a[r + c * lda], x(i) = x[i * incx] for r, c, i >= shift. The caller has moved the
// pointers: by shift (see symv_shift), and x where incx < 0.
template <class T>
struct SymvInput {
  const T* a = nullptr;
  std::int64_t lda = 0;
  const T* x = nullptr;
  std::int64_t incx = 1;
  std::int32_t shift = 0;
  // So many of 256 groups stay in L2 for the next product with the same matrix. They lie between the others, so that
  // memory works all the time.
  std::int32_t kept_of_256 = 0;
};

// loads_ahead: load_ahead() may be called; costs registers from one walk to the next.
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
    bool sent = false;  // for the next piece
  };
  struct Nothing {};

 public:
  // Constructed and called by all threads of a block.
  __device__ SymvWalk(const SymvPartition& partition, const SymvInput<T>& input,
                      const SymvPartials<Sum>& partials, typename Shape::Shared& shared)
      : partition_(partition),
        input_(input),
        partials_(partials),
        shared_(shared),
        lane_(static_cast<int>(threadIdx.x % 32)),
        row_warp_(static_cast<int>(threadIdx.x / 32) % Shape::row_warps),
        column_warp_(static_cast<int>(threadIdx.x / 32) / Shape::row_warps) {}

  // Walks from `from` to `to`: cut(block) and cut(block + 1) of the partition, best kept in shared memory. Groups that
  // end at or before column `begin` are left out; their column sums stay unwritten. All threads call meanwhile() once,
  // when the first loads are on their way (before a barrier over the block), and piece_done(strip, first group, last
  // group) after each piece's partials are written, with no barrier in between.
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

  // Loads ahead the first elements of A for the next walk, which must have these cuts and this `begin`. x need not be
  // complete yet: memory works while the blocks wait for it. Columns before `begin` may still be changing, to any finite
  // values, where x will be zero.
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

  // This thread's part of x^H A x over all that was walked since it was cleared; not for W. It costs nothing where nobody
  // asks for it.
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
  // All of the warp's rows are stored in all columns of the group, and none is on the diagonal.
  __device__ bool is_clean(int group) const {
    const std::int32_t c = group * C;
    const bool beside = partition_.lower() ? c + C <= warp_row_ : c >= warp_row_ + Shape::warp_rows;
    return beside && c + C <= partition_.n() && warp_row_ + Shape::warp_rows <= partition_.n();
  }

  // None of them is stored.
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
  // A pack with a stored element is read whole, unless it reaches past the matrix' last column; multiply() masks what is
  // not stored. No instruction here waits for a load, so all loads of a group are under way together.
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

  // Both parts of a group; its column sums over the warp go to shared memory. The loads that take its place go out as soon
  // as its elements are multiplied, before the sums over the lanes.
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

    // x first: nothing can be multiplied before it is there, and behind the matrix it would have to wait.
    T x_first = Ops::zero();
    if (thread < Shape::round_columns) x_first = x_at(start * C + thread);
#pragma unroll
    for (int q = 0; q < Q; ++q)
#pragma unroll
      for (int v = 0; v < V; ++v) {
        x_row_[q][v] = x_at(row_of(q, v));
        y_row_[q][v] = Ops::empty();
      }

    // Two groups in turn: one is multiplied while the other is on its way.
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
        if (group + step >= round_end) break;  // in the last round only: a round has an even number of steps
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
      __syncthreads();  // the column sums, whose place this is, have been read
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
      __syncthreads();  // read before the next piece writes there
    }
  }

  const SymvPartition& partition_;
  const SymvInput<T>& input_;
  const SymvPartials<Sum>& partials_;
  typename Shape::Shared& shared_;
  MatrixLoader loader_;
  int lane_, row_warp_, column_warp_;
  std::conditional_t<loads_ahead, Ahead, Nothing> ahead_;
  std::int32_t loads_ = 0;  // of this warp
  std::int32_t warp_row_ = 0, lane_row_ = 0;
  T x_row_[Q][V];
  Sum y_row_[Q][V];
  Sum quadratic_ = Ops::empty();
};

// The partial sums of a row of y: column sums by strip, then row sums by block. The constructor takes integer divisions,
// but no data of other blocks.
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

  // Sums number part, part + parts, part + 2 parts, ..., added in this order; all parts together are the row of y. Needs
  // the partials of all blocks. The first `batch` of a part can be fetched ahead: fetch() only sends the loads on their
  // way, add() waits for them.
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
