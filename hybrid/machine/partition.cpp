#include "hybrid/machine/partition.hpp"

#include <string>

#include "hybrid/cuda_check.hpp"
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

Partition::Partition(int multiprocessors) {
  const int all = multiprocessors_of_gpu();
  if (multiprocessors < 1 || multiprocessors > all)
    throw InvalidArgument("multiprocessors", "is " + std::to_string(multiprocessors) +
                                                 ", must be from 1 to the GPU's " + std::to_string(all));
  if (!driver().complete()) throw DeviceError("a partition of a GPU needs a driver for CUDA 12.5 or later");
  int ordinal = 0;
  EIGEN_G_CUDA(cudaGetDevice(&ordinal));
  EIGEN_G_CUDA(cudaFree(nullptr));  // creates the GPU's primary context
  CUdevice device = 0;
  EIGEN_G_DRIVER(cuDeviceGet(&device, ordinal));
  CUdevResource whole{}, part{};
  EIGEN_G_DRIVER(cuDeviceGetDevResource(device, &whole, CU_DEV_RESOURCE_TYPE_SM));
  unsigned groups = 1;
  EIGEN_G_DRIVER(cuDevSmResourceSplitByCount(&part, &groups, &whole, nullptr, 0,
                                             static_cast<unsigned>(multiprocessors)));
  CUdevResourceDesc description = nullptr;
  EIGEN_G_DRIVER(cuDevResourceGenerateDesc(&description, &part, 1));
  EIGEN_G_DRIVER(cuGreenCtxCreate(&context_, description, device, CU_GREEN_CTX_DEFAULT_STREAM));
  multiprocessors_ = static_cast<int>(part.sm.smCount);
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
Partition::~Partition() = default;
cudaStream_t Partition::create_stream() const {
  return nullptr;  // there is no partition in this build
}
int multiprocessors_of(cudaStream_t) {
  return multiprocessors_of_gpu();
}

#endif

}  // namespace eigen_g
