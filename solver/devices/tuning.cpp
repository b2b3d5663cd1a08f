#include "solver/devices/tuning.hpp"

#include <algorithm>

#include "hybrid/machine/tuning.hpp"

namespace eigen_g {

namespace {

constexpr std::array<TunedFor<SolverTuning>, 1> solver_tunings{{{90, {}}}};

constexpr bool holds(const SolverTuning& t) {
  return std::max({t.back_width, t.back_wide, t.back_cut_width}) <= triangular_factor_max_width &&
         t.dc_max_rows_in_one_launch <= t.dc_min_panel_columns &&  // dc_product takes U whole
         std::all_of(t.reduction_strips.begin(), t.reduction_strips.end(),
                     [](const ReductionStrips& s) { return s.shape < reduction_shapes.size(); }) &&
         t.reduction_strips.back().max_rows == ReductionStrips::any &&
         t.reduction_strips.back().max_share == ReductionStrips::any;
}
static_assert(std::all_of(solver_tunings.begin(), solver_tunings.end(),
                          [](const auto& e) { return holds(e.tuning); }));

}  // namespace

const SolverTuning& solver_tuning(int capability) {
  return tuning_for(capability, solver_tunings);
}

const SolverTuning& solver_tuning() {
  return solver_tuning(current_capability());
}

}  // namespace eigen_g
