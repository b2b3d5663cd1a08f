#include "gemm_df/products.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "gemm_df/engines/double_float/df_gemm.hpp"
#include "hybrid/error.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"

namespace eigen_g {

template <class T>
struct Products<T>::State {
  const Queue* queue;
  Engine wanted;
  ProductRates rates;
  std::uint64_t most_scratch;
  df::Operand left, right;
  DeviceBuffer<double> partials;
  EngineFlops flops{};  // since the last account, by engine

  Engine account(Engine engine, double of_all) {
    flops[static_cast<std::size_t>(engine)] += of_all;
    return engine;
  }
};

namespace {

double flops_of(std::int64_t m, std::int64_t n, std::int64_t k) {
  return 2 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
}

// Lines first ... first + count - 1 of a matrix.
template <class T>
MatrixView<const T> part_of(MatrixView<const T> matrix, df::Lines lines, std::int64_t first,
                            std::int64_t count) {
  return lines == df::Lines::rows ? matrix.block(first, 0, count, matrix.cols)
                                  : matrix.block(0, first, matrix.rows, count);
}

// Lines of k terms that take half of the scratch memory, in whole panels.
std::int64_t lines_at_once(std::int64_t k, std::uint64_t most_scratch) {
  const std::int64_t blocks = std::max<std::int64_t>(1, (k + df::block_length - 1) / df::block_length);
  const auto panels = static_cast<std::int64_t>(most_scratch / 2 / sizeof(df::Record)) / blocks;
  return df::panel_lines * std::max<std::int64_t>(1, panels);
}

}  // namespace

template <class T>
Products<T>::Products(const Queue& queue, Engine wanted, const ProductRates& rates,
                      std::uint64_t most_scratch)
    : state_(std::make_unique<State>(State{&queue, wanted, rates, most_scratch, {}, {}, {}, {}})) {
  if (wanted == Engine::emulated && !emulated_engine_built())
    throw InvalidArgument(Argument::engine, "emulated needs a build with CUDA 13 or later");
}
template <class T>
Products<T>::Products(const Queue& queue) : Products(queue, Engine::native) {}
template <class T>
Products<T>::~Products() = default;
template <class T>
Products<T>::Products(Products&&) noexcept = default;
template <class T>
Products<T>& Products<T>::operator=(Products&&) noexcept = default;

template <class T>
const Queue& Products<T>::queue() const {
  return *state_->queue;
}

template <class T>
void Products<T>::gemm(Op op_a, Op op_b, T alpha, MatrixView<const T> a_dev, MatrixView<const T> b_dev,
                       T beta, MatrixView<T> c_dev) const {
  if (c_dev.rows == 0 || c_dev.cols == 0) return;
  State& s = *state_;
  const std::int64_t k = op_a == Op::none ? a_dev.cols : a_dev.rows;
  const Engine engine = choose_engine(s.wanted, s.rates, c_dev.rows, c_dev.cols, k);
  switch (s.account(engine, flops_of(c_dev.rows, c_dev.cols, k))) {
    case Engine::df: {
      const df::Lines left = op_a == Op::none ? df::Lines::rows : df::Lines::columns;
      const df::Lines right = op_b == Op::none ? df::Lines::columns : df::Lines::rows;
      const std::int64_t most = lines_at_once(k, s.most_scratch);
      for (std::int64_t i = 0; i < c_dev.rows; i += most) {
        const std::int64_t rows = std::min(most, c_dev.rows - i);
        s.left.convert(*s.queue, left, part_of(a_dev, left, i, rows));
        for (std::int64_t j = 0; j < c_dev.cols; j += most) {
          const std::int64_t cols = std::min(most, c_dev.cols - j);
          s.right.convert(*s.queue, right, part_of(b_dev, right, j, cols));
          df::multiply(*s.queue, alpha, s.left.view(), s.right.view(), beta, c_dev.block(i, j, rows, cols),
                       s.partials);
        }
      }
      break;
    }
    case Engine::emulated:
      gemm_emulated(*s.queue, op_a, op_b, alpha, a_dev, b_dev, beta, c_dev);
      break;
    case Engine::native:
    case Engine::automatic:
      eigen_g::gemm(*s.queue, op_a, op_b, alpha, a_dev, b_dev, beta, c_dev);
  }
}

template <class T>
void Products<T>::syr2k_lower(T alpha, MatrixView<const T> a_dev, MatrixView<const T> b_dev, real_t<T> beta,
                              MatrixView<T> c_dev) const {
  const std::int64_t n = c_dev.rows;
  if (n == 0) return;
  State& s = *state_;
  const Engine engine = choose_rank_2k_engine(s.wanted, s.rates, n, a_dev.cols);
  if (s.account(engine, flops_of(n, n, a_dev.cols)) == Engine::df) {
    s.left.convert(*s.queue, df::Lines::rows, a_dev);
    s.right.convert(*s.queue, df::Lines::rows, b_dev);
    df::multiply_symmetric(*s.queue, Uplo::lower, alpha, s.left.view(), s.right.view(), beta, c_dev);
  } else {
    eigen_g::syr2k_lower(*s.queue, alpha, a_dev, b_dev, beta, c_dev);
  }
}

template <class T>
bool Products<T>::syr2k_lower_and_product(T alpha, MatrixView<const T> a_dev, MatrixView<const T> b_dev,
                                          MatrixView<T> c_dev, const ProductBeside<T>& product) const {
  const std::int64_t n = c_dev.rows;
  State& s = *state_;
  const Engine engine = choose_rank_2k_engine(s.wanted, s.rates, n, a_dev.cols);
  if (engine == Engine::df ||
      !eigen_g::syr2k_lower_and_product(*s.queue, alpha, a_dev, b_dev, c_dev, product))
    return false;
  s.account(engine, flops_of(n, n, a_dev.cols));
  return true;
}

template <class T>
EngineFlops Products<T>::take_flops() const {
  return std::exchange(state_->flops, {});
}

template <class T>
std::uint64_t Products<T>::scratch_bytes() const {
  return state_->left.bytes() + state_->right.bytes() + state_->partials.bytes();
}

template class Products<double>;

}  // namespace eigen_g
