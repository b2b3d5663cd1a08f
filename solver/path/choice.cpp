#include "solver/path/choice.hpp"

#include <algorithm>
#include <array>
#include <complex>

#include "hybrid/machine/tuning.hpp"
#include "solver/devices/two_stage_tuning.hpp"

namespace eigen_g {

template <class T>
Path path_on_gpu(const Options& options, std::int64_t n) {
  if (!has_two_stages<T>) return Path::one_stage;
  if (options.path != Path::automatic) return options.path;
  // Compute capabilities with at least half of float's rate in double; elsewhere products of doubles take too long.
  constexpr std::array strong_doubles{60, 70, 80, 90, 100};
  const int capability = current_capability();
  if (std::find(strong_doubles.begin(), strong_doubles.end(), capability) == strong_doubles.end())
    return Path::one_stage;
  const TwoStageTuning& t = two_stage_tuning();
  return n >= (options.vectors ? t.min_order_with_vectors : t.min_order_of_values) ? Path::two_stage
                                                                                   : Path::one_stage;
}

template Path path_on_gpu<float>(const Options&, std::int64_t);
template Path path_on_gpu<double>(const Options&, std::int64_t);
template Path path_on_gpu<std::complex<double>>(const Options&, std::int64_t);
template Path path_on_gpu<std::complex<float>>(const Options&, std::int64_t);

}  // namespace eigen_g
