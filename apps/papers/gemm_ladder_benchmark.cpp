// gemm_ladder_benchmark: `eigen_g bench gemm --ladder`, the steps of paper 5's product B = A A against cuBLAS, in float and double.
#include "apps/papers/benchmarks.hpp"

#ifdef EIGEN_G_HAVE_CUDA
#include <cmath>
#include <limits>
#include <type_traits>

#include "apps/papers/tile_gemm.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#endif

namespace eigen_g::apps::bench {

namespace {

#ifdef EIGEN_G_HAVE_CUDA

// The naive kernel, tiles of 16 and 32 in shared memory, and cuBLAS, on the paper's operand. The error of a call is
// |sum of B - exact checksum| / (u sqrt(n + 2) exact checksum).
template <class T>
class LadderCase {
 public:
  LadderCase(const Queue& queue, std::int64_t n) : queue_(queue), n_(n), a_(queue, n * n), b_(queue, n * n) {
    papers::fill_tile_gemm(queue, n, a_.data());
  }
  std::vector<Call> calls() {
    const double n = static_cast<double>(n_);
    const auto add = [&](const std::string& name, std::function<void()> once) {
      calls_.push_back({.name = name,
                        .enqueue = [once](std::int64_t) { once(); },
                        .capture = false,
                        .flops = 2 * n * n * n});
    };
    for (const auto& [name, tile] : {std::pair{"naive", 1}, {"tile_16", 16}, {"tile_32", 32}})
      add(name, [this, t = tile] { papers::tile_gemm<T>(queue_, t, n_, a_.data(), a_.data(), b_.data()); });
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
  void check(Json& result) {
    std::vector<T> b(static_cast<std::size_t>(n_ * n_));
    const Result taken{queue_, b_.data(), b_.bytes()};
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      Json& call = result["figures"][i];
      if (!call["failure"].is_null()) continue;
      taken.take(calls_[i]);
      EIGEN_G_CUDA(cudaMemcpy(b.data(), b_.data(), b_.bytes(), cudaMemcpyDeviceToHost));
      long double sum = 0;
      for (const T x : b) sum += x;
      const double exact = papers::tile_gemm_checksum(n_), u = std::numeric_limits<T>::epsilon() / 2;
      call["checksum"] = static_cast<double>(sum);
      call["error"] = std::fabs(static_cast<double>(sum - static_cast<long double>(exact))) /
                      (u * std::sqrt(static_cast<double>(n_) + 2) * exact);
    }
    result["exact_checksum"] = papers::tile_gemm_checksum(n_);
  }

 private:
  const Queue& queue_;
  std::int64_t n_;
  DeviceBuffer<T> a_, b_;
  std::vector<Call> calls_;
};

template <class T>
CaseOptions plan_of(const Session& session, std::int64_t n, int rounds) {
  return {{{"op", "ladder"}, {"type", sizeof(T) == 4 ? "float" : "double"}, {"m", n}, {"n", n}, {"k", n}},
          {.rounds = rounds},
          [n, &queue = session.queue] { return case_of<LadderCase<T>>(queue, n); },
          too_large(static_cast<std::uint64_t>(2 * n * n) * sizeof(T), 90)};
}

#endif

class GemmLadder final : public Benchmark {
 public:
  GemmLadder(const std::vector<std::int64_t>& orders, int round_count)
      : Benchmark({"gemm", "The tiled products of paper 5, compared with cuBLAS.", "", "figures"}) {
    sizes = orders;
    rounds = round_count;
  }
  std::string title(const Json& c) const override {
    return "ladder " + std::string(c["type"]) + " n = " + c["n"].dump();
  }
  void add_options(CLI::App&) override {}
#ifdef EIGEN_G_HAVE_CUDA
  std::vector<CaseOptions> cases(const Session& session, Json&) override {
    std::vector<CaseOptions> plans;
    for (const std::int64_t n : sizes) {
      plans.push_back(plan_of<float>(session, n, rounds));
      plans.push_back(plan_of<double>(session, n, rounds));
    }
    return plans;
  }
#endif
  void conclude(Json& c) const override {
    add_tflops(c["figures"]);
  }
  std::vector<Limit> limits(const Json&) const override {
    constexpr double most = 1;
    return {{"naive/error", most}, {"tile_16/error", most}, {"tile_32/error", most}, {"cublas/error", most}};
  }
  std::vector<Table> tables(const Json&) const override {
    return {
        {R"(type = type; n = n; naive = naive/tflops %.2f; tile 16 = tile_16/tflops %.2f; tile 32 = tile_32/tflops %.2f;
      cuBLAS = cublas/tflops %.2f; naive = naive/seconds time; tile 16 = tile_16/seconds time; tile 32 = tile_32/seconds time;
      checksum = tile_16/checksum %.12g; exact = exact_checksum %.12g; error = tile_16/error %.2g)",
         R"(TFLOP/s and seconds of B = A A, a_ij = (i n + j) / n^2. error: of the checksum, in units of u sqrt(n + 2), limit 1.
)",
         "type"}};
  }
};

}  // namespace

std::shared_ptr<Benchmark> gemm_ladder_benchmark(const std::vector<std::int64_t>& sizes, int rounds) {
  return std::make_shared<GemmLadder>(sizes, rounds);
}

}  // namespace eigen_g::apps::bench
