#include "tests/support/faults.hpp"

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

#include "hybrid/machine/shared_library.hpp"

namespace support::faults {

namespace {

std::atomic<bool> armed = false;
std::atomic<std::int64_t> count = 0, failing = 0, standing = 0;
std::atomic<const char*> failed = "";
std::string_view counted;  // the function whose calls count (empty: all); set before `armed`
thread_local cudaError_t pending = cudaSuccess;  // the error that cudaGetLastError returns next

bool fails(const char* name) {
  if (!armed || (!counted.empty() && counted != name) || ++count != failing) return false;
  failed = name;
  return true;
}

cudaError_t cuda_failure(cudaError_t error) {
  return pending = error;
}

}  // namespace

void arm(std::int64_t number, std::string_view only) {
  counted = only;
  count = 0;
  failing = number;
  armed = true;
}

std::int64_t disarm() {
  armed = false;
  return count;
}

const char* last() {
  return failed;
}

std::int64_t held() {
  return standing;
}

namespace {

thread_local int current = 0;  // the current GPU, as shown

// The GPUs, as shown, for which memory was allocated.
class ShownMemory {
 public:
  void add(const void* p, std::size_t n, int gpu) {
    const std::lock_guard lock(mutex_);
    all_[static_cast<const char*>(p)] = {n, gpu};
  }
  void remove(const void* p) {
    const std::lock_guard lock(mutex_);
    all_.erase(static_cast<const char*>(p));
  }
  int gpu_of(const void* p) {
    const std::lock_guard lock(mutex_);
    const auto* const at = static_cast<const char*>(p);
    auto next = all_.upper_bound(at);
    if (next == all_.begin()) return 0;
    const auto& [begin, memory] = *--next;
    return at < begin + memory.first ? memory.second : 0;
  }

 private:
  std::mutex mutex_;
  std::map<const char*, std::pair<std::size_t, int>> all_;
};
ShownMemory shown_memory;

}  // namespace

}  // namespace support::faults

using support::faults::cuda_failure;
using support::faults::current;
using support::faults::fails;
using support::faults::pending;
using support::faults::shown_memory;
using support::faults::standing;

// ld turns a call of f into __wrap_f and calls f as __real_f. Each name needs a function of its own, hence a macro.
#define CUDA(f, parameters, arguments) CUDA_BY(f, parameters, __real_##f arguments)
#define CUDA_BY(f, parameters, call)                            \
  extern "C" decltype(f) __real_##f, __wrap_##f;                \
  cudaError_t __wrap_##f parameters {                           \
    return fails(#f) ? cuda_failure(cudaErrorUnknown) : (call); \
  }

extern "C" {
decltype(cudaMalloc) __real_cudaMalloc, __wrap_cudaMalloc;
decltype(cudaFree) __real_cudaFree, __wrap_cudaFree;
decltype(cudaHostRegister) __real_cudaHostRegister, __wrap_cudaHostRegister;
decltype(cudaHostUnregister) __real_cudaHostUnregister, __wrap_cudaHostUnregister;
decltype(cudaGetLastError) __real_cudaGetLastError, __wrap_cudaGetLastError;
decltype(cudaPeekAtLastError) __real_cudaPeekAtLastError, __wrap_cudaPeekAtLastError;

cudaError_t __wrap_cudaMalloc(void** p, std::size_t n) {
  if (fails("cudaMalloc")) return cuda_failure(cudaErrorMemoryAllocation);
  const cudaError_t status = __real_cudaMalloc(p, n);
  if (status == cudaSuccess) {
    ++standing;
    shown_memory.add(*p, n, current);
  }
  return status;
}
cudaError_t __wrap_cudaFree(void* p) {
  if (p) --standing;
  shown_memory.remove(p);
  return __real_cudaFree(p);
}
cudaError_t __wrap_cudaHostRegister(void* p, std::size_t n, unsigned int flags) {
  if (fails("cudaHostRegister")) return cuda_failure(cudaErrorMemoryAllocation);
  const cudaError_t status = __real_cudaHostRegister(p, n, flags);
  if (status == cudaSuccess) ++standing;
  return status;
}
cudaError_t __wrap_cudaHostUnregister(void* p) {
  --standing;
  return __real_cudaHostUnregister(p);
}
cudaError_t __wrap_cudaGetLastError() {
  const cudaError_t before = pending;
  pending = cudaSuccess;
  const cudaError_t own = __real_cudaGetLastError();
  return before != cudaSuccess ? before : own;
}
cudaError_t __wrap_cudaPeekAtLastError() {
  return pending != cudaSuccess ? pending : __real_cudaPeekAtLastError();
}
}

