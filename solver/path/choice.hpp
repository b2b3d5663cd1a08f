// choose_path(): chooses the one-stage or the two-stage path of a solve.
#pragma once

#include <cstdint>
#include <limits>

#include "gemm_df/engines/engine.hpp"
#include "hybrid/scalar.hpp"
#include "solver/api/types.hpp"
#include "solver/devices/two_stage_tuning.hpp"

namespace eigen_g {

struct EntryType {
  bool is_complex = false, is_single = false;
};
template <class T>
constexpr EntryType entry_type() {
  return {is_complex<T>, sizeof(real_t<T>) == sizeof(float)};
}

// The values that decide the path of a solve on a GPU.
struct PathFacts {
  std::int64_t n = 0;
  EntryType type;
  std::int64_t vectors = 0;        // columns of Z; 0: values only
  Path asked = Path::automatic;    // as Options::path
  Engine engine = Engine::native;  // as Options::engine
  ProductRates rates = {};         // as Devices::engine_rates, for Engine::automatic
  int capability = 90;             // the GPU's; 90 is compute capability 9.0
};

// Smallest orders n for which the two-stage path is faster, with vectors and for values only. Measurements: data/perf/DECISIONS.md, "Choice of
// the path".
//   of_double ... of_complex_float   by type, for Engine::native; for complex matrices also with other engines
//   df, emulated, ozaki, ozaki_fp8   by engine, for real matrices of double; ozaki also for Engine::ozaki_fast, which was not measured
struct PathTuning {
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
  PathOrders of_double, of_float, of_complex_double, of_complex_float;
  PathOrders df{never, 7000}, emulated{never, never}, ozaki{5100, 2113}, ozaki_fp8{never, never};
};
PathTuning path_tuning();  // the orders of two_stage_tuning(): measured on an H200, or replaced by a file

// Returns the engine whose orders decide the path. Float and complex matrices: native, also if another engine multiplies them. Real matrices of
// double: facts.engine, and for Engine::automatic the fastest engine by facts.rates, or native without rates.
Engine engine_of_path(const PathFacts& facts);

// Returns facts.asked, unless it is Path::automatic. Path::automatic becomes the two-stage path if n is at least the order in `tuning` and
// is_strong_in_double(facts.capability), else the one-stage path. GPUs that are slow in double were not measured. The function needs no GPU.
Path choose_path(const PathFacts& facts, const PathTuning& tuning);

// choose_path() on the current GPU, for a matrix of T.
template <class T>
Path path_on_gpu(const Options& options, const ProductRates& rates, std::int64_t n);

// Returns `asked` for a solve on the CPU, unless it is Path::automatic. Path::automatic becomes the two-stage path if n is at least the order in
// TwoStageTuning::orders_on_cpu, else the one-stage path. The choice depends on n and T alone, so that the values have the same bits with all
// vectors, with some and with none.
template <class T>
Path path_on_cpu(Path asked, std::int64_t n);

// Returns true if devices.gpus GPUs together run all stages of a standard solve. These conditions must all hold:
//   - `path` is the two-stage path
//   - n is at least TwoStageTuning::orders_of_team (float: orders_of_team_in_float), or the caller requests Path::two_stage
//   - devices.gpus is 2 to max_team_gpus, devices.ratio is automatic, and devices.multiprocessors is 0
//   - the engine and the precision are native
inline constexpr int max_team_gpus = 8;
bool takes_team(EntryType type, const Options& options, const Devices& devices, Path path, std::int64_t n);

}  // namespace eigen_g
