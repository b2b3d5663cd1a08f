// The engines: implementations of the large matrix products, and the choice among them. No GPU is needed here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace eigen_g {

//   native     cuBLAS in the matrices' own type
//   df         a double as two floats, float operations only (gemm_df/README.md)
//   emulated   cuBLAS's fixed-point emulation on the integer tensor cores; needs CUDA 13
//   ozaki      exact products of 8-bit integers for 15 moduli (engines/ozaki/residues.hpp): errors like native products
//   ozaki_fast the same with 14 moduli: faster, with errors up to five times as large
//   ozaki_fp8  the same by exact products of 8-bit floats: errors like ozaki; for GPUs that are slow in 8-bit integers. Only the tensor cores
//              of compute capability 9.0 are used as yet; on another GPU a product throws DeviceError
//   automatic  the fastest of native, df, emulated, ozaki and ozaki_fp8 for each product, by measured rates
// Small products are always native (least_multiply_adds).
// The engines come first and are rows of a table; `automatic` is the last enumerator.
enum class Engine { native, df, emulated, ozaki, ozaki_fast, ozaki_fp8, automatic };

inline constexpr auto engine_count = static_cast<std::size_t>(Engine::automatic);
constexpr std::array<Engine, engine_count> engines() {
  std::array<Engine, engine_count> all{};
  for (std::size_t i = 0; i < engine_count; ++i) all[i] = static_cast<Engine>(i);
  return all;
}

// One value for each engine.
template <class Value>
struct PerEngine {
  std::array<Value, engine_count> values{};

  constexpr Value& operator[](Engine engine) { return values[static_cast<std::size_t>(engine)]; }
  constexpr const Value& operator[](Engine engine) const { return values[static_cast<std::size_t>(engine)]; }
  friend bool operator==(const PerEngine&, const PerEngine&) = default;
};

using EngineFlops = PerEngine<double>;

const char* name(Engine engine);  // "native", "df", "emulated", "ozaki", "ozaki-fast", "ozaki-fp8", "auto"
const char* description(Engine engine);  // for example "two floats a double"
std::optional<Engine> engine_of(const std::string& name);
bool engine_built(Engine engine);  // true if it multiplies matrices of double on a GPU; automatic: as native
bool engine_runs(
    Engine engine);  // true if it is built and the current GPU has it; throws DeviceError if there is no GPU

// Engines by residues of 8 bits.
constexpr bool by_residues(Engine engine) {
  return engine == Engine::ozaki || engine == Engine::ozaki_fast || engine == Engine::ozaki_fp8;
}

// The speed of an engine for C (m x n) with an inner size of k: 2 m n k flops, m n entries to write, and (m + n) k entries to convert.
struct EngineRate {
  double flops_per_second = 0;   // 0: the engine does not run here
  double seconds_per_entry = 0;  // time that does not grow with k
  // A result with fewer entries m n takes as long as one with this number, unless the engine divides the terms.
  std::int64_t smallest_result = 0;
  double seconds_per_operand_entry = 0;  // time of a conversion; 0: the engine converts nothing

  friend bool operator==(const EngineRate&, const EngineRate&) = default;
};
using ProductRates = PerEngine<EngineRate>;

// Predicted seconds of one product. The rate must have been measured with k >= df::anchored_terms. Infinite if the engine does
// not run here.
double predicted_seconds(Engine engine, const ProductRates& rates, std::int64_t m, std::int64_t n,
                         std::int64_t k);

// A product with fewer multiply-adds is native with every engine. A product of this size takes very little time. The error limits of
// eigenpairs grow with n, and for small n the errors of the other engines exceed these limits.
inline constexpr double least_multiply_adds = 0x1p22;

// Returns native for a product with fewer than least_multiply_adds. Otherwise returns `wanted`. For automatic, returns the engine with the
// shortest predicted time, the first one on a tie, and native if there are no rates.
Engine choose_engine(Engine wanted, const ProductRates& rates, std::int64_t m, std::int64_t n,
                     std::int64_t k);

// As choose_engine() for A B^T + B A^T on a triangle of n x n, with A and B n x k. This update costs as much as a product with 2 k
// terms and half of the entries. If the engine has no rank-2k update (cuBLAS does not emulate dsyr2k), the result is native.
Engine choose_rank_2k_engine(Engine wanted, const ProductRates& rates, std::int64_t n, std::int64_t k);

}  // namespace eigen_g
