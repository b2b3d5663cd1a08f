#include "solver/devices/two_stage_tuning.hpp"

#include <string>

#include "hybrid/machine/fork.hpp"

namespace eigen_g {

TwoStageTuning two_stage_tuning_by(TuningValues values) {
  TwoStageTuning t;
  // PathOrders and GivenBands have the same two members.
  const auto replace_pair = [&](const std::string& name, auto& pair) {
    values.replace(name + "/with_vectors", pair.with_vectors);
    values.replace(name + "/of_values", pair.of_values);
  };
  replace_pair("orders_of_double", t.orders_of_double);
  replace_pair("orders_of_float", t.orders_of_float);
  replace_pair("orders_of_complex_double", t.orders_of_complex_double);
  replace_pair("orders_of_complex_float", t.orders_of_complex_float);
  values.replace("orders_on_cpu/of_real", t.orders_on_cpu.of_real);
  values.replace("orders_on_cpu/of_complex", t.orders_on_cpu.of_complex);
  values.replace("bandwidth_on_cpu", t.bandwidth_on_cpu);
  replace_pair("max_given_band", t.max_given_band);
  values.replace("pending", t.pending);
  values.replace("pending_wide", t.pending_wide);
  values.replace("min_order_wide", t.min_order_wide);
  values.replace("update_columns", t.update_columns);
  values.replace("min_rows_cholesky_panel", t.min_rows_cholesky_panel);
  replace_pair("orders_of_team", t.orders_of_team);
  replace_pair("orders_of_team_in_float", t.orders_of_team_in_float);
  values.replace("strip_small", t.strip_small);
  values.replace("strip", t.strip);
  values.replace("strip_wide", t.strip_wide);
  values.replace("min_order_of_strips", t.min_order_of_strips);
  values.replace("min_order_wide_strip", t.min_order_wide_strip);
  values.replace("packed_parts", t.packed_parts);
  values.replace("lowest_block", t.lowest_block);
  values.replace("highest_block", t.highest_block);
  values.replace("engine_block_rows", t.engine_block_rows);
  values.replace("engine_native_rows", t.engine_native_rows);
  values.replace("engine_native_rows_slow", t.engine_native_rows_slow);
  values.finish(t.pending > 0 && t.pending_wide > 0 && t.update_columns > 0 && t.strip_small > 0 &&
                t.strip > 0 && t.strip_wide > 0 &&
                (t.bandwidth_on_cpu == 32 || t.bandwidth_on_cpu == 48 || t.bandwidth_on_cpu == 64) &&
                t.min_rows_cholesky_panel >= 128 && t.lowest_block >= 64 &&
                t.highest_block >= t.lowest_block && t.lowest_block % 64 == 0 && t.highest_block % 64 == 0);
  return t;
}

const TwoStageTuning& two_stage_tuning() {
  static constinit MadeOnce<const TwoStageTuning> tuning;
  return tuning.get([] { return two_stage_tuning_by(TuningValues::of_environment("two_stage")); });
}

}  // namespace eigen_g
