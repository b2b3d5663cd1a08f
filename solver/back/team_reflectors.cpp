#include "solver/back/team_reflectors.hpp"

#include <algorithm>
#include <memory>

#include "gemm_df/cpu_gemm.hpp"
#include "gemm_df/gemm.hpp"
#include "solver/devices/shares.hpp"

namespace eigen_g {

namespace {

// Z := Z - V (T (V^T Z)) on the block's rows of own columns, by product(op_a, op_b, alpha, a, b, beta, c).
template <class Product>
void apply_block(const ReflectorBlock& block, const OwnColumns& own, Product&& product) {
  const std::int64_t k = block.v_dev.cols, m = own.columns.cols;
  const MatrixView<double> z = own.columns.block(block.first, 0, block.v_dev.rows, m);
  const MatrixView<double> vz = own.scratch.block(0, 0, k, m), tvz = own.scratch.block(k, 0, k, m);
  product(Op::transpose, Op::none, 1, block.v_dev, z, 0, vz);
  product(Op::none, Op::none, 1, block.t_dev, vz, 0, tvz);
  product(Op::none, Op::none, -1, block.v_dev, tvz, 1, z);
}

template <class On>  // a Queue or Products
auto product_on(const On& on) {
  return [&on](Op op_a, Op op_b, double alpha, MatrixView<const double> a, MatrixView<const double> b,
               double beta, MatrixView<double> c) { gemm(on, op_a, op_b, alpha, a, b, beta, c); };
}

// The same by (V^T Z)^T = Z^T V: of these shapes OpenBLAS's threads share the columns, and each copies less.
void apply_block_on_cpu(const ReflectorBlock& block, const OwnColumns& own) {
  const std::int64_t k = block.v_dev.cols, m = own.columns.cols;
  const MatrixView<double> z = own.columns.block(block.first, 0, block.v_dev.rows, m);
  const MatrixView<double> zv{own.scratch.data, m, k, m}, zvt{own.scratch.data + m * k, m, k, m};
  gemm_on_cpu(Op::transpose, Op::none, 1, z, block.v_dev, 0, zv);
  gemm_on_cpu(Op::none, Op::transpose, 1, zv, block.t_dev, 0, zvt);
  gemm_on_cpu(Op::none, Op::transpose, -1, block.v_dev, zvt, 1, z);
}

}  // namespace

ColumnWork cut_reflectors(const std::vector<ReflectorBlock>& list, MatrixView<double> z_dev) {
  const auto blocks = std::make_shared<const std::vector<ReflectorBlock>>(list);
  ColumnWork work;
  work.columns_dev = z_dev;
  work.steps = static_cast<std::int64_t>(blocks->size());
  for (const ReflectorBlock& block : *blocks)
    work.scratch_rows = std::max(work.scratch_rows, 2 * block.v_dev.cols);
  const auto at = [blocks](std::int64_t step) -> const ReflectorBlock& {
    return (*blocks)[static_cast<std::size_t>(step)];
  };
  const auto copy_of = [at](std::int64_t step, const Blocks& copies) {
    return ReflectorBlock{at(step).first, copies[0], copies[1]};
  };
  work.blocks = [at](std::int64_t step, ColumnRange) -> Blocks { return {at(step).v_dev, at(step).t_dev}; };
  work.on_gpu = [copy_of](const Queue& queue, std::int64_t step, const Blocks& copies,
                          const OwnColumns& own) {
    apply_block(copy_of(step, copies), own, product_on(queue));
  };
  work.on_cpu = [copy_of](std::int64_t step, const Blocks& copies, const OwnColumns& own) {
    apply_block_on_cpu(copy_of(step, copies), own);
  };
  return work;
}

void apply_reflectors(ColumnTeam& team, const std::vector<double>& parts,
                      const std::vector<ReflectorBlock>& blocks, MatrixView<double> z_dev,
                      const Products<double>* first) {
  ColumnWork work = cut_reflectors(blocks, z_dev);
  work.on_first = [&](const Queue& queue, const OwnColumns& own) {
    for (const ReflectorBlock& block : blocks)
      if (first)
        apply_block(block, own, product_on(*first));
      else
        apply_block(block, own, product_on(queue));
  };
  team.run(work, parts, column_granularity);
}

}  // namespace eigen_g
