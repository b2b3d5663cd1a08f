// What the driver's steps are on one machine, with the memory that they need: the CPU through LAPACK (host_backend), or a GPU
// with its helpers (device_backend). One is made for a problem of one size and solves again and again.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>

#include "hybrid/matrix_view.hpp"
#include "hybrid/scalar.hpp"
#include "solver/api/solver.hpp"
#include "solver/path/reduction.hpp"
#include "solver/tridiagonal/divide_and_conquer.hpp"

namespace eigen_g {

// What does not change from solve to solve.
struct Plan {
  std::int64_t n = 0;
  Options options;
  Devices devices;
  Pointers pointers = Pointers::host;
  std::int64_t most() const { return options.vectors ? options.subset.most(n) : 0; }  // columns of Z
};

// The caller's matrices in one solve, in host or in device memory as planned.
template <class T>
struct Problem {
  MatrixView<const T> a;
  real_t<T>* w = nullptr;
  MatrixView<T> z;                // n x most(); data null: values only
  MatrixView<T> spare;            // a itself where its memory may be used for other things; else null
  CUstream_st* stream = nullptr;  // of device memory
};

// What a call is handed to: a backend, or mixed precision, which has two of them.
template <class T>
class PlannedSolve {
 public:
  virtual ~PlannedSolve() = default;
  // At most, beside the caller's matrices.
  virtual WorkspaceBytes workspace(MatrixLayout layout) const = 0;
  // Device memory for the next solves; empty: its own, kept to its end, taken anew where a problem needs more.
  virtual void use(const Workspace& workspace) = 0;

  // Takes the memory that the problem needs. Throws OutOfMemory with the sum of it, before any is taken.
  virtual void begin(const Problem<T>& problem) = 0;
  // The pairs of the problem that has been begun; Report all but `seconds`. Throws what the steps throw; nothing uses the problem's
  // memory then.
  //   wait   false: the last of it may still be queued (Backend::leave), and the stages have no seconds
  virtual Report solve(const Options& options, bool wait) = 0;
};

template <class T>
class Backend : public PlannedSolve<T> {
 public:
  Report solve(const Options& options, bool wait) final;  // solve.cpp
  virtual void end() noexcept = 0;  // nothing uses the problem's memory any more, whatever has been thrown
  // In place of end() after the last step: on device pointers its work may still be queued, and the next begin() is ordered
  // after it. Blocks where devices besides the first, or a part of it, have worked.
  virtual void leave() { end(); }
  virtual Clock& clock() = 0;

  virtual void load() = 0;                     // the caller's triangle into the working matrix
  virtual real_t<T> check() = 0;               // its largest absolute entry; throws NonFiniteEntry
  virtual void scale(int k) = 0;               // times 2^k
  virtual Factor<T>& reduce(Steps& step) = 0;  // to tridiagonal form, by its path
  // Of the matrix times 2^k; which pairs are found goes for what follows.
  virtual Outcome divide_and_conquer(int k) = 0;
  virtual void back_transform(Steps& step, Factor<T>& q) = 0;
  virtual void unscale(int k) = 0;  // the values, times 2^-k
  virtual void store() = 0;         // values and vectors to the caller
  // After all of it: path, devices, bytes.
  virtual void account(Report& report) = 0;
};

template <class T>
std::unique_ptr<Backend<T>> host_backend(const Plan& plan);
// In device_backend.cpp, CUDA builds only. `resources` outlive it.
template <class T>
std::unique_ptr<Backend<T>> device_backend(const Plan& plan, Resources& resources);
// What device_backend() would say, at most, on the current GPU.
template <class T>
WorkspaceBytes device_backend_bytes(const Plan& plan, MatrixLayout layout);

// Whether the plan is for mixed precision, on a GPU: all pairs of real doubles with their vectors.
template <class T>
bool wants_mixed(const Plan& plan) {
  return std::is_same_v<T, double> && plan.options.precision == Precision::mixed && plan.options.vectors &&
         plan.options.subset.by == Subset::By::all;
}
// In mixed_device.cpp, CUDA builds only. `resources` outlive it. On the current GPU alone.
std::unique_ptr<PlannedSolve<double>> mixed_device(const Plan& plan, Resources& resources);
WorkspaceBytes mixed_device_bytes(const Plan& plan);

void start_device();  // eigen_g.hpp's start_gpu() where there is one

}  // namespace eigen_g
