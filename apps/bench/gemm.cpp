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
  bool symmetric() const { return op == "SYR2K"; }
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

// C is formed from the lines of its operands: their rows or their columns, which have k entries each. The float operand is also random.
struct Operand {
  Operand(const Queue& queue, std::int64_t count, std::int64_t k, bool rows, unsigned seed)
      : memory(random_buffer<double>(queue, count * k, seed)),
        single(random_buffer<float>(queue, count * k, seed + 2)),
        matrix(rows ? MatrixView<const double>{memory.data(), count, k, count}
                    : MatrixView<const double>{memory.data(), k, count, k}),
        lines(rows ? df::Lines::rows : df::Lines::columns) {}
  DeviceBuffer<double> memory;
  DeviceBuffer<float> single;
  MatrixView<const double> matrix;
  df::Lines lines;
  df::Operand converted;
};

// Appends row or column i of a matrix to `to`.
void append(std::vector<double>& to, const MatrixView<const double>& x, df::Lines lines, std::int64_t i) {
  const bool row = lines == df::Lines::rows;
  const auto count = static_cast<std::size_t>(row ? x.cols : x.rows);
  to.resize(to.size() + count);
  EIGEN_G_CUDA(cudaMemcpy2D(to.data() + to.size() - count, sizeof(double), row ? &x(i, 0) : &x(0, i),
                            sizeof(double) * static_cast<std::size_t>(row ? x.lda : 1), sizeof(double), count,
                            cudaMemcpyDeviceToHost));
}

// max |C - C_ref| / (k 2^-45 |A||B|) over 32 x 32 sampled entries, C_ref in long double; infinite if an entry is NaN. An entry is the
// product of two lines. In a rank-2k update each line is a line of A followed by one of B, or of B followed by A.
double error_of(const Shape& s, const Operand& a, const Operand& b, const MatrixView<double>& c) {
  std::mt19937_64 random(11);
  const auto choose = [&](std::int64_t count, const Operand& x, const Operand& y) {
    std::vector<std::pair<std::int64_t, std::vector<double>>> lines(32);
    for (auto& [i, line] : lines) {
      i = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(count));
      append(line, x.matrix, x.lines, i);
      if (s.symmetric()) append(line, y.matrix, y.lines, i);
    }
    return lines;
  };
  const auto rows = choose(s.m, a, b), columns = choose(s.n, b, a);
  double worst = 0;
  for (const auto& [j, y] : columns) {
    std::vector<double> computed;
    append(computed, c, df::Lines::columns, j);
    for (const auto& [i, x] : rows) {
      if (s.symmetric() && i < j) continue;
      long double sum = 0, absolute = 0;
      for (std::size_t l = 0; l < x.size(); ++l) {
        const long double product = static_cast<long double>(x[l]) * y[l];
        sum += product;
        absolute += std::fabs(product);
      }
      const auto error = static_cast<double>(std::fabs(computed[static_cast<std::size_t>(i)] - sum) /
                                             (static_cast<long double>(s.k) * 0x1p-45L * absolute));
      worst = std::isnan(error) ? HUGE_VAL : std::max(worst, error);
    }
  }
  return worst;
}

