// choose_path(): chooses the one-stage or the two-stage path of a solve. Also the bands and the kernels of the two-stage path.
#pragma once

#include <cstdint>
#include <limits>

#include "gemm_df/engines/engine.hpp"
#include "hybrid/scalar.hpp"
#include "solver/api/types.hpp"
#include "solver/back/back_transform_chase.hpp"
#include "solver/devices/two_stage_tuning.hpp"

namespace eigen_g {

// The type of a matrix's entries.
struct EntryType {
  bool is_complex = false, is_single = false;
};
template <class T>
constexpr EntryType entry_type() {
  return {is_complex<T>, sizeof(real_t<T>) == sizeof(float)};
}

// The facts that decide the path of a solve on a GPU.
struct PathFacts {
  std::int64_t n = 0;
  EntryType type;
  std::int64_t vectors = 0;        // columns of Z; 0: values only
  Path asked = Path::automatic;    // as Options::path
  Engine engine = Engine::native;  // as Options::engine
  ProductRates rates = {};         // as Devices::engine_rates, for Engine::automatic
  int capability = 90;             // the GPU's; 90 is compute capability 9.0
};

// Smallest orders n for which the two-stage path is faster. of_double to of_complex_float are for native products. `df` and `emulated` are
// for these engines, which multiply matrices of double only. With vectors these two engines are faster on the one-stage path at every
// measured order, so their order is `never`. For values only, engine df is faster on the two-stage path from n = 7000 on. Measurements:
// data/perf/DECISIONS.md, "Choice of the path".
struct PathTuning {
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
  PathOrders of_double, of_float, of_complex_double, of_complex_float;
  PathOrders df{never, 7000}, emulated{never, never};
};
PathTuning path_tuning();  // the orders of two_stage_tuning(): measured on an H200, or replaced by a file

// Returns the engine that decides the path. Float and complex matrices: native, because no other engine multiplies them. (If
// facts.engine is another engine, Products throws later.) Double: facts.engine. For Engine::automatic it is the fastest engine by
// facts.rates, or native without rates.
Engine engine_of_path(const PathFacts& facts);

// Returns the path of a solve: facts.asked. For Path::automatic it is the two-stage path under two conditions: n is at least the order
// in `tuning`, and the GPU's rate in double is at least half of its rate in float. GPUs with a lower rate in double were not measured, so
// they use the one-stage path for all types. The function needs no GPU.
Path choose_path(const PathFacts& facts, const PathTuning& tuning);

// choose_path() on the current GPU, for a matrix of T.
template <class T>
Path path_on_gpu(const Options& options, const ProductRates& rates, std::int64_t n);

// The two-stage path's bandwidth for a matrix of order n. It is the same with and without vectors, so that the values are the same.
template <class T>
constexpr std::int64_t band_width(std::int64_t) {
  return is_complex<T> ? 32 : 64;
}

// Returns the largest bandwidth with which the two-stage path chases a band matrix directly, without full_to_band, on the current GPU.
// There are two limits. The limit with vectors is smaller, because the back-transformation uses the tensor core up to bandwidth 64 only.
// For a bandwidth between the limits, the values differ in rounding between a solve with vectors and a solve for values only. A full matrix
// has bandwidth n - 1, so a small full matrix could count as a band. For n up to twice the larger limit, the smaller limit therefore holds
// with vectors and for values only.
std::int64_t widest_given_band(std::int64_t n, bool vectors);

// Returns the variant of back_transform_chase() on the current GPU. ChaseBack::automatic is for Engine::native. It is also for
// Engine::automatic, if the GPU's rate in double is at least half of its rate in float. ChaseBack::engine is for all other cases.
ChaseBack back_transform_chase_on_gpu(Engine engine);

}  // namespace eigen_g
