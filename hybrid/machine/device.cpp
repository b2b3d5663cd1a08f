#include "hybrid/machine/device.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <limits>
#include <mutex>
#include <sstream>

#include <sys/resource.h>
#include <unistd.h>

#include "hybrid/machine/cpu.hpp"
#include "hybrid/machine/fork.hpp"

#ifdef EIGEN_G_HAVE_CUDA
#include <cuda_runtime.h>

#include "hybrid/cuda_check.hpp"
#endif

namespace eigen_g {

namespace {

std::string read_cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const auto colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "CPU";
}

[[maybe_unused]] std::string dotted(int version) {  // 13000 -> "13.0"
  return version <= 0 ? "" : std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

// Bytes that the process may still map under its limit of address space (ulimit -v); without a limit the largest uint64_t.
std::uint64_t address_space_left() {
  rlimit space{};
  if (getrlimit(RLIMIT_AS, &space) != 0 || space.rlim_cur == RLIM_INFINITY)
    return std::numeric_limits<std::uint64_t>::max();
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const std::uint64_t used = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
  return used < space.rlim_cur ? space.rlim_cur - used : 0;
}

// The number in a one-line file. The largest uint64_t if the file is absent or empty or says "max".
std::uint64_t number_in(const char* path) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  return file >> value ? value : std::numeric_limits<std::uint64_t>::max();
}

}  // namespace

std::uint64_t host_memory_available() {
  std::uint64_t available = 0;
  std::ifstream info("/proc/meminfo");
  for (std::string line; std::getline(info, line);)
    if (line.rfind("MemAvailable:", 0) == 0) {
      std::istringstream(line.substr(13)) >> available;
      available *= 1024;
      break;
    }
  const std::uint64_t limit = number_in("/sys/fs/cgroup/memory.max");
  if (limit != std::numeric_limits<std::uint64_t>::max()) {
    const std::uint64_t used = number_in("/sys/fs/cgroup/memory.current");
    const std::uint64_t left = used < limit ? limit - used : 0;
    if (available == 0 || left < available) available = left;
  }
  const std::uint64_t left = address_space_left();
  if (left != std::numeric_limits<std::uint64_t>::max() && (available == 0 || left < available))
    available = std::max<std::uint64_t>(1, left);
  return available;
}

void require_gpu() {
  if (gpu_count() > 0) return;
  throw DeviceError((cuda_toolkit_version().empty() ? "a GPU is required, but this is a build without CUDA"
                                                    : "a GPU is required, but none was found") +
                    no_cuda_after_fork());
}

const std::string& cpu_name() {
  static constinit MadeOnce<const std::string> name;
  return name.get([] { return read_cpu_name(); });
}

Device cpu_device() {
  Device d;
  d.kind = DeviceKind::cpu;
  d.name = cpu_name();
  d.memory_total = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                   static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
  d.memory_free = host_memory_available();
  d.cores = usable_cores();
  return d;
}

std::vector<Device> devices() {
  std::vector<Device> list{cpu_device()};
  for (int i = 0; i < gpu_count(); ++i) list.push_back(gpu_device(i));
  return list;
}

namespace {

// Number of shared libraries that this process has loaded so far, unloaded ones included.
unsigned long long libraries_loaded() {
  unsigned long long loads = 0;
  const auto first = [](dl_phdr_info* library, std::size_t, void* to) {
    *static_cast<unsigned long long*>(to) = library->dlpi_adds;
    return 1;
  };
  dl_iterate_phdr(first, &loads);
  return loads;
}

}  // namespace

bool is_gpu_memory(const void* p) {
  // The driver's cuPointerGetAttributes(count, CUpointer_attribute*, void** data, CUdeviceptr). Its constants are written as
  // numbers, so that a build without CUDA's headers has this function too. Memory that CUDA does not know has type 0.
  using Ask = int (*)(unsigned, int*, void**, unsigned long long);
  constexpr int memory_type = 2, is_managed = 8, success = 0;
  constexpr unsigned of_device = 2;
  static std::atomic<Ask> known{nullptr};
  Ask ask = known;
  if (!ask) {
    // If the driver is not loaded, dlopen() searches the disk each time, which takes 50 us. So it is called again only after
    // the process has loaded another library.
    static std::atomic<unsigned long long> looked_after{0};
    const std::lock_guard lock(loading());
    const unsigned long long loads = libraries_loaded();
    if (looked_after == loads) return false;
    void* const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (!driver) {  // without a loaded driver there is no device memory
      looked_after = loads;
      return false;
    }
    ask = reinterpret_cast<Ask>(dlsym(driver, "cuPointerGetAttributes"));
    if (!ask) return false;
    known = ask;
  }
  unsigned type = 0;
  int managed = 0;
  int attributes[] = {memory_type, is_managed};
  void* data[] = {&type, &managed};
  return ask(2, attributes, data, reinterpret_cast<unsigned long long>(p)) == success && type == of_device &&
         managed == 0;
}

