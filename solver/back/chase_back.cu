// The way by products. In a slab of groups, tile (group, step) belongs to wave step + (last group - group): its rows begin where
// those of the next tile of the wave, (group - 1, step - 1), ended b + width rows later, so the tiles of a wave have no row in
// common, and every tile that must come earlier is in an earlier wave. A wave is three batched products on V and T written out.
#include "solver/back/chase_back.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "gemm_df/gemm.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/back/chase_back_fused.hpp"
#include "solver/back/chase_factor.hpp"
#include "solver/back/chase_halves.hpp"
#include "solver/back/chase_image.hpp"
#include "solver/back/chase_planes.hpp"
#include "solver/devices/solve_team.hpp"

namespace eigen_g {

namespace {

constexpr std::int64_t slab_bytes = std::int64_t{1} << 30, wave_bytes = std::int64_t{1} << 28;

// The factors, and the kernels' V or its halves, are made from doubles.
template <class T>
constexpr bool has_wide_v = !std::is_same_v<T, double>;

// Z of floats, by the kernel in halves.
template <class T>
bool by_halves(const ChaseTiles& reals) {
  return std::is_same_v<real_t<T>, float> && reals.b == 64;
}

// Z of complex doubles, by the kernel in planes.
template <class T>
constexpr bool in_planes = std::is_same_v<T, std::complex<double>>;

// What both ways work on: complex matrices and their tiles as their images.
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

// Doubles of a tile's factor, or Y in planes, which V in planes is shorter than.
template <class T>
std::int64_t factor_size(const ChaseTiles& tiles) {
  const std::int64_t factor = chase_factor_size(tiles.width);
  return in_planes<T> ? std::max<std::int64_t>(factor, chase_planes::y_size) : factor;
}

// Consecutive groups whose factors, and V in double, take no more than slab_bytes, or one group that alone takes more.
struct Slab {
  std::int64_t first, tiles;
};
template <class T>
Slab slab_down_from(const ChaseTiles& tiles, std::int64_t last) {
  const std::int64_t numbers = factor_size<T>(tiles) + (has_wide_v<T> ? tiles.tile_size() : 0) +
                               (by_halves<T>(tiles) ? chase_halves::v_size + chase_halves::t_size : 0);
  const std::int64_t at_most = slab_bytes / (numbers * static_cast<std::int64_t>(sizeof(double)));
  Slab slab{last, tiles.steps(last)};
  while (slab.first > 0 && slab.tiles + tiles.steps(slab.first - 1) <= at_most)
    slab.tiles += tiles.steps(--slab.first);
  return slab;
}
// Of a step that goes to further GPUs: no copy of V is as long as 2 GiB.
std::int64_t step_groups(const ChaseTiles& tiles) {
  if (tiles.groups() == 0) return 0;
  const std::int64_t group =
      tiles.steps(0) * chase_factor_size(tiles.width) * static_cast<std::int64_t>(sizeof(double));
  return (std::clamp<std::int64_t>(slab_bytes / group, 1, tiles.groups()) + 3) / 4;
}
std::int64_t max_tiles_of_a_wave(const ChaseTiles& tiles) {
  return tiles.n / (tiles.b + tiles.width) + 1;
}
template <class T>
std::int64_t columns_at_once(const ChaseTiles& tiles, std::int64_t m) {
  const std::int64_t column =
      2 * max_tiles_of_a_wave(tiles) * tiles.width * static_cast<std::int64_t>(sizeof(real_t<T>));
  return std::clamp<std::int64_t>(wave_bytes / column, 1, std::max<std::int64_t>(m, 1));
}

// Both ways' needs, of tiles in reals; they share the memory behind the factors.
template <class T>
struct Workspace {
  using R = real_t<T>;
  std::int64_t columns;
  double *factors, *wide_v;
  double *v_halves, *t_halves;
  int* words;
  R *v, *t, *x, *tx;  // of a wave

