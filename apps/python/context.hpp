// Context and Solver as Python holds them. Addresses are integers; nobody but the package's own Python calls these.
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

// Makes a GPU the current one until its end; -1, and a build without CUDA: leaves it.
class OnGpu {
 public:
  explicit OnGpu(int gpu);
  ~OnGpu();
  OnGpu(const OnGpu&) = delete;
  OnGpu& operator=(const OnGpu&) = delete;

 private:
  int before_ = -1;
};

// Device memory comes from allocate(bytes, stream) -> address and goes back to free(address, bytes, stream), both with the GIL;
// None for both: the library takes its own.
class PythonContext {
 public:
  PythonContext(const Plan& plan, nanobind::object allocate, nanobind::object free);
  Context& get() { return context_; }
  Allocator allocator() const;
  // Frees what is kept and not in use, and forgets the hooks: what is freed later goes with the process.
  void close();

 private:
  struct Hooks {
    nanobind::object allocate, free;
  };
  std::unique_ptr<Hooks> hooks_;
  Context context_;  // last: it gives its memory back
};

// Of every solve, a standard one's with no acts.
using PythonReport = GeneralisedReport;
PythonReport reported(Report report);

// Solver<T> of a plan's T, of a generalised problem GeneralisedSolver<T>.
class PythonSolver {
 public:
  PythonSolver(PythonContext& context, const Plan& plan, std::int64_t n, bool on_device, int gpu,
               nanobind::object progress);
  ~PythonSolver();
  WorkspaceBytes workspace(MatrixLayout layout) const;
  bool on_gpu() const;
  void use(std::uintptr_t memory, std::uint64_t bytes);
  PythonReport solve(std::uintptr_t a, std::int64_t lda, std::uintptr_t b, std::int64_t ldb, std::uintptr_t w,
                     std::uintptr_t z, std::int64_t ldz, std::uintptr_t stream);

 private:
  struct Any;
  template <class T>
  struct Standard;
  template <class T>
  struct Generalised;
  int gpu_;
  std::unique_ptr<Any> solver_;
};

}  // namespace eigen_g::python
