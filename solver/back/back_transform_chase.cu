// The driver of the back-transformation by the chase's reflectors, and its variant by batched products. The variant by an engine is in
// chase_blocks.hpp.
//
// Products: in a slab of sweep groups, tile (group, step) belongs to wavefront step + (last group - group). The previous tile of the
// wavefront, (group - 1, step - 1), has the b + width rows directly above. Thus the tiles of a wavefront have no row in common, and
// every tile that must be applied before a tile is in an earlier wavefront. A wavefront takes three batched products on V and T, which
// are written out as dense matrices.
#include "solver/back/back_transform_chase.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "gemm_df/gemm.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/round_up.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/transfer/upload_slots.hpp"
#include "solver/back/back_transform_chase_fused.hpp"
#include "solver/back/chase_blocks.hpp"
#include "solver/back/chase_factor.hpp"
#include "solver/back/chase_halves.hpp"
#include "solver/back/chase_image.hpp"
#include "solver/back/chase_planes.hpp"
#include "solver/devices/solve_team.hpp"

namespace eigen_g {

namespace {

// The products take a quarter of the available workspace for a wavefront, but at most this.
constexpr std::int64_t wavefront_bytes = std::int64_t{1} << 28;
// Largest size of the factors that one step of a team sends to the helper GPUs.
constexpr std::int64_t step_bytes = std::int64_t{1} << 28;

// True if Z is float or complex float and the kernel with fp16 pairs applies.
template <class T>
bool by_halves(const ChaseTiles& reals) {
  return std::is_same_v<real_t<T>, float> && reals.b == 64;
}

// True if Z is complex double; the kernel then works in planes (chase_planes.hpp).
template <class T>
constexpr bool in_planes = std::is_same_v<T, std::complex<double>>;

// The real tiles and the real Z on which both variants work. For complex matrices these are the real images (chase_image.hpp).
template <class T>
ChaseTiles in_reals(const ChaseTiles& tiles) {
  if constexpr (is_complex<T>)
    return chase_image(tiles);
  else
    return tiles;
}
template <class T>
MatrixView<real_t<T>> in_reals(MatrixView<T> z) {
  if constexpr (is_complex<T>)
    return chase_image(z);
  else
    return z;
}

// Doubles per tile for the factor; or for Y in planes, which is longer than V in planes.
template <class T>
std::int64_t factor_size(const ChaseTiles& tiles) {
  const std::int64_t factor = chase_factor_size(tiles.width);
  return in_planes<T> ? std::max<std::int64_t>(factor, chase_planes::y_size) : factor;
}

// Bytes of a tile in a slab: V, its factor, and both as fp16 pairs if the kernel needs them.
template <class T>
std::int64_t tile_bytes(const ChaseTiles& tiles) {
  return static_cast<std::int64_t>(sizeof(double)) *
         (tiles.tile_size() + factor_size<T>(tiles) +
          (by_halves<T>(tiles) ? chase_halves::v_size + chase_halves::t_size : 0));
}

// Consecutive groups that have at most `at_most` tiles together; or one group that alone has more. `first`: the lowest group, at least
// `lowest`.
struct Slab {
  std::int64_t first, tiles;
};
Slab slab_down_from(const ChaseTiles& tiles, std::int64_t last, std::int64_t lowest, std::int64_t at_most) {
  Slab slab{last, tiles.steps(last)};
  while (slab.first > lowest && slab.tiles + tiles.steps(slab.first - 1) <= at_most)
    slab.tiles += tiles.steps(--slab.first);
  return slab;
}
// Number of sweep groups in one step of a team.
std::int64_t step_groups(const ChaseTiles& tiles) {
  if (tiles.groups() == 0) return 0;
  const std::int64_t group =
      tiles.steps(0) * chase_factor_size(tiles.width) * static_cast<std::int64_t>(sizeof(double));
  return std::clamp<std::int64_t>(step_bytes / group, 1, tiles.groups());
}
std::int64_t max_tiles_of_a_wave(const ChaseTiles& tiles) {
  return tiles.n / (tiles.b + tiles.width) + 1;
}

// The workspace for slabs of `slab` tiles of real numbers, for the kernel; or for products, in wavefronts of `columns` columns at a time.
template <class T>
struct Workspace {
  using R = real_t<T>;
  std::int64_t slab, columns;
  double *v, *factors;
  double *v_halves, *t_halves;
  int* words;
  R *wavefront_v, *wavefront_t, *x, *tx;

