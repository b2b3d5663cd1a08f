#include "solver/devices/two_stage_tuning.hpp"

#include <array>

#include "hybrid/machine/tuning.hpp"

namespace eigen_g {

const TwoStageTuning& two_stage_tuning() {
  static constexpr std::array<TunedFor<TwoStageTuning>, 1> entries{{{90, {}}}};
  return tuning_for(current_capability(), entries);
}

}  // namespace eigen_g
