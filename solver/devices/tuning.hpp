// SolverTuning: limits and sizes of the stages. CpuTuning: limits of a CPU that takes part. The values were measured on an H200 and on 16
// cores of its host. A file can replace them (hybrid/machine/tuning_file.hpp, sections "solver" and "cpu"). Measurements and rejected
// values: data/perf/DECISIONS.md.
#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "blas2/symv/symv_shapes.hpp"
#include "hybrid/machine/tuning_file.hpp"

namespace eigen_g {

// Shapes of the strips of A that the one-stage reduction walks; an instance of its kernel is compiled for each. High strips have few
// column sums. In low strips few blocks contribute to a strip's row sums, which matters if the triangle is small. Groups of eight columns
// keep more loads in flight, but then the blocks end at more different times.
inline constexpr std::array<blas2::SymvShapeParameters, 3> reduction_shapes{
    {{2, 4, 1, 4}, {4, 2, 1, 4}, {8, 1, 1, 8}}};

// A shape and its limits for the number of rows left to reduce: rows <= max_rows, and rows^2 <= max_share times the number of blocks.
struct ReductionStrips {
  static constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();
  std::size_t shape;  // index in reduction_shapes
  std::int64_t max_rows = any;
  std::int64_t max_share = any;
};

// Largest number of reflectors in a block: triangular_factors() keeps their tiles in registers.
inline constexpr std::int64_t triangular_factor_max_width = 512;

struct SolverTuning {
  // Driver
  // Smaller orders are solved on the CPU: there a GPU's round trips cost more than the work.
  std::int64_t min_order_on_gpu = 72;
  // Largest order for which the host waits for the check of A when the reduction is queued. A NaN in A then costs a reduction.
  std::int64_t max_order_late_check = 4096;
  // From this order on cuBLAS's kernels are loaded while A is copied. For smaller orders the first large merge loads them.
  std::int64_t min_order_with_cublas = 1025;
  // For smaller orders a quick calibration takes longer than helpers would save.
  std::int64_t min_order_to_calibrate_for = 2000;
  // Smallest order of a solve that keeps data in host memory (MemoryMode). Smaller ones would save nothing.
  std::int64_t min_order_out_of_core = 128;
  // Smallest number of slabs with MemoryMode::slabs and block_columns. A larger number than 1 is for tests.
  std::int64_t min_slabs = 1;

  // Reduction
  // The first entry whose limits are not exceeded is used. With the 264 blocks of an H200 the second entry is used up to 16000 rows.
  std::array<ReductionStrips, 3> reduction_strips{
      {{0, 6000, 970000}, {1, ReductionStrips::any, 970000}, {2}}};
  // Bytes of the largest possible shared memory that are left to L1, which holds the loads in flight. A GPU with less than
  // reduction_min_shared bytes per multiprocessor leaves nothing. Measured: DECISIONS.md, "Panel kernel".
  int reduction_left_to_l1 = 36 << 10, reduction_min_shared = 128 << 10;
  // Share of L2 in which a part of A stays from column to column.
  double reduction_kept_share_of_l2 = 0.35;
  // On a GPU with clusters of blocks one cluster reduces matrices up to these orders, and the last columns of larger ones; for float, double, and their
  // complex types. 0: none. The registers of a cluster hold 256 rows, or 192 of complex<double>.
  std::array<std::int64_t, 4> reduction_rows_in_cluster{160, 256, 128, 192};

  // Divide and conquer
  // On a GPU with clusters of blocks a level of at most dc_max_clusters merges, each with at most dc_max_rows_in_cluster rows, takes one launch or
  // two instead of six. 64 rows or fewer: no merge is a cluster's.
  std::int64_t dc_max_rows_in_cluster = 256, dc_max_clusters = 32;
  // Larger merges call cuBLAS one by one; smaller ones run together in one launch of dc_product.
  std::int64_t dc_max_rows_in_one_launch = 512;
  // Limits of the columns of U, which is 3/16 of a matrix. The lower limit keeps the GPU busy and is at least
  // dc_max_rows_in_one_launch. Beyond the upper limit products gain nothing, and the memory is saved.
  std::int64_t dc_min_panel_columns = 1024, dc_max_panel_columns = 4096;
  // On several GPUs rows of the last merge move from this order on. For smaller orders the meetings of the host's threads cost more than the moves
  // save.
  std::int64_t dc_min_order_of_moves = 16000;

  // Back-transformation
  // Up to this number of rows one kernel applies all blocks of reflectors.
  std::int64_t back_max_rows_of_panels = 1056;
  // Reflectors in a block. Wide blocks make fast products; narrow blocks need less additional work and workspace.
  // back_cut_width is for columns that are cut over a team. The CPU is faster with wide blocks, and each device has the additional work.
  std::int64_t back_width = 256, back_wide = 512, back_cut_width = 384;
  std::int64_t back_max_rows_narrow = 9000;  // larger orders use wide blocks
  // The limits if columns are cut over a team: larger orders use back_cut_width, and still larger ones wide blocks.
  std::int64_t back_cut_max_rows_narrow = 4000, back_cut_max_rows = 12000;
  // Orders from which Z is computed in two and in three groups of columns, so that one is copied to the host while the next is computed. A
  // copy takes less time than the computation. Narrow groups make the products slow.
  std::int64_t back_min_order_of_two_groups = 3000, back_min_order_of_three_groups = 6000;
  // Smallest number of columns of Z that a GPU of a team divides into two groups. The GPUs must reach each other's memory. Three groups need twice
  // this number. The two limits of the order hold too.
  std::int64_t back_min_columns_of_groups = 1000;
};

const SolverTuning&
solver_tuning();  // the values of this process; throws InvalidArgument for a damaged tuning file
SolverTuning solver_tuning_by(TuningValues values);  // the values above, except the replaced ones

// Tuning of a CPU as a helper, measured on 16 cores of the host of an H200.
struct CpuTuning {
  // Part of its measured rate with which a CPU is planned. A shared machine does not always reach the measured rate. A share that is too
  // large delays the whole solve in proportion; a share that is too small wastes only a part of the CPU.
  double planned_rate = 0.85;
  // flop/s that no core exceeds. If even this rate would not pay, the CPU is not used and not measured.
  double max_flops_of_core = 5e10;
  // Duration of a quick calibration.
  double quick_calibration_seconds = 0.8;
};
const CpuTuning& cpu_tuning();
CpuTuning cpu_tuning_by(TuningValues values);

}  // namespace eigen_g
