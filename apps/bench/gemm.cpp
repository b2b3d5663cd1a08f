// eigen_g bench gemm: matrix products by every engine, compared with SGEMM and with double-float without its conversions.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "apps/bench/benchmarks.hpp"

#ifdef EIGEN_G_HAVE_CUDA
#include <cmath>
#include <random>

#include "apps/support/stopwatch.hpp"
#include "blas2/symv/symv_truth.hpp"
#include "gemm_df/engines/double_float/df_gemm.hpp"
#include "gemm_df/engines/engine_rates.hpp"
#include "gemm_df/engines/products.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#endif

namespace eigen_g::apps::bench {

namespace {

constexpr double gemm_error_limit = 1;

#ifdef EIGEN_G_HAVE_CUDA

struct Shape {
  std::string op;  // "NN", "TN", "NT", or "SYR2K": C := A B^T + B A^T, lower, m = n
  std::int64_t m, n, k;
};

// Square products of these orders. For the largest order also the solver's shapes: small inner dimension, tall, rank-2k updates.
std::vector<Shape> shapes_of(const std::vector<std::int64_t>& sizes) {
  std::vector<Shape> shapes;
  for (const std::int64_t n : sizes)
    for (const char* op : {"NN", "TN"}) shapes.push_back({op, n, n, n});
  const std::int64_t n = *std::max_element(sizes.begin(), sizes.end());
  for (const char* op : {"NN", "NT"})
    for (const std::int64_t k : {64, 128, 256}) shapes.push_back({op, n, n, k});
  shapes.push_back({"TN", 256, n, n});
  for (const std::int64_t k : {32, 64, 128}) shapes.push_back({"SYR2K", n, n, k});
  return shapes;
}

template <class T>
DeviceBuffer<T> random_buffer(const Queue& queue, std::int64_t count, unsigned seed) {
  DeviceBuffer<T> buffer(count);
  blas2::fill_random(queue, buffer.data(), count, seed);
  return buffer;
}

// An operand of a product: C is formed from its lines, which are its rows or its columns and have k entries each.
struct Operand {
  MatrixView<const double> matrix;
  df::Lines lines;
};

class GemmCase {
 public:
  GemmCase(const Queue& queue, const Shape& s) : queue_(queue), shape_(s) {
    for (const Engine engine : engines())
      if (engine_built(engine) && !(engine == Engine::emulated && symmetric_))
        engines_.emplace_back(eigen_g::name(engine), Products<double>(queue, engine));
  }

  std::vector<Call> calls() {
    std::vector<Call> calls;
    const double flops =
        2.0 * static_cast<double>(shape_.m) * static_cast<double>(shape_.n) * static_cast<double>(shape_.k);
    const auto add = [&](const std::string& name, double work, std::function<void()> once) {
      calls.push_back(
          {.name = name, .enqueue = [=](std::int64_t) { once(); }, .capture = false, .flops = work});
    };
    for (const auto& [name, products] : engines_) add(name, flops, [this, &by = products] { multiply(by); });
    add("sgemm", flops, [this] { multiply_single(); });
    add("df_convert", 0, [this] {
      df_left_.convert(queue_, left().lines, left().matrix);
      df_right_.convert(queue_, right().lines, right().matrix);
    });
    add("df_product", flops, [this] {
      if (symmetric_)
        df::multiply_symmetric(queue_, Uplo::lower, 1, df_left_.view(), df_right_.view(), 0, result());
      else
        df::multiply(queue_, 1, df_left_.view(), df_right_.view(), 0, result(), partials_);
    });
    return calls;
  }

  void check(Json& result) {
    for (std::size_t i = 0; i < result["figures"].size(); ++i) {
      Json& call = result["figures"][i];
      call["error"] = nullptr;
      if (i < engines_.size() && call["failure"].is_null()) {
        EIGEN_G_CUDA(cudaMemsetAsync(c_.data(), 0xff, c_.bytes(), queue_.stream()));
        multiply(engines_[i].second);
        queue_.wait();
        call["error"] = error();
      }
    }
  }

 private:
  void multiply(const Products<double>& products) const {
    if (symmetric_)
      products.syr2k_lower(1, left().matrix, right().matrix, 0, result());
    else
      products.gemm(op_a_, op_b_, 1, left().matrix, right().matrix, 0, result());
  }
  // cuBLAS's product in float, with random float operands.
  void multiply_single() const {
    const float one = 1, zero = 0;
    const auto op = [](Op o) { return o == Op::none ? CUBLAS_OP_N : CUBLAS_OP_T; };
    const std::int64_t m = shape_.m, n = shape_.n, k = shape_.k;
    if (symmetric_)
      EIGEN_G_CUBLAS(Cublas<cublasSsyr2k_64>::call(queue_.blas(), CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, n, k,
                                                   &one, single_a_.data(), n, single_b_.data(), n, &zero,
                                                   single_c_.data(), n));
    else
      EIGEN_G_CUBLAS(Cublas<cublasSgemm_64>::call(queue_.blas(), op(op_a_), op(op_b_), m, n, k, &one,
                                                  single_a_.data(), left().matrix.lda, single_b_.data(),
                                                  right().matrix.lda, &zero, single_c_.data(), m));
  }