Case gemm_case(const Queue& queue, const Shape& s) {
  struct Operands {
    Operand a, b;
    DeviceBuffer<double> c;
    DeviceBuffer<float> single_c;
    DeviceBuffer<double> partials = {};
  };
  const bool symmetric = s.symmetric();
  const Op op_a = s.op == "TN" ? Op::transpose : Op::none, op_b = s.op == "NT" ? Op::transpose : Op::none;
  const auto x =
      std::make_shared<Operands>(Operands{Operand(queue, s.m, s.k, op_a == Op::none, 1),
                                          Operand(queue, s.n, s.k, symmetric || op_b != Op::none, 2),
                                          DeviceBuffer<double>(s.m * s.n), DeviceBuffer<float>(s.m * s.n)});
  const MatrixView<double> c{x->c.data(), s.m, s.n, s.m};
  std::vector<Call> calls;
  const auto add = [&](const std::string& name, double work, std::function<void()> once) {
    const double flops =
        work * static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
    calls.push_back(
        {.name = name, .enqueue = [=](std::int64_t) { once(); }, .capture = false, .flops = flops});
  };
  for (const Engine engine : engines()) {
    if (!engine_runs(engine) || (engine == Engine::emulated && symmetric)) continue;
    add(name(engine), 2, [=, by = std::make_shared<Products<double>>(queue, engine)] {
      if (symmetric)
        by->syr2k_lower(1, x->a.matrix, x->b.matrix, 0, c);
      else
        by->gemm(op_a, op_b, 1, x->a.matrix, x->b.matrix, 0, c);
    });
  }
  const std::size_t own = calls.size();
  add("sgemm", 2, [=, &queue] {  // cuBLAS's
    const float one = 1, zero = 0;
    const auto op = [](Op o) { return o == Op::none ? CUBLAS_OP_N : CUBLAS_OP_T; };
    const float *const a = x->a.single.data(), *const b = x->b.single.data();
    const std::int64_t lda = x->a.matrix.lda, ldb = x->b.matrix.lda;
    if (symmetric)
      EIGEN_G_CUBLAS(Cublas<cublasSsyr2k_64>::call(queue.blas(), CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, s.n,
                                                   s.k, &one, a, lda, b, ldb, &zero, x->single_c.data(),
                                                   s.m));
    else
      EIGEN_G_CUBLAS(Cublas<cublasSgemm_64>::call(queue.blas(), op(op_a), op(op_b), s.m, s.n, s.k, &one, a,
                                                  lda, b, ldb, &zero, x->single_c.data(), s.m));
  });
  add("df_convert", 0, [=, &queue] {
    for (Operand* operand : {&x->a, &x->b})
      operand->converted.convert(queue, operand->lines, operand->matrix);
  });
  add("df_product", 2, [=, &queue] {
    const auto a = x->a.converted.view(), b = x->b.converted.view();
    if (symmetric)
      df::multiply_symmetric(queue, Uplo::lower, 1, a, b, 0, c);
    else
      df::multiply(queue, 1, a, b, 0, c, x->partials);
  });
  return {calls, [=, &queue](Json& result) {
            Result{queue, c.data, x->c.bytes()}.add_errors(calls, result["figures"], [&](std::size_t call) {
              return call < own ? Json(error_of(s, x->a, x->b, c)) : Json();
            });
          }};
}

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
    const Stopwatch watch;
    const ProductRates rates = measure_engine_rates(session.queue);  // the automatic choice uses these rates
    head["error_limit"] = gemm_error_limit;
    for (const Engine engine : engines())
      head["rates"][eigen_g::name(engine)] = {
          {"flops_per_second", rates[engine].flops_per_second},
          {"seconds_per_entry", rates[engine].seconds_per_entry},
          {"smallest_result", rates[engine].smallest_result},
          {"seconds_per_operand_entry", rates[engine].seconds_per_operand_entry}};
    head["rates"]["seconds"] = watch.seconds();
    std::vector<CaseOptions> plans;
    for (const Shape& s : shapes_of(sizes)) {
      const Engine automatic = s.op == "SYR2K" ? choose_rank_2k_engine(Engine::automatic, rates, s.n, s.k)
                                               : choose_engine(Engine::automatic, rates, s.m, s.n, s.k);
      plans.push_back(
          {{{"op", s.op}, {"m", s.m}, {"n", s.n}, {"k", s.k}, {"automatic", eigen_g::name(automatic)}},
           {.rounds = rounds},
           [s, &queue = session.queue] { return gemm_case(queue, s); },
           too_large(static_cast<std::uint64_t>(24 * (s.m + s.n) * s.k + 12 * s.m * s.n), 90)});
    }
    return plans;
  }
#endif

  void conclude(Json& c) const override {
    add_tflops(c["figures"]);
    c["df_over_sgemm"] = quotient(c, {"sgemm/seconds"}, "df/seconds");
  }

  // All available engines must run with an error within the limit.
  std::vector<Limit> limits(const Json& c) const override {
    std::vector<Limit> limits{{"native/error", gemm_error_limit}, {"df/error", gemm_error_limit}};
    for (const Json& call : at(c, "figures"))
      for (const std::string engine : {"emulated", "ozaki", "ozaki-fast", "ozaki-fp8"})
        if (call["name"] == engine) limits.push_back({engine + "/error", gemm_error_limit});
    return limits;
  }

  std::vector<Table> tables(const Json&) const override {
    return {
        {R"(op = op; m = m; n = n; k = k; native = native/tflops %.2f; df = df/tflops %.2f;
      emulated = emulated/tflops %.2f; ozaki = ozaki/tflops %.2f; ozaki-fast = ozaki-fast/tflops %.2f; ozaki-fp8 = ozaki-fp8/tflops %.2f; sgemm = sgemm/tflops %.2f; df/sgemm = df_over_sgemm %.4f;
      df alone = df_product/tflops %.2f; convert % = df_convert/seconds:df/seconds %.2f 100; error: native = native/error %.2g;
      df = df/error %.2g; emulated = emulated/error %.2g; ozaki = ozaki/error %.2g; ozaki-fast = ozaki-fast/error %.2g; ozaki-fp8 = ozaki-fp8/error %.2g; auto = automatic)",
         R"(TFLOP/s, medians, conversions included (df alone: operands already converted). error: max |C - C_ref| in units of
k 2^-45 |A||B|, limit 1. auto: the engine that the automatic choice takes.
)"}};
  }

  std::shared_ptr<Benchmark> instead() const override {
    if (!ladder_) return nullptr;
    return make_ladder_(sizes_option_->count() > 0 ? sizes : std::vector<std::int64_t>{4000}, rounds);
  }

 private:
  MakeLadder make_ladder_;
  bool ladder_ = false;
  CLI::Option* sizes_option_ = nullptr;
};

}  // namespace

std::shared_ptr<Benchmark> gemm_benchmark(MakeLadder make_ladder) {
  return std::make_shared<Gemm>(std::move(make_ladder));
}

}  // namespace eigen_g::apps::bench