  Workspace(Arena& arena, const ChaseTiles& tiles, std::int64_t m, bool fused, std::int64_t of_slab,
            std::int64_t of_wavefront)
      : slab(of_slab), columns(of_wavefront) {
    const std::int64_t width = tiles.width, at_once = fused ? 0 : max_tiles_of_a_wave(tiles);
    v = arena.take<double>(slab * tiles.tile_size());
    factors = arena.take<double>(slab * factor_size<T>(tiles));
    const std::int64_t in_halves = by_halves<T>(tiles) ? slab : 0;
    v_halves = arena.take<double>(in_halves * chase_halves::v_size);
    t_halves = arena.take<double>(in_halves * chase_halves::t_size);
    words = arena.take<int>(fused ? back_transform_chase_fused_words(tiles.groups(), m) : 0);
    wavefront_v = arena.take<R>(at_once * (tiles.b + width) * width);
    wavefront_t = arena.take<R>(at_once * width * width);
    x = arena.take<R>(at_once * width * columns);
    tx = arena.take<R>(at_once * width * columns);
  }

  static constexpr std::int64_t arrays = 9;
  static std::int64_t bytes(const ChaseTiles& tiles, std::int64_t m, bool fused, std::int64_t of_slab,
                            std::int64_t of_wavefront) {
    return static_cast<std::int64_t>(arrays * Arena::alignment + bytes_taken([&](Arena& arena) {
                                       Workspace(arena, tiles, m, fused, of_slab, of_wavefront);
                                     }));
  }
  // The longest slab of at most `most` tiles, and for products the widest wavefront, for which `arena` has room.
  //   in_addition   further bytes for each tile
  static Workspace within(Arena& arena, const ChaseTiles& tiles, std::int64_t m, bool fused,
                          std::int64_t in_addition = 0,
                          std::int64_t most = std::numeric_limits<std::int64_t>::max()) {
    const auto room = static_cast<std::int64_t>(arena.left());
    const std::int64_t column =
        2 * max_tiles_of_a_wave(tiles) * tiles.width * static_cast<std::int64_t>(sizeof(R));
    const std::int64_t of_wavefront =
        fused ? 0 : std::clamp<std::int64_t>(std::min(room / 4, wavefront_bytes) / column, 1, m);
    const std::int64_t of_slab = std::clamp(std::min(most, (room - bytes(tiles, m, fused, 0, of_wavefront)) /
                                                               (tile_bytes<T>(tiles) + in_addition)),
                                            tiles.steps(0), tiles.tiles_from(0));
    return Workspace(arena, tiles, m, fused, of_slab, of_wavefront);
  }
};

// The tiles of a wavefront from the top of the matrix down: tile k is (group + k, step + k).
struct Wavefront {
  std::int64_t group, step, count;
};

// Writes out V, (b + width) x width, and -T, width x width, of tile blockIdx.x of the wavefront.
template <class T>
__global__ void write_out_kernel(ChaseTiles tiles, Wavefront wavefront, std::int64_t last_group,
                                 const double* all_v, const double* all_factors, T* all_dense_v,
                                 T* all_dense_t) {
  const int width = static_cast<int>(tiles.width), b = static_cast<int>(tiles.b), rows = b + width;
  const std::int64_t place = tiles.tile(wavefront.group + blockIdx.x, wavefront.step + blockIdx.x) -
                             tiles.tiles_from(last_group + 1);
  const double* const v = all_v + place * tiles.tile_size();
  const double* const factor = all_factors + place * chase_factor_size(width);
  T* const dense_v = all_dense_v + static_cast<std::int64_t>(blockIdx.x) * rows * width;
  T* const dense_t = all_dense_t + static_cast<std::int64_t>(blockIdx.x) * width * width;
  for (int k = threadIdx.x; k < rows * width; k += blockDim.x) {
    const int j = k / rows, row = k % rows - j / 8 * 8;
    dense_v[k] = row >= 0 && row < b + 8 ? static_cast<T>(v[tiles.column(j) + row]) : 0;
  }
  for (int k = threadIdx.x; k < width * width; k += blockDim.x) {
    const int i = k % width, j = k / width;
    dense_t[k] = i / 8 <= j / 8 ? static_cast<T>(factor[chase_factor_place(width, i, j)]) : 0;
  }
}

// Z := (I - V T V^T) Z for `count` tiles of the wavefront from tile k on. z: the rows of tile k; the next tile begins b + width rows below.
template <class T>
void apply_tiles(const Queue& queue, const ChaseTiles& tiles, const Workspace<T>& w, std::int64_t k,
                 std::int64_t count, MatrixView<real_t<T>> z) {
  using R = real_t<T>;
  const std::int64_t width = tiles.width, rows = tiles.b + width, m = z.cols;
  if (count == 0) return;
  const MatrixView<const R> v{w.wavefront_v + k * rows * width, z.rows, width, rows},
      t{w.wavefront_t + k * width * width, width, width, width};
  const MatrixView<R> x{w.x, width, m, width}, tx{w.tx, width, m, width};
  const std::int64_t v_apart = rows * width, t_apart = width * width, x_apart = width * m;
  gemm_batched<R>(queue, {count, v_apart, rows, x_apart}, Op::transpose, Op::none, 1, v, z, 0, x);
  gemm_batched<R>(queue, {count, t_apart, x_apart, x_apart}, Op::none, Op::none, 1, t, x, 0, tx);
  gemm_batched<R>(queue, {count, v_apart, x_apart, rows}, Op::none, Op::none, 1, v, tx, 1, z);
}

template <class T>
void by_products(const Queue& queue, const ChaseTiles& tiles, std::int64_t first_group,
                 std::int64_t last_group, MatrixView<real_t<T>> z, const Workspace<T>& w) {
  const std::int64_t apart = tiles.b + tiles.width;
  for (std::int64_t number = 0; number <= tiles.steps(first_group) - 1 + last_group - first_group; ++number) {
    // From the bottom up, tile i of the wavefront is (last_group - i, number - i).
    const std::int64_t highest = std::min(number, last_group - first_group);
    std::int64_t lowest = 0;
    while (lowest <= highest && number - lowest >= tiles.steps(last_group - lowest)) ++lowest;
    if (lowest > highest) continue;
    const Wavefront wavefront{last_group - highest, number - highest, highest - lowest + 1};
    write_out_kernel<<<static_cast<unsigned>(wavefront.count), 256, 0, queue.stream()>>>(
        tiles, wavefront, last_group, w.v, w.factors, w.wavefront_v, w.wavefront_t);
    EIGEN_G_LAUNCHED();
    const std::int64_t row = tiles.first_row(wavefront.group, wavefront.step);
    const bool cut = row + wavefront.count * apart > z.rows;  // the last tile extends beyond the matrix
    const std::int64_t whole = wavefront.count - cut, below = row + whole * apart;
    for (std::int64_t column = 0; column < z.cols; column += w.columns) {
      const std::int64_t columns = std::min(w.columns, z.cols - column);
      apply_tiles(queue, tiles, w, 0, whole, z.block(row, column, apart, columns));
      if (cut) apply_tiles(queue, tiles, w, whole, 1, z.block(below, column, z.rows - below, columns));
    }
  }
}

// Slabs, and the rest of the workspace, for products of blocks by an engine. Half of the workspace is for slabs, or less.
struct EngineWorkspace {
  std::int64_t slab;
  double *v, *factors;
  Arena blocks;

