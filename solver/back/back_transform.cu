#include "solver/back/back_transform.hpp"

#include <algorithm>
#include <complex>

#include "gemm_df/adjoint.hpp"
#include "gemm_df/gemm.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/round_up.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/transfer/upload_slots.hpp"
#include "solver/back/back_transform_panel.hpp"
#include "solver/back/team_reflectors.hpp"
#include "solver/back/triangular_factor.hpp"
#include "solver/devices/solve_team.hpp"
#include "solver/devices/tuning.hpp"
#include "solver/reduction/two_stage/adjoint_product_of_few.hpp"
#include "solver/reduction/two_stage/band_layout.hpp"

namespace eigen_g {

namespace {

// Few rows take blocks of 64 reflectors. They come here only if the one kernel does not fit into shared memory, or if T is complex.
ReflectorBlocks blocks_of(std::int64_t n, bool cut = false) {
  const SolverTuning& t = solver_tuning();
  if (n <= t.back_max_rows_of_panels) return {n, 64};
  if (cut)
    return {n, n > t.back_cut_max_rows          ? t.back_wide
               : n > t.back_cut_max_rows_narrow ? t.back_cut_width
                                                : t.back_width};
  return {n, n > t.back_max_rows_narrow ? t.back_wide : t.back_width};
}

// The last of three groups is small, because no computation overlaps its copy to the host. With fewer than min_columns columns there is one group.
std::vector<ColumnRange> groups_of(std::int64_t n, std::int64_t m, std::int64_t min_columns) {
  const SolverTuning& t = solver_tuning();
  if (n < t.back_min_order_of_two_groups || m < min_columns) return split_columns(m, {1});
  const bool three = n >= t.back_min_order_of_three_groups && m >= 2 * t.back_min_columns_of_groups;
  const std::vector<double> shares = three ? std::vector<double>{5, 5, 2} : std::vector<double>{1, 1};
  return split_columns(m, shares, 128);
}

// Reflectors in host memory: the number of the first blocks, which are copied to the GPU for each group of columns. All other blocks are copied once, for
// all columns. A group leaves the GPU during the products of the next group with the first blocks. A quarter of the reflectors has almost half of the
// flops, so that these products take longer than the copy.
std::int64_t blocks_of_each_group(const ReflectorBlocks& blocks) {
  return std::min(blocks.count(), blocks.n / (4 * blocks.width) + 1);
}

template <class T>
MatrixView<const T> block_of(MatrixView<const T> a_dev, const ReflectorBlocks& blocks, std::int64_t b) {
  return a_dev.block(blocks.first(b), blocks.first(b), blocks.rows(b), blocks.columns(b));
}

// all_t: T of all blocks. passing: S of all blocks for computing T; later V^T Z, followed by T (V^T Z) or V T.
template <class T>
struct TriangularFactors {
  T *all_t, *passing;
  TriangularFactors(Arena& arena, const ReflectorBlocks& blocks, std::int64_t min_passing)
      : all_t(arena.take<T>(blocks.elements())),
        passing(arena.take<T>(std::max(blocks.elements(), min_passing))) {}
};

// Z := Z - V T V^T Z for one block. z: the block's rows. passing: 2 width m_all values. first_tau: tau of the matrix's first block, null for the
// others. If the first block has few reflectors, their rows of V^T Z are computed again by accurate sums.
template <class T>
void apply_block(const Products<T>& products, MatrixView<const T> v, MatrixView<const T> t, MatrixView<T> z,
                 std::int64_t width, std::int64_t m_all, T* passing, const T* first_tau) {
  const std::int64_t columns = v.cols, rows = v.rows;
  const MatrixView<T> vz{passing, columns, z.cols, width};
  T* const rest = passing + width * m_all;
  gemm(products, adjoint<T>, Op::none, 1, v, z, 0, vz);
  if (first_tau) product_with_few<T>(products.queue(), v, first_tau, z, vz);
  if (rows < z.cols) {
    const MatrixView<T> vt{rest, rows, columns, rows + rows % 2};
    gemm(products, Op::none, Op::none, 1, v, t, 0, vt);
    gemm(products, Op::none, Op::none, -1, vt, vz, 1, z);
  } else {
    const MatrixView<T> tvz{rest, columns, z.cols, width};
    gemm(products, Op::none, Op::none, 1, t, vz, 0, tvz);
    gemm(products, Op::none, Op::none, -1, v, tvz, 1, z);
  }
}

// The workspace of back_transform_from_host(). slot: elements of a slot for V
template <class T>
struct FromHostBuffers {
  T *all_t, *s, *passing;
  std::vector<T*> slots;

