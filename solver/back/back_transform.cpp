#include "solver/back/back_transform.hpp"

#include <algorithm>
#include <atomic>
#include <complex>
#include <limits>
#include <vector>

#include "hybrid/instantiate.hpp"
#include "hybrid/round_up.hpp"
#include "hybrid/team/loops.hpp"
#include "hybrid/team/team.hpp"
#include "solver/back/block_kernels.hpp"

namespace eigen_g {

namespace {

// Reflectors in a block, a multiple of the kernel's rows. A narrow block has fewer zeros above its reflectors. With a wide block a thread reads its
// columns of Z less often, which counts when they do not stay in its cache. The numbers here are measured: data/perf/DECISIONS.md, "Reduction
// on a team of threads".
constexpr std::int64_t large_order = 3000;
int block_width_on_cpu(std::int64_t order, int multiple) {
  const int width = order < 150 ? 16 : order < 700 ? 31 : order < large_order ? 48 : 96;
  return std::max(1, width / multiple) * multiple;
}
// The columns of Z that a thread takes at a time, at most. All of V is read for each of these pieces. A piece of a small matrix fits in the
// cache.
template <class T>
int columns_of_buffer(std::int64_t order) {
  if (order >= 1500) return order < large_order ? 96 : 128;
  constexpr std::int64_t bytes_in_cache = std::int64_t{3} << 19;
  return static_cast<int>(
      std::clamp<std::int64_t>(bytes_in_cache / (order * static_cast<std::int64_t>(sizeof(T))), 1, 64));
}

// m columns in `count` pieces of whole multiples of columns_multiple, except for the last one. They differ by at most one multiple. If there are enough
// columns, the number of pieces is a multiple of the threads.
struct Pieces {
  std::int64_t m, units, count;

  Pieces(std::int64_t m_, int threads, int most_columns)
      : m(m_), units(std::max<std::int64_t>(1, (m_ + columns_multiple - 1) / columns_multiple)) {
    const std::int64_t most = std::max(1, most_columns / columns_multiple);
    count = std::min(units, round_up((units + most - 1) / most, std::int64_t{threads}));
  }
  std::int64_t first(std::int64_t piece) const {
    return std::min(m, piece * units / count * columns_multiple);
  }
  int columns(std::int64_t piece) const { return static_cast<int>(first(piece + 1) - first(piece)); }
  int most_columns() const { return static_cast<int>((units + count - 1) / count * columns_multiple); }
};

template <class R>
std::int64_t values_left(const Arena& arena) {
  return static_cast<std::int64_t>(arena.left() / sizeof(R));
}

// The packed blocks and a buffer for each thread.
template <class T>
struct BlocksOnCpu {
  PackedReflectors<T> reflectors;
  int threads;
  Pieces pieces;
  real_t<T>* buffers;

  BlocksOnCpu(Arena& arena, std::int64_t n, std::int64_t order, std::int64_t m, int threads_)
      : reflectors{}, threads(threads_), pieces(m, threads_, columns_of_buffer<T>(order)) {
    PackedReflectors<T>& q = reflectors;
    const BlockKernels<T> kernels = EIGEN_G_OF_WIDTH(block_kernels<T>)();
    q.n = n;
    q.order = order;
    q.multiple = kernels.multiple;
    q.chunk = kernels.chunk;
    q.width = block_width_on_cpu(order, q.multiple);
    q.blocks = static_cast<int>((order + q.width - 1) / q.width);
    q.across = arena.take<real_t<T>>(q.offset(q.blocks));
    q.along = arena.take<real_t<T>>(q.offset(q.blocks));
    q.factors = arena.take<real_t<T>>(std::int64_t{q.blocks} * q.width * q.width * planes<T>);
    // The buffers of a large matrix are at most 5/4 of a copy of V. The memory was counted for max_team_threads(n).
    const std::int64_t copy = q.offset(q.blocks), most = order >= large_order
                                                             ? copy + copy / 4
                                                             : std::numeric_limits<std::int64_t>::max();
    const std::int64_t left = q.across ? values_left<real_t<T>>(arena) : most;
    while (pieces.most_columns() > columns_multiple && threads * buffer_size() > std::min(most, left))
      pieces = Pieces(m, threads, pieces.most_columns() - columns_multiple);
    buffers = arena.take<real_t<T>>(threads * buffer_size());
  }
  // Also holds S of a block.
  std::int64_t buffer_size() const {
    const std::int64_t w = reflectors.width;
    return round_up(std::max(buffer_values(reflectors, pieces.most_columns()), w * w * planes<T>), 64);
  }
};

// Hands out one of `count` buffers to each thread of a loop.
class Buffers {
 public:
  explicit Buffers(int count) : taken_(static_cast<std::size_t>(count)) {}
  template <class Use>
  void with_one(const Use& use) {
    std::size_t k = 0;
    while (taken_[k].exchange(true)) k = (k + 1) % taken_.size();
    use(static_cast<std::int64_t>(k));
    taken_[k] = false;
  }

