// What the public calls ask of their arguments, and which device they take.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "solver/api/types.hpp"

namespace eigen_g {

// More rows and columns than any machine holds; below, no number of bytes of a few matrices wraps.
inline constexpr std::int64_t largest_order = std::int64_t{1} << 28;

// Throw InvalidArgument where the argument is not as it must be.
void require(bool good, Argument argument, const std::string& what);
void require_size(std::int64_t n, Argument argument);                 // 0 <= n <= largest_order
void require_uplo(Uplo uplo);                                         // lower or upper
void require_pointer(const void* p, bool needed, Argument argument);  // not null where needed
void require_leading_dimension(std::int64_t ld, std::int64_t n,
                               Argument argument);  // >= max(1, n), and ld n bytes do not wrap
void check_devices(const Devices& devices);         // as far as they tell without a look at the machine
// Throw DeviceError where there is no GPU, or none in this build.
void require_gpu();

struct NamedPointer {
  Argument argument;
  const void* p;  // null passes
};
// require_gpu(), and InvalidArgument where the current GPU cannot use the memory: else a kernel would fail, and with it all
// later work of the process on that GPU.
void require_on_gpu(std::initializer_list<NamedPointer> pointers);
// InvalidArgument where it is a GPU's memory, which the CPU cannot read.
void require_on_host(std::initializer_list<NamedPointer> pointers);

// The GPUs beside the current one that make `gpus` of them, in CUDA's order. Throws InvalidArgument (gpus) where there are
// fewer.
std::vector<int> further_gpus(int gpus);

// Whether a problem of order n on host pointers goes to the GPU, as far as the choice and the order tell. Throws
// DeviceError where the choice is a GPU and there is none.
bool take_gpu(Place place, std::int64_t n);

}  // namespace eigen_g
