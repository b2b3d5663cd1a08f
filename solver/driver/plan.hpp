// Plan, what stays the same from solve to solve, and Problem, the caller's matrices in one solve.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "hybrid/matrix_view.hpp"
#include "hybrid/scalar.hpp"
#include "solver/api/generalised.hpp"

namespace eigen_g {

struct Plan {
  std::int64_t n = 0;
  Options options;
  Devices devices;
  Pointers pointers = Pointers::host;
  std::optional<GeneralisedProblem> generalised = {};
  // Decided by make_plan().
  bool on_gpu = false;
  Path path = Path::one_stage;
  std::vector<Fallback> fallbacks = {};  // steps of smaller_plan() that led here, in their order

  bool on_host_pointers() const { return pointers == Pointers::host; }
  std::int64_t max_count() const {
    return options.vectors ? options.subset.max_count(n) : 0;
  }  // columns of Z
};

// The plan on a machine that is chosen already, with its path.
template <class T>
Plan plan_on(Plan asked, bool on_gpu);
// The plan, checked, with its machine, as far as the devices leave the choice, and its path. Throws InvalidArgument for n, options and
// devices that no solve takes, DeviceError if a GPU is asked for and there is none.
template <class T>
Plan make_plan(const Plan& asked);
// The checks of make_plan() that need no look at the machine.
void check_plan(const Plan& plan);

// The plan of a solve of the same n within this one, on device pointers, with A in the lower triangle. It has no fallbacks yet.
Plan plan_within(const Plan& plan);

// The next choice when the GPU's memory does not suffice: native precision instead of mixed; then one stage instead of two; then the
// CPU, as far as the options and the devices leave the choice. The step is added to its fallbacks. Nothing if there is no choice left.
template <class T>
std::optional<Plan> smaller_plan(const Plan& plan);

// Returns if the solve is by mixed precision: all pairs of real doubles with their vectors, on a GPU.
template <class T>
bool wants_mixed(const Plan& plan) {
  return plan.on_gpu && std::is_same_v<T, double> && plan.options.precision == Precision::mixed &&
         plan.options.vectors && plan.options.subset.by == Subset::By::all;
}

// The rates by which the products of any solve choose their engine: the devices', or, if these name no rate of the native engine and
// the engine is automatic, estimate().
template <class Estimate>
ProductRates rates_of(const Plan& plan, Estimate&& estimate) {
  const ProductRates& known = plan.devices.engine_rates;
  const bool missing =
      plan.options.engine == Engine::automatic && !(known[Engine::native].flops_per_second > 0);
  return missing ? estimate() : known;
}

// In host or in device memory, as planned. `a` in host memory is not changed.
template <class T>
struct CallerMatrices {
  MatrixView<T> a;
  real_t<T>* w = nullptr;
  MatrixView<T> z = {};           // n x max_count(); data null: values only
  MatrixView<T> b = {};           // for a generalised problem
  CUstream_st* stream = nullptr;  // for device memory

  // `a` as memory that may be used for other things; data null: it may not.
  MatrixView<T> spare(const Plan& plan) const { return plan.on_host_pointers() ? MatrixView<T>{} : a; }
};
template <class T>
CallerMatrices<T> problem_of(const Plan& plan, const T* a, std::int64_t lda, T* b, std::int64_t ldb,
                             real_t<T>* w, T* z, std::int64_t ldz, CUstream_st* stream = nullptr) {
  const std::int64_t n = plan.n;
  CallerMatrices<T> p{{const_cast<T*>(a), n, n, lda}, w, {}, {b, n, n, ldb}, stream};
  if (plan.options.vectors) p.z = {z, n, plan.max_count(), ldz};
  return p;
}

// Throws InvalidArgument if a matrix is not as planned, or in memory that the planned device cannot use.
template <class T>
void check_problem(const Plan& plan, const CallerMatrices<T>& problem);

}  // namespace eigen_g
