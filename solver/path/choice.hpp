// The choice between the one-stage and the two-stage path, and of the kernels of the two-stage path.
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

// Smallest orders for which the two-stage path takes less time, by the engine of the products. For native products they depend on the
// type. The other engines multiply matrices of double alone. For them no such order is known: up to n = 10000 the one-stage path is
// about ten times as fast (data/perf/DECISIONS.md).
struct PathTuning {
  static constexpr PathOrders never{std::numeric_limits<std::int64_t>::max(),
                                    std::numeric_limits<std::int64_t>::max()};
  PathOrders of_double, of_float, of_complex_double, of_complex_float;
  PathOrders double_float = never, emulated = never;
};
PathTuning path_tuning();  // for CUDA's current GPU; without one, for the first GPU that was measured

// The engine that decides the path. Float and complex matrices: native, because no other engine multiplies them. (A solve that asks
// for another one is refused by Products.) Double: the engine that is asked for. For Engine::automatic it is the fastest by the rates,
// or native without rates.
Engine engine_of_path(const PathFacts& facts);

// The path of a solve: the one that is asked for. Path::automatic: the two-stage path from the order in `tuning` on, if the GPU
// computes products of doubles at half of its rate for floats or more; else the one-stage path. (Other GPUs are not measured in
// float either.) No GPU is needed.
Path choose_path(const PathFacts& facts, const PathTuning& tuning);

// choose_path() on the current GPU, for a matrix of T.
template <class T>
Path path_on_gpu(const Options& options, const ProductRates& rates, std::int64_t n);

// The two-stage path's bandwidth for a matrix of order n: with vectors and without the same, so that the values are the same.
template <class T>
constexpr std::int64_t band_width(std::int64_t) {
  return is_complex<T> ? 32 : 64;
}

// The largest bandwidth of a band matrix of order n that the two-stage path chases without its first stage, on the current GPU. With
// vectors it is smaller than without, because the back-transformation uses the tensor core up to 64 only. Between the two, the values
// of a solve with vectors differ in rounding from those of a solve without. If a full matrix of order n would count as a band, it is
// the smaller one in both cases.
std::int64_t widest_given_band(std::int64_t n, bool vectors);

// On the current GPU: the tensor core, if the products are native and the GPU is strong in double; else the engine.
ChaseBack back_transform_chase_on_gpu(Engine engine);

}  // namespace eigen_g
