// Executor: the operations of a few-pairs solve on the device that holds a large symmetric A. These are products of A with blocks of
// vectors, products of tall matrices in blocks (gemm_df/tall_product.hpp), and sums in a fixed order. There is one executor for the CPU,
// one for a GPU and one for several GPUs. lanczos() has one source for all of them.
//
// A block is n x 4, row-major. Pointers are memory of the executor, except arguments named `host`. Operations may return before their
// work is done; get() waits for all of it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>

#include "gemm_df/tall_product.hpp"

namespace eigen_g {

template <class T>
class Executor {
 public:
  virtual ~Executor() = default;
  virtual std::int64_t order() const = 0;
  virtual std::uint64_t bytes() const = 0;  // bytes taken so far

  // Memory for `values` values that lives as long as the executor. Throws OutOfMemory.
  virtual T* take(std::int64_t values) = 0;
  virtual T* take_blocks(std::int64_t blocks) { return take(blocks * order() * block_width); }
  virtual void put(const T* host, std::int64_t values, T* to) = 0;
  virtual void get(const T* from, std::int64_t values, T* host) = 0;  // waits for all work
  virtual void copy(const T* from, std::int64_t values, T* to) = 0;

  // Y := alpha A X + gamma X + beta Y; beta = 0 does not read Y.
  void multiply(T alpha, const T* x, T gamma, T beta, T* y) {
    if (x_scale_ == T(1)) return product(scale_ * alpha, x, gamma, beta, y);
    copy(x, order() * block_width, scaled_x_);
    times(scaled_x_, factors_);
    product(scale_ * alpha, scaled_x_, gamma / x_scale_, beta, y);
  }
  // From now on multiply() uses `factor` times A. factor is a power of two. If factor is far from 1, A X itself may be subnormal or
  // infinite. X is then multiplied by about the square root of factor, and the product by the rest.
  void scale(T factor) {
    const int exponent = std::ilogb(factor);
    x_scale_ = std::abs(exponent) > 500 ? std::ldexp(T(1), exponent / 2) : T(1);
    scale_ = factor / x_scale_;
    if (x_scale_ == T(1)) return;
    if (!scaled_x_) {
      scaled_x_ = take_blocks(1);
      factors_ = take(block_width * block_width);
    }
    std::array<T, block_width * block_width> diagonal{};
    for (int i = 0; i < block_width; ++i) diagonal[(block_width + 1) * i] = x_scale_;
    put(diagonal.data(), block_width * block_width, factors_);
  }
  // Fills the columns of X whose bit is set in `columns` with values in (-1, 1). They depend only on the seed, the row of A and the column.
  virtual void randomise(unsigned columns, std::uint64_t seed, T* x) = 0;

  // The products of tall matrices, as in gemm_df/tall_product.hpp.
  virtual void gram(std::int64_t p, const T* v, const T* w, T* c) = 0;
  virtual void subtract(std::int64_t p, const T* v, const T* c, T* w, T* g) = 0;
  virtual void times(T* w, const T* s) = 0;
  virtual void combine(std::int64_t p, const T* v, const T* q, std::int64_t q_blocks, T* z) = 0;
  // Cholesky factor R of G = R^T R, 4 x 4, and R's inverse. If the pivot of a column is at most `least` times g_jj, the column depends on
  // the columns before it. Its row and its column of R and of the inverse are then 0.
  virtual void factor(const T* g, T least, T* r, T* inverse) = 0;
  virtual void keep_diagonal(T* c) = 0;  // sets the entries of a 4 x 4 matrix outside of its diagonal to 0
  // Copies one column of a sequence of blocks to a vector in host memory; on a GPU it may also be in the GPU's memory. Returns after
  // the copy.
  virtual void column(const T* blocks, std::int64_t column, T* to) = 0;

 private:
  virtual void product(T alpha, const T* x, T gamma, T beta, T* y) = 0;
  T scale_ = 1, x_scale_ = 1;
  T *scaled_x_ = nullptr, *factors_ = nullptr;
};

// A power of two that scales a matrix of about this norm so that squares neither overflow nor underflow; 1 if it needs no scaling. The
// power and its inverse are normal numbers, also for a subnormal norm.
inline double scaling_of(double norm) {
  return norm > 1e100 || (norm > 0 && norm < 1e-100)
             ? std::ldexp(1.0, std::clamp(-std::ilogb(norm), -1000, 1000))
             : 1;
}

// Y := alpha A X + gamma X + beta Y on one block, in the memory of the executor that has the product.
template <class T>
using MatrixOperator = std::function<void(T alpha, const T* x, T gamma, T beta, T* y)>;

}  // namespace eigen_g
