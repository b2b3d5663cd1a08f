// What the library's C functions return: LAPACK's info, from what the C++ calls throw.
//
//       0  done
//      -i  argument i (from 1) is wrong
//      >0  a numerical outcome of the call itself
//   -1001  not enough host memory      -1002  not enough device memory
//   -1003  CUDA, cuBLAS or LAPACK failed, or there is no GPU      -1004  internal error
#pragma once

#include <cctype>
#include <cstdint>
#include <initializer_list>
#include <new>

#include "hybrid/error.hpp"
#include "hybrid/uplo.hpp"

namespace eigen_g::c_info {

enum : std::int64_t { host_memory = -1001, device_memory = -1002, device_failure = -1003, internal = -1004 };

inline bool is_of(const InvalidArgument& error, Argument argument) {
  return error.argument() == argument;
}
inline bool is_of(const InvalidArgument& error, const char* parameter) {
  return error.parameter() == parameter;
}

// call() returns an info of 0 or more; `positions` has the arguments, or their names, in the order of the C function.
template <class Position, class Call>
std::int64_t of(std::initializer_list<Position> positions, Call&& call) {
  try {
    return call();
  } catch (const InvalidArgument& error) {
    std::int64_t position = 0;
    for (const Position& argument : positions) {
      ++position;
      if (is_of(error, argument)) return -position;
    }
    return internal;
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

// LAPACK's letter of a triangle; throws InvalidArgument.
inline Uplo uplo_of(char letter) {
  if (upper(letter) != 'L' && upper(letter) != 'U')
    throw InvalidArgument(Argument::uplo, "must be 'L' or 'U'");
  return static_cast<Uplo>(upper(letter));
}

}  // namespace eigen_g::c_info
