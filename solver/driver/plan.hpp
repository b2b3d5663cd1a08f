// Plan: the arguments and decisions that stay the same from solve to solve. CallerMatrices: the caller's arrays of one solve.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "hybrid/matrix_view.hpp"
#include "hybrid/scalar.hpp"
#include "solver/api/generalised.hpp"
#include "solver/api/shards.hpp"

namespace eigen_g {

struct Plan {
  std::int64_t n = 0;
  Options options;
  Devices devices;
  Pointers pointers = Pointers::host;
  std::optional<GeneralisedProblem> generalised = {};
  bool within = false;  // true: this solve is a stage of a generalised or mixed solve on a GPU
  // For matrices in pieces (shards.hpp): the GPUs that have A. Their number is devices.gpus, and the first of them is the current GPU. Empty: each
  // matrix is whole.
  std::vector<int> gpus_of_pieces = {};
  // Decided by make_plan(). smaller_plan() changes mode and fallbacks, and can change on_gpu, path and team.
  bool on_gpu = false;
  Path path = Path::one_stage;
  bool team = false;  // all stages run on devices.gpus GPUs (team_backend.cpp)
  MemoryMode mode = MemoryMode::in_core;
  std::vector<Fallback> fallbacks = {};  // the fallbacks that smaller_plan() has taken, in their order

  bool on_host_pointers() const { return pointers == Pointers::host; }
  bool in_pieces() const { return !gpus_of_pieces.empty(); }
  // Columns of Z.
  std::int64_t max_count() const { return options.vectors ? options.subset.max_count(n) : 0; }
};

// Returns `asked` for the GPU or for the CPU: sets on_gpu, path and team. Checks nothing.
template <class T>
Plan plan_on(Plan asked, bool on_gpu);
// Checks the arguments, chooses CPU or GPU and the path, and returns the plan. Throws InvalidArgument, and DeviceError if a GPU is required and
// there is none.
template <class T>
Plan make_plan(const Plan& asked);
// Makes the checks of make_plan() that do not depend on this machine's GPUs.
void check_plan(const Plan& plan);

// Returns the plan of the standard solve that a generalised or mixed solve on a GPU runs: device pointers, A in the lower triangle, no fallbacks yet.
Plan plan_within(const Plan& plan);

// Returns the next plan to try if the GPU has too little memory; nullopt if no fallback is left. The fallbacks in their order:
//
//   mixed precision -> native precision
//   in core         -> parked            with vectors (1)
//   parked          -> slabs             with host pointers (1)
//   slabs           -> block columns     with vectors and host pointers, on the two-stage path (1)
//   in core         -> block columns     for values only, with host pointers, on the two-stage path (1)
//   two-stage path  -> one-stage path    with Path::automatic; block columns become slabs again, or in core for values only
//   GPU             -> CPU               with host pointers and DeviceChoice::automatic
//
// (1) for standard problems with gpus = 1 and n >= SolverTuning::min_order_out_of_core
template <class T>
std::optional<Plan> smaller_plan(const Plan& plan);
// Returns `plan` for this mode, with the fallbacks that lead to it. Throws InvalidArgument (mode) if no fallback leads to it.
template <class T>
Plan plan_in_mode(Plan plan, MemoryMode mode);

// Returns true if the solve uses mixed precision: it is requested, and the solve is for all pairs of a real double matrix on a GPU.
template <class T>
bool wants_mixed(const Plan& plan) {
  return plan.on_gpu && std::is_same_v<T, double> && plan.options.precision == Precision::mixed &&
         plan.options.vectors && plan.options.subset.by == Subset::By::all;
}

// Returns the rates by which Engine::automatic chooses the engine of each product. These are Devices::engine_rates if the caller has set
// them, else estimate(). With another engine estimate() is not called.
template <class Estimate>
ProductRates rates_of(const Plan& plan, Estimate&& estimate) {
  const ProductRates& known = plan.devices.engine_rates;
  const bool missing =
      plan.options.engine == Engine::automatic && !(known[Engine::native].flops_per_second > 0);
  return missing ? estimate() : known;
}

// A matrix in pieces, and the GPU of each piece.
template <class T>
struct Pieces {
  std::vector<Shard<T>> list;
  std::vector<int> gpus;
};

// The caller's arrays of one solve. Plan::pointers says if they are in host or device memory. An `a` in host memory is not changed, unless z is
// the same array.
template <class T>
struct CallerMatrices {
  MatrixView<T> a;
  real_t<T>* w = nullptr;
  MatrixView<T> z = {};                    // n x max_count(); data null: values only
  MatrixView<T> b = {};                    // for a generalised problem
  CUstream_st* stream = nullptr;           // for device pointers
  Pieces<T> a_pieces = {}, z_pieces = {};  // Plan::in_pieces(): instead of a and z

  // Memory of the caller that the solve may overwrite. Device pointers: the array of A. Host pointers: none (data is null).
  MatrixView<T> spare(const Plan& plan) const { return plan.on_host_pointers() ? MatrixView<T>{} : a; }
};
// Returns the arrays as views with the sizes of the plan.
template <class T>
CallerMatrices<T> problem_of(const Plan& plan, const T* a, std::int64_t lda, T* b, std::int64_t ldb,
                             real_t<T>* w, T* z, std::int64_t ldz, CUstream_st* stream = nullptr) {
  const std::int64_t n = plan.n;
  CallerMatrices<T> p{{const_cast<T*>(a), n, n, lda}, w, {}, {b, n, n, ldb}, stream};
  if (plan.options.vectors) p.z = {z, n, plan.max_count(), ldz};
  return p;
}

// Throws InvalidArgument if a pointer or a leading dimension does not fit the plan, or if the planned device cannot use the memory.
template <class T>
void check_problem(const Plan& plan, const CallerMatrices<T>& problem);

}  // namespace eigen_g
