// Backend: the stages of one recipe on the CPU or on a GPU, with their memory. A recipe is the order of the stages of one kind of solve
// (recipes.cpp). A backend runs any number of solves of one plan.
//
//   recipe        CPU                     GPU
//   standard      host_backend.cpp        device_backend.cpp, with its buffers in device_parts.hpp; team_backend.cpp if the GPUs divide all stages
//   generalised   generalised_host.cpp    generalised_device.cpp
//   mixed         none                    mixed_device.cpp
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "solver/driver/plan.hpp"
#include "solver/generalised/order.hpp"
#include "solver/generalised/scale.hpp"
#include "solver/path/reduction.hpp"
#include "solver/tridiagonal/divide_and_conquer.hpp"

namespace eigen_g {

// Interface of a backend to SolveFrame.
template <class T>
class Backend {
 public:
  explicit Backend(const Plan& plan) : plan_(plan) {}
  virtual ~Backend() = default;
  // Sets the device memory of the next solves. If Workspace::device is null, the backend allocates memory, and keeps it until a problem needs more.
  virtual void set_workspace(const Workspace&) {}
  // Sets for the next solves of a generalised problem whether B's Cholesky factor is computed, returned or reused.
  void set_factor(CholeskyFactor factor) { plan_.generalised->factor = factor; }

  // Begins a solve: allocates its workspace. Engines other than native, and shared products, allocate more memory during the solve. Throws
  // OutOfMemory with the bytes needed.
  virtual void begin(const CallerMatrices<T>& problem) = 0;
  // Runs the recipe (recipes.cpp) on the problem of begin(). SolveFrame and account() complete the report.
  virtual GeneralisedReport run(StageRunner& run_stage) = 0;
  // Ends the solve, also after an exception. Nothing uses the problem's memory afterwards.
  virtual void end() noexcept {}
  // Ends an asynchronous solve. A solve by device_backend.cpp with device pointers and multiprocessors = 0 can return while its last stages are
  // queued. The next begin() is then ordered after them. Every other solve ends as in end().
  virtual void end_async() { end(); }
  virtual Clock& clock() = 0;
  // Sets the report's bytes. A standard solve also sets its path and devices. The report of any other solve has the path and devices of the
  // standard solve that it runs.
  virtual void account(Report& report) = 0;

 protected:
  Plan plan_;
};

// The standard problem A = Z W Z^H, W = diag(w). In the equations T is the tridiagonal matrix to which A is reduced. In the code T is the type of A's
// entries.
template <class T>
class StandardBackend : public Backend<T> {
 public:
  using Backend<T>::Backend;
  GeneralisedReport run(StageRunner& run_stage) final;

  virtual void load() = 0;  // copies the caller's triangle to the working matrix A
  // Finds max |a_ij|. Throws NonFiniteEntry for a NaN or an infinity. On a GPU check() can return while the check is queued. Then scale() or
  // exponent() waits for the result, and throws NonFiniteEntry.
  virtual void check() = 0;
  virtual void scale() = 0;  // A := 2^k A
  // A = Q T Q^H, on the plan's path. With MemoryMode::in_core the reflectors of Q overwrite A, and stay there until back_transform() has used
  // them. Exception: if several GPUs divide all stages, the chase's reflectors are in other memory. In every other MemoryMode a solve with
  // vectors copies the reflectors to host memory in reduce(). Other data then uses the memory of A.
  virtual void reduce(StageRunner& run_stage) = 0;
  // Returns the k of scale(): scale_exponent(max |a_ij|). Called after reduce().
  virtual int exponent() = 0;
  // T = U W U^T. W has the eigenvalues of the scaled matrix 2^k A. The caller's limits of a subset by value are for the eigenvalues of A,
  // which are 2^-k W. Later stages work on the pairs that this stage found.
  virtual DivideAndConquerResult divide_and_conquer(int k, const StageProgress& progress) = 0;
  virtual void back_transform(StageRunner& run_stage) = 0;  // Z = Q U
  virtual void unscale(int k) = 0;                          // W := 2^-k W
  virtual void store() = 0;                                 // copies W and Z to the caller
  // Completes the result of divide_and_conquer() with status and info, if divide_and_conquer() returned while its work was queued.
  virtual void finish(DivideAndConquerResult&) {}

 protected:
  using Backend<T>::plan_;
};

// A X = B X W, or one of the other two problems of GeneralisedProblem::itype.
template <class T>
class GeneralisedBackend : public Backend<T> {
 public:
  using Backend<T>::Backend;
  GeneralisedReport run(StageRunner& run_stage) final;

