#include "solver/back/back_transform.hpp"

#include <algorithm>
#include <atomic>
#include <complex>
#include <vector>

#include "hybrid/instantiate.hpp"
#include "hybrid/round_up.hpp"
#include "hybrid/team/loops.hpp"
#include "hybrid/team/team.hpp"
#include "solver/back/block_kernels.hpp"
#include "solver/prepare/lapack.hpp"

namespace eigen_g {

namespace {

// Reflectors in a block, a multiple of the kernel's rows. A narrow block has fewer zeros above its reflectors. This number and the next one are
// measured: data/perf/DECISIONS.md, "Reduction on a team of threads".
int block_width_on_cpu(std::int64_t n, int multiple) {
  const int width = n < 150 ? 16 : n < 700 ? 31 : 48;
  return std::max(1, width / multiple) * multiple;
}
// The columns of Z that a thread takes at a time, at most. All of V is read for each of these pieces.
template <class T>
int columns_of_buffer(std::int64_t n) {
  constexpr std::int64_t bytes_in_cache = std::int64_t{3} << 19;
  const std::int64_t fitting = bytes_in_cache / (n * static_cast<std::int64_t>(sizeof(T)));
  const std::int64_t most = n < 1500 ? 64 : 96;
  return static_cast<int>(std::clamp<std::int64_t>(fitting, 1, most));
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

  BlocksOnCpu(Arena& arena, std::int64_t n, std::int64_t m, int threads_)
      : reflectors{}, threads(threads_), pieces(m, threads_, columns_of_buffer<T>(n)) {
    PackedReflectors<T>& q = reflectors;
    q.n = n;
    q.multiple = EIGEN_G_OF_WIDTH(block_kernels<T>)().multiple;
    q.width = block_width_on_cpu(n, q.multiple);
    q.blocks = static_cast<int>((n - 1 + q.width - 1) / q.width);
    q.across = arena.take<real_t<T>>(q.offset(q.blocks));
    q.along = arena.take<real_t<T>>(q.offset(q.blocks));
    q.factors = arena.take<real_t<T>>(std::int64_t{q.blocks} * q.width * q.width * planes<T>);
    if (q.across)  // the memory was counted for max_team_threads(n)
      while (pieces.most_columns() > columns_multiple &&
             threads * buffer_size() > values_left<real_t<T>>(arena))
        pieces = Pieces(m, threads, pieces.most_columns() - columns_multiple);
    buffers = arena.take<real_t<T>>(threads * buffer_size());
  }
  // Also holds S of a block.
  std::int64_t buffer_size() const {
    const std::int64_t w = reflectors.width;
    return round_up(
        std::max(buffer_values<T>(reflectors.n, reflectors.width, pieces.most_columns()), w * w * planes<T>),
        64);
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

}  // namespace

template <class T>
std::uint64_t back_transform_bytes_on_cpu(std::int64_t n, std::int64_t m) {
  return bytes_taken([&](Arena& arena) { BlocksOnCpu<T>(arena, n, m, max_team_threads(n)); });
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
  BlocksOnCpu<T> own(scratch, n, m, team_threads(n));
  PackedReflectors<T>& q = own.reflectors;
  q.lower = uplo == Uplo::lower;
  q.adjoint = right != (trans == Trans::adjoint);
  q.lda = a.lda;
  q.a = a.data;
  q.tau = tau;
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

namespace {

// dormqr with the part of A below row kd, or dormlq with the part right of column kd. If work is null, returns the workspace size.
template <class T>
T from_band(Uplo uplo, std::int64_t kd, MatrixView<const T> a, const T* tau, MatrixView<T> z, T* work,
            lapack_int values) {
  const lapack_int n = lapack_size(a.cols - kd, "n"), m = lapack_size(z.cols, "m"),
                   lda = lapack_size(a.lda, "lda"), ldz = lapack_size(z.lda, "ldz");
  const bool upper = uplo == Uplo::upper;
  T query{};
  const auto apply = upper ? lapack::ormlq_transposed : lapack::ormqr;
  check_lapack(apply(n, m, n, work ? (upper ? &a(0, kd) : &a(kd, 0)) : nullptr, lda, tau,
                     work ? &z(kd, 0) : nullptr, ldz, work ? work : &query, values),
               upper ? "ormlq" : "ormqr");
  return query;
}

}  // namespace

template <class T>
std::uint64_t back_transform_from_band_bytes_on_cpu(std::int64_t n, std::int64_t kd, std::int64_t m) {
  if (n <= kd || m == 0) return 0;
  T most = 0;
  for (const Uplo uplo : {Uplo::lower, Uplo::upper})
    most =
        std::max(most, from_band<T>(uplo, kd, {nullptr, n, n, n}, nullptr, {nullptr, n, m, n}, nullptr, -1));
  return bytes_taken([&](Arena& arena) { arena.take<T>(static_cast<std::int64_t>(most)); });
}

template <class T>
void back_transform_from_band(Uplo uplo, std::int64_t kd, MatrixView<const same_t<T>> a, const T* tau,
                              MatrixView<same_t<T>> z, Arena scratch) {
  if (a.cols <= kd || z.cols == 0) return;
  const auto values =
      static_cast<std::int64_t>(back_transform_from_band_bytes_on_cpu<T>(a.cols, kd, z.cols) / sizeof(T));
  from_band<T>(uplo, kd, a, tau, z, scratch.take<T>(values), lapack_size(values, "the workspace of ormqr"));
}

EIGEN_G_INSTANTIATE(all_types, back_transform_on_cpu, back_transform_bytes_on_cpu, multiply_by_q_on_cpu);
EIGEN_G_INSTANTIATE(double_type, back_transform_from_band, back_transform_from_band_bytes_on_cpu);

}  // namespace eigen_g
