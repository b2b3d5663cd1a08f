// Backend: the stages of one recipe on the CPU or on a GPU, with the memory that they need. A backend is made for one plan and runs any
// number of solves.
//
//   recipe        CPU, through LAPACK     GPU
//   standard      host_backend.cpp        device_backend.cpp
//   generalised   generalised_host.cpp    generalised_device.cpp
//   mixed                                 mixed_device.cpp
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "solver/driver/plan.hpp"
#include "solver/generalised/order.hpp"
#include "solver/path/reduction.hpp"
#include "solver/tridiagonal/divide_and_conquer.hpp"

namespace eigen_g {

// Interface of a backend to SolveFrame.
template <class T>
class Backend {
 public:
  virtual ~Backend() = default;
  // Sets the device memory of the next solves. Null: the backend allocates its own and keeps it; it allocates again for a problem that
  // needs more.
  virtual void set_workspace(const Workspace&) {}
  virtual void set_factor(CholeskyFactor) {}  // for later solves of a generalised problem

  // Begins a solve: allocates all memory that the problem needs. Throws OutOfMemory with the bytes needed, before any allocation.
  virtual void begin(const CallerMatrices<T>& problem) = 0;
  // Runs the recipe (recipes.cpp) on the problem of begin(), and returns an incomplete report. SolveFrame and account()
  // complete it.
  virtual GeneralisedReport run(StageRunner& run_stage) = 0;
  // Ends the solve, also after an exception. Nothing uses the problem's memory afterwards.
  virtual void end() noexcept {}
  // Ends an asynchronous solve, instead of end(). A standard solve with device pointers on a whole GPU may leave its last stages queued.
  // The next begin() is then ordered after them. Every other solve ends as in end().
  virtual void end_async() { end(); }
  virtual Clock& clock() = 0;
  // Sets the report's bytes. A standard solve also sets path and devices. A generalised or mixed solve runs a standard solve, and its
  // report keeps path and devices from the report of that standard solve.
  virtual void account(Report& report) = 0;
};

// A = Z W Z^H.
template <class T>
class StandardBackend : public Backend<T> {
 public:
  explicit StandardBackend(const Plan& plan) : plan_(plan) {}
  GeneralisedReport run(StageRunner& run_stage) final;

  virtual void load() = 0;        // copies the caller's triangle to the working matrix A
  virtual real_t<T> check() = 0;  // max |a_ij|; throws NonFiniteEntry
  virtual void scale(int k) = 0;  // A := 2^k A
  virtual ImplicitQ<T>& reduce(StageRunner& run_stage) = 0;  // A = Q T Q^H, on the plan's path
  // T = U W U^T. W has the eigenvalues of the scaled matrix 2^k A. The caller's limits of a subset by value are for the eigenvalues of A,
  // which are 2^-k W. Later stages work on the pairs that this stage found.
  virtual DivideAndConquerResult divide_and_conquer(int k) = 0;
  virtual void back_transform(StageRunner& run_stage, ImplicitQ<T>& q) = 0;  // Z = Q U
  virtual void unscale(int k) = 0;                                           // W := 2^-k W
  virtual void store() = 0;                                                  // copies W and Z to the caller

 protected:
  Plan plan_;
};

// Exponents of a generalised solve. The solve computes 2^a W instead of W. It scales B to 2^b B, whose entries are near 1; b is even.
// A stage that uses the scaled B or its factor removes the scaling from L before it ends. Between stages L is therefore the factor of
// the unscaled B, and the vectors need no scaling.
struct PencilScale {
  int a = 0, b = 0;
};

template <class R>
struct PencilFacts {
  R largest_a = 0, largest_b = 0;  // max |a_ij| and max |b_ij|; with CholeskyFactor::reuse max |l_ij|
  R smallest_diagonal_of_b = 0;    // min |b_ii|
};

// A X = B X W, or one of the other two problems of GeneralisedProblem::itype.
template <class T>
class GeneralisedBackend : public Backend<T> {
 public:
  explicit GeneralisedBackend(const Plan& plan) : plan_(plan) {}
  void set_factor(CholeskyFactor factor) final { plan_.generalised->factor = factor; }
  GeneralisedReport run(StageRunner& run_stage) final;

