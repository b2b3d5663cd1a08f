#include "apps/python/context.hpp"

#include "apps/python/batch.hpp"
#include "apps/python/gil.hpp"
#include "apps/python/types.hpp"

#ifdef EIGEN_G_HAVE_CUDA
#include <cuda_runtime.h>
#endif

namespace eigen_g::python {

namespace nb = nanobind;

OnGpu::OnGpu([[maybe_unused]] int gpu) {
#ifdef EIGEN_G_HAVE_CUDA
  if (gpu < 0) return;
  int current = -1;
  if (cudaGetDevice(&current) == cudaSuccess && current == gpu) return;
  if (current < 0 || cudaSetDevice(gpu) != cudaSuccess)
    throw DeviceError("GPU " + std::to_string(gpu) + " cannot be used");
  before_ = current;
#endif
}
OnGpu::~OnGpu() {
#ifdef EIGEN_G_HAVE_CUDA
  if (before_ >= 0) cudaSetDevice(before_);
#endif
}

PythonContext::PythonContext(const CallOptions& plan, nb::object allocate, nb::object free)
    : hooks_(allocate.is_none() ? nullptr : new Hooks{std::move(allocate), std::move(free)}),
      context_(plan.devices, allocator()) {}

Allocator PythonContext::allocator() const {
  if (!hooks_) return {};
  return {[](std::size_t bytes, CUstream_st* stream, void* hooks) {
            const GilHeld gil;
            const nb::object address =
                static_cast<Hooks*>(hooks)->allocate(bytes, reinterpret_cast<std::uintptr_t>(stream));
            return pointer<void>(nb::cast<std::uintptr_t>(address));
          },
          [](void* memory, std::size_t bytes, CUstream_st* stream, void* hooks) {
            const GilHeld gil;
            const nb::object& free = static_cast<Hooks*>(hooks)->free;
            if (!free.is_valid()) return;
            try {
              free(reinterpret_cast<std::uintptr_t>(memory), bytes, reinterpret_cast<std::uintptr_t>(stream));
            } catch (nb::python_error& error) {
              error.discard_as_unraisable("eigen_g: free");
            }
          },
          hooks_.get()};
}

void PythonContext::close() {
  {
    const GilReleased free;
    context_.release();
  }
  if (hooks_) *hooks_ = {};
}

PythonReport reported(Report report) {
  PythonReport result;
  static_cast<Report&>(result) = std::move(report);
  return result;
}

struct PythonSolver::Any {
  virtual ~Any() = default;
  virtual WorkspaceBytes workspace(MatrixLayout layout) const = 0;
  virtual bool on_gpu() const = 0;
  virtual void set_workspace(const Workspace& workspace) = 0;
  virtual void set_factor(CholeskyFactor) {}
  virtual PythonReport solve(std::uintptr_t a, std::int64_t lda, std::uintptr_t b, std::int64_t ldb,
                             std::uintptr_t w, std::uintptr_t z, std::int64_t ldz, std::uintptr_t stream) = 0;
};

template <class T>
struct PythonSolver::Standard final : Any {
  using R = real_t<T>;
  Standard(PythonContext& context, std::int64_t n, const Options& options, Pointers on)
      : pointers(on), solver(context.get(), n, options, on) {}
  WorkspaceBytes workspace(MatrixLayout layout) const override { return solver.workspace(layout); }
  bool on_gpu() const override { return solver.on_gpu(); }
  void set_workspace(const Workspace& workspace) override { solver.set_workspace(workspace); }
  PythonReport solve(std::uintptr_t a, std::int64_t lda, std::uintptr_t, std::int64_t, std::uintptr_t w,
                     std::uintptr_t z, std::int64_t ldz, std::uintptr_t stream) override {
    if (pointers == Pointers::host)
      return reported(solver.solve(pointer<const T>(a), lda, pointer<R>(w), pointer<T>(z), ldz));
    return reported(solver.solve(device(pointer<T>(a)), lda, device(pointer<R>(w)), device(pointer<T>(z)),
                                 ldz, pointer<CUstream_st>(stream)));
  }
  Pointers pointers;
  Solver<T> solver;
};

template <class T>
struct PythonSolver::Generalised final : Any {
  using R = real_t<T>;
  Generalised(PythonContext& context, const GeneralisedProblem& problem, std::int64_t n,
              const Options& options, Pointers on)
      : pointers(on), solver(context.get(), n, problem, options, on) {}
  WorkspaceBytes workspace(MatrixLayout) const override { return solver.workspace(); }
  bool on_gpu() const override { return solver.on_gpu(); }
  void set_workspace(const Workspace& workspace) override { solver.set_workspace(workspace); }
  PythonReport solve(std::uintptr_t a, std::int64_t lda, std::uintptr_t b, std::int64_t ldb, std::uintptr_t w,
                     std::uintptr_t z, std::int64_t ldz, std::uintptr_t stream) override {
    if (pointers == Pointers::host)
      return solver.solve(pointer<const T>(a), lda, pointer<T>(b), ldb, pointer<R>(w), pointer<T>(z), ldz);
    return solver.solve(device(pointer<T>(a)), lda, device(pointer<T>(b)), ldb, device(pointer<R>(w)),
                        device(pointer<T>(z)), ldz, pointer<CUstream_st>(stream));
  }
  void set_factor(CholeskyFactor factor) override { solver.set_factor(factor); }
  Pointers pointers;
  GeneralisedSolver<T> solver;
};

struct PythonSolver::BatchOfOne final : Any {
  BatchOfOne(const CallOptions& options, std::int64_t order) : plan(options), n(order) {}
  WorkspaceBytes workspace(MatrixLayout) const override { return batch_of_one_workspace(plan, n); }
  bool on_gpu() const override { return false; }
  void set_workspace(const Workspace&) override {}
  PythonReport solve(std::uintptr_t a, std::int64_t lda, std::uintptr_t, std::int64_t, std::uintptr_t w,
                     std::uintptr_t z, std::int64_t ldz, std::uintptr_t) override {
    return solve_batch_of_one(plan, n, a, lda, w, z, ldz);
  }
  CallOptions plan;
  std::int64_t n;
};

PythonSolver::PythonSolver(PythonContext& context, const CallOptions& plan, std::int64_t n, bool on_device,
                           int gpu, nb::object progress)
    : gpu_(gpu) {
  if (!on_device && is_batch_of_one(plan, n, !progress.is_none())) {
    solver_ = std::make_unique<BatchOfOne>(plan, n);
    return;
  }
  const Options options = with_progress(plan.options, n, std::move(progress));
  const Pointers pointers = on_device ? Pointers::device : Pointers::host;
  const GilReleased free;
  const OnGpu on(gpu_);
  if (plan.itype == 0)
    solver_ = with_type(plan.dtype, [&]<class T>() -> std::unique_ptr<Any> {
      return std::make_unique<Standard<T>>(context, n, options, pointers);
    });
  else
    solver_ = with_type(
        plan.dtype,
        [&]<class T>() -> std::unique_ptr<Any> {
          return std::make_unique<Generalised<T>>(context, plan.problem(), n, options, pointers);
        },
        generalised_types);
}
PythonSolver::~PythonSolver() = default;

WorkspaceBytes PythonSolver::workspace(MatrixLayout layout) const {
  const OnGpu on(gpu_);
  return solver_->workspace(layout);
}
bool PythonSolver::on_gpu() const {
  return solver_->on_gpu();
}
void PythonSolver::set_workspace(std::uintptr_t memory, std::uint64_t bytes) {
  const GilReleased free;
  const OnGpu on(gpu_);
  solver_->set_workspace({pointer<void>(memory), bytes});
}
void PythonSolver::set_factor(const CallOptions& plan) {
  solver_->set_factor(plan.factor);
}
PythonReport PythonSolver::solve(std::uintptr_t a, std::int64_t lda, std::uintptr_t b, std::int64_t ldb,
                                 std::uintptr_t w, std::uintptr_t z, std::int64_t ldz,
                                 std::uintptr_t stream) {
  const GilReleased free;
  const OnGpu on(gpu_);
  return solver_->solve(a, lda, b, ldb, w, z, ldz, stream);
}

}  // namespace eigen_g::python
