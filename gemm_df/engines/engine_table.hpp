// The table of engines. An engine consists of one file, which defines its row, and one line each in engine_table.cpp and
// engine_names.cpp.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <tuple>

#include "gemm_df/engines/engine.hpp"
#include "gemm_df/gemm.hpp"
#include "gemm_df/rank_2k/syr2k.hpp"

namespace eigen_g {

// An engine that works on one queue; it owns its scratch memory. The functions have the contracts of Products; C is never
// empty.
template <class T>
class EngineProducts {
 public:
  virtual ~EngineProducts() = default;
  virtual void gemm(Op op_a, Op op_b, T alpha, MatrixView<const T> a_dev, MatrixView<const T> b_dev, T beta,
                    MatrixView<T> c_dev) = 0;
  virtual void syr2k_lower(T alpha, MatrixView<const T> a_dev, MatrixView<const T> b_dev, real_t<T> beta,
                           MatrixView<T> c_dev) = 0;
  virtual bool syr2k_lower_and_product(T, MatrixView<const T>, MatrixView<const T>, MatrixView<T>,
                                       const ProductBeside<T>&) {
    return false;
  }
  virtual void lend(std::span<std::byte>) {}                 // Products::lend()
  virtual void hold(MatrixView<const T>) {}                  // Products::hold()
  virtual void let_go() {}                                   // end of hold()
  virtual std::uint64_t scratch_bytes() const { return 0; }  // device memory now allocated
};

// Creates an engine for `queue`, which must outlive it. It uses at most about max_scratch bytes of scratch memory.
template <class T>
using MakeEngine = std::unique_ptr<EngineProducts<T>> (*)(const Queue& queue, std::uint64_t max_scratch);

// The part of an engine that needs a GPU. Empty in a build without CUDA, or if the build's libraries do not have the engine.
struct EngineOnGpu {
  EngineRate (*estimated_rate)(const Queue& queue) = nullptr;  // from the GPU's properties
  std::tuple<MakeEngine<double>, MakeEngine<float>, MakeEngine<std::complex<double>>,
             MakeEngine<std::complex<float>>>
      make{};                // one for each type; null: not available for this type
  bool (*runs)() = nullptr;  // true: the current GPU has it; null: every GPU has it
};

struct EngineRow {
  const char* needs;  // requirement, for the message of a build without the engine
  bool has_rank_2k;   // false: native computes A B^T + B A^T
  // Computes predicted_seconds().
  double (*seconds)(const EngineRate& rate, std::int64_t m, std::int64_t n, std::int64_t k);
  EngineOnGpu gpu;
  bool in_choice = true;  // false: Engine::automatic never chooses it
};
const EngineRow& row_of(Engine engine);  // not for Engine::automatic

template <class T>
MakeEngine<T> maker_of(Engine engine) {
  return std::get<MakeEngine<T>>(row_of(engine).gpu.make);
}

// Time of a product. A result of `filled` entries or more fills the GPU. Each flop takes `slower` times as long as at the
// measured rate.
inline double seconds_by(const EngineRate& rate, std::int64_t m, std::int64_t n, std::int64_t k,
                         double filled, double slower = 1) {
  if (!(rate.flops_per_second > 0)) return std::numeric_limits<double>::infinity();
  const double entries = static_cast<double>(m) * static_cast<double>(n);
  const double flops = 2 * (entries < filled ? filled : entries) * static_cast<double>(k) * slower;
  return flops / rate.flops_per_second + entries * rate.seconds_per_entry;
}

// As above if the rate alone determines how many entries fill the GPU.
inline double seconds_by_rate(const EngineRate& rate, std::int64_t m, std::int64_t n, std::int64_t k) {
  return seconds_by(rate, m, n, k, static_cast<double>(rate.smallest_result));
}

// Float multiply-adds per second on the queue's multiprocessors.
double float_rate(const Queue& queue);

}  // namespace eigen_g
