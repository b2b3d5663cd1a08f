// One stage: Householder tridiagonalization, Q kept as its reflectors.
#pragma once

#include <cstdint>

#include "hybrid/memory/arena.hpp"
#include "solver/path/path_bytes.hpp"
#include "solver/path/reduction.hpp"
#include "solver/reduction/one_stage/tridiagonalize.hpp"

namespace eigen_g {

template <class T>
class SolveTeam;

// CPU, by LAPACK, on the triangle `uplo`.
template <class T>
class OneStageOnCpu final : public Reduction<T>, public Factor<T> {
 public:
  static PathBytes bytes(std::int64_t n, std::int64_t m);
  OneStageOnCpu(Uplo uplo, std::int64_t n, Arena kept, Arena scratch)
      : uplo_(uplo), tau_(kept.take<T>(n)), scratch_(scratch) {}
  Factor<T>& run(Steps& step, MatrixView<T> a, Tridiagonal<real_t<T>> t,
                 const std::function<void()>& queued) override;
  void apply(Steps& step, MatrixView<T> z, const std::function<void(ColumnRange)>& leaving) override;

 private:
  Uplo uplo_;
  T* tau_;
  Arena scratch_;
  MatrixView<T> a_;
};

// GPU, on the lower triangle, rows padded as tridiagonalize() wants them. In one_stage_device.cpp, CUDA builds only.
//   team   that takes columns of Z; null: none
template <class T>
class OneStageOnDevice final : public Reduction<T>, public Factor<T> {
 public:
  static PathBytes bytes(std::int64_t n, std::int64_t m, int multiprocessors);
  OneStageOnDevice(const Products<T>& products, std::int64_t n, Arena kept, Arena scratch,
                   SolveTeam<T>* team = nullptr)
      : products_(&products), tau_(kept.take<T>(n)), scratch_(scratch), team_(team) {}
  Factor<T>& run(Steps& step, MatrixView<T> a_dev, Tridiagonal<real_t<T>> t_dev,
                 const std::function<void()>& queued) override;
  void apply(Steps& step, MatrixView<T> z_dev, const std::function<void(ColumnRange)>& leaving) override;
  // The reflectors' factors, for those who take or give them: n - 1 values.
  T* tau() const { return tau_; }
  // A factor whose reflectors stand in a_dev already, and whose factors are in tau().
  Factor<T>& of(MatrixView<T> a_dev) {
    a_ = a_dev;
    return *this;
  }

 private:
  const Products<T>* products_;
  T* tau_;
  Arena scratch_;
  SolveTeam<T>* team_;
  MatrixView<T> a_;
};

}  // namespace eigen_g
