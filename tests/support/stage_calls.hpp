// What the tests of the stages as calls share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "hybrid/error.hpp"
#include "solver/api/types.hpp"

namespace support {

constexpr double guard = -7.25e77;

inline eigen_g::Devices on(eigen_g::Place place) {
  eigen_g::Devices devices;
  devices.place = place;
  return devices;
}

// Room for so many values, with a guard in each and one behind.
inline std::vector<double> guarded(std::int64_t count) {
  return std::vector<double>(static_cast<std::size_t>(std::max<std::int64_t>(count, 0) + 1), guard);
}

// The argument that a call refuses, or "none".
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
