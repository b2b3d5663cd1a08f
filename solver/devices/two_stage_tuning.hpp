// TwoStageTuning: limits and sizes of the two-stage path. The values were measured on an H200. A file can replace them
// (hybrid/machine/tuning_file.hpp, section "two_stage"). Measurements: data/perf/DECISIONS.md, "Choice of the path".
#pragma once

#include <cstdint>
#include <limits>

#include "hybrid/machine/tuning_file.hpp"

namespace eigen_g {

// Smallest order for which the two-stage path is faster, with vectors and for values only.
struct PathOrders {
  std::int64_t with_vectors, of_values;
};

// Largest bandwidths (diagonals below the main one), with vectors and for values only.
struct GivenBands {
  std::int64_t with_vectors, of_values;
};

// Smallest orders of the two-stage path on the CPU.
struct OrdersOnCpu {
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
  std::int64_t of_real, of_complex;
};

struct TwoStageTuning {
  PathOrders orders_of_double{2113, 1650};
  PathOrders orders_of_float{2350, 2175};
  PathOrders orders_of_complex_double{2400, 1925};
  PathOrders orders_of_complex_float{3200, 2550};
  OrdersOnCpu orders_on_cpu{3500, OrdersOnCpu::never};
  std::int64_t bandwidth_on_cpu = 48;  // 32, 48 or 64

  // The widest given band that is chased directly. A matrix with a wider band is first reduced by full_to_band().
  GivenBands max_given_band{64, 128};

  // Reduction to a band
  // Largest number of columns whose update of the matrix is pending. Few need little memory (2 n values each); many make fast products.
  std::int64_t pending = 256, pending_wide = 512;
  std::int64_t min_order_wide = 16000;  // from this order on pending_wide is used
  // Columns of one product of the update. Each product computes its whole tile on the diagonal, both triangles.
  std::int64_t update_columns = 1024;
  // Smallest number of rows, 128 or more, of the panels that cholesky_panel() tries first. 2e9 or more: it tries none.
  std::int64_t min_rows_cholesky_panel = 128;

  // Several GPUs (team_backend.cpp)
  // Smallest orders for which several GPUs run all stages together if the path is automatic, for double and for float, real and complex.
  PathOrders orders_of_team{5000, 10000}, orders_of_team_in_float{10000, 20000};
  // Columns of a strip (dealt_columns.hpp): below min_order_of_strips, up to min_order_wide_strip, and from there on.
  std::int64_t strip_small = 256, strip = 2048, strip_wide = 4096;
  std::int64_t min_order_of_strips = 4096, min_order_wide_strip = 16000;
  std::int64_t packed_parts = 0;  // other than 0: the parts are packed, which halves the memory of A

  // One GPU with A in block columns: the lowest and the highest strip; multiples of 64. Between them a strip has a tenth of the columns.
  std::int64_t lowest_block = 256, highest_block = 4096;

  // Back-transformation of the chase by an engine: largest order of the matrices that many reflectors are multiplied to.
  std::int64_t engine_block_rows = 1024;
  // Largest order of these matrices that native products form. The engine multiplies four smaller ones to a larger one. The second value is for a
  // GPU that is slow in double (is_strong_in_double).
  std::int64_t engine_native_rows = 2048, engine_native_rows_slow = 512;
};

// Returns the values of this process. Throws InvalidArgument for a damaged tuning file.
const TwoStageTuning& two_stage_tuning();
TwoStageTuning two_stage_tuning_by(TuningValues values);  // the values above, except the replaced ones

}  // namespace eigen_g