CUDA(cudaDeviceSynchronize, (), ())
CUDA(cudaDriverGetVersion, (int* version), (version))
CUDA(cudaEventCreate, (cudaEvent_t * event), (event))
CUDA(cudaEventElapsedTime, (float* ms, cudaEvent_t from, cudaEvent_t to), (ms, from, to))
CUDA(cudaEventQuery, (cudaEvent_t event), (event))
CUDA(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), (event, stream))
CUDA(cudaEventSynchronize, (cudaEvent_t event), (event))
CUDA(cudaFuncGetAttributes, (cudaFuncAttributes * attributes, const void* kernel), (attributes, kernel))
CUDA(cudaFuncSetAttribute, (const void* kernel, cudaFuncAttribute attribute, int value),
     (kernel, attribute, value))
CUDA(cudaLaunchCooperativeKernel,
     (const void* kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared, cudaStream_t stream),
     (kernel, grid, block, arguments, shared, stream))
CUDA(cudaLaunchKernelExC, (const cudaLaunchConfig_t* config, const void* kernel, void** arguments),
     (config, kernel, arguments))
CUDA(cudaMemGetInfo, (std::size_t * free, std::size_t* total), (free, total))
CUDA(cudaMemcpy, (void* to, const void* from, std::size_t n, cudaMemcpyKind kind), (to, from, n, kind))
CUDA(cudaMemcpy2DAsync,
     (void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
      std::size_t height, cudaMemcpyKind kind, cudaStream_t stream),
     (to, to_pitch, from, from_pitch, width, height, kind, stream))
CUDA(cudaMemcpyAsync, (void* to, const void* from, std::size_t n, cudaMemcpyKind kind, cudaStream_t stream),
     (to, from, n, kind, stream))
CUDA(cudaMemset, (void* to, int byte, std::size_t n), (to, byte, n))
CUDA(cudaMemset2DAsync,
     (void* to, std::size_t pitch, int byte, std::size_t width, std::size_t height, cudaStream_t stream),
     (to, pitch, byte, width, height, stream))
CUDA(cudaMemsetAsync, (void* to, int byte, std::size_t n, cudaStream_t stream), (to, byte, n, stream))
CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor,
     (int* blocks, const void* kernel, int threads, std::size_t shared), (blocks, kernel, threads, shared))
CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
     (int* blocks, const void* kernel, int threads, std::size_t shared, unsigned int flags),
     (blocks, kernel, threads, shared, flags))
CUDA(cudaStreamCreateWithFlags, (cudaStream_t * stream, unsigned int flags), (stream, flags))
CUDA(cudaStreamSynchronize, (cudaStream_t stream), (stream))
CUDA(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned int flags),
     (stream, event, flags))

// Shows one GPU as several.
namespace {

int shown_gpus() {
  static const char* const text = std::getenv("EIGEN_G_SHOWN_GPUS");
  static const int shown = text ? std::atoi(text) : 0;
  return shown;
}
int real_gpu(int gpu) {
  return gpu > 0 && gpu < shown_gpus() ? 0 : gpu;
}
const cudaMemcpy3DPeerParms* on_real_gpus(const cudaMemcpy3DPeerParms& what) {
  static thread_local cudaMemcpy3DPeerParms on_real;
  on_real = what;
  on_real.srcDevice = real_gpu(what.srcDevice);
  on_real.dstDevice = real_gpu(what.dstDevice);
  return &on_real;
}
cudaError_t show_owner(cudaError_t status, cudaPointerAttributes* attributes, const void* p) {
  if (status == cudaSuccess && shown_gpus() && attributes->type == cudaMemoryTypeDevice)
    attributes->device = shown_memory.gpu_of(p);
  return status;
}

}  // namespace

