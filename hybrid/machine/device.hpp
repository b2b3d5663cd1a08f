// The devices of this machine: its CPU and its GPUs, and the type of the memory behind a pointer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <eigen_g/error.hpp>

namespace eigen_g {

enum class DeviceKind { cpu, gpu };

struct Device {
  DeviceKind kind = DeviceKind::cpu;
  int index = 0;  // CUDA's index of a GPU
  std::string name;
  std::uint64_t memory_total = 0;  // bytes
  std::uint64_t memory_free = 0;
  int cores = 0;                             // CPU only: cores that this process may use
  int multiprocessors = 0;                   // GPU only
  int compute_major = 0, compute_minor = 0;  // GPU only
  std::uint64_t l2_bytes = 0;                // GPU only
};

// Number of GPUs that this build can use; 0 without CUDA, without a driver or without a device.
int gpu_count();
void require_gpu();  // throws DeviceError if there is none, and in a build without CUDA

// The CPU first, then the GPUs.
std::vector<Device> devices();
Device cpu_device();
const std::string& cpu_name();  // read once
Device gpu_device(int index);   // throws DeviceError
// Everything except memory_free (0). Read once per process, so later calls cost nothing. Throws DeviceError.
const Device& gpu_facts(int index);
std::uint64_t gpu_memory_free(int index);  // bytes; throws DeviceError
int current_gpu();                         // CUDA's current device; throws DeviceError

// The kind of memory that a pointer belongs to. `unregistered`: host memory that is not registered with CUDA; every pointer in
// a build without CUDA.
enum class MemoryType { unregistered, pinned, device, managed };
struct MemoryOwner {
  MemoryType type = MemoryType::unregistered;
  int gpu = -1;  // index of the GPU that has the memory, if type is device
};
MemoryOwner memory_of(const void* p);
// True for device memory that the CPU cannot read. Works in every build and does not initialise CUDA: it asks the driver only
// if the process has already loaded it, and returns false otherwise.
bool is_gpu_memory(const void* p);
bool gpu_reads_all_host_memory();  // true if the current GPU can read pageable host memory

// Bytes of host memory that can still be allocated: the least of MemAvailable, what the cgroup's limit leaves and what ulimit
// -v leaves. 0: unknown.
std::uint64_t host_memory_available();

// "13.0"; "" in a build without CUDA or if there is no driver.
std::string cuda_toolkit_version();
std::string cuda_driver_version();
std::string cublas_version();

}  // namespace eigen_g
