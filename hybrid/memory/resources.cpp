#include "hybrid/memory/resources.hpp"

#include <atomic>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/memory/resources_impl.hpp"

namespace eigen_g {

namespace {

// Workspace that cuBLAS allocates for itself by default on compute capability 9.x and on other GPUs. With less, cuBLAS chooses
// other kernels, and results differ.
constexpr std::uint64_t blas_workspace_hopper = std::uint64_t{32} << 20,
                        blas_workspace = std::uint64_t{4} << 20;

template <class T>
T take(std::vector<T>& from) {
  if (from.empty()) return {};
  const T last = from.back();
  from.pop_back();
  return last;
}

}  // namespace

std::atomic<std::uint64_t> things_made{0};

std::uint64_t Resources::made() {
  return things_made;
}

Resources::Resources(const Allocator& allocator) : impl_(std::make_unique<Impl>()) {
  impl_->allocator = allocator;
}

Resources::~Resources() {
  release();
}

Resources& Resources::of_this_thread() {
  static thread_local Resources own;
  return own;
}

cudaStream_t Resources::take_stream() {
  {
    const std::lock_guard lock(impl_->mutex);
    if (const cudaStream_t kept = take(impl_->of_gpu[current_gpu()].streams)) return kept;
  }
  cudaStream_t stream = nullptr;
  EIGEN_G_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  ++things_made;
  return stream;
}

BlasHandle Resources::take_blas(cudaStream_t stream) {
  const int gpu = current_gpu();
  {
    const std::lock_guard lock(impl_->mutex);
    if (const BlasHandle kept = take(impl_->of_gpu[gpu].handles); kept.handle) return kept;
  }
  BlasHandle blas;
  EIGEN_G_CUBLAS(Cublas<cublasCreate>::call(&blas.handle));
  ++things_made;
  if (has_allocator()) {
    blas.workspace_bytes = gpu_facts(gpu).compute_major == 9 ? blas_workspace_hopper : blas_workspace;
    blas.allocated_on = stream;
    try {
      blas.workspace = allocate(blas.workspace_bytes, stream);
    } catch (...) {
      Cublas<cublasDestroy>::call(blas.handle);
      throw;
    }
  }
  return blas;
}

cudaEvent_t Resources::take_event() {
  {
    const std::lock_guard lock(impl_->mutex);
    if (const cudaEvent_t kept = take(impl_->of_gpu[current_gpu()].events)) return kept;
  }
  cudaEvent_t event = nullptr;
  EIGEN_G_CUDA(cudaEventCreate(&event));
  ++things_made;
  return event;
}

void Resources::give(int gpu, cudaStream_t stream) {
  const std::lock_guard lock(impl_->mutex);
  impl_->of_gpu[gpu].streams.push_back(stream);
}
void Resources::give(int gpu, const BlasHandle& blas) {
  const std::lock_guard lock(impl_->mutex);
  impl_->of_gpu[gpu].handles.push_back(blas);
}
void Resources::give(int gpu, cudaEvent_t event) {
  const std::lock_guard lock(impl_->mutex);
  impl_->of_gpu[gpu].events.push_back(event);
}

bool Resources::has_allocator() const {
  return impl_->allocator.allocate != nullptr;
}

void* Resources::allocate(std::uint64_t bytes, cudaStream_t stream) {
  if (!has_allocator()) return allocate_device(bytes);
  const std::lock_guard lock(impl_->allocating);
  do {
    if (void* const memory = impl_->allocator.allocate(bytes, stream, impl_->allocator.context))
      return memory;
  } while (release_kept_memory());
  throw OutOfMemory(OutOfMemory::Where::device, gpu_facts(current_gpu()).name + " (the caller's allocator)",
                    bytes, 0);
}

void Resources::free(void* memory, std::uint64_t bytes, cudaStream_t stream) noexcept {
  if (!has_allocator()) return free_device(memory);
  const std::lock_guard lock(impl_->allocating);
  if (impl_->allocator.free) impl_->allocator.free(memory, bytes, stream, impl_->allocator.context);
}

double* Resources::pinned(std::int64_t doubles) {
  PinnedBuffer<double>& pinned = impl_->pinned;
  if (pinned.size() < doubles) {
    pinned = PinnedBuffer<double>();
    pinned = PinnedBuffer<double>(doubles);
  }
  return pinned.data();
}

void Resources::release() {
  staging_.reset();
  const std::lock_guard lock(impl_->mutex);
  impl_->pinned = PinnedBuffer<double>();
  for (auto& [gpu, kept] : impl_->of_gpu) {
    int before = 0;
    if (cudaGetDevice(&before) != cudaSuccess || cudaSetDevice(gpu) != cudaSuccess)
      continue;  // the process is ending and CUDA is gone
    kept.work = DeviceBuffer<std::byte>();
    for (const BlasHandle& blas : kept.handles) {
      Cublas<cublasDestroy>::call(blas.handle);
      if (blas.workspace) free(blas.workspace, blas.workspace_bytes, blas.allocated_on);
    }
    for (const cudaEvent_t event : kept.events) cudaEventDestroy(event);
    for (const cudaStream_t stream : kept.streams) cudaStreamDestroy(stream);
    kept.handles.clear();
    kept.events.clear();
    kept.streams.clear();
    cudaSetDevice(before);
  }
}

}  // namespace eigen_g
