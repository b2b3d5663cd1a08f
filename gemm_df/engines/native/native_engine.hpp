// NativeEngine: cuBLAS in the matrices' own type, products of floats as fp16 pairs, and the rank-2k kernels. CUDA builds only.
#pragma once

#include <span>
#include <type_traits>

#include "gemm_df/engines/engine_table.hpp"
#include "gemm_df/engines/native/halves.hpp"

namespace eigen_g {

template <class T>
class NativeEngine : public EngineProducts<T> {
 public:
  explicit NativeEngine(const Queue& queue) : queue_(queue) {}

  void gemm(Op op_a, Op op_b, T alpha, MatrixView<const T> a_dev, MatrixView<const T> b_dev, T beta,
            MatrixView<T> c_dev) override {
    if constexpr (std::is_same_v<real_t<T>, float>)
      if (by_halves(op_a, op_b, alpha, a_dev, b_dev, beta, c_dev)) return;
    eigen_g::gemm(queue_, op_a, op_b, alpha, a_dev, b_dev, beta, c_dev);
  }
  void syr2k_lower(T alpha, MatrixView<const T> a_dev, MatrixView<const T> b_dev, real_t<T> beta,
                   MatrixView<T> c_dev) override {
    eigen_g::syr2k_lower(queue_, alpha, a_dev, b_dev, beta, c_dev);
  }
  bool syr2k_lower_and_product(T alpha, MatrixView<const T> a_dev, MatrixView<const T> b_dev,
                               MatrixView<T> c_dev, const ProductBeside<T>& product) override {
    return eigen_g::syr2k_lower_and_product(queue_, alpha, a_dev, b_dev, c_dev, product);
  }
  void lend(std::span<std::byte> scratch_dev) override { lent_ = scratch_dev; }

 protected:
  const Queue& queue_;

 private:
  // A product as fp16 pairs. The last rows, with which cuBLAS would be slow, are computed in float.
  bool by_halves(Op op_a, Op op_b, T alpha, MatrixView<const T> a, MatrixView<const T> b, T beta,
                 MatrixView<T> c) {
    const std::int64_t terms = op_a == Op::none ? a.cols : a.rows;
    if (lent_.empty() || !halves_pay(op_a, terms, c)) return false;
    const auto rows_of_a = [&](std::int64_t first, std::int64_t rows) {
      return op_a == Op::none ? a.block(first, 0, rows, terms) : a.block(0, first, terms, rows);
    };
    const std::int64_t even = c.rows / rows_of_halves<T> * rows_of_halves<T>, rest = c.rows - even;
    if (!gemm_by_halves(queue_, op_a, op_b, alpha, rows_of_a(0, even), b, beta, c.block(0, 0, even, c.cols),
                        lent_))
      return false;
    eigen_g::gemm(queue_, op_a, op_b, alpha, rows_of_a(even, rest), b, beta, c.block(even, 0, rest, c.cols));
    return true;
  }

  std::span<std::byte> lent_;
};

}  // namespace eigen_g