  EngineWorkspace(Arena& arena, const ChaseTiles& tiles, std::int64_t of_slab)
      : slab(of_slab),
        v(arena.take<double>(slab * tiles.tile_size())),
        factors(arena.take<double>(slab * chase_factor_size(tiles.width))) {}

  template <class R>
  static std::uint64_t bytes(const ChaseTiles& tiles, std::int64_t m, std::int64_t of_slab) {
    return bytes_taken([&](Arena& arena) { EngineWorkspace(arena, tiles, of_slab); }) +
           back_transform_chase_in_blocks_bytes<R>(tiles, m);
  }
  template <class R>
  static EngineWorkspace within(Arena& arena, const ChaseTiles& tiles, std::int64_t m) {
    const auto tile =
        static_cast<std::uint64_t>(tiles.tile_size() + chase_factor_size(tiles.width)) * sizeof(double);
    const std::uint64_t least = bytes<R>(tiles, m, 0), room = arena.left();
    const std::uint64_t of_slab = room > least ? std::min(room - least, room / 2) : 0;
    EngineWorkspace w(
        arena, tiles,
        std::clamp(static_cast<std::int64_t>(of_slab / tile), tiles.steps(0), tiles.tiles_from(0)));
    w.blocks = arena.part(arena.left() / Arena::alignment * Arena::alignment);
    return w;
  }
};

// The groups by an engine.
template <class R>
void by_engine(const Products<R>& products, const ChaseTiles& tiles,
               const ChaseReflectors<const R>& reflectors, MatrixView<R> z_dev, Arena& workspace,
               ChaseGroups groups) {
  const auto w = EngineWorkspace::within<R>(workspace, tiles, z_dev.cols);
  for (std::int64_t last = groups.end - 1, first = 0; last >= groups.first; last = first - 1) {
    first = slab_down_from(tiles, last, groups.first, w.slab).first;
    chase_factors(products.queue(), tiles, reflectors, first, last, w.factors, w.v);
    back_transform_chase_in_blocks<R>(products, tiles, w.v, w.factors, first, last, z_dev, w.blocks);
  }
}

// The work in double as a team sees it: columns for helper GPUs, none for the CPU.
ColumnProducts products_of(const ChaseTiles& tiles, std::int64_t m) {
  ColumnProducts p;
  p.work = TeamWork::reflectors;
  p.columns = m;
  p.rows = static_cast<double>(tiles.n);
  p.inner = static_cast<double>(tiles.width);
  p.column_flops = 2 * p.rows * p.rows;
  p.common_bytes = static_cast<double>(sizeof(double)) * static_cast<double>(tiles.tiles_from(0)) *
                   static_cast<double>(tiles.tile_size() + chase_factor_size(tiles.width));
  p.column_bytes = static_cast<double>(sizeof(double)) * p.rows;
  p.steps = std::max(1.0, static_cast<double>(tiles.groups()) / static_cast<double>(step_groups(tiles)));
  p.beside = p.inner;
  p.on_cpu = false;
  return p;
}

// The part of the helper GPUs. v, factors: of all tiles, in the first GPU's memory.
ColumnWork<double> cut_work(const ChaseTiles& tiles, const double* v, const double* factors,
                            MatrixView<double> z_dev) {
  const std::int64_t at_once = step_groups(tiles);
  const auto groups_of = [tiles, at_once](std::int64_t step) {
    const std::int64_t last = tiles.groups() - 1 - step * at_once;
    return std::pair{std::max<std::int64_t>(0, last - at_once + 1), last};
  };
  const auto blocks = [=](std::int64_t step, ColumnRange) -> Blocks<double> {
    const auto [first, last] = groups_of(step);
    const std::int64_t before = tiles.tiles_from(last + 1), count = tiles.tiles_from(first) - before;
    const auto part = [&](const double* of, std::int64_t size) {
      return MatrixView<const double>{of + before * size, count * size, 1, count * size};
    };
    return {part(v, tiles.tile_size()), part(factors, chase_factor_size(tiles.width))};
  };
  const auto on_gpu = [=](const Queue& queue, std::int64_t step, const Blocks<double>& copies,
                          const OwnColumns<double>& own) {
    const auto [first, last] = groups_of(step);
    back_transform_chase_fused(queue, tiles, copies[0].data, copies[1].data, first, last, own.columns,
                               reinterpret_cast<int*>(own.scratch.data));
  };
  ColumnWork<double> work;
  work.columns_dev = z_dev;
  // Scratch of a column: the words of a matrix of one column. m columns need fewer than m times this number of words.
  work.scratch_rows =
      (back_transform_chase_fused_words(at_once, 1) * static_cast<std::int64_t>(sizeof(int)) - 1) /
          sizeof(double) +
      1;
  work.steps = (tiles.groups() + at_once - 1) / std::max<std::int64_t>(at_once, 1);
  work.blocks = blocks;
  work.on_gpu = on_gpu;
  work.on_first = [=, steps = work.steps](const Queue& queue, const OwnColumns<double>& own) {
    for (std::int64_t step = 0; step < steps; ++step) on_gpu(queue, step, blocks(step, own.range), own);
  };
  return work;
}

// The bytes for slabs of `slab` bytes, at least one group, with `in_addition` bytes for each tile.
template <class T>
std::uint64_t bytes_for_slabs(const ChaseTiles& tiles, std::int64_t m, std::int64_t of_slab,
                              std::int64_t in_addition) {
  // The products take a quarter of the workspace for wavefronts; one group must fit into the rest.
  const std::int64_t by_products =
      Workspace<T>::bytes(tiles, m, false, tiles.steps(0), 1) + tiles.steps(0) * in_addition;
  const auto fused_or_products = static_cast<std::uint64_t>(std::max(
      Workspace<T>::bytes(tiles, m, true, of_slab, 0) + of_slab * in_addition, by_products * 4 / 3 + 1));
  if constexpr (!is_complex<T>)  // reflectors in host memory are not applied by an engine
    if (in_addition == 0)
      return std::max(fused_or_products, EngineWorkspace::bytes<T>(tiles, m, tiles.steps(0)));
  return fused_or_products;
}

// The v arrays of a slab of sweep groups in a slot on the GPU.
//
// With a stride the slot has a column for each sweep, as high as the longest array. The arrays of sweeps of one group have lengths that differ by
// less than the width. The slab's tiles cover every array, so twice their entries are enough, with room for aligned columns.
template <class T>
class SweepsFromHost {
 public:
  // Elements of the slot for each tile.
  static std::int64_t of_tile(const ChaseTiles& tiles) { return (2 * tiles.b + 32) * tiles.width; }

