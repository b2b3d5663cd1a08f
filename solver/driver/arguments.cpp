#include "solver/driver/arguments.hpp"

#include <algorithm>

#include "hybrid/machine/device.hpp"
#include "solver/devices/tuning.hpp"

namespace eigen_g {

void require(bool good, const char* name, const std::string& what) {
  if (!good) throw InvalidArgument(name, what);
}

void require_size(std::int64_t n, const char* name) {
  require(n >= 0, name, "is " + std::to_string(n) + ", must not be negative");
}

void require_pointer(const void* p, bool needed, const char* name) {
  require(p || !needed, name, "is null");
}

void require_leading_dimension(std::int64_t ld, std::int64_t n, const char* name) {
  const std::int64_t least = std::max<std::int64_t>(1, n);
  require(ld >= least, name,
          "is " + std::to_string(ld) + ", must be at least max(1, n) = " + std::to_string(least));
}

void require_gpu() {
  if (gpu_count() > 0) return;
  throw DeviceError(cuda_toolkit_version().empty() ? "a GPU was asked for, but this is a build without CUDA"
                                                   : "a GPU was asked for, but there is none");
}

void require_on_gpu(std::initializer_list<NamedPointer> pointers) {
  require_gpu();
  for (const auto& [name, p] : pointers) {
    if (!p) continue;
    const MemoryOwner owner = owner_of(p);
    require(owner.place != MemoryPlace::unknown_host || gpu_reads_all_host_memory(), name,
            "is host memory; this call, with a stream, takes device memory");
    require(owner.place != MemoryPlace::gpu || owner.gpu == current_gpu(), name,
            "is memory of GPU " + std::to_string(owner.gpu) + ", the current one is " +
                std::to_string(current_gpu()));
  }
}

void require_on_host(std::initializer_list<NamedPointer> pointers) {
  for (const auto& [name, p] : pointers)
    require(!p || owner_of(p).place != MemoryPlace::gpu, name,
            "is device memory; the call with a stream takes that");
}

std::vector<int> further_gpus(int gpus) {
  const int here = current_gpu(), there = gpu_count();
  require(gpus <= there, "gpus",
          "is " + std::to_string(gpus) + "; there " + (there == 1 ? "is " : "are ") + std::to_string(there));
  std::vector<int> further;
  for (int gpu = 0; static_cast<int>(further.size()) + 1 < gpus; ++gpu)
    if (gpu != here) further.push_back(gpu);
  return further;
}

bool take_gpu(DeviceChoice choice, std::int64_t n) {
  if (choice == DeviceChoice::cpu) return false;
  if (choice == DeviceChoice::automatic) return gpu_count() > 0 && n >= solver_tuning().min_order_on_gpu;
  require_gpu();
  return true;
}

}  // namespace eigen_g
