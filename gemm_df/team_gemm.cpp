#include "gemm_df/team_gemm.hpp"

#include <algorithm>

#include "gemm_df/cpu_gemm.hpp"
#include "gemm_df/tuning.hpp"
#include "hybrid/error.hpp"

namespace eigen_g {

namespace {
constexpr std::int64_t step_terms = 512;    // of the inner dimension in a step
constexpr std::int64_t whole_columns = 32;  // to which a cut is rounded
}  // namespace

void gemm(ColumnTeam& team, const std::vector<double>& parts, Op op_a, Op op_b, double alpha,
          MatrixView<const double> a_dev, MatrixView<const double> b_dev, double beta,
          MatrixView<double> c_dev) {
  const std::int64_t m = c_dev.rows, k = op_a == Op::none ? a_dev.cols : a_dev.rows;
  if (m == 0 || c_dev.cols == 0) return;
  if (k < 1) throw InvalidArgument(Argument::a, "gives an inner dimension of 0");
  // Terms [first, first + count) of op_a(A), and of some columns of op_b(B), as they are stored.
  const auto slice_of_a = [&](std::int64_t first, std::int64_t count) {
    return op_a == Op::none ? a_dev.block(0, first, m, count) : a_dev.block(first, 0, count, m);
  };
  const auto slice_of_b = [&](std::int64_t first, std::int64_t count, ColumnRange range) {
    return op_b == Op::none ? b_dev.block(first, range.first, count, range.count)
                            : b_dev.block(range.first, first, range.count, count);
  };
  const auto beta_of = [&](std::int64_t step) { return step == 0 ? beta : 1; };

  ColumnWork work;
  work.columns_dev = c_dev;
  work.reads_columns = beta != 0;
  work.steps = (k + step_terms - 1) / step_terms;
  work.blocks = [&](std::int64_t step, ColumnRange range) -> Blocks {
    const std::int64_t first = step * step_terms, count = std::min(step_terms, k - first);
    return {slice_of_a(first, count), slice_of_b(first, count, range)};
  };
  work.on_first = [&](const Queue& queue, const OwnColumns& own) {
    gemm(queue, op_a, op_b, alpha, a_dev, slice_of_b(0, k, own.range), beta, own.columns);
  };
  work.on_gpu = [&](const Queue& queue, std::int64_t step, const Blocks& blocks, const OwnColumns& own) {
    gemm(queue, op_a, op_b, alpha, blocks[0], blocks[1], beta_of(step), own.columns);
  };
  work.on_cpu = [&](std::int64_t step, const Blocks& blocks, const OwnColumns& own) {
    gemm_on_cpu(op_a, op_b, alpha, blocks[0], blocks[1], beta_of(step), own.columns);
  };
  team.run(work, parts, whole_columns);
}

}  // namespace eigen_g
