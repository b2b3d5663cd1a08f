#include "hybrid/machine/tuning.hpp"

#include "hybrid/machine/device.hpp"

namespace eigen_g {

int current_capability() {
  static const bool none = gpu_count() == 0;
  if (none) return 0;
  const Device& gpu = gpu_facts(current_gpu());
  return 10 * gpu.compute_major + gpu.compute_minor;
}

}  // namespace eigen_g
