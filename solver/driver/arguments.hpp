// Checks of the public calls' arguments, and the choice of the device.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "solver/api/solver.hpp"
#include "solver/api/types.hpp"

namespace eigen_g {

// An argument by its name; of Argument::other too.
struct ArgumentName {
  Argument argument;
  const char* text;
  constexpr ArgumentName(Argument a) : argument(a), text(name(a)) {}                             // NOLINT
  constexpr ArgumentName(const char* parameter) : argument(Argument::other), text(parameter) {}  // NOLINT
};

// More rows and columns than any machine holds. Up to it, the bytes of a few matrices do not wrap around.
inline constexpr std::int64_t largest_order = std::int64_t{1} << 28;

// Throw InvalidArgument if the argument is not as it must be.
void require(bool good, ArgumentName argument, const std::string& what);
void require_size(std::int64_t n, ArgumentName argument);                 // 0 <= n <= largest_order
void require_uplo(Uplo uplo);                                             // lower or upper
void require_pointer(const void* p, bool needed, ArgumentName argument);  // not null if needed
void require_leading_dimension(std::int64_t ld, std::int64_t n,
                               ArgumentName argument);  // >= max(1, n), and ld n bytes do not wrap
void check_devices(const Devices& devices);             // as far as possible without a look at the machine
// Throws DeviceError if there is no GPU, or a build without CUDA.
void require_gpu();

struct NamedPointer {
  ArgumentName argument;
  const void* p;  // null passes
};
// require_gpu(), and InvalidArgument if the current GPU cannot use the memory. Otherwise a kernel would fail, and with it all later work
// of the process on that GPU.
void require_on_gpu(std::initializer_list<NamedPointer> pointers);
// InvalidArgument for a GPU's memory, which the CPU cannot read.
void require_on_host(std::initializer_list<NamedPointer> pointers);
// require_on_host() or require_on_gpu().
void require_in_memory(Pointers pointers, std::initializer_list<NamedPointer> named);

// The helper GPUs that make `gpus` GPUs together with the current one, in CUDA's order. Throws InvalidArgument (gpus) if there are
// fewer.
std::vector<int> helper_gpus(int gpus);

// Returns if a problem of order n on host pointers is solved on the GPU, as far as the choice and the order decide it. Throws
// DeviceError if the choice is a GPU and there is none.
bool use_gpu(DeviceChoice device, std::int64_t n);

}  // namespace eigen_g
