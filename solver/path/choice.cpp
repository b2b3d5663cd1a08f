#include "solver/path/choice.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <type_traits>

#include "hybrid/machine/tuning.hpp"
#include "solver/devices/two_stage_tuning.hpp"

namespace eigen_g {

namespace {

// Compute capabilities with at least half of float's rate in double; elsewhere products of doubles take too long.
bool is_strong_in_double() {
  constexpr std::array strong_doubles{60, 70, 80, 90, 100};
  return std::find(strong_doubles.begin(), strong_doubles.end(), current_capability()) !=
         strong_doubles.end();
}

template <class T>
const PathOrders& orders_of(const TwoStageTuning& t) {
  constexpr bool single = std::is_same_v<real_t<T>, float>;
  if constexpr (is_complex<T>)
    return single ? t.orders_of_complex_float : t.orders_of_complex_double;
  else
    return single ? t.orders_of_float : t.orders_of_double;
}

}  // namespace

std::int64_t widest_given_band(std::int64_t n, bool vectors) {
  const GivenBands& widest = two_stage_tuning().max_given_band;
  const bool may_be_full = n <= 2 * widest.of_values;
  return std::min(vectors || may_be_full ? widest.with_vectors : widest.of_values, max_chase_bandwidth);
}

ChaseBack chase_back_on_gpu(Engine engine) {
  const bool native = engine == Engine::native || (engine == Engine::automatic && is_strong_in_double());
  return native ? ChaseBack::automatic : ChaseBack::engine;
}

template <class T>
Path path_on_gpu(const Options& options, std::int64_t n) {
  if (options.path != Path::automatic) return options.path;
  if (!is_strong_in_double()) return Path::one_stage;
  const PathOrders& from = orders_of<T>(two_stage_tuning());
  return n >= (options.vectors ? from.with_vectors : from.of_values) ? Path::two_stage : Path::one_stage;
}

template Path path_on_gpu<float>(const Options&, std::int64_t);
template Path path_on_gpu<double>(const Options&, std::int64_t);
template Path path_on_gpu<std::complex<double>>(const Options&, std::int64_t);
template Path path_on_gpu<std::complex<float>>(const Options&, std::int64_t);

}  // namespace eigen_g
