// CpuExecutor: the executor of the CPU, with host memory and shared loops (hybrid/team/loops.hpp).
#pragma once

#include <vector>

#include "hybrid/machine/cpu.hpp"
#include "solver/sparse/executor.hpp"

namespace eigen_g {

template <class T>
class CpuExecutor : public Executor<T> {
 public:
  // first_row: number of the executor's first row in A, if it has only n of A's rows.
  CpuExecutor(std::int64_t n, MatrixOperator<T> product, std::int64_t first_row = 0);

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
  std::int64_t n_, first_row_;
  std::uint64_t bytes_ = 0;
  MatrixOperator<T> product_;
  std::vector<HostArray<T>> memory_;
};

}  // namespace eigen_g
