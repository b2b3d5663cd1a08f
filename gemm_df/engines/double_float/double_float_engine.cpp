// The engine double-float: converts both operands and multiplies them in float operations.
#include <algorithm>

#include "gemm_df/engines/double_float/double_float.hpp"
#include "gemm_df/engines/engine_table.hpp"

#ifdef EIGEN_G_HAVE_CUDA
#include "gemm_df/engines/double_float/df_gemm.hpp"
#include "hybrid/stream/queue.hpp"
#endif

namespace eigen_g {

namespace {

double seconds(const EngineRate& rate, std::int64_t m, std::int64_t n, std::int64_t k) {
  return seconds_by(rate, m, n, k,
                    static_cast<double>(rate.smallest_result) /
                        static_cast<double>(std::max<std::int64_t>(1, k / df::part_terms)),
                    df::operations_per_term(k) / df::operations_per_term(df::anchored_terms));
}

#ifdef EIGEN_G_HAVE_CUDA

using View = MatrixView<const double>;

// Lines first ... first + count - 1 of a matrix.
View part_of(View matrix, df::Lines lines, std::int64_t first, std::int64_t count) {
  return lines == df::Lines::rows ? matrix.block(first, 0, count, matrix.cols)
                                  : matrix.block(0, first, matrix.rows, count);
}

// Number of lines with k terms that fit into half of the scratch memory, in whole panels.
std::int64_t lines_at_once(std::int64_t k, std::uint64_t max_scratch) {
  const std::int64_t blocks = std::max<std::int64_t>(1, (k + df::block_length - 1) / df::block_length);
  const auto panels = static_cast<std::int64_t>(max_scratch / 2 / sizeof(df::Record)) / blocks;
  return df::panel_lines * std::max<std::int64_t>(1, panels);
}

class DoubleFloatEngine final : public EngineProducts<double> {
 public:
  DoubleFloatEngine(const Queue& queue, std::uint64_t max_scratch)
      : queue_(queue), max_scratch_(max_scratch) {}

  void gemm(Op op_a, Op op_b, double alpha, View a_dev, View b_dev, double beta,
            MatrixView<double> c_dev) override {
    const std::int64_t k = op_a == Op::none ? a_dev.cols : a_dev.rows;
    const df::Lines left = op_a == Op::none ? df::Lines::rows : df::Lines::columns;
    const df::Lines right = op_b == Op::none ? df::Lines::columns : df::Lines::rows;
    const std::int64_t most = lines_at_once(k, max_scratch_);
    for (std::int64_t i = 0; i < c_dev.rows; i += most) {
      const std::int64_t rows = std::min(most, c_dev.rows - i);
      left_.convert(queue_, left, part_of(a_dev, left, i, rows));
      for (std::int64_t j = 0; j < c_dev.cols; j += most) {
        const std::int64_t cols = std::min(most, c_dev.cols - j);
        right_.convert(queue_, right, part_of(b_dev, right, j, cols));
        df::multiply(queue_, alpha, left_.view(), right_.view(), beta, c_dev.block(i, j, rows, cols),
                     partials_);
      }
    }
  }
  void syr2k_lower(double alpha, View a_dev, View b_dev, double beta, MatrixView<double> c_dev) override {
    left_.convert(queue_, df::Lines::rows, a_dev);
    right_.convert(queue_, df::Lines::rows, b_dev);
    df::multiply_symmetric(queue_, Uplo::lower, alpha, left_.view(), right_.view(), beta, c_dev);
  }
  std::uint64_t scratch_bytes() const override { return left_.bytes() + right_.bytes() + partials_.bytes(); }

 private:
  const Queue& queue_;
  std::uint64_t max_scratch_;
  df::Operand left_, right_;
  DeviceBuffer<double> partials_;
};

EngineRate double_float_estimated_rate(const Queue& queue) {
  EngineRate rate;
  rate.flops_per_second = 2 * float_rate(queue) / df::operations_per_term(df::anchored_terms);
  rate.smallest_result = df::filling_entries(queue);
  return rate;
}
constexpr EngineOnGpu double_float_on_gpu{
    double_float_estimated_rate,
    {[](const Queue& queue, std::uint64_t max_scratch) -> std::unique_ptr<EngineProducts<double>> {
       return std::make_unique<DoubleFloatEngine>(queue, max_scratch);
     },
     nullptr, nullptr, nullptr}};

#else
constexpr EngineOnGpu double_float_on_gpu{};
#endif

}  // namespace

EngineRow double_float_engine() {
  return {"a build with CUDA", true, seconds, double_float_on_gpu};
}

}  // namespace eigen_g
