// Backends: the steps of each recipe on one machine, with the memory that they need. The steps of a machine are in host_backend.cpp and
// generalised_host.cpp (CPU, through LAPACK), device_backend.cpp, generalised_device.cpp and mixed_device.cpp (GPU). A backend is made
// for one plan and solves again and again.
#pragma once

#include <cstdint>
#include <memory>

#include "solver/driver/plan.hpp"
#include "solver/path/reduction.hpp"
#include "solver/tridiagonal/divide_and_conquer.hpp"

namespace eigen_g {

// Interface of a backend to SolveFrame.
template <class T>
class Backend {
 public:
  virtual ~Backend() = default;
  // Device memory for the next solves. Empty: the backend's own, kept until its end, and taken again if a problem needs more.
  virtual void set_workspace(const Workspace&) {}
  virtual void set_factor(CholeskyFactor) {}  // for later solves of a generalised problem

  // Takes the memory that the problem needs. Throws OutOfMemory with the sum of it, before any is taken.
  virtual void begin(const CallerMatrices<T>& problem) = 0;
  // The recipe, on the problem that has begun (recipes.cpp). Sets all of the report except stages, seconds, devices and bytes.
  virtual GeneralisedReport run(StageRunner& run_stage) = 0;
  // Nothing uses the problem's memory afterwards, whatever has been thrown.
  virtual void end() noexcept {}
  // Instead of end(): on device pointers the work of the last steps may still be queued, and the next begin() is ordered after it. Waits
  // for that work if the queue has only a part of the GPU.
  virtual void end_async() { end(); }
  virtual Clock& clock() = 0;
  // Sets the report's path, devices and bytes.
  virtual void account(Report& report) = 0;
};

// A = Z W Z^H.
template <class T>
class StandardBackend : public Backend<T> {
 public:
  explicit StandardBackend(const Plan& plan) : plan_(plan) {}
  GeneralisedReport run(StageRunner& run_stage) final;

  virtual void load() = 0;        // the caller's triangle into the working matrix A
  virtual real_t<T> check() = 0;  // max |a_ij|; throws NonFiniteEntry
  virtual void scale(int k) = 0;  // A := 2^k A
  virtual ImplicitQ<T>& reduce(StageRunner& run_stage) = 0;  // A = Q T Q^H, on the plan's path
  // T = U W U^T for the scaled matrix. The later steps work on the pairs that it found.
  virtual DivideAndConquerResult divide_and_conquer(int k) = 0;
  virtual void back_transform(StageRunner& run_stage, ImplicitQ<T>& q) = 0;  // Z = Q U
  virtual void unscale(int k) = 0;                                           // W := 2^-k W
  virtual void store() = 0;                                                  // W and Z to the caller

 protected:
  Plan plan_;
};

// A X = B X W, or one of the other two problems of Generalised::itype.
template <class T>
class GeneralisedBackend : public Backend<T> {
 public:
  explicit GeneralisedBackend(const Plan& plan) : plan_(plan) {}
  void set_factor(CholeskyFactor factor) final { plan_.generalised->factor = factor; }
  GeneralisedReport run(StageRunner& run_stage) final;

  virtual void load() = 0;                // A and B to where they are worked on
  virtual void check() = 0;               // throws NonFiniteEntry of A or B
  virtual std::int64_t cholesky() = 0;    // B = L L^H; the order of the first bad minor, 0: none
  virtual void standard_form() = 0;       // A := C
  virtual GeneralisedReport solve() = 0;  // C = Y W Y^H, a standard solve
  virtual void back_substitute(std::int64_t columns) = 0;  // X of Y
  virtual void store(
      std::int64_t columns) = 0;  // W, X and the factor to the caller, if they are not there yet

 protected:
  const GeneralisedProblem& generalised() const { return *plan_.generalised; }
  Plan plan_;
};

// A = Z W Z^T by mixed precision: all pairs of A in float, refined to double. If that does not succeed, the standard solve in double of
// the A that was kept.
class MixedBackend : public Backend<double> {
 public:
  explicit MixedBackend(const Plan& plan) : plan_(plan) {}
  GeneralisedReport run(StageRunner& run_stage) final;

  virtual void load() = 0;
  virtual double check() = 0;     // max |a_ij|, of a matrix of zeros 1; throws NonFiniteEntry
  virtual void scale(int k) = 0;  // A := 2^k A, both triangles
  virtual GeneralisedReport solve_in_float() = 0;  // float(A) = Z W Z^T; seconds: with the conversion
  virtual Refinement refine(const StageProgress& tell) = 0;  // X of Z
  virtual GeneralisedReport solve_in_double() = 0;
  virtual void unscale(int k, std::int64_t count) = 0;  // `count` values
  virtual void store(std::int64_t count) = 0;

 protected:
  Plan plan_;
};

// The backend of any plan, and the bytes that it takes at most. In a build without CUDA those of a GPU throw DeviceError
// (solver/driver/no_device.cpp). `resources` outlive a GPU's backend.
template <class T>
std::unique_ptr<Backend<T>> backend_on_cpu(const Plan& plan);
template <class T>
WorkspaceBytes bytes_on_cpu(const Plan& plan);
template <class T>
std::unique_ptr<Backend<T>> backend_on_gpu(const Plan& plan, Resources* resources);
template <class T>
WorkspaceBytes bytes_on_gpu(const Plan& plan, MatrixLayout layout);

// Backends and bytes for the plans of one recipe. The functions of a GPU are in CUDA builds only.
template <class T>
WorkspaceBytes standard_bytes_on_cpu(const Plan& plan);
template <class T>
std::unique_ptr<Backend<T>> generalised_on_cpu(const Plan& plan);
template <class T>
WorkspaceBytes generalised_bytes_on_cpu(const Plan& plan);
template <class T>
std::unique_ptr<Backend<T>> generalised_on_gpu(const Plan& plan, Resources& resources);
template <class T>
WorkspaceBytes generalised_bytes_on_gpu(const Plan& plan);
std::unique_ptr<Backend<double>> mixed_on_gpu(const Plan& plan, Resources& resources);
WorkspaceBytes mixed_bytes_on_gpu(const Plan& plan);

std::shared_ptr<Resources> new_resources(const Allocator& allocator);  // null in a build without CUDA
Resources* resources_of_this_thread();                                 // null in a build without CUDA
void release(Resources* resources);                                    // null passes
void start_device();  // start_gpu() of eigen_g.hpp, if there is a GPU

}  // namespace eigen_g