  Operand left() const {
    if (op_a_ == Op::none) return {{a_.data(), shape_.m, shape_.k, shape_.m}, df::Lines::rows};
    return {{a_.data(), shape_.k, shape_.m, shape_.k}, df::Lines::columns};
  }
  Operand right() const {  // for a rank-2k update n x k
    if (symmetric_ || op_b_ != Op::none) return {{b_.data(), shape_.n, shape_.k, shape_.n}, df::Lines::rows};
    return {{b_.data(), shape_.k, shape_.n, shape_.k}, df::Lines::columns};
  }
  MatrixView<double> result() const { return {c_.data(), shape_.m, shape_.n, shape_.m}; }

  // Appends row or column i of x to `to`.
  static void append(std::vector<double>& to, const Operand& x, std::int64_t i) {
    const bool row = x.lines == df::Lines::rows;
    const auto count = static_cast<std::size_t>(row ? x.matrix.cols : x.matrix.rows);
    to.resize(to.size() + count);
    EIGEN_G_CUDA(cudaMemcpy2D(to.data() + to.size() - count, sizeof(double),
                              row ? &x.matrix(i, 0) : &x.matrix(0, i),
                              sizeof(double) * static_cast<std::size_t>(row ? x.matrix.lda : 1),
                              sizeof(double), count, cudaMemcpyDeviceToHost));
  }

  // max |C - C_ref| / (k 2^-45 |A||B|) over 32 x 32 sampled entries, C_ref in long double; infinite if an entry is NaN. An entry is the
  // product of two lines. In a rank-2k update each line is a line of A followed by one of B, or of B followed by A.
  double error() const {
    std::mt19937_64 random(11);
    const auto choose = [&](std::int64_t count, const Operand& x, const Operand& y) {
      std::vector<std::pair<std::int64_t, std::vector<double>>> lines(32);
      for (auto& [i, line] : lines) {
        i = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(count));
        append(line, x, i);
        if (symmetric_) append(line, y, i);
      }
      return lines;
    };
    const auto rows = choose(shape_.m, left(), right()), columns = choose(shape_.n, right(), left());
    double worst = 0;
    for (const auto& [j, y] : columns) {
      std::vector<double> c;
      append(c, {result(), df::Lines::columns}, j);
      for (const auto& [i, x] : rows) {
        if (symmetric_ && i < j) continue;
        long double sum = 0, absolute = 0;
        for (std::size_t l = 0; l < x.size(); ++l) {
          const long double product = static_cast<long double>(x[l]) * y[l];
          sum += product;
          absolute += std::fabs(product);
        }
        const auto error = static_cast<double>(std::fabs(c[static_cast<std::size_t>(i)] - sum) /
                                               (static_cast<long double>(shape_.k) * 0x1p-45L * absolute));
        worst = std::isnan(error) ? HUGE_VAL : std::max(worst, error);
      }
    }
    return worst;
  }

