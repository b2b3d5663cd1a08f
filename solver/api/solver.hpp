// Context and Solver: a solve that is planned once and runs any number of times without new allocations. For self-consistent
// loops, optimisers, and callers with a workspace or an allocator of their own.
//
//   eigen_g::Context context;                                    // default devices
//   eigen_g::Solver<double> solver(context, n, {.vectors = true}, eigen_g::Pointers::device);
//   for (...) solver.solve(eigen_g::device(a), lda, eigen_g::device(w), eigen_g::device(z), ldz, stream);
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <eigen_g/allocator.hpp>
#include <eigen_g/device_pointer.hpp>
#include <eigen_g/types.hpp>

namespace eigen_g {

class Resources;

// Devices and cached resources that solvers share: streams, cuBLAS handles, pinned memory, small device memory, copying threads.
// Used by one thread at a time; move-only. It must outlive its solvers.
class Context {
 public:
  // With an allocator all device memory comes from it, cuBLAS's workspace included (32 MiB on compute capability 9.0, 4 MiB on
  // others). Only that workspace and the memory of a Solver are kept between calls; the rest is freed before a call returns.
  explicit Context(const Devices& devices = {}, const Allocator& allocator = {});
  ~Context();
  Context(Context&&) noexcept;
  Context& operator=(Context&&) noexcept;

  const Devices& devices() const;
  // Frees the cached resources that are not in use, and the blocks of device memory that the process keeps (release_thread_cache()).
  void release();

 private:
  template <class T>
  friend class PlannedSolver;
  template <class T>
  friend class PlannedBatchedSolver;
  Resources* resources() const;  // null in a build without CUDA
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

enum class Pointers { host, device };

// Workspace of the caller in device memory, 256-byte aligned. If `device` is null, the solver allocates its own workspace.
struct Workspace {
  void* device = nullptr;
  std::uint64_t device_bytes = 0;
};

struct GeneralisedProblem;  // generalised.hpp

// The common base of Solver and GeneralisedSolver (generalised.hpp). Move-only.
template <class T>
class PlannedSolver {
 public:
  ~PlannedSolver();
  PlannedSolver(PlannedSolver&&) noexcept;
  PlannedSolver& operator=(PlannedSolver&&) noexcept;

  // Upper bound of the memory of a solve in addition to its arguments; nothing is allocated yet. If the GPU has less, the solver
  // falls back as eigen_g() does, also for all later solves. On device pointers z == a needs one matrix more. The caller saves one
  // matrix. A generalised solve needs the same for every layout.
  WorkspaceBytes workspace(MatrixLayout layout = MatrixLayout::any) const;
  bool on_gpu() const;
  Path path() const;

  // Sets the workspace of the next solves. It must have at least workspace(layout).device bytes for the layout of their matrices, and
  // must outlive the solves. If workspace.device is null, the solver allocates a workspace at the first solve and keeps it until its destruction.
  // Throws InvalidArgument (workspace) if it is too small. A solve that needs more throws the same.
  void set_workspace(const Workspace& workspace);

 protected:
  struct Impl;
  // The solver uses the context `own` if it is not null, else `shared`. Without a problem the solver is a standard one.
  PlannedSolver(std::unique_ptr<Context> own, Context* shared, std::int64_t n, const Options& options,
                Pointers pointers, const GeneralisedProblem* problem);
  std::unique_ptr<Impl> impl_;
};

// A solver for matrices of order n, with fixed options, on host or on device pointers.
template <class T>
class Solver : public PlannedSolver<T> {
 public:
  // Plans, and allocates nothing of order n^2. Throws InvalidArgument, and DeviceError if a GPU is required and there is none.
  Solver(Context& context, std::int64_t n, const Options& options = {}, Pointers pointers = Pointers::host);

  // As eigen_g() with the same pointers. They must be of the kind that the constructor was given (host or device).
  // From the second solve on no stream, handle, event, pinned or device memory is created. Exceptions:
  //   device memory, if lda, ldz or z == a need more than before
  //   memory of another device, at its first share of a product
  //   memory for measuring a calibration, once
  [[nodiscard]] Report solve(const T* a, std::int64_t lda, real_t<T>* w, T* z, std::int64_t ldz);
  [[nodiscard]] Report solve(DevicePointer<T> a, std::int64_t lda, DevicePointer<real_t<T>> w,
                             DevicePointer<T> z, std::int64_t ldz, CUstream_st* stream);

  // solve() on device pointers that returns before the end of its work. w, z and a belong to that work until `stream` has reached
  // its end.
  //
  //   waits for      max |a_ij|; the shapes of the divide and conquer's merges of more than 512 rows; its convergence
  //   queued         the back-transformation, before the wait for the convergence
  //   report         status, info, m and first_index as in solve(); a NaN is an exception. Stages have no seconds; `seconds` is the
  //                  time until the return
  //   ordering       the solver's next solve runs after this one, on any stream. set_workspace() and the destructor wait for it. A
  //                  workspace of the caller must live until then
  //   blocks at end  with a progress callback, Devices::multiprocessors, mixed precision, or products shared with other devices
  [[nodiscard]] Report enqueue(DevicePointer<T> a, std::int64_t lda, DevicePointer<real_t<T>> w,
                               DevicePointer<T> z, std::int64_t ldz, CUstream_st* stream);

 private:
  using PlannedSolver<T>::impl_;
};

}  // namespace eigen_g
