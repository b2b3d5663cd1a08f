#include "hybrid/machine/tuning.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "hybrid/machine/device.hpp"
#include "hybrid/machine/fork.hpp"

namespace eigen_g {

int current_capability() {
  static constinit MadeOnce<const bool> none;
  if (none.get([] { return gpu_count() == 0; })) return 0;
  const Device& gpu = gpu_facts(current_gpu());
  return 10 * gpu.compute_major + gpu.compute_minor;
}

bool is_strong_in_double(int capability) {
  constexpr std::array strong_doubles{60, 70, 80, 90, 100};
  return std::find(strong_doubles.begin(), strong_doubles.end(), capability) != strong_doubles.end();
}

int ThreadTuning::of_order(std::int64_t order) const {
  for (const Row& row : rows)
    if (order <= row.max_order) return row.threads;
  return std::numeric_limits<int>::max();
}

ThreadTuning thread_tuning_by(TuningValues values) {
  ThreadTuning t;
  for (std::size_t k = 0; k < t.rows.size(); ++k) {
    const std::string name = "rows/" + std::to_string(k);
    values.replace(name + "/max_order", t.rows[k].max_order);
    values.replace(name + "/threads", t.rows[k].threads);
  }
  values.finish(std::all_of(t.rows.begin(), t.rows.end(), [](const auto& row) { return row.threads > 0; }));
  return t;
}

const ThreadTuning& thread_tuning() {
  static constinit MadeOnce<const ThreadTuning> tuning;
  return tuning.get([] { return thread_tuning_by(TuningValues::of_environment("threads")); });
}

}  // namespace eigen_g
