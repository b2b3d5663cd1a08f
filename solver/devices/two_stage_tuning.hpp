// What was measured of the two-stage path, by compute capability. The values are those of an H200 (9.0); what else was measured:
// data/perf/DECISIONS.md, "Two stages".
#pragma once

#include <cstdint>

namespace eigen_g {

struct TwoStageTuning {
  // Reduction to a band
  // Columns whose update of the matrix is pending at most: few make a cheap panel, many make fast products.
  std::int64_t pending = 512, pending_wide = 1024;
  std::int64_t min_order_wide = 30000;  // takes the latter
  std::int64_t update_columns = 1024;   // of one product of the update, which makes its tile on the diagonal whole
};

const TwoStageTuning& two_stage_tuning();  // of CUDA's current GPU; without one, the first entry

}  // namespace eigen_g
