#include "solver/back/team_reflectors.hpp"

#include <algorithm>
#include <memory>

#include "gemm_df/cpu_gemm.hpp"
#include "gemm_df/gemm.hpp"
#include "hybrid/instantiate.hpp"
#include "solver/devices/shares.hpp"

namespace eigen_g {

namespace {

// Z := Z - V (T (V^T Z)) on the block's rows of the device's own columns. product(op_a, op_b, alpha, a, b, beta, c) is a gemm.
template <class T, class Product>
void apply_block(const ReflectorBlock<T>& block, const OwnColumns<T>& own, Product&& product) {
  const std::int64_t k = block.v_dev.cols, m = own.columns.cols;
  const MatrixView<T> z = own.columns.block(block.first, 0, block.v_dev.rows, m);
  const MatrixView<T> vz = own.scratch.block(0, 0, k, m), tvz = own.scratch.block(k, 0, k, m);
  product(Op::transpose, Op::none, 1, block.v_dev, z, 0, vz);
  product(Op::none, Op::none, 1, block.t_dev, vz, 0, tvz);
  product(Op::none, Op::none, -1, block.v_dev, tvz, 1, z);
}

template <class T, class On>  // On: Queue or Products
auto product_on(const On& on) {
  return [&on](Op op_a, Op op_b, T alpha, MatrixView<const T> a, MatrixView<const T> b, T beta,
               MatrixView<T> c) { gemm(on, op_a, op_b, alpha, a, b, beta, c); };
}

}  // namespace

template <class T>
ColumnWork<T> cut_reflectors(const std::vector<ReflectorBlock<T>>& list, MatrixView<same_t<T>> z_dev) {
  const auto blocks = std::make_shared<const std::vector<ReflectorBlock<T>>>(list);
  ColumnWork<T> work;
  work.columns_dev = z_dev;
  work.steps = static_cast<std::int64_t>(blocks->size());
  for (const ReflectorBlock<T>& block : *blocks)
    work.scratch_rows = std::max(work.scratch_rows, 2 * block.v_dev.cols);
  const auto at = [blocks](std::int64_t step) -> const ReflectorBlock<T>& {
    return (*blocks)[static_cast<std::size_t>(step)];
  };
  const auto copy_of = [at](std::int64_t step, const Blocks<T>& copies) {
    return ReflectorBlock<T>{at(step).first, copies[0], copies[1]};
  };
  work.blocks = [at](std::int64_t step, ColumnRange) -> Blocks<T> {
    return {at(step).v_dev, at(step).t_dev};
  };
  work.on_gpu = [copy_of](const Queue& queue, std::int64_t step, const Blocks<T>& copies,
                          const OwnColumns<T>& own) {
    apply_block(copy_of(step, copies), own, product_on<T>(queue));
  };
  work.on_cpu = [copy_of](std::int64_t step, const Blocks<T>& copies, const OwnColumns<T>& own) {
    apply_block(copy_of(step, copies), own, gemm_on_threads<T>);
  };
  return work;
}

template <class T>
void apply_reflectors(ColumnTeam<T>& team, const std::vector<double>& shares,
                      const std::vector<ReflectorBlock<same_t<T>>>& blocks, MatrixView<same_t<T>> z_dev,
                      const Products<T>* first) {
  ColumnWork<T> work = cut_reflectors(blocks, z_dev);
  work.on_first = [&](const Queue& queue, const OwnColumns<T>& own) {
    for (const ReflectorBlock<T>& block : blocks)
      if (first)
        apply_block(block, own, product_on<T>(*first));
      else
        apply_block(block, own, product_on<T>(queue));
  };
  team.run(work, shares, column_granularity);
}

EIGEN_G_INSTANTIATE(real_types, cut_reflectors, apply_reflectors);

}  // namespace eigen_g