  const Queue& queue_;
  const Shape shape_;
  const bool symmetric_ = shape_.op == "SYR2K";
  const Op op_a_ = shape_.op == "TN" ? Op::transpose : Op::none,
           op_b_ = shape_.op == "NT" ? Op::transpose : Op::none;
  const DeviceBuffer<double> a_ = random_buffer<double>(queue_, shape_.m*shape_.k, 1),
                             b_ = random_buffer<double>(queue_, shape_.n*shape_.k, 2),
                             c_{shape_.m * shape_.n};
  const DeviceBuffer<float> single_a_ = random_buffer<float>(queue_, shape_.m*shape_.k, 3),
                            single_b_ = random_buffer<float>(queue_, shape_.n*shape_.k, 4),
                            single_c_{shape_.m * shape_.n};
  std::vector<std::pair<std::string, Products<double>>> engines_;
  df::Operand df_left_, df_right_;
  DeviceBuffer<double> partials_;
};

#endif

class Gemm final : public Benchmark {
 public:
  explicit Gemm(MakeLadder make_ladder)
      : Benchmark({"gemm",
                   "Matrix products by every engine: TFLOP/s, error, double-float compared with SGEMM.", R"(
  eigen_g bench gemm                                  squares to 8192, and the solver's shapes at 8192
  eigen_g bench gemm --sizes 10000 --json gemm.json
  eigen_g bench gemm --ladder                         paper 5: naive, tiles in shared memory, cuBLAS; n = 4000)",
                   "figures"}),
        make_ladder_(std::move(make_ladder)) {}
  std::string title(const Json& c) const override {
    if (is_ladder(c)) return ladder()->title(c);
    return std::string(c["op"]) + " " + c["m"].dump() + " x " + c["n"].dump() + ", k = " + c["k"].dump();
  }
  void add_options(CLI::App& command) override {
    add_sizes(command, "--sizes", "1024,2048,4096,8192",
              "Numbers and ranges from:to:step (default: 1024 to 8192)");
    add_rounds(command, "Timed rounds a contender (default: 7)", 3);
    rounds = 7;
    sizes_option_ = command.get_option("--sizes");
    command.add_flag("--ladder", ladder_, "B = A A by paper 5's steps, float and double, with its checksum");
  }

#ifdef EIGEN_G_HAVE_CUDA
  std::vector<CaseOptions> cases(const Session& session, Json& head) override {
    if (ladder_) return ladder()->cases(session, head);
    const Stopwatch watch;
    const ProductRates rates = measure_engine_rates(session.queue);  // the automatic choice uses these rates
    head["error_limit"] = gemm_error_limit;
    for (const Engine engine : engines())
      head["rates"][eigen_g::name(engine)] = {{"flops_per_second", rates[engine].flops_per_second},
                                              {"seconds_per_entry", rates[engine].seconds_per_entry},
                                              {"smallest_result", rates[engine].smallest_result}};
    head["rates"]["seconds"] = watch.seconds();
    std::vector<CaseOptions> plans;
    for (const Shape& s : shapes_of(sizes)) {
      const Engine automatic = s.op == "SYR2K" ? choose_rank_2k_engine(Engine::automatic, rates, s.n, s.k)
                                               : choose_engine(Engine::automatic, rates, s.m, s.n, s.k);
      plans.push_back(
          {{{"op", s.op}, {"m", s.m}, {"n", s.n}, {"k", s.k}, {"automatic", eigen_g::name(automatic)}},
           {.rounds = rounds},
           [s, &queue = session.queue] { return case_of<GemmCase>(queue, s); },
           too_large(static_cast<std::uint64_t>(24 * (s.m + s.n) * s.k + 12 * s.m * s.n), 90)});
    }
    return plans;
  }
#endif

  void conclude(Json& c) const override {
    for (Json& call : c["figures"])
      if (const auto rate = number_at(call, "gflops")) call["tflops"] = *rate * 1e-3;
    if (is_ladder(c)) return;
    c["df_over_sgemm"] = quotient(c, {"sgemm/seconds"}, "df/seconds");
  }

  // All available engines must run with an error within the limit.
  std::vector<Limit> limits(const Json& c) const override {
    if (is_ladder(c)) return ladder()->limits(c);
    std::vector<Limit> limits{{"native/error", gemm_error_limit}, {"df/error", gemm_error_limit}};
    for (const Json& call : at(c, "figures"))
      if (call["name"] == "emulated") limits.push_back({"emulated/error", gemm_error_limit});
    return limits;
  }

  std::vector<Table> tables(const Json& report) const override {
    if (ladder_) return ladder()->tables(report);
    return {
        {R"(op = op; m = m; n = n; k = k; native = native/tflops %.2f; df = df/tflops %.2f;
      emulated = emulated/tflops %.2f; sgemm = sgemm/tflops %.2f; df/sgemm = df_over_sgemm %.4f;
      df alone = df_product/tflops %.2f; convert % = df_convert/seconds:df/seconds %.2f 100; error: native = native/error %.2g;
      df = df/error %.2g; emulated = emulated/error %.2g; auto = automatic)",
         R"(TFLOP/s, medians, conversions included (df alone: operands already converted). error: max |C - C_ref| in units of
k 2^-45 |A||B|, limit 1. auto: the engine that the automatic choice takes.
)"}};
  }

 private:
  static bool is_ladder(const Json& c) {
    return c.contains("type");
  }
  std::shared_ptr<Benchmark> ladder() const {
    const bool given = sizes_option_ && sizes_option_->count() > 0;
    return make_ladder_(given ? sizes : std::vector<std::int64_t>{4000}, rounds);
  }

  MakeLadder make_ladder_;
  bool ladder_ = false;
  CLI::Option* sizes_option_ = nullptr;
};

}  // namespace

std::shared_ptr<Benchmark> gemm_benchmark(MakeLadder make_ladder) {
  return std::make_shared<Gemm>(std::move(make_ladder));
}

}  // namespace eigen_g::apps::bench
