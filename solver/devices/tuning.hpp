// What was measured of the stages, by compute capability. The values are those of an H200 (9.0) and, where a CPU takes part,
// 16 cores of its host; what else was measured: data/perf/DECISIONS.md.
#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "blas2/symv/symv_shapes.hpp"

namespace eigen_g {

// Strips of A that the reduction walks: the instances of its kernel that are compiled. High strips have few column sums. In
// low ones a strip's row sums come from few blocks, which counts where the triangle is small. Groups of eight columns keep
// more loads under way, but blocks end at more different times.
inline constexpr std::array<blas2::SymvShapeParameters, 3> reduction_shapes{
    {{2, 4, 1, 4}, {4, 2, 1, 4}, {8, 1, 1, 8}}};

// A shape and the rows left to reduce up to which it is taken: max_rows, and rows^2 = max_share a block of the grid.
struct ReductionStrips {
  static constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();
  std::size_t shape;  // of reduction_shapes
  std::int64_t max_rows = any;
  std::int64_t max_share = any;
};

// Reflectors of a block, at most: what triangular_factors() keeps on the chip.
inline constexpr std::int64_t triangular_factor_max_width = 512;

struct SolverTuning {
  // Driver
  // Smaller orders go to the CPU: a GPU's round trips cost more than the work does there.
  std::int64_t min_order_on_gpu = 72;
  // From here on cuBLAS's kernels, 40 ms once a process, are loaded while A travels; below, by the first large merge.
  std::int64_t min_order_with_cublas = 1025;
  // A quick calibration takes longer than what helpers would save of a smaller solve.
  std::int64_t min_order_to_calibrate_for = 2000;

  // Reduction
  // The first whose limits are not exceeded: 264 blocks of an H200 take the second up to 16000 rows.
  std::array<ReductionStrips, 3> reduction_strips{
      {{0, 6000, 970000}, {1, ReductionStrips::any, 970000}, {2}}};
  // Bytes of the largest possible shared memory that are left to L1, where loads under way have their place: with 28 KB of L1
  // the pass over A takes 4 to 6 % longer than with 60 KB. A GPU with less than the second a multiprocessor leaves none.
  int reduction_left_to_l1 = 36 << 10, reduction_min_shared = 128 << 10;
  // Of the matrix, share of L2 that keeps its lines from column to column.
  double reduction_kept_share_of_l2 = 0.35;

  // Divide and conquer
  // Merges of more rows go to cuBLAS one by one, smaller ones through dc_product together.
  std::int64_t dc_max_rows_in_one_launch = 512;
  // U is 3/16 of a matrix, but never so narrow that products with it leave a GPU idle (at least the rows above), nor wider than
  // they gain by: n = 65000 in two stages takes 3.07 n^2 numbers in place of 3.19.
  std::int64_t dc_min_panel_columns = 1024, dc_max_panel_columns = 4096;

  // Back-transformation
  // Up to so many rows one kernel applies all panels of reflectors.
  std::int64_t back_max_rows_of_panels = 1056;
  // Reflectors a block: wide ones make fast products, narrow ones less work beside them and a smaller workspace. Where columns
  // are cut over a team, OpenBLAS's own block of the inner dimension, 384, suits the CPU.
  std::int64_t back_width = 256, back_wide = 512, back_cut_width = 384;
  std::int64_t back_max_rows_narrow = 9000;  // more take wide blocks
  std::int64_t back_cut_max_rows_narrow = 4000,
               back_cut_max_rows = 12000;  // cut: more take back_cut_width, then wide blocks
  // Orders from which Z goes in two groups of columns, and in three, so that one travels while the next is computed. A group
  // travels (55 GB/s) in a third of the time that the GPU needs for it at n = 10000. Narrow groups make products slow.
  std::int64_t back_min_order_of_two_groups = 3000, back_min_order_of_three_groups = 6000;
};

const SolverTuning& solver_tuning(int capability);
const SolverTuning&
solver_tuning();  // of CUDA's current GPU; in a build or on a machine without one, the first entry

// CPUs, as measured on 16 cores beside an H200.
struct CpuTuning {
  // Part of its measured rate that a CPU is planned with: in a team 16 cores of a shared machine reached 0.85 to 0.95 of it, at
  // times less. A share too large delays the whole solve in proportion; one too small loses only the CPU's missing part.
  double planned_rate = 0.85;
  // Flop/s that no core is expected to exceed, by which a GPU that a CPU would not help is left alone.
  double max_flops_of_core = 5e10;
  // Seconds of a quick calibration.
  double quick_calibration_seconds = 0.8;
};
inline constexpr CpuTuning cpu_tuning{};

}  // namespace eigen_g
