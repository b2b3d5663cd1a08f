#include "apps/bench/gemm_ladder.hpp"

#ifdef EIGEN_G_HAVE_CUDA
#include <cmath>
#include <limits>
#include <type_traits>

#include "gemm_df/tile_gemm.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#endif

namespace eigen_g::apps::bench {

#ifdef EIGEN_G_HAVE_CUDA

namespace {

template <class T>
class LadderCase final : public Case {
 public:
  LadderCase(const Queue& queue, std::int64_t n) : queue_(queue), n_(n), a_(queue, n * n), b_(queue, n * n) {
    fill_tile_gemm(queue, n, a_.data());
  }
  std::vector<Call> calls() override {
    const double n = static_cast<double>(n_);
    const auto add = [&](const std::string& name, std::function<void()> once) {
      calls_.push_back({.name = name,
                        .enqueue = [once](std::int64_t) { once(); },
                        .capture = false,
                        .flops = 2 * n * n * n});
    };
    for (const auto& [name, tile] : {std::pair{"naive", 1}, {"tile_16", 16}, {"tile_32", 32}})
      add(name, [this, t = tile] { tile_gemm<T>(queue_, t, n_, a_.data(), a_.data(), b_.data()); });
    add("cublas", [this] {
      const T one = 1, zero = 0;
      if constexpr (std::is_same_v<T, float>) {
        EIGEN_G_CUBLAS(Cublas<cublasSgemm_64>::call(queue_.blas(), CUBLAS_OP_N, CUBLAS_OP_N, n_, n_, n_, &one,
                                                    a_.data(), n_, a_.data(), n_, &zero, b_.data(), n_));
      } else {
        EIGEN_G_CUBLAS(Cublas<cublasDgemm_64>::call(queue_.blas(), CUBLAS_OP_N, CUBLAS_OP_N, n_, n_, n_, &one,
                                                    a_.data(), n_, a_.data(), n_, &zero, b_.data(), n_));
      }
    });
    return calls_;
  }
  void check(Json& result) override {
    std::vector<T> b(static_cast<std::size_t>(n_ * n_));
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      Json& call = result["figures"][i];
      if (!call["failure"].is_null()) continue;
      EIGEN_G_CUDA(cudaMemsetAsync(b_.data(), 0xff, b_.bytes(), queue_.stream()));
      calls_[i].enqueue(0);
      queue_.wait();
      EIGEN_G_CUDA(cudaMemcpy(b.data(), b_.data(), b_.bytes(), cudaMemcpyDeviceToHost));
      long double sum = 0;
      for (const T x : b) sum += x;
      const double exact = tile_gemm_checksum(n_), u = std::numeric_limits<T>::epsilon() / 2;
      call["checksum"] = static_cast<double>(sum);
      call["error"] = std::fabs(static_cast<double>(sum - static_cast<long double>(exact))) /
                      (u * std::sqrt(static_cast<double>(n_) + 2) * exact);
    }
    result["exact_checksum"] = tile_gemm_checksum(n_);
  }

 private:
  const Queue& queue_;
  std::int64_t n_;
  DeviceBuffer<T> a_, b_;
  std::vector<Call> calls_;
};

template <class T>
CasePlan plan_of(const Session& session, std::int64_t n, int rounds) {
  return {{{"op", "ladder"}, {"type", sizeof(T) == 4 ? "float" : "double"}, {"m", n}, {"n", n}, {"k", n}},
          {.rounds = rounds},
          [n, &queue = session.queue] { return std::make_unique<LadderCase<T>>(queue, n); },
          too_large(static_cast<std::uint64_t>(2 * n * n) * sizeof(T), 90)};
}

}  // namespace

std::vector<CasePlan> ladder_cases(const Session& session, const std::vector<std::int64_t>& sizes,
                                   int rounds) {
  std::vector<CasePlan> plans;
  for (const std::int64_t n : sizes) {
    plans.push_back(plan_of<float>(session, n, rounds));
    plans.push_back(plan_of<double>(session, n, rounds));
  }
  return plans;
}

#endif

std::vector<Limit> ladder_limits() {
  constexpr double most = 1;
  return {{"naive/error", most}, {"tile_16/error", most}, {"tile_32/error", most}, {"cublas/error", most}};
}

Table ladder_table() {
  return {
      R"(type = type; n = n; naive = naive/tflops %.2f; tile 16 = tile_16/tflops %.2f; tile 32 = tile_32/tflops %.2f;
      cuBLAS = cublas/tflops %.2f; naive = naive/seconds time; tile 16 = tile_16/seconds time; tile 32 = tile_32/seconds time;
      checksum = tile_16/checksum %.12g; exact = exact_checksum %.12g; error = tile_16/error %.2g)",
      R"(TFLOP/s and seconds of B = A A, a_ij = (i n + j) / n^2. error: of the checksum, in units of u sqrt(n + 2), limit 1.
)",
      "type"};
}

}  // namespace eigen_g::apps::bench
