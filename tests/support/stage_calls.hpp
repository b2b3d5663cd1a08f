// Helpers for the tests of the single stages.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "hybrid/error.hpp"
#include "solver/api/types.hpp"

namespace support {

constexpr double guard = -7.25e77;

inline eigen_g::Devices on(eigen_g::DeviceChoice place) {
  eigen_g::Devices devices;
  devices.device = place;
  return devices;
}

// `count` values and one after them, all with the guard value.
inline std::vector<double> guarded(std::int64_t count) {
  return std::vector<double>(static_cast<std::size_t>(std::max<std::int64_t>(count, 0) + 1), guard);
}

// The argument that the error of a call names, or "none".
template <class Call>
std::string refused(Call&& call) {
  try {
    call();
  } catch (const eigen_g::InvalidArgument& error) {
    return error.parameter();
  }
  return "none";
}

}  // namespace support
