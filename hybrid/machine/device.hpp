// The machine: its CPU and its GPUs as a list of devices.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <eigen_g/error.hpp>

namespace eigen_g {

enum class DeviceKind { cpu, gpu };

struct Device {
  DeviceKind kind = DeviceKind::cpu;
  int index = 0;  // CUDA's number of a GPU
  std::string name;
  std::uint64_t memory_total = 0;  // bytes
  std::uint64_t memory_free = 0;
  int cores = 0;                             // CPU: cores this process may use; GPU: multiprocessors
  int compute_major = 0, compute_minor = 0;  // GPU only
  std::uint64_t l2_bytes = 0;                // GPU only
};

// GPUs that this build can use: 0 in a build without CUDA, without a driver, without a device.
int gpu_count();

// The CPU first, then the GPUs.
std::vector<Device> devices();
Device cpu_device();
const std::string& cpu_name();  // read once
Device gpu_device(int index);   // throws DeviceError
const Device& gpu_facts(
    int index);  // all but memory_free (0), read once a process: costs nothing; throws DeviceError
std::uint64_t gpu_memory_free(int index);  // bytes; throws DeviceError
int current_gpu();                         // CUDA's current device; throws DeviceError

// Where memory lies. `unknown_host`: host memory that CUDA has not been told of, or a build without CUDA.
enum class MemoryPlace { unknown_host, pinned_host, gpu, managed };
struct MemoryOwner {
  MemoryPlace place = MemoryPlace::unknown_host;
  int gpu = -1;  // that it belongs to, where place is gpu
};
MemoryOwner owner_of(const void* p);
// Whether it is memory of a GPU that the CPU cannot read. In every build, and without starting CUDA: asked of the driver as far
// as somebody in this process has loaded it.
bool is_gpu_memory(const void* p);
bool gpu_reads_all_host_memory();  // the current GPU

// Bytes of host memory that can still be allocated (cgroup limit and MemAvailable; 0: not known).
std::uint64_t host_memory_available();

// "13.0", or "" in a build without CUDA / without a driver.
std::string cuda_toolkit_version();
std::string cuda_driver_version();
std::string cublas_version();

}  // namespace eigen_g
