// The energy that a GPU takes, by its own counter (NVML). The library of the driver is loaded at the first use.
#pragma once

#include <functional>

namespace eigen_g::apps::bench {

// Joules that the current GPU took from its board's supply for one call, idle power included. The call is repeated for at least `seconds`, because the
// counter advances in steps of some hundredths of a second; it must end its work on the GPU before it returns.
// Throws DeviceError if the driver has no NVML or the GPU no counter. CUDA builds only.
double joules_of(const std::function<void()>& call, double seconds);

}  // namespace eigen_g::apps::bench
