#include "gemm_df/engines/engine.hpp"

#include "gemm_df/engines/engine_table.hpp"

namespace eigen_g {

bool engine_built(Engine engine) {
  return maker_of<double>(engine == Engine::automatic ? Engine::native : engine) != nullptr;
}

bool engine_runs(Engine engine) {
  if (!engine_built(engine)) return false;
  const auto runs = row_of(engine == Engine::automatic ? Engine::native : engine).gpu.runs;
  return !runs || runs();
}

double predicted_seconds(Engine engine, const ProductRates& rates, std::int64_t m, std::int64_t n,
                         std::int64_t k) {
  return row_of(engine).seconds(rates[engine], m, n, k);
}

Engine choose_engine(Engine wanted, const ProductRates& rates, std::int64_t m, std::int64_t n,
                     std::int64_t k) {
  const double multiply_adds = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  if (multiply_adds < least_multiply_adds) return Engine::native;
  if (wanted != Engine::automatic) return wanted;
  Engine best = Engine::native;
  double least = predicted_seconds(best, rates, m, n, k);
  for (const Engine engine : engines()) {
    if (!row_of(engine).in_choice) continue;
    const double seconds = predicted_seconds(engine, rates, m, n, k);
    if (seconds < least) {
      best = engine;
      least = seconds;
    }
  }
  return best;
}

Engine choose_rank_2k_engine(Engine wanted, const ProductRates& rates, std::int64_t n, std::int64_t k) {
  if (wanted != Engine::automatic && !row_of(wanted).has_rank_2k) return Engine::native;
  ProductRates able = rates;
  for (const Engine engine : engines())
    if (!row_of(engine).has_rank_2k) able[engine] = {};
  return choose_engine(wanted, able, n, (n + 1) / 2, 2 * k);
}

}  // namespace eigen_g