#ifdef EIGEN_G_HAVE_CUDA

int gpu_count() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    cudaGetLastError();  // no driver or no device: not an error here
    return 0;
  }
  if (int gpu = 0; forks() > 0 && cudaGetDevice(&gpu) != cudaSuccess) {
    cudaGetLastError();  // the parent has used CUDA, so this process cannot
    return 0;
  }
  return count;
}

namespace {

Device read_facts(int index) {
  cudaDeviceProp p{};
  EIGEN_G_CUDA(cudaGetDeviceProperties(&p, index));
  Device d;
  d.kind = DeviceKind::gpu;
  d.index = index;
  d.name = p.name;
  d.memory_total = p.totalGlobalMem;
  d.multiprocessors = p.multiProcessorCount;
  d.compute_major = p.major;
  d.compute_minor = p.minor;
  d.l2_bytes = static_cast<std::uint64_t>(p.l2CacheSize);
  return d;
}

}  // namespace

const Device& gpu_facts(int index) {
  static constinit MadeOnce<const std::vector<Device>> made;
  const std::vector<Device>& all = made.get([] {
    std::vector<Device> gpus;
    for (int i = 0; i < gpu_count(); ++i) gpus.push_back(read_facts(i));
    return gpus;
  });
  if (index < 0 || static_cast<std::size_t>(index) >= all.size())
    throw DeviceError("there is no GPU " + std::to_string(index) + no_cuda_after_fork());
  return all[static_cast<std::size_t>(index)];
}

std::uint64_t gpu_memory_free(int index) {
  const int before = current_gpu();
  std::size_t free = 0, total = 0;
  if (index != before) EIGEN_G_CUDA(cudaSetDevice(index));
  const cudaError_t status = cudaMemGetInfo(&free, &total);
  if (index != before) EIGEN_G_CUDA(cudaSetDevice(before));
  EIGEN_G_CUDA(status);
  return free;
}

Device gpu_device(int index) {
  Device d = gpu_facts(index);
  d.memory_free = gpu_memory_free(index);
  return d;
}

int current_gpu() {
  int device = 0;
  EIGEN_G_CUDA(cudaGetDevice(&device));
  return device;
}

MemoryOwner memory_of(const void* p) {
  cudaPointerAttributes attributes{};
  const cudaError_t status = cudaPointerGetAttributes(&attributes, p);
  if (status == cudaErrorInvalidValue) {  // not known to CUDA
    cudaGetLastError();
    return {};
  }
  EIGEN_G_CUDA(status);
  switch (attributes.type) {
    case cudaMemoryTypeHost:
      return {MemoryType::pinned, -1};
    case cudaMemoryTypeDevice:
      return {MemoryType::device, attributes.device};
    case cudaMemoryTypeManaged:
      return {MemoryType::managed, -1};
    default:
      return {};
  }
}

bool gpu_reads_all_host_memory() {
  int can = 0;
  EIGEN_G_CUDA(cudaDeviceGetAttribute(&can, cudaDevAttrPageableMemoryAccess, current_gpu()));
  return can != 0;
}

std::string cuda_toolkit_version() {
  return dotted(CUDART_VERSION);
}

std::string cuda_driver_version() {
  int version = 0;
  return cudaDriverGetVersion(&version) == cudaSuccess ? dotted(version) : "";
}

std::string cublas_version() {
  if (gpu_count() == 0) return "";  // no GPU: cuBLAS stays unloaded
  std::string text;
  try {
    for (const auto part : {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL}) {
      int value = 0;
      EIGEN_G_CUBLAS(Cublas<cublasGetProperty>::call(part, &value));
      text += (text.empty() ? "" : ".") + std::to_string(value);
    }
  } catch (const DeviceError&) {
    return "";
  }
  return text;
}

#else

int gpu_count() {
  return 0;
}
Device gpu_device(int) {
  throw DeviceError("built without CUDA");
}
const Device& gpu_facts(int) {
  throw DeviceError("built without CUDA");
}
std::uint64_t gpu_memory_free(int) {
  throw DeviceError("built without CUDA");
}
int current_gpu() {
  throw DeviceError("built without CUDA");
}
MemoryOwner memory_of(const void*) {
  return {};
}
bool gpu_reads_all_host_memory() {
  throw DeviceError("built without CUDA");
}
std::string cuda_toolkit_version() {
  return "";
}
std::string cuda_driver_version() {
  return "";
}
std::string cublas_version() {
  return "";
}

#endif

}  // namespace eigen_g
