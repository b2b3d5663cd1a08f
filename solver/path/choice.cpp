#include "solver/path/choice.hpp"

#include <algorithm>
#include <complex>

#include "hybrid/instantiate.hpp"
#include "hybrid/machine/tuning.hpp"

namespace eigen_g {

namespace {

const PathOrders& orders_of(const PathTuning& tuning, EntryType type, Engine engine) {
  if (engine == Engine::df) return tuning.df;
  if (engine == Engine::emulated) return tuning.emulated;
  if (engine == Engine::ozaki_fp8) return tuning.ozaki_fp8;
  if (by_residues(engine)) return tuning.ozaki;
  if (type.is_complex) return type.is_single ? tuning.of_complex_float : tuning.of_complex_double;
  return type.is_single ? tuning.of_float : tuning.of_double;
}

}  // namespace

PathTuning path_tuning() {
  const TwoStageTuning& t = two_stage_tuning();
  return {t.orders_of_double, t.orders_of_float, t.orders_of_complex_double, t.orders_of_complex_float};
}

Engine engine_of_path(const PathFacts& facts) {
  if (facts.type.is_complex || facts.type.is_single) return Engine::native;
  if (facts.engine != Engine::automatic) return facts.engine;
  constexpr std::int64_t terms = 64;  // a block of reflectors
  return choose_engine(facts.engine, facts.rates, facts.n, facts.n, terms);
}

Path choose_path(const PathFacts& facts, const PathTuning& tuning) {
  if (facts.asked != Path::automatic) return facts.asked;
  if (!is_strong_in_double(facts.capability)) return Path::one_stage;
  const PathOrders& from = orders_of(tuning, facts.type, engine_of_path(facts));
  return facts.n >= (facts.vectors > 0 ? from.with_vectors : from.of_values) ? Path::two_stage
                                                                             : Path::one_stage;
}

bool takes_team(EntryType type, const Options& options, const Devices& devices, Path path, std::int64_t n) {
  const TwoStageTuning& t = two_stage_tuning();
  const PathOrders& from = type.is_single ? t.orders_of_team_in_float : t.orders_of_team;
  return path == Path::two_stage && devices.gpus > 1 && devices.gpus <= max_team_gpus &&
         devices.ratio.automatic() && devices.multiprocessors == 0 && options.engine == Engine::native &&
         options.precision == Precision::native &&
         (options.path == Path::two_stage || n >= (options.vectors ? from.with_vectors : from.of_values));
}

template <class T>
Path path_on_gpu(const Options& options, const ProductRates& rates, std::int64_t n) {
  const std::int64_t vectors = options.vectors ? std::max<std::int64_t>(1, options.subset.max_count(n)) : 0;
  return choose_path({n, entry_type<T>(), vectors, options.path, options.engine, rates, current_capability()},
                     path_tuning());
}

template <class T>
Path path_on_cpu(Path asked, std::int64_t n) {
  if (asked != Path::automatic) return asked;
  const OrdersOnCpu& from = two_stage_tuning().orders_on_cpu;
  return n >= (is_complex<T> ? from.of_complex : from.of_real) ? Path::two_stage : Path::one_stage;
}

EIGEN_G_INSTANTIATE(all_types, path_on_gpu, path_on_cpu);

}  // namespace eigen_g
