// eigen_g.jax.eigh on a GPU: a handler that XLA calls with its stream, device memory and scratch memory. A matrix that fails gets NaNs as
// its result.
#include <cuda_runtime.h>

#include <vector>

#include <eigen_g/batched.hpp>

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

// The results of one solve: n values and n x n values of device memory become NaN.
template <class T>
ffi::Error fill_with_nan(std::int64_t n, real_t<T>* w, T* v, cudaStream_t stream) {
  constexpr int nan = 0xff;  // all bits set: a NaN in every type
  const auto values = static_cast<std::size_t>(n);
  if (const cudaError_t status = cudaMemsetAsync(w, nan, sizeof(real_t<T>) * values, stream);
      status != cudaSuccess)
    return error_of(status);
  return error_of(cudaMemsetAsync(v, nan, sizeof(T) * values * values, stream));
}

ffi::Error no_memory(std::uint64_t bytes) {
  return ffi::Error(ffi::ErrorCode::kResourceExhausted,
                    "eigen_g: no " + std::to_string(bytes) + " bytes of device memory");
}

template <class T>
ffi::Error solve_one(std::int64_t n, const T* a, real_t<T>* w, T* v, const Options& options,
                     cudaStream_t stream, ffi::ScratchAllocator& scratch) {
  Solver<T> solver(context_of_this_thread(), n, options, Pointers::device);
  const std::size_t matrix = sizeof(T) * static_cast<std::size_t>(n * n);
  const std::uint64_t bytes = solver.workspace(MatrixLayout::contiguous).device;
  void* const memory = aligned(scratch, bytes);
  void* const copy = aligned(scratch, matrix);
  if (!copy || !memory) return no_memory(matrix + bytes);
  solver.set_workspace({memory, bytes});
  if (const cudaError_t status = cudaMemcpyAsync(copy, a, matrix, cudaMemcpyDeviceToDevice, stream);
      status != cudaSuccess)
    return error_of(status);
  try {
    if (solver.solve(device(static_cast<T*>(copy)), n, device(w), device(v), n, stream).status ==
        Status::converged)
      return ffi::Error::Success();
  } catch (const NonFiniteEntry&) {
  }
  return fill_with_nan(n, w, v, stream);
}

template <class T>
ffi::Error solve_stack(std::int64_t n, std::int64_t count, const T* a, real_t<T>* w, T* v,
                       const Options& options, cudaStream_t stream, ffi::ScratchAllocator& scratch) {
  BatchedSolver<T> solver(context_of_this_thread(), n, count, options);
  const std::uint64_t bytes = solver.workspace().device;
  std::vector<std::int32_t> status(static_cast<std::size_t>(count));
  const std::size_t status_bytes = sizeof(std::int32_t) * status.size();
  void* const memory = aligned(scratch, bytes);
  auto* const status_dev = static_cast<std::int32_t*>(aligned(scratch, status_bytes));
  if (!memory || !status_dev) return no_memory(bytes + status_bytes);
  solver.set_workspace({memory, bytes});
  const BatchReport report = solver.solve(count, device(const_cast<T*>(a)), n, device(w), device(v), n,
                                          device(status_dev), stream);  // `a` is not changed
  if (report.failed == 0) return ffi::Error::Success();
  if (const cudaError_t copied =
          cudaMemcpyAsync(status.data(), status_dev, status_bytes, cudaMemcpyDeviceToHost, stream);
      copied != cudaSuccess)
    return error_of(copied);
  if (const cudaError_t done = cudaStreamSynchronize(stream); done != cudaSuccess) return error_of(done);
  for (std::int64_t k = 0; k < count; ++k)
    if (status[static_cast<std::size_t>(k)] != 0)
      if (ffi::Error error = fill_with_nan(n, w + k * n, v + k * n * n, stream); !error.success())
        return error;
  return ffi::Error::Success();
}

ffi::Error eigh(cudaStream_t stream, ffi::ScratchAllocator scratch, ffi::AnyBuffer matrices,
                ffi::Result<ffi::AnyBuffer> values, ffi::Result<ffi::AnyBuffer> vectors, bool lower) {
  const Options options{.uplo = lower ? Uplo::upper : Uplo::lower};  // the solver reads the transpose
  const bool stack = matrices.dimensions().size() > 2;
  return solved(matrices, values, vectors,
                [&]<class T>(std::int64_t n, std::int64_t count, const T* a, real_t<T>* w, T* v) {
                  return stack ? solve_stack(n, count, a, w, v, options, stream, scratch)
                               : solve_one(n, a, w, v, options, stream, scratch);
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
