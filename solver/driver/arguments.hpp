// Checks of the public calls' arguments, and the choice of the device.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "solver/api/solver.hpp"
#include "solver/api/types.hpp"

namespace eigen_g {

// An argument and its name in messages. For Argument::other `text` is the parameter's name that the second constructor got.
struct ArgumentName {
  Argument argument;
  const char* text;
  constexpr ArgumentName(Argument a) : argument(a), text(name(a)) {}                             // NOLINT
  constexpr ArgumentName(const char* parameter) : argument(Argument::other), text(parameter) {}  // NOLINT
};

// An order that is larger than any machine's memory allows. Up to this order the bytes of a few matrices do not overflow.
inline constexpr std::int64_t largest_order = std::int64_t{1} << 28;

// Each of the functions up to check_devices() throws InvalidArgument if a condition on an argument is false.
//   good       the condition
//   what       the text of the message, after the argument's name
//   is, must   value and rule; the text of the message is "is <value>, <rule>"
void require(bool good, ArgumentName argument, const std::string& what);
void require(bool good, ArgumentName argument, std::int64_t is, const std::string& must);
void require_workspace(std::uint64_t has_bytes, std::uint64_t needed_bytes);  // has_bytes >= needed_bytes
void require_gpus(int gpus);  // gpus <= max(1, number of GPUs of this machine)

void require_size(std::int64_t n, ArgumentName argument);                 // 0 <= n <= largest_order
void require_uplo(Uplo uplo);                                             // lower or upper
void require_pointer(const void* p, bool needed, ArgumentName argument);  // not null if needed
// ld >= max(1, n), and the bytes of a matrix of complex double, 16 ld n, do not overflow.
void require_leading_dimension(std::int64_t ld, std::int64_t n, ArgumentName argument);
// Checks that each member of `devices` has a value that types.hpp allows. Limits of this machine, such as its number of GPUs, are not checked.
void check_devices(const Devices& devices);

struct NamedPointer {
  ArgumentName argument;
  const void* p;  // a null pointer is not checked
};
// Calls require_gpu(), and throws InvalidArgument if the current GPU cannot use the memory. Without this check a kernel would access the memory,
// and all later work of the process on that GPU would fail.
void require_on_gpu(std::initializer_list<NamedPointer> pointers);
// Throws InvalidArgument for memory of a GPU, because the CPU cannot read it.
void require_on_host(std::initializer_list<NamedPointer> pointers);
// Calls require_on_host() for Pointers::host, and require_on_gpu() for Pointers::device.
void require_in_memory(Pointers pointers, std::initializer_list<NamedPointer> named);

// Returns the first gpus - 1 GPUs other than the current one, in CUDA's order. These are the helper GPUs of a solve on `gpus` GPUs.
// Throws as require_gpus().
std::vector<int> helper_gpus(int gpus);

// Chooses the device for a problem of order n on host pointers. Returns true for the GPU and false for the CPU:
//
//   device = cpu         CPU
//   device = gpu         GPU; throws DeviceError if there is none
//   device = automatic   GPU if there is one and n is large enough, else CPU
bool use_gpu(DeviceChoice device, std::int64_t n);

}  // namespace eigen_g
