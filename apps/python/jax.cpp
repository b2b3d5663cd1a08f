// eigen_g.jax.eigh on a GPU: a handler that XLA calls with its stream, device memory and scratch memory.
#include <cuda_runtime.h>

#include <eigen_g/solver.hpp>

#include "apps/python/jax.hpp"
#include "apps/python/jax_call.hpp"

namespace eigen_g::python {

namespace {

ffi::Error error_of(cudaError_t status) {
  return status == cudaSuccess ? ffi::Error::Success() : ffi::Error::Internal(cudaGetErrorString(status));
}

// `bytes` bytes of scratch memory, 256-byte aligned, which XLA does not guarantee. Null: there is not enough memory.
void* aligned(ffi::ScratchAllocator& scratch, std::uint64_t bytes) {
  constexpr std::uintptr_t boundary = 256;
  const std::optional<void*> memory = scratch.Allocate(bytes + boundary);
  if (!memory) return nullptr;
  return reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(*memory) + boundary - 1) / boundary *
                                 boundary);
}

// The resources that the solves of one of XLA's threads share.
Context& context_of_this_thread() {
  static thread_local Context own;
  return own;
}

template <class T>
class Stack {
 public:
  // `lower` is the triangle of the row-by-row matrices of solved(). All memory is device memory. A matrix with a NaN or an infinity gets
  // NaNs as its result.
  Stack(std::int64_t n, bool lower, cudaStream_t stream)
      : n_(n),
        stream_(stream),
        solver_(context_of_this_thread(), n,
                {.uplo = lower ? Uplo::upper : Uplo::lower},  // the solver reads the transpose
                Pointers::device) {}

  ffi::Error run(std::int64_t count, const T* a, real_t<T>* w, T* v, ffi::ScratchAllocator& scratch) {
    const std::size_t matrix = sizeof(T) * static_cast<std::size_t>(n_ * n_);
    const std::uint64_t bytes = solver_.workspace(MatrixLayout::contiguous).device;
    void* const memory = aligned(scratch, bytes);
    void* const copy = aligned(scratch, matrix);
    if (!copy || !memory)
      return ffi::Error(ffi::ErrorCode::kResourceExhausted,
                        "eigen_g: no " + std::to_string(matrix + bytes) + " bytes of device memory");
    solver_.set_workspace({memory, bytes});
    for (std::int64_t k = 0; k < count; ++k, a += n_ * n_, w += n_, v += n_ * n_) {
      const cudaError_t status = cudaMemcpyAsync(copy, a, matrix, cudaMemcpyDeviceToDevice, stream_);
      if (status != cudaSuccess) return error_of(status);
      if (const ffi::Error error = solve(static_cast<T*>(copy), w, v); !error.success()) return error;
    }
    return ffi::Error::Success();
  }

 private:
  ffi::Error solve(T* a, real_t<T>* w, T* v) {
    try {
      if (solver_.solve(device(a), n_, device(w), device(v), n_, stream_).status == Status::converged)
        return ffi::Error::Success();
    } catch (const NonFiniteEntry&) {
    }
    constexpr int nan = 0xff;  // all bits set: a NaN in every type
    const auto n = static_cast<std::size_t>(n_);
    if (const cudaError_t status = cudaMemsetAsync(w, nan, sizeof(real_t<T>) * n, stream_);
        status != cudaSuccess)
      return error_of(status);
    return error_of(cudaMemsetAsync(v, nan, sizeof(T) * n * n, stream_));
  }
  std::int64_t n_;
  cudaStream_t stream_;
  Solver<T> solver_;
};

ffi::Error eigh(cudaStream_t stream, ffi::ScratchAllocator scratch, ffi::AnyBuffer matrices,
                ffi::Result<ffi::AnyBuffer> values, ffi::Result<ffi::AnyBuffer> vectors, bool lower) {
  return solved(matrices, values, vectors,
                [&]<class T>(std::int64_t n, std::int64_t count, const T* a, real_t<T>* w, T* v) {
                  return Stack<T>(n, lower, stream).run(count, a, w, v, scratch);
                });
}

XLA_FFI_DEFINE_HANDLER(eigh_handler, eigh,
                       ffi::Ffi::Bind()
                           .Ctx<ffi::PlatformStream<cudaStream_t>>()
                           .Ctx<ffi::ScratchAllocator>()
                           .Arg<ffi::AnyBuffer>()
                           .Ret<ffi::AnyBuffer>()
                           .Ret<ffi::AnyBuffer>()
                           .Attr<bool>("lower"));

}  // namespace

void* jax_cuda_handler() {
  return reinterpret_cast<void*>(eigh_handler);
}

}  // namespace eigen_g::python
