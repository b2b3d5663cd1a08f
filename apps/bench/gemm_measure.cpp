#include "apps/bench/gemm_measure.hpp"

#include <algorithm>
#include <cmath>

#include "hybrid/error.hpp"

#ifdef EIGEN_G_HAVE_CUDA

#include <memory>
#include <random>

#include "apps/bench/timing.hpp"
#include "apps/cli/stopwatch.hpp"
#include "apps/cli/text.hpp"
#include "blas2/symv/symv_truth.hpp"
#include "gemm_df/engines/double_float/df_gemm.hpp"
#include "gemm_df/engines/engine_rates.hpp"
#include "gemm_df/products.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/memory/memory.hpp"

#endif

namespace eigen_g::apps::bench {

std::vector<GemmCase> gemm_cases(const std::vector<std::int64_t>& sizes) {
  std::vector<GemmCase> cases;
  const auto add = [&](const char* op, std::int64_t m, std::int64_t n, std::int64_t k) {
    GemmCase c;
    c.op = op;
    c.m = m;
    c.n = n;
    c.k = k;
    cases.push_back(c);
  };
  for (const std::int64_t n : sizes)
    for (const char* op : {"NN", "TN"}) add(op, n, n, n);
  const std::int64_t n = *std::max_element(sizes.begin(), sizes.end());
  for (const std::int64_t k : {64, 128, 256}) add("NN", n, n, k);
  for (const std::int64_t k : {64, 128, 256}) add("NT", n, n, k);
  add("TN", 256, n, n);
  for (const std::int64_t k : {32, 64, 128}) add("SYR2K", n, n, k);
  return cases;
}

#ifdef EIGEN_G_HAVE_CUDA

namespace {

constexpr int sampled = 32;  // rows and columns of C that are judged

template <class T>
DeviceBuffer<T> random_buffer(const Queue& queue, std::int64_t count, unsigned seed) {
  DeviceBuffer<T> buffer(count);
  blas2::fill_random(queue, buffer.data(), count, seed);
  return buffer;
}

// One case's operands and its product by any engine.
class Shape {
 public:
  Shape(const Queue& queue, const GemmCase& c)
      : queue_(queue),
        symmetric_(c.op == "SYR2K"),
        op_a_(c.op == "TN" ? Op::transpose : Op::none),
        op_b_(c.op == "NT" ? Op::transpose : Op::none),
        m_(c.m),
        n_(c.n),
        k_(c.k),
        a_(random_buffer<double>(queue, m_ * k_, 1)),
        b_(random_buffer<double>(queue, n_ * k_, 2)),
        c_(m_ * n_) {}

  static std::uint64_t bytes(const GemmCase& c) {
    return static_cast<std::uint64_t>(8 * 3 * (c.m * c.k + c.n * c.k) + 12 * c.m * c.n);
  }

  void multiply(const Products<double>& products) const {
    if (symmetric_)
      products.syr2k_lower(1, a(), b(), 0, result());
    else
      products.gemm(op_a_, op_b_, 1, a(), b(), 0, result());
  }
  void convert(df::Operand& left, df::Operand& right) const {
    left.convert(queue_, left_lines(), a());
    right.convert(queue_, right_lines(), b());
  }
  void multiply(const df::Operand& left, const df::Operand& right, DeviceBuffer<double>& partials) const {
    if (symmetric_)
      df::multiply_symmetric(queue_, Uplo::lower, 1, left.view(), right.view(), 0, result());
    else
      df::multiply(queue_, 1, left.view(), right.view(), 0, result(), partials);
  }
  // cuBLAS in float on values of its own.
  void multiply_single(const float* a, const float* b, float* c) const {
    const float one = 1, zero = 0;
    if (symmetric_)
      EIGEN_G_CUBLAS(cublasSsyr2k_64(queue_.blas(), CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, n_, k_, &one, a, n_,
                                     b, n_, &zero, c, n_));
    else
      EIGEN_G_CUBLAS(cublasSgemm_64(queue_.blas(), op_a_ == Op::none ? CUBLAS_OP_N : CUBLAS_OP_T,
                                    op_b_ == Op::none ? CUBLAS_OP_N : CUBLAS_OP_T, m_, n_, k_, &one, a,
                                    this->a().lda, b, this->b().lda, &zero, c, m_));
  }

  void poison() const { EIGEN_G_CUDA(cudaMemsetAsync(c_.data(), 0xff, c_.bytes(), queue_.stream())); }