  virtual void load() = 0;                     // prepares the working A and B from the caller's triangles
  virtual PencilFacts<real_t<T>> check() = 0;  // throws NonFiniteEntry
  virtual std::vector<real_t<T>> diagonal_of_b() = 0;
  virtual void order_b() = 0;  // B := the caller's B with its rows and columns in the order order_
  // B = L L^H. Returns bad_minor (GeneralisedReport), or nearly_dependent (order.hpp) if three conditions hold: bad_minor is 0, may_order() is
  // true, and rows of B are nearly dependent.
  virtual std::int64_t cholesky() = 0;
  // B = L L^H with diagonal pivoting. Sets order_ to the order of the pivots. Returns false if B is not positive definite.
  virtual bool pivoted_cholesky() = 0;
  // Returns true if solve_on_host(), which solves the whole problem on the CPU, is more accurate. Called after the factorization of B.
  virtual bool better_on_host() const { return false; }
  virtual GeneralisedReport solve_on_host() { return {}; }
  virtual void standard_form() = 0;                        // A := C, the matrix of the standard problem
  virtual GeneralisedReport solve() = 0;                   // C = Y W Y^H, a standard solve
  virtual void back_substitute(std::int64_t columns) = 0;  // computes X from Y
  virtual real_t<T> unscale(std::int64_t count) = 0;       // W := 2^-scale_.a W; returns max |w_k|
  // Copies W, X and the factor to the caller, if they are in other memory.
  virtual void store(std::int64_t columns) = 0;

 protected:
  const GeneralisedProblem& generalised() const { return *plan_.generalised; }
  // True if B may be factored in another order than the caller's, because the factor is neither returned nor reused.
  bool may_order() const { return generalised().factor == CholeskyFactor::compute; }
  // Returns `plan` with the limits of a subset by value multiplied by 2^scale_.a. The caller's limits are for the eigenvalues W of the
  // generalised problem. The standard solve finds 2^scale_.a W.
  Plan scaled(Plan plan) const {
    plan.options.subset = scaled_subset(plan.options.subset, scale_.a);
    return plan;
  }
  // True if scaled() changes the plan.
  bool scales_subset() const { return scale_.a != 0 && plan_.options.subset.by == Subset::By::value; }
  using Backend<T>::plan_;
  RowOrder order_;  // the order of A's and B's rows (order.hpp); empty: the caller's order
  PencilScale scale_;

 private:
  std::int64_t factor_b(const PencilFacts<real_t<T>>& facts);
};

// A = Z W Z^T in mixed precision: finds all pairs in float and refines them to double. If the float solve or the refinement fails, the
// solve is in double.
class MixedBackend : public Backend<double> {
 public:
  using Backend::Backend;
  GeneralisedReport run(StageRunner& run_stage) final;

  virtual void load() = 0;
  virtual double check() = 0;                      // max |a_ij|, or 1 if A = 0; throws NonFiniteEntry
  virtual void scale(int k) = 0;                   // A := 2^k A, both triangles
  virtual GeneralisedReport solve_in_float() = 0;  // float(A) = Z W Z^T; its seconds include the conversion
  virtual Refinement refine(const StageProgress& progress) = 0;  // Z -> X, the vectors in double
  virtual GeneralisedReport solve_in_double() = 0;
  virtual void unscale(int k, std::int64_t count) = 0;  // W := 2^-k W for `count` values
  virtual void store(std::int64_t count) = 0;
};

// backend_on_*() make the backend for the recipe of a plan; `resources` must outlive it. bytes_on_*() return an upper bound of the
// bytes that a solve by the native engine allocates. Without CUDA the functions for a GPU throw DeviceError (no_device.cpp).
template <class T>
std::unique_ptr<Backend<T>> backend_on_cpu(const Plan& plan);
template <class T>
WorkspaceBytes bytes_on_cpu(const Plan& plan);
template <class T>
std::unique_ptr<Backend<T>> backend_on_gpu(const Plan& plan, Resources* resources);
template <class T>
WorkspaceBytes bytes_on_gpu(const Plan& plan, MatrixLayout layout);

// Backends and bytes of a single recipe. The functions for a GPU are in CUDA builds only, except for team_bytes(), which is in every build.
template <class T>
WorkspaceBytes standard_bytes_on_cpu(const Plan& plan);
template <class T>
std::unique_ptr<Backend<T>> generalised_on_cpu(const Plan& plan);
template <class T>
WorkspaceBytes generalised_bytes_on_cpu(const Plan& plan);
template <class T>
std::unique_ptr<Backend<T>> standard_on_gpu(const Plan& plan, Resources& resources);
template <class T>
WorkspaceBytes standard_bytes_on_gpu(const Plan& plan, MatrixLayout layout);
template <class T>
std::unique_ptr<Backend<T>> team_on_gpus(const Plan& plan, Resources& resources);
// The device bytes are for the first GPU alone.
template <class T>
WorkspaceBytes team_bytes_on_gpu(const Plan& plan);
// Returns the bytes of the workspace on GPU number `member` of a team of plan.devices.gpus GPUs. 0: a build without CUDA. Throws DeviceError if
// there is no GPU.
//   multiprocessors   the number of multiprocessors of each GPU
template <class T>
std::uint64_t team_bytes(const Plan& plan, int member, int multiprocessors);
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
