// Back-transformation of the chase on the CPU. The reflectors are applied in blocks of successive sweeps (chase_kernels.hpp).
//
// Blocks are applied in this order: the last sweeps first, and the blocks of the same sweeps in ascending steps. A block of earlier sweeps at step t needs
// only that the later sweeps have done steps 0 ... t, because their further steps are in rows below its own. So the groups of a strip take the steps
// together, and a thread finds the rows of Z that it needs in its cache.
//
// A slab is a number of successive groups whose packed blocks fit into the workspace. The threads pack its blocks, and then each thread applies all of them to
// pieces of the columns of Z, in a buffer that has the real and the imaginary parts apart.
#include "solver/back/back_transform_chase.hpp"

#include <algorithm>
#include <atomic>
#include <complex>
#include <vector>

#include "hybrid/instantiate.hpp"
#include "hybrid/machine/tuning.hpp"
#include "hybrid/round_up.hpp"
#include "hybrid/team/loops.hpp"
#include "hybrid/team/team.hpp"
#include "solver/back/chase_kernels.hpp"

namespace eigen_g {

namespace {

// Bytes of a slab: about the bytes of Z, because each slab costs a copy of Z. A small slab stays in a cache.
constexpr std::int64_t largest_slab = std::int64_t{32} << 20, slab_of_thread = std::int64_t{2} << 20;
// The columns of Z that a thread takes at a time, at most.
constexpr std::int64_t columns_of_piece = 96;
// Sweeps of a strip, at most.
constexpr std::int64_t sweeps_of_strip = 256;

// Units of chase_columns_multiple columns in pieces of equal size, except for rounding. If there are enough, the number of pieces is a multiple of the threads.
struct ColumnPieces {
  std::int64_t count = 0, units = 0,
               buffers = 0;  // units: of the largest piece; buffers: threads that have a piece

  ColumnPieces() = default;
  ColumnPieces(std::int64_t all, int threads, std::int64_t most = columns_of_piece / chase_columns_multiple) {
    if (all == 0) return;
    count = std::min(all, round_up((all + most - 1) / most, std::int64_t{threads}));
    units = (all + count - 1) / count;
    buffers = std::min<std::int64_t>(count, threads);
  }
};

template <class T>
class ChaseBackOnCpu {
 public:
  using R = real_t<T>;

  ChaseBackOnCpu(Arena& arena, const ChaseTiles& tiles, std::int64_t m, int threads)
      : tiles_(tiles),
        n_(tiles.n - is_complex<T>),
        m_(m),
        kernels_(EIGEN_G_OF_WIDTH(chase_back_kernels<T>)()),
        rows_(kernels_.rows(tiles.b)),
        values_(kernels_.values(tiles.b)),
        threads_(threads),
        groups_((tiles.sweeps() + kernels_.width - 1) / kernels_.width),
        plane_(round_up(n_ + rows_, 64) + 8) {
    std::int64_t all = 0;
    for (std::int64_t g = 0; g < groups_; ++g) all += steps(g);
    const std::int64_t bytes = std::clamp(n_ * m * static_cast<std::int64_t>(sizeof(T)),
                                          std::min(threads * slab_of_thread, largest_slab), largest_slab);
    const std::int64_t fitting = bytes / (2 * values_ * static_cast<std::int64_t>(sizeof(R)));
    capacity_ = groups_ == 0 ? 0 : std::max(steps(0), std::min(all, fitting));
    // The memory is counted for the most threads, and suffices for fewer columns too. Fewer threads take more columns at a time.
    const std::int64_t counted =
        std::min(units(), std::int64_t{max_team_threads(n_)} * columns_of_piece / chase_columns_multiple);
    pieces_ = ColumnPieces(units(), threads);
    while (pieces_.buffers * pieces_.units > counted && pieces_.units > 1)
      pieces_ = ColumnPieces(units(), threads, pieces_.units - 1);
    const std::int64_t values_of_unit = planes<T> * plane_ * chase_columns_multiple;
    buffer_values_ = values_of_unit * pieces_.units;
    packed_ = arena.take<R>(2 * values_ * capacity_);
    buffers_ = arena.take<R>(values_of_unit * counted);
  }

  void run(const ChaseReflectors<const T>& reflectors, MatrixView<T> z,
           const std::function<void(double)>& progress) {
    std::vector<Block> blocks;
    blocks.reserve(static_cast<std::size_t>(capacity_));
    for (std::int64_t end = groups_; end > 0;) {
      std::int64_t first = end, count = 0;
      while (first > 0 && count + steps(first - 1) <= capacity_) count += steps(--first);
      list_blocks(first, end, blocks);
      for_each(count, threads_, [&](std::int64_t k) { pack(reflectors, blocks[k], k); });
      // A buffer belongs to a piece of this loop, which takes pieces of Z as long as there are any.
      std::atomic<std::int64_t> next{0};
      for_each(pieces_.buffers, threads_, [&](std::int64_t buffer) {
        for (std::int64_t piece = next++; piece < pieces_.count; piece = next++)
          apply(blocks, z, piece, buffers_ + buffer * buffer_values_);
      });
      end = first;
      if (progress) {
        const double left = static_cast<double>(end) / static_cast<double>(groups_);
        progress((1 - left) * (1 - left));
      }
    }
  }