  // max |C - C_ref| / (k 2^-45 |A||B|) over the sampled entries; infinite where one is a NaN.
  double error() const {
    std::mt19937_64 random(11);
    const auto choose = [&](std::int64_t count) {
      std::vector<std::int64_t> chosen;
      for (int i = 0; i < sampled; ++i)
        chosen.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(count)));
      return chosen;
    };
    const auto rows = choose(m_), columns = choose(n_);
    std::vector<std::vector<double>> left, right, other_left, other_right;
    for (const std::int64_t i : rows) left.push_back(line(a(), left_lines(), i));
    for (const std::int64_t j : columns) right.push_back(line(b(), right_lines(), j));
    if (symmetric_) {
      for (const std::int64_t i : rows) other_left.push_back(line(b(), df::Lines::rows, i));
      for (const std::int64_t j : columns) other_right.push_back(line(a(), df::Lines::rows, j));
    }
    double worst = 0;
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const std::vector<double> c = line(result(), df::Lines::columns, columns[j]);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (symmetric_ && rows[i] < columns[j]) continue;
        long double sum = 0, absolute = 0;
        const auto add = [&](const std::vector<double>& x, const std::vector<double>& y) {
          for (std::size_t l = 0; l < x.size(); ++l) {
            const long double product = static_cast<long double>(x[l]) * y[l];
            sum += product;
            absolute += std::fabs(product);
          }
        };
        add(left[i], right[j]);
        if (symmetric_) add(other_left[i], other_right[j]);
        const auto error = static_cast<double>(std::fabs(c[static_cast<std::size_t>(rows[i])] - sum) /
                                               (static_cast<long double>(k_) * 0x1p-45L * absolute));
        worst = std::isnan(error) ? HUGE_VAL : std::max(worst, error);
      }
    }
    return worst;
  }

 private:
  MatrixView<const double> a() const {
    return op_a_ == Op::none ? MatrixView<const double>{a_.data(), m_, k_, m_}
                             : MatrixView<const double>{a_.data(), k_, m_, k_};
  }
  MatrixView<const double> b() const {  // of a rank-2k update n x k
    return op_b_ == Op::none && !symmetric_ ? MatrixView<const double>{b_.data(), k_, n_, k_}
                                            : MatrixView<const double>{b_.data(), n_, k_, n_};
  }
  MatrixView<double> result() const { return {c_.data(), m_, n_, m_}; }
  df::Lines left_lines() const { return op_a_ == Op::none ? df::Lines::rows : df::Lines::columns; }
  df::Lines right_lines() const {
    return op_b_ == Op::none && !symmetric_ ? df::Lines::columns : df::Lines::rows;
  }
  static std::vector<double> line(MatrixView<const double> matrix, df::Lines lines, std::int64_t i) {
    const bool row = lines == df::Lines::rows;
    std::vector<double> values(static_cast<std::size_t>(row ? matrix.cols : matrix.rows));
    const std::size_t step = sizeof(double) * static_cast<std::size_t>(row ? matrix.lda : 1);
    EIGEN_G_CUDA(cudaMemcpy2D(values.data(), sizeof(double), row ? &matrix(i, 0) : &matrix(0, i), step,
                              sizeof(double), values.size(), cudaMemcpyDeviceToHost));
    return values;
  }

  const Queue& queue_;
  bool symmetric_;
  Op op_a_, op_b_;
  std::int64_t m_, n_, k_;
  DeviceBuffer<double> a_, b_, c_;
};

void measure_case(const Queue& queue, const GemmBenchPlan& plan, GemmCase& c) {
  const Shape shape(queue, c);
  const DeviceBuffer<float> sa = random_buffer<float>(queue, c.m * c.k, 3),
                            sb = random_buffer<float>(queue, c.n * c.k, 4), sc(c.m * c.n);
  df::Operand left, right;
  DeviceBuffer<double> partials;
  std::vector<Products<double>> engines;
  std::vector<std::string> names;
  std::vector<Work> work;
  const auto add = [&](const std::string& name, std::function<void()> once) {
    names.push_back(name);
    work.push_back({[once = std::move(once)](std::int64_t) { once(); }, 1, false});
  };
  std::vector<Engine> ran;
  for (const Engine engine : eigen_g::engines()) {
    if (!engine_built(engine) || (engine == Engine::emulated && c.op == "SYR2K")) continue;
    engines.emplace_back(queue, engine);
    ran.push_back(engine);
  }
  for (std::size_t i = 0; i < engines.size(); ++i)
    add(name(ran[i]), [&shape, &products = engines[i]] { shape.multiply(products); });
  add("sgemm", [&] { shape.multiply_single(sa.data(), sb.data(), sc.data()); });
  add("df_convert", [&] { shape.convert(left, right); });
  add("df_product", [&] { shape.multiply(left, right, partials); });

  TimingRule rule;
  rule.rounds = plan.rounds;
  const std::vector<Timing> timings = time_in_turns(queue, work, rule);
  for (std::size_t i = 0; i < work.size(); ++i) {
    GemmFigure f;
    f.name = names[i];
    f.seconds = timings[i].median;
    f.low = timings[i].low;
    f.high = timings[i].high;
    f.rounds = timings[i].rounds;
    f.failure = timings[i].failure;
    f.multiplies = f.name != "df_convert";
    if (i < engines.size() && f.failure.empty()) {
      shape.poison();
      shape.multiply(engines[i]);
      queue.wait();
      f.error = shape.error();
    }
    c.figures.push_back(std::move(f));
  }
}

}  // namespace

GemmBench measure_gemm(const GemmBenchPlan& plan) {
  if (gpu_count() == 0) throw DeviceError("this benchmark needs a GPU, and there is none");
  const Queue queue;
  GemmBench bench;
  const Stopwatch watch;
  bench.rates = measure_engine_rates(queue);
  bench.rates_seconds = watch.seconds();
  for (GemmCase c : plan.cases) {
    if (plan.progress)
      plan.progress(static_cast<double>(bench.cases.size()) / static_cast<double>(plan.cases.size()));
    c.automatic = c.op == "SYR2K" ? choose_rank_2k_engine(Engine::automatic, bench.rates, c.n, c.k)
                                  : choose_engine(Engine::automatic, bench.rates, c.m, c.n, c.k);
    const std::uint64_t free = gpu_device(current_gpu()).memory_free;
    if (Shape::bytes(c) < free / 10 * 9)
      measure_case(queue, plan, c);
    else
      c.skipped = bytes_text(Shape::bytes(c)) + " of GPU memory needed, " + bytes_text(free) + " free";
    bench.cases.push_back(std::move(c));
  }
  return bench;
}

#else

GemmBench measure_gemm(const GemmBenchPlan&) {
  throw DeviceError("this benchmark needs a GPU, and this program is built without CUDA");
}

#endif

}  // namespace eigen_g::apps::bench
