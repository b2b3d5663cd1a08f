// What every call into LAPACKE shares.
#pragma once

#include <lapacke.h>

#include <cstdint>
#include <limits>
#include <string>

#include "hybrid/error.hpp"

namespace eigen_g {

// A size as LAPACK's integer.
inline lapack_int lapack_size(std::int64_t value, const char* what) {
  if (value > std::numeric_limits<lapack_int>::max())
    throw InvalidArgument("n", std::string(what) + " is " + std::to_string(value) +
                                   ", more than this LAPACK's integers hold (" +
                                   std::to_string(std::numeric_limits<lapack_int>::max()) + ")");
  return static_cast<lapack_int>(value);
}

// A negative info is a mistake of ours or LAPACKE's own memory.
inline void check_lapack(lapack_int info, const char* routine) {
  if (info < 0) throw DeviceError(std::string(routine) + " returned info = " + std::to_string(info));
}

}  // namespace eigen_g