CUDA_BY(cudaDeviceCanAccessPeer, (int* can, int gpu, int peer),
        shown_gpus() ? (*can = 1, cudaSuccess) : __real_cudaDeviceCanAccessPeer(can, gpu, peer))
CUDA_BY(cudaDeviceEnablePeerAccess, (int peer, unsigned int flags),
        shown_gpus() ? cudaSuccess : __real_cudaDeviceEnablePeerAccess(peer, flags))
CUDA_BY(cudaDeviceGetAttribute, (int* value, cudaDeviceAttr attribute, int gpu),
        __real_cudaDeviceGetAttribute(value, attribute, real_gpu(gpu)))
CUDA_BY(cudaGetDevice, (int* gpu), shown_gpus() ? (*gpu = current, cudaSuccess) : __real_cudaGetDevice(gpu))
CUDA_BY(cudaGetDeviceCount, (int* gpus),
        __real_cudaGetDeviceCount(gpus) == cudaSuccess && shown_gpus() ? (*gpus = shown_gpus(), cudaSuccess)
                                                                       : __real_cudaGetDeviceCount(gpus))
CUDA_BY(cudaGetDeviceProperties, (cudaDeviceProp * properties, int gpu),
        __real_cudaGetDeviceProperties(properties, real_gpu(gpu)))
CUDA_BY(cudaMemcpy3DPeerAsync, (const cudaMemcpy3DPeerParms* what, cudaStream_t stream),
        __real_cudaMemcpy3DPeerAsync(on_real_gpus(*what), stream))
CUDA_BY(cudaMemcpyPeerAsync,
        (void* to, int to_gpu, const void* from, int from_gpu, std::size_t n, cudaStream_t stream),
        __real_cudaMemcpyPeerAsync(to, real_gpu(to_gpu), from, real_gpu(from_gpu), n, stream))
CUDA_BY(cudaPointerGetAttributes, (cudaPointerAttributes * attributes, const void* p),
        show_owner(__real_cudaPointerGetAttributes(attributes, p), attributes, p))
CUDA_BY(cudaSetDevice, (int gpu), (current = gpu, __real_cudaSetDevice(real_gpu(gpu))))

#if CUDART_VERSION >= 13000
extern "C" cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void**, std::size_t,
                                          cudaStream_t);  // the compiler turns <<<>>> into this call
CUDA(__cudaLaunchKernel,
     (cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared, cudaStream_t stream),
     (kernel, grid, block, arguments, shared, stream))
#else
CUDA(cudaLaunchKernel,
     (const void* kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared, cudaStream_t stream),
     (kernel, grid, block, arguments, shared, stream))
#endif

// cuBLAS is loaded at run time and its functions are looked up by name. For these names dlsym returns a function that passes the
// call on.
namespace {

template <auto name, class Function>
struct PassedOn;
template <auto name, class... A>
struct PassedOn<name, cublasStatus_t (*)(A...)> {
  static inline cublasStatus_t (*own)(A...) = nullptr;
  static cublasStatus_t call(A... arguments) {
    return fails(name.text) ? CUBLAS_STATUS_EXECUTION_FAILED : own(arguments...);
  }
  static void* in_place_of(void* found, std::string_view function) {
    if (!found || function != name.text) return found;
    own = reinterpret_cast<cublasStatus_t (*)(A...)>(found);
    return reinterpret_cast<void*>(&call);
  }
};
template <auto* function>
using Blas = PassedOn<eigen_g::symbol_name<function>(), decltype(function)>;

}  // namespace

extern "C" {
decltype(dlsym) __real_dlsym, __wrap_dlsym;

void* __wrap_dlsym(void* library, const char* name) noexcept {
  void* found = __real_dlsym(library, name);
  for (const auto in_place_of :
       {Blas<cublasCreate>::in_place_of, Blas<cublasSetAtomicsMode>::in_place_of,
        Blas<cublasSetStream>::in_place_of, Blas<cublasSetWorkspace>::in_place_of,
        Blas<cublasDgemm_64>::in_place_of, Blas<cublasDgemmStridedBatched_64>::in_place_of,
        Blas<cublasDsyr2k_64>::in_place_of})
    found = in_place_of(found, name);
  return found;
}
}
