// The executor of a GPU: device memory, work ordered on one queue; get() waits for it. CUDA builds only.
#pragma once

#include <vector>

#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/sparse/executor.hpp"

namespace eigen_g {

template <class T>
class GpuExecutor : public Executor<T> {
 public:
  // `product` works on device memory, on the queue's stream. `max_panels`: of a basis that it is given at most. held_bytes:
  // what the product has taken for itself. first_row: of A, where these n are a part of its rows.
  GpuExecutor(const Queue& queue, std::int64_t n, std::int64_t max_panels, PanelProduct<T> product,
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
  void combine(std::int64_t p, const T* v, const T* q, std::int64_t q_panels, T* z) override;
  void factor(const T* g, T least, T* r, T* inverse) override;
  void keep_diagonal(T* c) override;
  void column(const T* panels, std::int64_t column, T* to) override;

 private:
  void product(T alpha, const T* x, T gamma, T beta, T* y) override;
  const Queue& queue_;
  std::int64_t n_, first_row_;
  std::uint64_t bytes_ = 0;
  PanelProduct<T> product_;
  std::vector<DeviceBuffer<T>> memory_;
  T* work_;
  T* column_ = nullptr;  // n values on their way
};

// Y := alpha Y' + gamma X + beta Y, Y' the product that a callback has left in `ax`; with ax = y: Y := Y + gamma X.
template <class T>
void combine_product(const Queue& queue, std::int64_t n, T alpha, const T* ax_dev, T gamma, const T* x_dev,
                     T beta, T* y_dev);

}  // namespace eigen_g
