// Info codes: turns the exceptions of the C++ calls into the info that a C function returns, in LAPACK's convention.
//
//       0  success
//      -i  argument i, counted from 1, violates its contract
//      >0  numerical outcome of the call itself, such as no convergence
//   -1001  too little host memory
//   -1002  too little device memory
//   -1003  CUDA, cuBLAS or LAPACK failed, or there is no GPU
//   -1004  internal error
#pragma once

#include <cctype>
#include <cstdint>
#include <initializer_list>
#include <new>
#include <string_view>

#include "hybrid/error.hpp"
#include "hybrid/uplo.hpp"

namespace eigen_g::c_info {

enum : std::int64_t { host_memory = -1001, device_memory = -1002, device_failure = -1003, internal = -1004 };

inline bool is_of(const InvalidArgument& error, const char* parameter) {
  return error.parameter() == parameter;
}
inline bool is_of_options(const char* parameter) {
  return std::string_view(parameter) == "options";
}

// Calls call(), which returns an info >= 0, and turns an exception into a negative info. `positions` lists the arguments of the
// C function in their order: by name, or in a type for which is_of() and is_of_options() exist. An argument without a position is a
// member of the options, if the function takes options.
template <class Position, class Call>
std::int64_t of(std::initializer_list<Position> positions, Call&& call) {
  try {
    return call();
  } catch (const InvalidArgument& error) {
    std::int64_t position = 0, options = internal;
    for (const Position& argument : positions) {
      ++position;
      if (is_of(error, argument)) return -position;
      if (is_of_options(argument)) options = -position;
    }
    return options;
  } catch (const OutOfMemory& error) {
    return error.on_device() ? device_memory : host_memory;
  } catch (const std::bad_alloc&) {
    return host_memory;
  } catch (const DeviceError&) {
    return device_failure;
  } catch (...) {
    return internal;
  }
}

inline char upper(char letter) {
  return static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
}

// Converts LAPACK's letter of a triangle ('L', 'U', either case). Throws InvalidArgument for other letters.
inline Uplo uplo_of(char letter) {
  if (upper(letter) != 'L' && upper(letter) != 'U') throw InvalidArgument("uplo", "must be 'L' or 'U'");
  return static_cast<Uplo>(upper(letter));
}

}  // namespace eigen_g::c_info