  Workspace(Arena& arena, const ChaseTiles& tiles, std::int64_t m, bool cut)
      : columns(columns_at_once<T>(tiles, m)) {
    const std::int64_t width = tiles.width, at_once = max_tiles_of_a_wave(tiles);
    std::int64_t of_slab = 0, groups = 0;  // of the longest slab, of that with most groups
    for (std::int64_t last = tiles.groups() - 1; last >= 0;) {
      const Slab slab = slab_down_from<T>(tiles, last);
      of_slab = std::max(of_slab, slab.tiles);
      groups = std::max(groups, last - slab.first + 1);
      last = slab.first - 1;
    }
    wide_v = arena.take<double>(has_wide_v<T> ? of_slab * tiles.tile_size() : 0);
    factors =
        arena.take<double>((cut ? std::max(tiles.tiles_from(0), of_slab) : of_slab) * factor_size<T>(tiles));
    const std::int64_t in_halves = by_halves<T>(tiles) ? of_slab : 0;
    v_halves = arena.take<double>(in_halves * chase_halves::v_size);
    t_halves = arena.take<double>(in_halves * chase_halves::t_size);
    words = arena.take<int>(chase_back_fused_words(groups, m));
    v = arena.take<R>(at_once * (tiles.b + width) * width);
    t = arena.take<R>(at_once * width * width);
    x = arena.take<R>(at_once * width * columns);
    tx = arena.take<R>(at_once * width * columns);
  }
};

// Tiles of a wave, numbered downwards the matrix: tile k is (group + k, step + k).
struct Wave {
  std::int64_t group, step, count;
};

// V, (b + width) x width, and -T, width x width, of tile blockIdx.x.
template <class T, class V>
__global__ void write_out_kernel(ChaseTiles tiles, Wave wave, std::int64_t last_group, const V* all_v,
                                 const double* all_factors, T* all_dense_v, T* all_dense_t) {
  __shared__ std::int64_t place;
  const int width = static_cast<int>(tiles.width), b = static_cast<int>(tiles.b), rows = b + width;
  if (threadIdx.x == 0) {
    place = wave.step + blockIdx.x;
    for (std::int64_t g = last_group; g > wave.group + blockIdx.x; --g) place += tiles.steps(g);
  }
  __syncthreads();
  const V* const v = all_v + place * tiles.tile_size();
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

// Z := (I - V T V^T) Z for `count` tiles from k on, `rows` rows each, which stand b + width rows apart.
template <class T>
void apply_tiles(const Products<T>& products, bool by_engine, const ChaseTiles& tiles, const Workspace<T>& w,
                 std::int64_t k, std::int64_t count, MatrixView<real_t<T>> z) {
  using R = real_t<T>;
  const std::int64_t width = tiles.width, rows = tiles.b + width, m = z.cols;
  if (count == 0) return;
  const MatrixView<const R> v{w.v + k * rows * width, z.rows, width, rows},
      t{w.t + k * width * width, width, width, width};
  const MatrixView<R> x{w.x, width, m, width}, tx{w.tx, width, m, width};
  const std::int64_t v_apart = rows * width, t_apart = width * width, x_apart = width * m;
  if constexpr (!is_complex<T>)
    if (by_engine) {
      for (std::int64_t i = 0; i < count; ++i) {
        const auto at = [i](MatrixView<const T> first, std::int64_t apart) {
          return MatrixView<const T>{first.data + i * apart, first.rows, first.cols, first.lda};
        };
        const MatrixView<T> own{z.data + i * rows, z.rows, m, z.lda};
        products.gemm(Op::transpose, Op::none, 1, at(v, v_apart), own, 0, x);
        products.gemm(Op::none, Op::none, 1, at(t, t_apart), x, 0, tx);
        products.gemm(Op::none, Op::none, 1, at(v, v_apart), tx, 1, own);
      }
      return;
    }
  const Queue& queue = products.queue();
  gemm_batched<R>(queue, {count, v_apart, rows, x_apart}, Op::transpose, Op::none, 1, v, z, 0, x);
  gemm_batched<R>(queue, {count, t_apart, x_apart, x_apart}, Op::none, Op::none, 1, t, x, 0, tx);
  gemm_batched<R>(queue, {count, v_apart, x_apart, rows}, Op::none, Op::none, 1, v, tx, 1, z);
}

template <class T, class V>
void by_products(const Products<T>& products, bool by_engine, const ChaseTiles& tiles, const V* v,
                 std::int64_t first_group, std::int64_t last_group, MatrixView<real_t<T>> z,
                 const Workspace<T>& w) {
  const Queue& queue = products.queue();
  const std::int64_t apart = tiles.b + tiles.width;
  for (std::int64_t number = 0; number <= tiles.steps(first_group) - 1 + last_group - first_group; ++number) {
    // Tile i from below: group last_group - i, step number - i.
    const std::int64_t highest = std::min(number, last_group - first_group);
    std::int64_t lowest = 0;
    while (lowest <= highest && number - lowest >= tiles.steps(last_group - lowest)) ++lowest;
    if (lowest > highest) continue;
    const Wave wave{last_group - highest, number - highest, highest - lowest + 1};
    write_out_kernel<<<static_cast<unsigned>(wave.count), 256, 0, queue.stream()>>>(tiles, wave, last_group,
                                                                                    v, w.factors, w.v, w.t);
    EIGEN_G_LAUNCHED();
    const std::int64_t row = tiles.first_row(wave.group, wave.step);
    const bool cut = row + wave.count * apart > z.rows;  // the last tile reaches beyond the matrix
    const std::int64_t whole = wave.count - cut, below = row + whole * apart;
    for (std::int64_t column = 0; column < z.cols; column += w.columns) {
      const std::int64_t columns = std::min(w.columns, z.cols - column);
      apply_tiles(products, by_engine, tiles, w, 0, whole, z.block(row, column, apart, columns));
      if (cut)
        apply_tiles(products, by_engine, tiles, w, whole, 1, z.block(below, column, z.rows - below, columns));
    }
  }
}

// Columns over further GPUs, in double.
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

// `factors`: of all tiles.
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
    chase_back_fused(queue, tiles, copies[0].data, copies[1].data, first, last, own.columns,
                     reinterpret_cast<int*>(own.scratch.data));
  };
  ColumnWork<double> work;
  work.columns_dev = z_dev;
  // A column's part holds the words of a matrix of one column: those of m columns are fewer than m times as many.
  work.scratch_rows =
      (chase_back_fused_words(at_once, 1) * static_cast<std::int64_t>(sizeof(int)) - 1) / sizeof(double) + 1;
  work.steps = (tiles.groups() + at_once - 1) / std::max<std::int64_t>(at_once, 1);
  work.blocks = blocks;
  work.on_gpu = on_gpu;
  work.on_first = [=, steps = work.steps](const Queue& queue, const OwnColumns<double>& own) {
    for (std::int64_t step = 0; step < steps; ++step) on_gpu(queue, step, blocks(step, own.range), own);
  };
  return work;
}

}  // namespace