  FromHostBuffers(Arena& arena, const ReflectorBlocks& blocks, std::int64_t m)
      : all_t(arena.take<T>(blocks.elements())),
        s(arena.take<T>(blocks.width * blocks.width)),
        passing(arena.take<T>(2 * blocks.width * m)) {
    for (int k = 0; k < 2; ++k)
      slots.push_back(arena.take<T>(slot_rows(blocks.n) * std::min(blocks.width, blocks.n)));
  }
  static std::int64_t slot_rows(std::int64_t rows) { return round_up(rows, 16); }
};

}  // namespace

template <class T>
std::uint64_t back_transform_bytes(std::int64_t n, std::int64_t m) {
  const auto factors = [](const ReflectorBlocks& blocks, std::int64_t passing) {
    return bytes_taken([&](Arena& arena) { TriangularFactors<T>(arena, blocks, passing); });
  };
  const ReflectorBlocks blocks = blocks_of(n);
  return std::max({bytes_taken([&](Arena& arena) { arena.take<T>(back_transform_panels_workspace(n)); }),
                   factors(blocks_of(n, true), 0), factors(blocks, 2 * blocks.width * m)});
}

template <class T>
CutWork<T> back_transform_cut(MatrixView<const same_t<T>> a_dev, MatrixView<T> z_dev) {
  const std::int64_t n = a_dev.rows;
  if (n <= solver_tuning().back_max_rows_of_panels) return {};
  const ReflectorBlocks blocks = blocks_of(n, true);
  std::vector<ReflectorBlock<T>> list;
  for (std::int64_t b = blocks.count() - 1; b >= 0; --b) {
    const std::int64_t k = blocks.columns(b);
    list.push_back({blocks.first(b), block_of<T>(a_dev, blocks, b), a_dev.block(0, 0, k, k)});
  }
  return {back_transform_products(n, blocks.width, z_dev.cols, sizeof(T)), cut_reflectors<T>(list, z_dev)};
}

template <class T>
void back_transform(const Products<T>& products, MatrixView<const same_t<T>> a_dev, const same_t<T>* tau_dev,
                    MatrixView<same_t<T>> z_dev, Arena scratch_dev, [[maybe_unused]] SolveTeam<T>* team,
                    const std::function<void(ColumnRange)>& columns_ready) {
  const Queue& queue = products.queue();
  const std::int64_t n = a_dev.rows, m = z_dev.cols;
  const auto report_ready = [&](ColumnRange columns) {
    if (columns_ready && columns.count > 0) columns_ready(columns);
  };
  if (n < 2 || m == 0) return report_ready({0, m});
  if constexpr (!is_complex<T>)
    if (n <= solver_tuning().back_max_rows_of_panels && back_transform_panels_fit<T>(n)) {
      back_transform_panels(queue, a_dev, tau_dev, z_dev,
                            scratch_dev.take<T>(back_transform_panels_workspace(n)));
      return report_ready({0, m});
    }
  std::vector<double> shares;
  if constexpr (!is_complex<T>)
    if (team && n > solver_tuning().back_max_rows_of_panels)
      shares = team->take_shares(back_transform_products(n, blocks_of(n, true).width, m, sizeof(T)));
  const ReflectorBlocks blocks = blocks_of(n, !shares.empty());
  const TriangularFactors<T> factors(scratch_dev, blocks, shares.empty() ? 2 * blocks.width * m : 0);
  T *const all_t = factors.all_t, *const passing = factors.passing;
  triangular_factors(queue, blocks, a_dev, tau_dev, passing, all_t);

  const auto v_of = [&](std::int64_t b) { return block_of<T>(a_dev, blocks, b); };
  const auto t_of = [&](std::int64_t b) {
    return MatrixView<const T>{all_t + b * blocks.width * blocks.width, blocks.columns(b), blocks.columns(b),
                               blocks.width};
  };
  if constexpr (!is_complex<T>)
    if (!shares.empty()) {
      std::vector<ReflectorBlock<T>> list;
      for (std::int64_t b = blocks.count() - 1; b >= 0; --b)
        list.push_back({blocks.first(b), v_of(b), t_of(b)});
      apply_reflectors(team->devices(), shares, list, z_dev, &products);
      return report_ready({0, m});
    }
  for (const ColumnRange group : columns_ready ? groups_of(n, m, solver_tuning().back_min_order_of_two_groups)
                                               : split_columns(m, {1})) {
    for (std::int64_t b = blocks.count() - 1; b >= 0; --b) {  // Z := Z - V T V^T Z
      const MatrixView<T> z = z_dev.block(blocks.first(b), group.first, blocks.rows(b), group.count);
      apply_block<T>(products, v_of(b), t_of(b), z, blocks.width, m, passing, b == 0 ? tau_dev : nullptr);
    }
    report_ready(group);
  }
}

template <class T>
std::uint64_t back_transform_from_host_bytes(std::int64_t n, std::int64_t m) {
  return bytes_taken([&](Arena& arena) { FromHostBuffers<T>(arena, blocks_of(n), m); });
}

template <class T>
void back_transform_from_host(const Products<T>& products, MatrixView<const same_t<T>> a, bool of_band,
                              const same_t<T>* tau_dev, MatrixView<same_t<T>> z_dev, Arena scratch_dev,
                              const std::function<void(ColumnRange)>& columns_ready) {
  const ReflectorPieces<same_t<T>> whole{[a](std::int64_t first, std::int64_t count, const auto& take) {
    take(a.block(first, first, a.rows - first, count), 0);
  }};
  back_transform_from_pieces<T>(products, a.rows, whole, of_band, tau_dev, z_dev, scratch_dev, columns_ready);
}

template <class T>
void back_transform_from_pieces(const Products<T>& products, std::int64_t n,
                                const ReflectorPieces<same_t<T>>& pieces, bool of_band,
                                const same_t<T>* tau_dev, MatrixView<same_t<T>> z_dev, Arena scratch_dev,
                                const std::function<void(ColumnRange)>& columns_ready) {
  const Queue& queue = products.queue();
  const std::int64_t m = z_dev.cols;
  const auto report_ready = [&](ColumnRange columns) {
    if (columns_ready && columns.count > 0) columns_ready(columns);
  };
  if (n < 2 || m == 0) return report_ready({0, m});
  const ReflectorBlocks blocks = blocks_of(n);
  const FromHostBuffers<T> at(scratch_dev, blocks, m);
  UploadSlots<T> slots(queue, at.slots);
  // Applies the blocks before `end` down to block `begin` to the columns of a group.
  const auto apply = [&](std::int64_t begin, std::int64_t end, ColumnRange group, bool has_t) {
    for (std::int64_t b = end - 1; b >= begin; --b) {
      const std::int64_t first = blocks.first(b), rows = blocks.rows(b), columns = blocks.columns(b);
      const MatrixView<T> v = slots.open(rows, columns, FromHostBuffers<T>::slot_rows(rows));
      pieces.give(first, columns, [&](MatrixView<const T> piece, std::int64_t column) {
        slots.fetch_more(piece, v.block(0, column, rows, piece.cols));
      });
      // v_j begins in row j for a band, and in row j + 1 for a tridiagonal matrix.
      clear_above(queue, of_band ? v : MatrixView<T>{v.data - v.lda, v.rows, v.cols + 1, v.lda});
      T* const t = at.all_t + b * blocks.width * blocks.width;
      if (!has_t) triangular_factor<T>(queue, blocks.width, v, tau_dev + first, at.s, t);
      apply_block<T>(products, v, {t, columns, columns, blocks.width},
                     z_dev.block(first, group.first, rows, group.count), blocks.width, m, at.passing,
                     b == 0 ? tau_dev : nullptr);
      slots.used();
    }
  };
  // The products of a group with the first blocks must take longer than the copies of these blocks. If the copies come from host memory, a small
  // number of columns has two groups at most.
  const auto groups_by_place = [&] {
    const SolverTuning& t = solver_tuning();
    if (!columns_ready) return split_columns(m, {1});
    if (pieces.on_gpus) return groups_of(n, m, t.back_min_columns_of_groups);
    return groups_of(std::min(n, m), m, t.back_min_order_of_two_groups);
  };
  const std::vector<ColumnRange> groups = groups_by_place();
  const std::int64_t again = groups.size() > 1 ? blocks_of_each_group(blocks) : 0;
  apply(again, blocks.count(), {0, m}, false);
  for (const ColumnRange group : groups) {
    apply(0, again, group, group.first > 0);
    report_ready(group);
  }
}

template <class T>
void multiply_by_q(const Products<T>& products, Side side, Trans trans, MatrixView<const same_t<T>> a_dev,
                   const same_t<T>* tau_dev, MatrixView<same_t<T>> z_dev, Arena scratch_dev) {
  const bool right = side == Side::right, conjugated = trans == Trans::adjoint;
  if (!right && !conjugated) return back_transform<T>(products, a_dev, tau_dev, z_dev, scratch_dev);
  const std::int64_t n = a_dev.rows, m = right ? z_dev.rows : z_dev.cols;
  if (n < 2 || m == 0) return;
  const ReflectorBlocks blocks = blocks_of(n);
  const TriangularFactors<T> factors(scratch_dev, blocks, 2 * blocks.width * m);
  triangular_factors(products.queue(), blocks, a_dev, tau_dev, factors.passing, factors.all_t);
  const Op op = conjugated ? adjoint<T> : Op::none;
  const std::int64_t w = blocks.width, count = blocks.count();
  // Q = B_1 B_2 ... with B = I - V T V^H. The blocks of Q^H Z and of Z Q come in ascending order.
  for (std::int64_t step = 0; step < count; ++step) {
    const std::int64_t b = right == conjugated ? count - 1 - step : step, first = blocks.first(b),
                       rows = blocks.rows(b), columns = blocks.columns(b);
    const MatrixView<const T> v = block_of<T>(a_dev, blocks, b),
                              t{factors.all_t + b * w * w, columns, columns, w};
    T *const product = factors.passing, *const rest = factors.passing + w * m;
    if (right) {
      const MatrixView<T> z = z_dev.block(0, first, m, rows), zv{product, m, columns, m},
                          zvt{rest, m, columns, m};
      gemm(products, Op::none, Op::none, 1, z, v, 0, zv);
      gemm(products, Op::none, op, 1, zv, t, 0, zvt);
      gemm(products, Op::none, adjoint<T>, -1, zvt, v, 1, z);
    } else {
      const MatrixView<T> z = z_dev.block(first, 0, rows, m), vz{product, columns, m, w},
                          tvz{rest, columns, m, w};
      gemm(products, adjoint<T>, Op::none, 1, v, z, 0, vz);
      gemm(products, op, Op::none, 1, t, vz, 0, tvz);
      gemm(products, Op::none, Op::none, -1, v, tvz, 1, z);
    }
  }
}

EIGEN_G_INSTANTIATE(all_types, back_transform, back_transform_bytes, back_transform_from_host,
                    back_transform_from_host_bytes, back_transform_from_pieces, multiply_by_q);
EIGEN_G_INSTANTIATE(real_types, back_transform_cut);

}  // namespace eigen_g