  SweepsFromHost(const Queue& queue, const ChaseTiles& tiles, const ChaseReflectors<const T>& on_host,
                 T* slot_dev, std::int64_t elements)
      : tiles_(tiles), on_host_(on_host), elements_(elements), slot_(queue, {slot_dev}) {}

  // The reflectors of these groups in device memory. Later work of the queue can read them, until used().
  ChaseReflectors<const T> fetch(std::int64_t first_group, std::int64_t last_group) {
    const std::int64_t begin = first_group * tiles_.width,
                       end = std::min((last_group + 1) * tiles_.width, tiles_.sweeps());
    if (on_host_.stride == 0) {
      constexpr std::int64_t rows = 4096;  // a matrix of any shape is copied in chunks of columns
      const std::int64_t at = tiles_.sweep_offset(begin), count = tiles_.sweep_offset(end) - at;
      const std::int64_t columns = (count + rows - 1) / rows, last = count - (columns - 1) * rows;
      require_room(count);
      const T* const from = on_host_.v + at;
      const MatrixView<T> to =
          slot_.fetch({from, columns > 1 ? rows : last, std::max<std::int64_t>(1, columns - 1), rows}, rows);
      if (columns > 1)
        slot_.fetch_more({from + (columns - 1) * rows, last, 1, rows}, to.block(0, columns - 1, last, 1));
      return {to.data - at, on_host_.tau, 0};
    }
    const std::int64_t longest = tiles_.n - 1 - is_complex<T> - begin, columns = end - begin;
    const std::int64_t ld = round_up(longest, 16);
    require_room(ld * columns);
    const MatrixView<T> to =
        slot_.fetch({on_host_.v + (end - 1) * on_host_.stride, longest, columns, -on_host_.stride}, ld);
    return {to.data + (end - 1) * ld, on_host_.tau, -ld};
  }
  void used() { slot_.used(); }