template <class T>
std::uint64_t chase_back_bytes(std::int64_t n, std::int64_t b, std::int64_t m, bool cut) {
  return bytes_taken([&](Arena& arena) {
    Workspace<T>(arena, in_reals<T>(chase_tiles<T>(n, b)), m, cut && !has_wide_v<T>);
  });
}

template <class T>
CutWork<T> chase_back_cut(const ChaseTiles& tiles, const ChaseReflectors<const T>& reflectors,
                          MatrixView<T> z_dev) {
  if constexpr (!has_wide_v<T>)
    if (chase_back_fused_serves<T>(tiles, z_dev))
      return {products_of(tiles, z_dev.cols), cut_work(tiles, reflectors.v, reflectors.v, z_dev)};
  return {};
}

template <class T>
void chase_back(const Products<T>& products, const ChaseTiles& tiles,
                const ChaseReflectors<const T>& reflectors, MatrixView<T> z_dev, Arena workspace,
                ChaseBack how, SolveTeam<T>* team) {
  if (tiles.groups() == 0 || z_dev.cols == 0) return;
  using R = real_t<T>;
  const Queue& queue = products.queue();
  const ChaseTiles reals = in_reals<T>(tiles);
  const MatrixView<R> z = in_reals(z_dev);
  const bool serves = chase_back_fused_serves<R>(reals, z);
  if (how == ChaseBack::fused && !serves)
    throw InvalidArgument(Argument::z, "the fused way does not serve this bandwidth, lda or GPU");
  const Workspace<T> w(workspace, reals, z.cols, team && !has_wide_v<T>);
  const bool fused = serves && (how == ChaseBack::automatic || how == ChaseBack::fused);
  if constexpr (!has_wide_v<T>) {
    std::vector<double> shares;
    if (team && fused) shares = team->take_shares(products_of(tiles, z_dev.cols));
    if (!shares.empty()) {
      chase_factors(queue, tiles, reflectors, 0, tiles.groups() - 1, w.factors);
      return team->devices().run(cut_work(tiles, reflectors.v, w.factors, z_dev), shares, column_granularity);
    }
  }
  if constexpr (in_planes<T>)
    if (fused) chase_split_parts(queue, z_dev);
  for (std::int64_t last = tiles.groups() - 1, first = 0; last >= 0; last = first - 1) {
    const Slab slab = slab_down_from<T>(reals, last);
    first = slab.first;
    if constexpr (in_planes<T>)
      if (fused) {
        chase_to_planes(queue, tiles, reflectors, first, last, w.factors, w.wide_v);
        chase_back_in_planes(queue, reals, w.wide_v, w.factors, first, last, z, w.words);
        continue;
      }
    if constexpr (is_complex<T>)
      chase_image_factors<T>(queue, tiles, reflectors, first, last, w.factors, w.wide_v);
    else
      chase_factors(queue, tiles, reflectors, first, last, w.factors, fused ? w.wide_v : nullptr);
    const auto* const v = [&] {
      if constexpr (is_complex<T>)
        return static_cast<const double*>(w.wide_v);
      else
        return reflectors.v + tiles.tiles_from(last + 1) * tiles.tile_size();
    }();
    if (!fused) {
      by_products(products, how == ChaseBack::engine, reals, v, first, last, z, w);
      continue;
    }
    if constexpr (std::is_same_v<R, float>) {
      chase_to_halves(queue, slab.tiles, w.wide_v, w.factors, w.v_halves, w.t_halves);
      chase_back_in_halves(queue, reals, w.v_halves, w.t_halves, first, last, z, w.words);
    } else {
      chase_back_fused(queue, reals, v, w.factors, first, last, z, w.words);
    }
  }
  if constexpr (in_planes<T>)
    if (fused) chase_join_parts(queue, z_dev);
}

