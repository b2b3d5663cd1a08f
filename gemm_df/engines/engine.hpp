// The ways to compute a product of double matrices, and the choice among them. No GPU is needed here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace eigen_g {

//   native        cuBLAS in the matrices' own type
//   double_float  "df": two floats a double, float operations only (gemm_df/README.md)
//   emulated      cuBLAS's fixed-point emulation on the integer tensor cores; needs CUDA 13
//   automatic     the fastest of these, product by product, by their measured rates
// The engines come first, as rows of a table; automatic ends them.
enum class Engine { native, double_float, emulated, automatic };

inline constexpr auto engine_count = static_cast<std::size_t>(Engine::automatic);
constexpr std::array<Engine, engine_count> engines() {
  std::array<Engine, engine_count> all{};
  for (std::size_t i = 0; i < engine_count; ++i) all[i] = static_cast<Engine>(i);
  return all;
}

// A value for each engine.
template <class Value>
struct PerEngine {
  std::array<Value, engine_count> values{};

  constexpr Value& operator[](Engine engine) { return values[static_cast<std::size_t>(engine)]; }
  constexpr const Value& operator[](Engine engine) const { return values[static_cast<std::size_t>(engine)]; }
  friend bool operator==(const PerEngine&, const PerEngine&) = default;
};

using EngineFlops = PerEngine<double>;

const char* name(Engine engine);         // "native", "df", "emulated", "auto"
const char* description(Engine engine);  // "two floats a double"
std::optional<Engine> engine_of(const std::string& name);
bool engine_built(Engine engine);  // for products of double matrices on a GPU; true of automatic with native

// What an engine takes for C (m x n) with k terms an entry: 2 m n k flops and m n entries to write.
struct EngineRate {
  double flops_per_second = 0;       // 0: this engine does not run here
  double seconds_per_entry = 0;      // whatever does not grow with k
  std::int64_t smallest_result = 0;  // a smaller m n, with few terms, takes as long as this one

  friend bool operator==(const EngineRate&, const EngineRate&) = default;
};
using ProductRates = PerEngine<EngineRate>;

// Seconds of one product by a rate that was measured with k >= df::anchored_terms; infinite where it does not run.
double predicted_seconds(Engine engine, const ProductRates& rates, std::int64_t m, std::int64_t n,
                         std::int64_t k);

// `wanted` itself unless it is automatic; then the engine with the least predicted time, native where nothing was
// measured; of equals the first.
Engine choose_engine(Engine wanted, const ProductRates& rates, std::int64_t m, std::int64_t n,
                     std::int64_t k);

// The same for A B^T + B A^T on a triangle of n x n, A and B n x k: the product of 2 k terms with half of the entries
// that it is. An engine without a rank-2k update (cuBLAS emulates no dsyr2k) leaves it to native.
Engine choose_rank_2k_engine(Engine wanted, const ProductRates& rates, std::int64_t n, std::int64_t k);

}  // namespace eigen_g