 private:
  void require_room(std::int64_t elements) const {
    if (elements > elements_) throw std::logic_error("the slot for the chase's reflectors is too small");
  }
  ChaseTiles tiles_;
  ChaseReflectors<const T> on_host_;
  std::int64_t elements_;
  UploadSlots<T> slot_;
};

// Both forms of the back-transformation.
//   from_host   the v arrays are in host memory
template <class T>
void apply_slabs(const Products<T>& products, const ChaseTiles& tiles,
                 const ChaseReflectors<const T>& reflectors, MatrixView<T> z_dev, Arena workspace,
                 ChaseBack how, [[maybe_unused]] SolveTeam<T>* team, bool from_host, ChaseGroups groups) {
  groups.end = std::min(groups.end, tiles.groups());
  if (groups.first >= groups.end || z_dev.cols == 0) return;
  using R = real_t<T>;
  const Queue& queue = products.queue();
  const ChaseTiles reals = in_reals<T>(tiles);
  const MatrixView<R> z = in_reals(z_dev);
  const bool serves = back_transform_chase_fused_serves<R>(reals, z);
  if (how == ChaseBack::fused && !serves)
    throw InvalidArgument(
        Argument::z,
        "its lda, its alignment, the bandwidth or the GPU does not fit ChaseBack::fused; use automatic");
  if (from_host && how == ChaseBack::engine) how = ChaseBack::automatic;
  if constexpr (!is_complex<T>)
    if (how == ChaseBack::engine) return by_engine<T>(products, tiles, reflectors, z_dev, workspace, groups);
  const bool fused = serves && (how == ChaseBack::automatic || how == ChaseBack::fused);
  const std::int64_t of_tile = from_host ? SweepsFromHost<T>::of_tile(tiles) : 0;
  const auto w = from_host ? Workspace<T>::within(workspace, reals, z.cols, fused,
                                                  of_tile * static_cast<std::int64_t>(sizeof(T)),
                                                  back_transform_chase_slab_bytes / tile_bytes<T>(reals))
                           : Workspace<T>::within(workspace, reals, z.cols, fused);
  std::optional<SweepsFromHost<T>> sweeps;
  if (from_host)
    sweeps.emplace(queue, tiles, reflectors, workspace.take<T>(w.slab * of_tile), w.slab * of_tile);
  if constexpr (std::is_same_v<T, double>) {
    std::vector<double> shares;
    if (team && fused) shares = team->take_shares(products_of(tiles, z_dev.cols));
    if (!shares.empty()) {
      if (w.slab < tiles.tiles_from(0))
        throw std::logic_error(
            "the workspace of back_transform_chase() is too small for a team; it must be for cut = true");
      chase_factors(queue, tiles, reflectors, 0, tiles.groups() - 1, w.factors, w.v);
      return team->devices().run(cut_work(tiles, w.v, w.factors, z_dev), shares, column_granularity);
    }
  }
  if constexpr (in_planes<T>)
    if (fused) chase_split_parts(queue, z_dev);
  for (std::int64_t last = groups.end - 1, first = 0; last >= groups.first; last = first - 1) {
    const Slab slab = slab_down_from(reals, last, groups.first, w.slab);
    first = slab.first;
    const ChaseReflectors<const T> here = sweeps ? sweeps->fetch(first, last) : reflectors;
    const auto factored = [&] {
      if (sweeps) sweeps->used();
    };
    if constexpr (in_planes<T>)
      if (fused) {
        chase_to_planes(queue, tiles, here, first, last, w.factors, w.v);
        factored();
        back_transform_chase_in_planes(queue, reals, w.v, w.factors, first, last, z, w.words);
        continue;
      }
    if constexpr (is_complex<T>)
      chase_image_factors<T>(queue, tiles, here, first, last, w.factors, w.v);
    else
      chase_factors(queue, tiles, here, first, last, w.factors, w.v);
    factored();
    if (!fused) {
      by_products(queue, reals, first, last, z, w);
    } else if constexpr (std::is_same_v<R, float>) {
      chase_to_halves(queue, slab.tiles, w.v, w.factors, w.v_halves, w.t_halves);
      back_transform_chase_in_halves(queue, reals, w.v_halves, w.t_halves, first, last, z, w.words);
    } else {
      back_transform_chase_fused(queue, reals, w.v, w.factors, first, last, z, w.words);
    }
  }
  if constexpr (in_planes<T>)
    if (fused) chase_join_parts(queue, z_dev);
}

}  // namespace

template <class T>
std::uint64_t back_transform_chase_bytes(std::int64_t n, std::int64_t b, std::int64_t m, bool cut,
                                         std::int64_t slab) {
  const ChaseTiles tiles = in_reals<T>(chase_tiles<T>(n, b));
  if (tiles.groups() == 0 || m == 0) return 0;
  const std::int64_t all = tiles.tiles_from(0);
  const std::int64_t of_slab =
      cut && std::is_same_v<T, double> ? all : std::clamp(slab / tile_bytes<T>(tiles), tiles.steps(0), all);
  return bytes_for_slabs<T>(tiles, m, of_slab, 0);
}
template <class T>
std::uint64_t back_transform_chase_from_host_bytes(std::int64_t n, std::int64_t b, std::int64_t m,
                                                   std::int64_t slab) {
  const ChaseTiles of_t = chase_tiles<T>(n, b), tiles = in_reals<T>(of_t);
  if (tiles.groups() == 0 || m == 0) return 0;
  const std::int64_t of_slab = std::clamp(slab / tile_bytes<T>(tiles), tiles.steps(0), tiles.tiles_from(0));
  return bytes_for_slabs<T>(tiles, m, of_slab,
                            SweepsFromHost<T>::of_tile(of_t) * static_cast<std::int64_t>(sizeof(T))) +
         2 * Arena::alignment;
}

template <class T>
CutWork<T> back_transform_chase_cut(const ChaseTiles& tiles, MatrixView<T> z_dev) {
  if constexpr (std::is_same_v<T, double>)
    if (back_transform_chase_fused_serves<T>(tiles, z_dev))
      return {products_of(tiles, z_dev.cols), cut_work(tiles, z_dev.data, z_dev.data, z_dev)};
  return {};
}

template <class T>
void back_transform_chase(const Products<T>& products, const ChaseTiles& tiles,
                          const ChaseReflectors<const T>& reflectors, MatrixView<T> z_dev, Arena workspace,
                          ChaseBack how, SolveTeam<T>* team, ChaseGroups groups) {
  apply_slabs<T>(products, tiles, reflectors, z_dev, workspace, how, team, false, groups);
}
template <class T>
void back_transform_chase_from_host(const Products<T>& products, const ChaseTiles& tiles,
                                    const ChaseReflectors<const T>& reflectors, MatrixView<T> z_dev,
                                    Arena workspace, ChaseBack how) {
  apply_slabs<T>(products, tiles, reflectors, z_dev, workspace, how, nullptr, true, {});
}

EIGEN_G_INSTANTIATE(all_types, back_transform_chase, back_transform_chase_bytes,
                    back_transform_chase_from_host, back_transform_chase_from_host_bytes,
                    back_transform_chase_cut);

}  // namespace eigen_g
