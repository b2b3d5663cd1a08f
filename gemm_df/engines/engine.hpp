// The ways to compute a product of double matrices, and the choice among them. No GPU is needed here.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace eigen_g {

//   native     cuBLAS in double
//   df         double-float: two floats a double, float operations only (gemm_df/README.md)
//   emulated   cuBLAS's fixed-point emulation on the integer tensor cores; needs CUDA 13
//   automatic  the fastest of these, product by product, by their measured rates
enum class Engine { automatic, native, df, emulated };

// Flops by engine, at static_cast<std::size_t>(engine).
using EngineFlops = std::array<double, 4>;

const char* name(Engine engine);  // "auto", "native", "df", "emulated"
std::optional<Engine> engine_of(const std::string& name);

// What an engine takes for C (m x n) with k terms an entry: 2 m n k flops and m n entries to write.
struct EngineRate {
  double flops_per_second = 0;       // 0: this engine does not run here
  double seconds_per_entry = 0;      // whatever does not grow with k
  std::int64_t smallest_result = 0;  // a smaller m n, with few terms, takes as long as this one
};

struct ProductRates {
  EngineRate native, df, emulated;
};

// Seconds of one product by a rate that was measured with k >= df::anchored_terms; infinite where it does not run.
double predicted_seconds(Engine engine, const ProductRates& rates, std::int64_t m, std::int64_t n,
                         std::int64_t k);

// `wanted` itself unless it is automatic; then the engine with the least predicted time, native where nothing was
// measured and where two are equal.
Engine choose_engine(Engine wanted, const ProductRates& rates, std::int64_t m, std::int64_t n,
                     std::int64_t k);

// The same for A B^T + B A^T on a triangle of n x n, A and B n x k: the product of 2 k terms with half of the entries
// that it is. cuBLAS emulates no dsyr2k; where emulated is asked for, this one is native.
Engine choose_rank_2k_engine(Engine wanted, const ProductRates& rates, std::int64_t n, std::int64_t k);

}  // namespace eigen_g
