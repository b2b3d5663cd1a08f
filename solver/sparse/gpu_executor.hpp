// GpuExecutor: the executor of one GPU. Its memory is device memory and its work is ordered on one queue; get() waits for the queue. CUDA
// builds only.
#pragma once

#include <vector>

#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/sparse/executor.hpp"

namespace eigen_g {

template <class T>
class GpuExecutor : public Executor<T> {
 public:
  //   max_blocks  largest number of blocks of a basis
  //   product     works on device memory, on the queue's stream
  //   held_bytes  memory that the product has taken for itself
  //   first_row   number of the executor's first row in A, if it has only n of A's rows
  GpuExecutor(const Queue& queue, std::int64_t n, std::int64_t max_blocks, MatrixOperator<T> product,
              std::uint64_t held_bytes = 0, std::int64_t first_row = 0);

  std::int64_t order() const override { return n_; }
  std::uint64_t bytes() const override { return bytes_; }
  T* take(std::int64_t values) override;
  void put(const T* host, std::int64_t values, T* to) override;
  void get(const T* from, std::int64_t values, T* host) override;
  void copy(const T* from, std::int64_t values, T* to) override;
  void randomise(unsigned columns, std::uint64_t seed, T* x) override;
  void gram(std::int64_t p, const T* v, const T* w, T* c) override;
  void subtract(std::int64_t p, const T* v, const T* c, T* w, T* g) override;
  void times(T* w, const T* s) override;
  void combine(std::int64_t p, const T* v, const T* q, std::int64_t q_blocks, T* z) override;
  void factor(const T* g, T least, T* r, T* inverse) override;
  void keep_diagonal(T* c) override;
  void column(const T* blocks, std::int64_t column, T* to) override;

 private:
  void product(T alpha, const T* x, T gamma, T beta, T* y) override;
  const Queue& queue_;
  std::int64_t n_, first_row_;
  std::uint64_t bytes_ = 0;
  MatrixOperator<T> product_;
  std::vector<DeviceBuffer<T>> memory_;
  T* work_;
  T* column_ = nullptr;  // n values, scratch memory of column()
};

// Y := alpha Y' + gamma X + beta Y, where a callback has stored the product Y' in `ax_dev`. With ax = y it computes Y := (alpha + beta) Y +
// gamma X.
template <class T>
void combine_product(const Queue& queue, std::int64_t n, T alpha, const T* ax_dev, T gamma, const T* x_dev,
                     T beta, T* y_dev);

}  // namespace eigen_g
