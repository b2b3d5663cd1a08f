// The engines as objects. An engine is one file, which defines its row, and one line of engine_table.cpp and of engine_names.cpp.
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

// An engine at work on one queue; owns its scratch memory. The calls are those of Products, with a C that is not empty.
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
  virtual std::uint64_t scratch_bytes() const { return 0; }  // of device memory held now
};

// `queue` outlives it; scratch memory of about max_scratch bytes at most.
template <class T>
using MakeEngine = std::unique_ptr<EngineProducts<T>> (*)(const Queue& queue, std::uint64_t max_scratch);

// What an engine needs a GPU for; empty in a build without CUDA, or one whose libraries have no such engine.
struct EngineOnGpu {
  EngineRate (*estimated_rate)(const Queue& queue) = nullptr;  // by the GPU's own figures
  std::tuple<MakeEngine<double>, MakeEngine<float>, MakeEngine<std::complex<double>>,
             MakeEngine<std::complex<float>>>
      make{};  // by type; null: not in this one
};

struct EngineRow {
  const char* needs;  // what a build without it lacks
  bool has_rank_2k;   // else native does A B^T + B A^T
  double (*seconds)(const EngineRate& rate, std::int64_t m, std::int64_t n,
                    std::int64_t k);  // predicted_seconds
  EngineOnGpu gpu;
};
const EngineRow& row_of(Engine engine);  // not automatic's

template <class T>
MakeEngine<T> maker_of(Engine engine) {
  return std::get<MakeEngine<T>>(row_of(engine).gpu.make);
}

// The time of a product that fills the GPU from `filled` entries on, by flops that each take `slower` times as long.
inline double seconds_by(const EngineRate& rate, std::int64_t m, std::int64_t n, std::int64_t k,
                         double filled, double slower = 1) {
  if (!(rate.flops_per_second > 0)) return std::numeric_limits<double>::infinity();
  const double entries = static_cast<double>(m) * static_cast<double>(n);
  const double flops = 2 * (entries < filled ? filled : entries) * static_cast<double>(k) * slower;
  return flops / rate.flops_per_second + entries * rate.seconds_per_entry;
}

// The same where the rate alone says what fills the GPU.
inline double seconds_by_rate(const EngineRate& rate, std::int64_t m, std::int64_t n, std::int64_t k) {
  return seconds_by(rate, m, n, k, static_cast<double>(rate.smallest_result));
}

// Float multiply-adds a second on the queue's multiprocessors.
double float_rate(const Queue& queue);

}  // namespace eigen_g
