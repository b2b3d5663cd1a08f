// What few pairs of a large symmetric A need of the machine: products of A with panels, products of tall matrices in panels
// (gemm_df/tall_product.hpp), sums in a fixed order. One for the CPU, one for a GPU, one for several; the algorithm above it is one
// source.
//
// Pointers are memory of the executor, but where `host` is said; a panel is n x 4, row-major. What an operation begins may
// still run when it returns; get() waits for all of it.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>

#include "gemm_df/tall_product.hpp"

namespace eigen_g {

template <class T>
class Executor {
 public:
  virtual ~Executor() = default;
  virtual std::int64_t order() const = 0;
  virtual std::uint64_t bytes() const = 0;  // taken so far

  // Memory for so many values, until the executor's end. Throws OutOfMemory.
  virtual T* take(std::int64_t values) = 0;
  virtual T* take_panels(std::int64_t panels) { return take(panels * order() * panel_width); }
  virtual void put(const T* host, std::int64_t values, T* to) = 0;
  virtual void get(const T* from, std::int64_t values, T* host) = 0;  // blocks
  virtual void copy(const T* from, std::int64_t values, T* to) = 0;

  // Y := alpha A X + gamma X + beta Y; beta = 0 does not read Y.
  void multiply(T alpha, const T* x, T gamma, T beta, T* y) { product(factor_ * alpha, x, gamma, beta, y); }
  // From now on A stands for this power of two times A.
  void scale(T factor) { factor_ = factor; }
  // Columns of X whose bit is set in `columns`: values of (-1, 1) that follow from seed, row of A and column alone.
  virtual void randomise(unsigned columns, std::uint64_t seed, T* x) = 0;

  virtual void gram(std::int64_t p, const T* v, const T* w, T* c) = 0;
  virtual void subtract(std::int64_t p, const T* v, const T* c, T* w, T* g) = 0;
  virtual void times(T* w, const T* s) = 0;
  virtual void combine(std::int64_t p, const T* v, const T* q, std::int64_t q_panels, T* z) = 0;
  // G = R^T R, 4 x 4, and R's inverse. A column whose pivot is at most `least` of its g_jj depends on those before: its row and
  // column of R and of the inverse are 0.
  virtual void factor(const T* g, T least, T* r, T* inverse) = 0;
  virtual void keep_diagonal(T* c) = 0;  // of 4 x 4
  // A column of panels as a vector, to memory that this machine reaches: the host's, for a GPU also its own. Blocks.
  virtual void column(const T* panels, std::int64_t column, T* to) = 0;

 private:
  virtual void product(T alpha, const T* x, T gamma, T beta, T* y) = 0;
  T factor_ = 1;
};

// What brings an A of about this norm to where squares neither overflow nor vanish: a power of two, 1 where they do not.
inline double scaling_of(double norm) {
  return norm > 1e100 || (norm > 0 && norm < 1e-100) ? std::ldexp(1.0, -std::ilogb(norm)) : 1;
}

// Y := alpha A X + gamma X + beta Y on one panel, in the memory of the executor that it is given to.
template <class T>
using PanelProduct = std::function<void(T alpha, const T* x, T gamma, T beta, T* y)>;

}  // namespace eigen_g