  virtual void load() = 0;                     // prepares the working A and B from the caller's triangles
  virtual PencilFacts<real_t<T>> check() = 0;  // throws NonFiniteEntry
  virtual std::vector<real_t<T>> diagonal_of_b() = 0;
  virtual void order_b() = 0;  // B := the caller's B in order_
  // B = L L^H; returns bad_minor (GeneralisedReport). If bad_minor is 0, may_order() is true and rows are nearly dependent, returns
  // nearly_dependent (order.hpp).
  virtual std::int64_t cholesky() = 0;
  // B = L L^H in the order of diagonal pivoting, which order_ becomes. Returns false if B is not positive definite.
  virtual bool pivoted_cholesky() = 0;
  // True if this problem, after its factorization, is solved more accurately by solve_on_host(): the whole problem on the CPU.
  virtual bool better_on_host() const { return false; }
  virtual GeneralisedReport solve_on_host() { return {}; }
  virtual void standard_form() = 0;                        // A := C, the matrix of the standard problem
  virtual GeneralisedReport solve() = 0;                   // C = Y W Y^H, a standard solve
  virtual void back_substitute(std::int64_t columns) = 0;  // computes X from Y
  virtual real_t<T> unscale(std::int64_t count) = 0;       // W := 2^-scale_.a W; returns max |w_k|
  virtual void store(
      std::int64_t columns) = 0;  // copies W, X and the factor to the caller, if they are in other memory

 protected:
  const GeneralisedProblem& generalised() const { return *plan_.generalised; }
  bool may_order() const { return generalised().factor == CholeskyFactor::compute; }
  Subset scaled_subset() const;  // the subset of 2^scale_.a W
  Plan plan_;
  RowOrder order_;  // the order of A's and B's rows; empty: the caller's
  PencilScale scale_;

 private:
  std::int64_t factor_b(const PencilFacts<real_t<T>>& facts);
};

// A = Z W Z^T in mixed precision: finds all pairs of A in float and refines them to double. Keeps A. If the solve in
// float or the refinement fails, solves A in double.
class MixedBackend : public Backend<double> {
 public:
  explicit MixedBackend(const Plan& plan) : plan_(plan) {}
  GeneralisedReport run(StageRunner& run_stage) final;

  virtual void load() = 0;
  virtual double check() = 0;                      // max |a_ij|, or 1 if A = 0; throws NonFiniteEntry
  virtual void scale(int k) = 0;                   // A := 2^k A, both triangles
  virtual GeneralisedReport solve_in_float() = 0;  // float(A) = Z W Z^T; its seconds include the conversion
  virtual Refinement refine(const StageProgress& progress) = 0;  // refines Z to X
  virtual GeneralisedReport solve_in_double() = 0;
  virtual void unscale(int k, std::int64_t count) = 0;  // W := 2^-k W for `count` values
  virtual void store(std::int64_t count) = 0;

 protected:
  Plan plan_;
};

// backend_on_*() make the backend for the recipe of a plan. bytes_on_*() return an upper bound of the bytes that a solve with this plan
// allocates. In a build without CUDA the two functions for a GPU throw DeviceError (solver/driver/no_device.cpp). `resources` must outlive
// the backend.
template <class T>
std::unique_ptr<Backend<T>> backend_on_cpu(const Plan& plan);
template <class T>
WorkspaceBytes bytes_on_cpu(const Plan& plan);
template <class T>
std::unique_ptr<Backend<T>> backend_on_gpu(const Plan& plan, Resources* resources);
template <class T>
WorkspaceBytes bytes_on_gpu(const Plan& plan, MatrixLayout layout);

// Backends and bytes of a single recipe. The functions for a GPU are in CUDA builds only.
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
void release(Resources* resources);                                    // does nothing in a build without CUDA
void start_device();  // start_gpu() of eigen_g.hpp on a machine with a GPU

}  // namespace eigen_g
