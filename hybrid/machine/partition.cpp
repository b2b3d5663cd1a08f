#include "hybrid/machine/partition.hpp"

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/machine/driver_call.hpp"

#if CUDART_VERSION >= 12050
#include <cuda.h>
#endif

namespace eigen_g {

namespace {

int multiprocessors_of_gpu() {
  int device = 0, count = 0;
  EIGEN_G_CUDA(cudaGetDevice(&device));
  EIGEN_G_CUDA(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
  return count;
}

#if CUDART_VERSION >= 12050

struct Driver {
#define EIGEN_G_DRIVER_CALL(name) decltype(&::name) name = driver_call<decltype(&::name)>(#name)
  EIGEN_G_DRIVER_CALL(cuGetErrorName);
  EIGEN_G_DRIVER_CALL(cuDeviceGet);
  EIGEN_G_DRIVER_CALL(cuDeviceGetDevResource);
  EIGEN_G_DRIVER_CALL(cuDevSmResourceSplitByCount);
  EIGEN_G_DRIVER_CALL(cuDevResourceGenerateDesc);
  EIGEN_G_DRIVER_CALL(cuGreenCtxCreate);
  EIGEN_G_DRIVER_CALL(cuGreenCtxDestroy);
  EIGEN_G_DRIVER_CALL(cuGreenCtxGetDevResource);
  EIGEN_G_DRIVER_CALL(cuGreenCtxStreamCreate);
  EIGEN_G_DRIVER_CALL(cuStreamGetGreenCtx);
#undef EIGEN_G_DRIVER_CALL

  bool complete() const {
    return cuGetErrorName && cuDeviceGet && cuDeviceGetDevResource && cuDevSmResourceSplitByCount &&
           cuDevResourceGenerateDesc && cuGreenCtxCreate && cuGreenCtxDestroy && cuGreenCtxGetDevResource &&
           cuGreenCtxStreamCreate && cuStreamGetGreenCtx;
  }
  void check(CUresult status, const char* call, int line) const {
    if (status == CUDA_SUCCESS) return;
    const char* name = nullptr;
    cuGetErrorName(status, &name);
    throw_device_error(call, name ? name : std::to_string(status), __FILE__, line);
  }
};

const Driver& driver() {
  static const Driver calls;
  return calls;
}

#define EIGEN_G_DRIVER(call) driver().check(driver().call, #call, __LINE__)

#endif

}  // namespace

#if CUDART_VERSION >= 12050

namespace {

// Every GPU can be divided into groups of this number of multiprocessors.
constexpr int step = 8;

// Returns the first `groups` disjoint groups of at least `size` multiprocessors each; fewer groups if the GPU is too small.
std::vector<CUdevResource> groups_of(CUdevice device, unsigned groups, int size) {
  CUdevResource whole{};
  std::vector<CUdevResource> parts(groups);
  EIGEN_G_DRIVER(cuDeviceGetDevResource(device, &whole, CU_DEV_RESOURCE_TYPE_SM));
  EIGEN_G_DRIVER(
      cuDevSmResourceSplitByCount(parts.data(), &groups, &whole, nullptr, 0, static_cast<unsigned>(size)));
  parts.resize(groups);
  return parts;
}

CUdevice open_device() {
  if (!driver().complete()) throw DeviceError("a partition of a GPU needs a driver for CUDA 12.5 or later");
  EIGEN_G_CUDA(cudaFree(nullptr));  // creates the GPU's primary context
  CUdevice device = 0;
  EIGEN_G_DRIVER(cuDeviceGet(&device, current_gpu()));
  return device;
}

CUgreenCtx create_context(CUdevice device, CUdevResource part) {
  CUdevResourceDesc description = nullptr;
  CUgreenCtx context = nullptr;
  EIGEN_G_DRIVER(cuDevResourceGenerateDesc(&description, &part, 1));
  EIGEN_G_DRIVER(cuGreenCtxCreate(&context, description, device, CU_GREEN_CTX_DEFAULT_STREAM));
  return context;
}

}  // namespace

Partition::Partition(int multiprocessors) {
  const int all = multiprocessors_of_gpu();
  if (multiprocessors < 1 || multiprocessors > all)
    throw InvalidArgument("multiprocessors", "is " + std::to_string(multiprocessors) +
                                                 ", must be from 1 to the GPU's " + std::to_string(all));
  const CUdevice device = open_device();
  const CUdevResource part = groups_of(device, 1, multiprocessors).at(0);
  context_ = create_context(device, part);
  multiprocessors_ = static_cast<int>(part.sm.smCount);
}

Partition::Partition(int part, int parts) {
  const int size = size_of(parts);
  if (size == 0)
    throw InvalidArgument("multiprocessors",
                          "the GPU cannot be divided into " + std::to_string(parts) + " equal parts");
  const CUdevice device = open_device();
  const CUdevResource own =
      groups_of(device, static_cast<unsigned>(parts), size).at(static_cast<std::size_t>(part));
  context_ = create_context(device, own);
  multiprocessors_ = static_cast<int>(own.sm.smCount);
}

int Partition::size_of(int parts) {
  static std::mutex mutex;
  static std::map<std::pair<int, int>, int> known;  // by GPU and number of parts
  const std::lock_guard lock(mutex);
  const auto [at, is_new] = known.try_emplace({current_gpu(), parts}, 0);
  if (!is_new || !driver().complete()) return at->second;
  const int size = multiprocessors_of_gpu() / parts / step * step;
  if (size == 0) return 0;
  try {
    const CUdevice device = open_device();
    const std::vector<CUdevResource> groups = groups_of(device, static_cast<unsigned>(parts), size);
    if (static_cast<int>(groups.size()) < parts) return 0;
    for (const CUdevResource& group : groups)
      if (static_cast<int>(group.sm.smCount) != size) return 0;
    driver().cuGreenCtxDestroy(create_context(device, groups.front()));
  } catch (const DeviceError&) {
    return 0;
  }
  return at->second = size;
}

Partition::~Partition() {
  if (context_) driver().cuGreenCtxDestroy(context_);
}

cudaStream_t Partition::create_stream() const {
  CUstream stream = nullptr;
  EIGEN_G_DRIVER(cuGreenCtxStreamCreate(&stream, context_, CU_STREAM_NON_BLOCKING, 0));
  return stream;
}

int multiprocessors_of(cudaStream_t stream) {
  CUgreenCtx context = nullptr;
  if (stream && driver().complete()) EIGEN_G_DRIVER(cuStreamGetGreenCtx(stream, &context));
  if (!context) return multiprocessors_of_gpu();
  CUdevResource part{};
  EIGEN_G_DRIVER(cuGreenCtxGetDevResource(context, &part, CU_DEV_RESOURCE_TYPE_SM));
  return static_cast<int>(part.sm.smCount);
}

#else

Partition::Partition(int) {
  throw DeviceError("a partition of a GPU needs CUDA 12.5 or later; this build has an older toolkit");
}
Partition::Partition(int, int) : Partition(0) {}
int Partition::size_of(int) {
  return 0;
}
Partition::~Partition() = default;
cudaStream_t Partition::create_stream() const {
  return nullptr;  // there is no partition in this build
}
int multiprocessors_of(cudaStream_t) {
  return multiprocessors_of_gpu();
}

#endif

}  // namespace eigen_g
