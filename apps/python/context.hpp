// Context and Solver for Python. Addresses are integers; only the package's own Python code calls these classes.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>

#include <eigen_g/generalised.hpp>

#include "apps/python/plan.hpp"

namespace eigen_g::python {

template <class T>
T* pointer(std::uintptr_t address) {
  return reinterpret_cast<T*>(address);
}

// Makes a GPU the current one for its lifetime. gpu == -1 or a build without CUDA: does nothing.
class OnGpu {
 public:
  explicit OnGpu(int gpu);
  ~OnGpu();
  OnGpu(const OnGpu&) = delete;
  OnGpu& operator=(const OnGpu&) = delete;

 private:
  int before_ = -1;
};

// The device memory comes from the Python functions allocate(bytes, stream) -> address and free(address, bytes, stream), which are
// called with the GIL held. None for both: the library allocates memory itself.
class PythonContext {
 public:
  PythonContext(const CallOptions& plan, nanobind::object allocate, nanobind::object free);
  Context& get() { return context_; }
  Allocator allocator() const;
  // Frees the cached memory that is not in use, and drops the Python functions. Memory that is released later is freed when the process
  // ends.
  void close();

 private:
  struct Hooks {
    nanobind::object allocate, free;
  };
  std::unique_ptr<Hooks> hooks_;
  Context context_;  // last member: its destructor still calls the hooks
};

// The report of every solve; bad_minor is 0 for a standard problem.
using PythonReport = GeneralisedReport;
PythonReport reported(Report report);

// Solver<T>, or GeneralisedSolver<T> for a generalised problem; the plan's dtype is T. A batch of one (batch.hpp) has neither.
class PythonSolver {
 public:
  PythonSolver(PythonContext& context, const CallOptions& plan, std::int64_t n, bool on_device, int gpu,
               nanobind::object progress);
  ~PythonSolver();
  WorkspaceBytes workspace(MatrixLayout layout) const;
  bool on_gpu() const;
  void set_workspace(std::uintptr_t memory, std::uint64_t bytes);
  // The next solves take that plan's option for the Cholesky factor of b.
  void set_factor(const CallOptions& plan);
  PythonReport solve(std::uintptr_t a, std::int64_t lda, std::uintptr_t b, std::int64_t ldb, std::uintptr_t w,
                     std::uintptr_t z, std::int64_t ldz, std::uintptr_t stream);

 private:
  struct Any;
  template <class T>
  struct Standard;
  template <class T>
  struct Generalised;
  struct BatchOfOne;
  int gpu_;
  std::unique_ptr<Any> solver_;
};

}  // namespace eigen_g::python
