#include "apps/python/context.hpp"

#include "apps/python/types.hpp"

#ifdef EIGEN_G_HAVE_CUDA
#include <cuda_runtime.h>
#endif

namespace eigen_g::python {

namespace nb = nanobind;

OnGpu::OnGpu([[maybe_unused]] int gpu) {
#ifdef EIGEN_G_HAVE_CUDA
  if (gpu < 0) return;
  if (cudaGetDevice(&before_) != cudaSuccess || cudaSetDevice(gpu) != cudaSuccess)
    throw DeviceError("GPU " + std::to_string(gpu) + " cannot be used");
#endif
}
OnGpu::~OnGpu() {
#ifdef EIGEN_G_HAVE_CUDA
  if (before_ >= 0) cudaSetDevice(before_);
#endif
}

PythonContext::PythonContext(const Plan& plan, nb::object allocate, nb::object free)
    : hooks_(allocate.is_none() ? nullptr : new Hooks{std::move(allocate), std::move(free)}),
      context_(plan.devices,
               hooks_ ? Allocator{[](std::size_t bytes, CUstream_st* stream, void* hooks) {
                                    const nb::gil_scoped_acquire gil;
                                    const nb::object address = static_cast<Hooks*>(hooks)->allocate(
                                        bytes, reinterpret_cast<std::uintptr_t>(stream));
                                    return pointer<void>(nb::cast<std::uintptr_t>(address));
                                  },
                                  [](void* memory, std::size_t bytes, CUstream_st* stream, void* hooks) {
                                    const nb::gil_scoped_acquire gil;
                                    try {
                                      static_cast<Hooks*>(hooks)->free(
                                          reinterpret_cast<std::uintptr_t>(memory), bytes,
                                          reinterpret_cast<std::uintptr_t>(stream));
                                    } catch (nb::python_error& error) {
                                      error.discard_as_unraisable("eigen_g: free");
                                    }
                                  },
                                  hooks_.get()}
                      : Allocator{}) {}

struct PythonSolver::Any {
  virtual ~Any() = default;
  virtual WorkspaceBytes workspace() const = 0;
  virtual bool on_gpu() const = 0;
  virtual void use(const Workspace& workspace) = 0;
  virtual Report solve(std::uintptr_t a, std::int64_t lda, std::uintptr_t w, std::uintptr_t z,
                       std::int64_t ldz, std::uintptr_t stream) = 0;
};

template <class T>
struct PythonSolver::Of final : Any {
  Of(Context& context, std::int64_t n, const Options& options, Pointers on)
      : pointers(on), solver(context, n, options, on) {}
  WorkspaceBytes workspace() const override { return solver.workspace(); }
  bool on_gpu() const override { return solver.on_gpu(); }
  void use(const Workspace& workspace) override { solver.use(workspace); }
  Report solve(std::uintptr_t a, std::int64_t lda, std::uintptr_t w, std::uintptr_t z, std::int64_t ldz,
               std::uintptr_t stream) override {
    using R = real_t<T>;
    if (pointers == Pointers::host)
      return solver.solve(pointer<const T>(a), lda, pointer<R>(w), pointer<T>(z), ldz);
    return solver.solve(device(pointer<T>(a)), lda, device(pointer<R>(w)), device(pointer<T>(z)), ldz,
                        pointer<CUstream_st>(stream));
  }
  Pointers pointers;
  Solver<T> solver;
};

PythonSolver::PythonSolver(PythonContext& context, const Plan& plan, std::int64_t n, bool on_device, int gpu,
                           nb::object progress)
    : gpu_(gpu) {
  const Options options = told(plan.options, n, std::move(progress));
  const nb::gil_scoped_release free;
  const OnGpu on(gpu_);
  solver_ = with_type(plan.dtype, [&]<class T>() -> std::unique_ptr<Any> {
    return std::make_unique<Of<T>>(context.get(), n, options, on_device ? Pointers::device : Pointers::host);
  });
}
PythonSolver::~PythonSolver() = default;

WorkspaceBytes PythonSolver::workspace() const {
  const OnGpu on(gpu_);
  return solver_->workspace();
}
bool PythonSolver::on_gpu() const {
  return solver_->on_gpu();
}
void PythonSolver::use(std::uintptr_t memory, std::uint64_t bytes) {
  const nb::gil_scoped_release free;
  const OnGpu on(gpu_);
  solver_->use({pointer<void>(memory), bytes});
}
Report PythonSolver::solve(std::uintptr_t a, std::int64_t lda, std::uintptr_t w, std::uintptr_t z,
                           std::int64_t ldz, std::uintptr_t stream) {
  const nb::gil_scoped_release free;
  const OnGpu on(gpu_);
  return solver_->solve(a, lda, w, z, ldz, stream);
}

}  // namespace eigen_g::python