template std::uint64_t chase_back_bytes<double>(std::int64_t, std::int64_t, std::int64_t, bool);
template void chase_back<double>(const Products<double>&, const ChaseTiles&,
                                 const ChaseReflectors<const double>&, MatrixView<double>, Arena, ChaseBack,
                                 SolveTeam<double>*);
template CutWork<double> chase_back_cut(const ChaseTiles&, const ChaseReflectors<const double>&,
                                        MatrixView<double>);
template std::uint64_t chase_back_bytes<float>(std::int64_t, std::int64_t, std::int64_t, bool);
template void chase_back<float>(const Products<float>&, const ChaseTiles&,
                                const ChaseReflectors<const float>&, MatrixView<float>, Arena, ChaseBack,
                                SolveTeam<float>*);
template CutWork<float> chase_back_cut(const ChaseTiles&, const ChaseReflectors<const float>&,
                                       MatrixView<float>);
template std::uint64_t chase_back_bytes<std::complex<double>>(std::int64_t, std::int64_t, std::int64_t, bool);
template void chase_back<std::complex<double>>(const Products<std::complex<double>>&, const ChaseTiles&,
                                               const ChaseReflectors<const std::complex<double>>&,
                                               MatrixView<std::complex<double>>, Arena, ChaseBack,
                                               SolveTeam<std::complex<double>>*);
template CutWork<std::complex<double>> chase_back_cut(const ChaseTiles&,
                                                      const ChaseReflectors<const std::complex<double>>&,
                                                      MatrixView<std::complex<double>>);
template std::uint64_t chase_back_bytes<std::complex<float>>(std::int64_t, std::int64_t, std::int64_t, bool);
template void chase_back<std::complex<float>>(const Products<std::complex<float>>&, const ChaseTiles&,
                                              const ChaseReflectors<const std::complex<float>>&,
                                              MatrixView<std::complex<float>>, Arena, ChaseBack,
                                              SolveTeam<std::complex<float>>*);
template CutWork<std::complex<float>> chase_back_cut(const ChaseTiles&,
                                                     const ChaseReflectors<const std::complex<float>>&,
                                                     MatrixView<std::complex<float>>);

}  // namespace eigen_g
