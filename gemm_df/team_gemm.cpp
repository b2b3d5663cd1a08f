#include "gemm_df/team_gemm.hpp"

#include <algorithm>

#include "gemm_df/cpu_gemm.hpp"
#include "gemm_df/tuning.hpp"
#include "hybrid/error.hpp"
#include "hybrid/instantiate.hpp"

namespace eigen_g {

namespace {
constexpr std::int64_t step_terms = 512;    // inner size of a step
constexpr std::int64_t whole_columns = 32;  // cuts are multiples of this
}  // namespace

template <class T>
void team_gemm(ColumnTeam<T>& team, const std::vector<double>& parts, Op op_a, Op op_b, same_t<T> alpha,
               MatrixView<const same_t<T>> a_dev, MatrixView<const same_t<T>> b_dev, same_t<T> beta,
               MatrixView<same_t<T>> c_dev) {
  const std::int64_t m = c_dev.rows, k = op_a == Op::none ? a_dev.cols : a_dev.rows;
  if (m == 0 || c_dev.cols == 0) return;
  if (k < 1) throw InvalidArgument("a", "has inner size 0, must have at least 1");
  // The terms first ... first + count - 1 of op_a(A), and of some columns of op_b(B), as blocks of the stored matrices.
  const auto slice_of_a = [&](std::int64_t first, std::int64_t count) {
    return op_a == Op::none ? a_dev.block(0, first, m, count) : a_dev.block(first, 0, count, m);
  };
  const auto slice_of_b = [&](std::int64_t first, std::int64_t count, ColumnRange range) {
    return op_b == Op::none ? b_dev.block(first, range.first, count, range.count)
                            : b_dev.block(range.first, first, range.count, count);
  };
  const auto beta_of = [&](std::int64_t step) { return step == 0 ? beta : T(1); };

  ColumnWork<T> work;
  work.columns_dev = c_dev;
  work.reads_columns = beta != 0;
  work.steps = (k + step_terms - 1) / step_terms;
  work.blocks = [&](std::int64_t step, ColumnRange range) -> Blocks<T> {
    const std::int64_t first = step * step_terms, count = std::min(step_terms, k - first);
    return {slice_of_a(first, count), slice_of_b(first, count, range)};
  };
  work.on_first = [&](const Queue& queue, const OwnColumns<T>& own) {
    gemm<T>(queue, op_a, op_b, alpha, a_dev, slice_of_b(0, k, own.range), beta, own.columns);
  };
  work.on_gpu = [&](const Queue& queue, std::int64_t step, const Blocks<T>& blocks,
                    const OwnColumns<T>& own) {
    gemm<T>(queue, op_a, op_b, alpha, blocks[0], blocks[1], beta_of(step), own.columns);
  };
  work.on_cpu = [&](std::int64_t step, const Blocks<T>& blocks, const OwnColumns<T>& own) {
    gemm_on_threads<T>(op_a, op_b, alpha, blocks[0], blocks[1], beta_of(step), own.columns);
  };
  team.run(work, parts, whole_columns);
}

EIGEN_G_INSTANTIATE(real_types, team_gemm);

}  // namespace eigen_g