 private:
  std::vector<std::atomic<bool>> taken_;
};

// Z := Q Z or Q^H Z, or right: Z Q or Z Q^H. `own` has a description of the reflectors.
template <class T>
void apply_blocks(const BlocksOnCpu<T>& own, bool right, MatrixView<T> z,
                  const std::function<void(double fraction)>& progress) {
  const PackedReflectors<T>& q = own.reflectors;
  const BlockKernels<T> kernels = EIGEN_G_OF_WIDTH(block_kernels<T>)();
  Buffers buffers(own.threads);
  const auto buffer = [&](std::int64_t k) { return own.buffers + k * own.buffer_size(); };
  for_each(q.blocks, own.threads, [&](std::int64_t block) {
    buffers.with_one([&](std::int64_t k) { kernels.prepare(q, block, buffer(k)); });
  });
  const std::int64_t pieces = own.pieces.count;
  const auto apply = [&](std::int64_t piece) {
    const std::int64_t first = own.pieces.first(piece);
    const int count = own.pieces.columns(piece);
    buffers.with_one([&](std::int64_t k) {
      if (right)
        kernels.apply_to_rows(q, &z(first, 0), z.lda, count, buffer(k));
      else
        kernels.apply(q, &z(0, first), z.lda, count, buffer(k));
    });
  };
  // With a progress function the pieces come in parts, between which the calling thread reports.
  const std::int64_t part = progress ? std::max<std::int64_t>(own.threads, pieces / 8) : pieces;
  for (std::int64_t first = 0; first < pieces; first += part) {
    const std::int64_t count = std::min(part, pieces - first);
    for_each(count, own.threads, [&](std::int64_t piece) { apply(first + piece); });
    if (progress) progress(static_cast<double>(first + count) / static_cast<double>(pieces));
  }
}

}  // namespace

template <class T>
std::uint64_t back_transform_bytes_on_cpu(std::int64_t n, std::int64_t m) {
  return back_transform_from_band_bytes_on_cpu<T>(n, 1, m);
}

template <class T>
void back_transform_on_cpu(Uplo uplo, MatrixView<const same_t<T>> a, const T* tau, MatrixView<same_t<T>> z,
                           Arena scratch, const std::function<void(double fraction)>& progress) {
  multiply_by_q_on_cpu<T>(Side::left, uplo, Trans::none, a, tau, z, scratch, progress);
}

template <class T>
void multiply_by_q_on_cpu(Side side, Uplo uplo, Trans trans, MatrixView<const same_t<T>> a, const T* tau,
                          MatrixView<same_t<T>> z, Arena scratch,
                          const std::function<void(double fraction)>& progress) {
  const bool right = side == Side::right;  // (Z Q)^H = Q^H Z^H
  const std::int64_t n = right ? z.cols : z.rows, m = right ? z.rows : z.cols;
  if (n < 2 || m == 0) return;
  BlocksOnCpu<T> own(scratch, n, n - 1, m, team_threads(n));
  PackedReflectors<T>& q = own.reflectors;
  q.adjoint = right != (trans == Trans::adjoint);
  q.reversed = uplo == Uplo::upper;
  q.a = q.reversed ? &a(n - 2, n - 1) : &a(1, 0);
  q.row_step = q.reversed ? -1 : 1;
  q.column_step = q.reversed ? -a.lda : a.lda;
  q.tau = q.reversed ? tau + n - 2 : tau;
  q.tau_step = q.row_step;
  apply_blocks<T>(own, right, z, progress);
}

template <class T>
std::uint64_t back_transform_from_band_bytes_on_cpu(std::int64_t n, std::int64_t kd, std::int64_t m) {
  if (n <= kd || m == 0) return 0;
  return bytes_taken([&](Arena& arena) { BlocksOnCpu<T>(arena, n, n - kd, m, max_team_threads(n)); });
}

template <class T>
void back_transform_from_band(Uplo uplo, std::int64_t kd, MatrixView<const same_t<T>> a, const T* tau,
                              MatrixView<same_t<T>> z, Arena scratch,
                              const std::function<void(double fraction)>& progress) {
  const std::int64_t n = a.cols;
  if (n <= kd || z.cols == 0) return;
  BlocksOnCpu<T> own(scratch, n, n - kd, z.cols, team_threads(n));
  PackedReflectors<T>& q = own.reflectors;
  const bool upper = uplo == Uplo::upper;
  q.a = upper ? &a(0, kd) : &a(kd, 0);
  q.row_step = upper ? a.lda : 1;
  q.column_step = upper ? 1 : a.lda;
  q.conjugate = upper;
  q.tau = tau;
  q.tau_step = 1;
  apply_blocks<T>(own, false, z, progress);
}

EIGEN_G_INSTANTIATE(all_types, back_transform_on_cpu, back_transform_bytes_on_cpu, multiply_by_q_on_cpu,
                    back_transform_from_band, back_transform_from_band_bytes_on_cpu);

}  // namespace eigen_g