 private:
  // A block: the reflectors of a group at a step.
  struct Block {
    std::int64_t group, step;
  };

  std::int64_t units() const { return (m_ + chase_columns_multiple - 1) / chase_columns_multiple; }

  std::int64_t steps(std::int64_t group) const {
    return (tiles_.n - 3 - group * kernels_.width) / tiles_.b + 1;
  }

  // The blocks of groups first ... end - 1 in their order.
  void list_blocks(std::int64_t first, std::int64_t end, std::vector<Block>& blocks) const {
    blocks.clear();
    const std::int64_t strip = sweeps_of_strip / kernels_.width;
    for (std::int64_t last = end; last > first; last = std::max(first, last - strip)) {
      const std::int64_t least = std::max(first, last - strip);
      for (std::int64_t step = 0; step < steps(least); ++step)
        for (std::int64_t group = last - 1; group >= least; --group)
          if (step < steps(group)) blocks.push_back({group, step});
    }
  }

  ChaseBlock<T> packed(std::int64_t k) const {
    R* const along = packed_ + k * 2 * values_;
    return {static_cast<int>(tiles_.b), static_cast<int>(rows_), along, along + values_};
  }

  void pack(const ChaseReflectors<const T>& reflectors, const Block& block, std::int64_t k) const {
    ChaseVector<T> vectors[max_chase_columns] = {};
    for (int i = 0; i < kernels_.width; ++i) {
      const std::int64_t sweep = block.group * kernels_.width + i;
      if (sweep >= tiles_.sweeps()) break;
      const std::int64_t rows = chase_rows<T>(tiles_, sweep, block.step);
      if (rows == 0) break;
      const T tau =
          reflectors.tau[tiles_.tile(sweep / tiles_.width, block.step) * tiles_.width + sweep % tiles_.width];
      vectors[i] = {
          reflectors.sweep(tiles_, sweep) + block.step * tiles_.b, rows, {std::real(tau), std::imag(tau)}};
    }
    kernels_.pack(packed(k), vectors);
  }

  void apply(const std::vector<Block>& blocks, MatrixView<T> z, std::int64_t piece, R* buffer) const {
    const std::int64_t first = piece * units() / pieces_.count * chase_columns_multiple,
                       columns = (piece + 1) * units() / pieces_.count * chase_columns_multiple - first,
                       ld = planes<T> * plane_;
    for (std::int64_t j = 0; j < columns; ++j) {
      R* const to = buffer + j * ld;
      if (first + j >= m_) {
        std::fill_n(to, ld, R(0));
        continue;
      }
      const T* const from = &z(0, first + j);
      if constexpr (is_complex<T>) {
        for (std::int64_t i = 0; i < n_; ++i) {
          to[i] = from[i].real();
          to[plane_ + i] = from[i].imag();
        }
        std::fill(to + plane_ + n_, to + ld, R(0));
      } else {
        std::copy_n(from, n_, to);
      }
      std::fill(to + n_, to + plane_, R(0));
    }
    for (std::size_t k = 0; k < blocks.size(); ++k)
      kernels_.apply(packed(static_cast<std::int64_t>(k)),
                     buffer + blocks[k].group * kernels_.width + 1 + blocks[k].step * tiles_.b, ld, plane_,
                     static_cast<int>(columns));
    for (std::int64_t j = 0; j < std::min(columns, m_ - first); ++j) {
      const R* const from = buffer + j * ld;
      T* const to = &z(0, first + j);
      if constexpr (is_complex<T>)
        for (std::int64_t i = 0; i < n_; ++i) to[i] = {from[i], from[plane_ + i]};
      else
        std::copy_n(from, n_, to);
    }
  }

  const ChaseTiles tiles_;
  const std::int64_t n_, m_;
  const ChaseBackKernels<T> kernels_;
  const std::int64_t rows_, values_;  // rows of a block, and values of each of its operands
  const int threads_;
  const std::int64_t groups_, plane_;
  ColumnPieces pieces_;
  std::int64_t capacity_ = 0, buffer_values_ = 0;  // capacity: blocks of a slab
  R *packed_ = nullptr, *buffers_ = nullptr;
};

}  // namespace

template <class T>
std::uint64_t back_transform_chase_bytes_on_cpu(std::int64_t n, std::int64_t b, std::int64_t m) {
  return bytes_taken(
      [&](Arena& arena) { ChaseBackOnCpu<T>(arena, chase_tiles<T>(n, b), m, max_team_threads(n)); });
}

template <class T>
void back_transform_chase_on_cpu(const ChaseTiles& tiles, const ChaseReflectors<const T>& reflectors,
                                 MatrixView<T> z, Arena scratch,
                                 const std::function<void(double fraction)>& progress) {
  if (z.cols > 0)
    ChaseBackOnCpu<T>(scratch, tiles, z.cols, team_threads(z.rows)).run(reflectors, z, progress);
}

ChaseBack back_transform_chase_on_gpu(Engine engine) {
  const bool native =
      engine == Engine::native || (engine == Engine::automatic && is_strong_in_double(current_capability()));
  return native ? ChaseBack::automatic : ChaseBack::engine;
}

EIGEN_G_INSTANTIATE(all_types, back_transform_chase_on_cpu, back_transform_chase_bytes_on_cpu);

}  // namespace eigen_g
