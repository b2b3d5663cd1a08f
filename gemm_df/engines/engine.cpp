#include "gemm_df/engines/engine.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "gemm_df/engines/double_float/double_float.hpp"

namespace eigen_g {

namespace {

struct Named {
  Engine engine;
  const char* name;
};
constexpr std::array<Named, 4> names{{{Engine::automatic, "auto"},
                                      {Engine::native, "native"},
                                      {Engine::df, "df"},
                                      {Engine::emulated, "emulated"}}};

}  // namespace

const char* name(Engine engine) {
  return std::find_if(names.begin(), names.end(), [&](const Named& n) { return n.engine == engine; })->name;
}

std::optional<Engine> engine_of(const std::string& name) {
  const auto* const found =
      std::find_if(names.begin(), names.end(), [&](const Named& n) { return n.name == name; });
  if (found == names.end()) return std::nullopt;
  return found->engine;
}

double predicted_seconds(Engine engine, const ProductRates& rates, std::int64_t m, std::int64_t n,
                         std::int64_t k) {
  const EngineRate& rate = engine == Engine::df         ? rates.df
                           : engine == Engine::emulated ? rates.emulated
                                                        : rates.native;
  if (!(rate.flops_per_second > 0)) return std::numeric_limits<double>::infinity();
  const double entries = static_cast<double>(m) * static_cast<double>(n);
  double filled = static_cast<double>(rate.smallest_result), slower = 1;
  if (engine == Engine::df) {
    filled /= static_cast<double>(std::max<std::int64_t>(1, k / df::part_terms));
    slower = df::operations_per_term(k) / df::operations_per_term(df::anchored_terms);
  }
  const double flops = 2 * std::max(entries, filled) * static_cast<double>(k) * slower;
  return flops / rate.flops_per_second + entries * rate.seconds_per_entry;
}

Engine choose_engine(Engine wanted, const ProductRates& rates, std::int64_t m, std::int64_t n,
                     std::int64_t k) {
  if (wanted != Engine::automatic) return wanted;
  Engine best = Engine::native;
  double least = predicted_seconds(best, rates, m, n, k);
  for (const Engine engine : {Engine::df, Engine::emulated}) {
    const double seconds = predicted_seconds(engine, rates, m, n, k);
    if (seconds < least) {
      best = engine;
      least = seconds;
    }
  }
  return best;
}

Engine choose_rank_2k_engine(Engine wanted, const ProductRates& rates, std::int64_t n, std::int64_t k) {
  ProductRates without = rates;
  without.emulated = {};
  return choose_engine(wanted == Engine::emulated ? Engine::native : wanted, without, n, (n + 1) / 2, 2 * k);
}

}  // namespace eigen_g
