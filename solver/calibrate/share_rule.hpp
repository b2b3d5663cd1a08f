// share_rule(): the rule by which a solve shares its large products among devices.
#pragma once

#include <cstdint>
#include <vector>

#include "solver/api/types.hpp"
#include "solver/devices/shares.hpp"

namespace eigen_g {

// Returns the caller's ratio, or a rule by the rates of a calibration: the caller's, or that of this process if it pays for order n.
// Helpers were measured in double only, so without a ratio a matrix of another type is solved on the first GPU alone.
//   helpers          CUDA's numbers of the helper GPUs
//   multiprocessors  number in use on the current GPU
// Throws InvalidArgument(Argument::calibration), OutOfMemory, DeviceError.
ShareRule share_rule(const Devices& devices, std::int64_t n, bool is_double, const std::vector<int>& helpers,
                     int multiprocessors);

}  // namespace eigen_g
