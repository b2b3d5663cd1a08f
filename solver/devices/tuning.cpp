#include "solver/devices/tuning.hpp"

#include <algorithm>
#include <string>

#include "hybrid/machine/fork.hpp"

namespace eigen_g {

namespace {

constexpr bool holds(const SolverTuning& t) {
  return std::max({t.back_width, t.back_wide, t.back_cut_width}) <= triangular_factor_max_width &&
         std::min({t.back_width, t.back_wide, t.back_cut_width, t.dc_min_panel_columns, t.min_slabs}) > 0 &&
         t.dc_max_rows_in_one_launch <= t.dc_min_panel_columns &&  // dc_product needs the whole U
         t.dc_max_rows_in_cluster <=
             std::min<std::int64_t>(256, t.dc_min_panel_columns) &&  // U of a merge is in the panel
         t.dc_min_panel_columns <= t.dc_max_panel_columns &&
         std::all_of(t.reduction_strips.begin(), t.reduction_strips.end(),
                     [](const ReductionStrips& s) { return s.shape < reduction_shapes.size(); }) &&
         t.reduction_strips.back().max_rows == ReductionStrips::any &&
         t.reduction_strips.back().max_share == ReductionStrips::any;
}
static_assert(holds(SolverTuning()));

}  // namespace

SolverTuning solver_tuning_by(TuningValues values) {
  SolverTuning t;
#define EIGEN_G_REPLACE(member) values.replace(#member, t.member)
  EIGEN_G_REPLACE(min_order_on_gpu);
  EIGEN_G_REPLACE(max_order_late_check);
  EIGEN_G_REPLACE(min_order_with_cublas);
  EIGEN_G_REPLACE(min_order_to_calibrate_for);
  EIGEN_G_REPLACE(min_order_out_of_core);
  EIGEN_G_REPLACE(min_slabs);
  EIGEN_G_REPLACE(reduction_left_to_l1);
  EIGEN_G_REPLACE(reduction_min_shared);
  EIGEN_G_REPLACE(reduction_kept_share_of_l2);
  EIGEN_G_REPLACE(dc_max_rows_in_cluster);
  EIGEN_G_REPLACE(dc_max_clusters);
  EIGEN_G_REPLACE(dc_max_rows_in_one_launch);
  EIGEN_G_REPLACE(dc_min_panel_columns);
  EIGEN_G_REPLACE(dc_max_panel_columns);
  EIGEN_G_REPLACE(dc_min_order_of_moves);
  EIGEN_G_REPLACE(back_max_rows_of_panels);
  EIGEN_G_REPLACE(back_width);
  EIGEN_G_REPLACE(back_wide);
  EIGEN_G_REPLACE(back_cut_width);
  EIGEN_G_REPLACE(back_max_rows_narrow);
  EIGEN_G_REPLACE(back_cut_max_rows_narrow);
  EIGEN_G_REPLACE(back_cut_max_rows);
  EIGEN_G_REPLACE(back_min_order_of_two_groups);
  EIGEN_G_REPLACE(back_min_order_of_three_groups);
  EIGEN_G_REPLACE(back_min_columns_of_groups);
#undef EIGEN_G_REPLACE
  for (std::size_t k = 0; k < t.reduction_strips.size(); ++k) {
    const std::string name = "reduction_strips/" + std::to_string(k);
    values.replace(name + "/shape", t.reduction_strips[k].shape);
    values.replace(name + "/max_rows", t.reduction_strips[k].max_rows);
    values.replace(name + "/max_share", t.reduction_strips[k].max_share);
  }
  for (std::size_t k = 0; k < t.reduction_rows_in_cluster.size(); ++k)
    values.replace("reduction_rows_in_cluster/" + std::to_string(k), t.reduction_rows_in_cluster[k]);
  values.finish(holds(t));
  return t;
}

const SolverTuning& solver_tuning() {
  static constinit MadeOnce<const SolverTuning> tuning;
  return tuning.get([] { return solver_tuning_by(TuningValues::of_environment("solver")); });
}

CpuTuning cpu_tuning_by(TuningValues values) {
  CpuTuning t;
  values.replace("planned_rate", t.planned_rate);
  values.replace("max_flops_of_core", t.max_flops_of_core);
  values.replace("quick_calibration_seconds", t.quick_calibration_seconds);
  values.finish();
  return t;
}

const CpuTuning& cpu_tuning() {
  static constinit MadeOnce<const CpuTuning> tuning;
  return tuning.get([] { return cpu_tuning_by(TuningValues::of_environment("cpu")); });
}

}  // namespace eigen_g
