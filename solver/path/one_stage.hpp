// OneStageOnCpu, OneStageOnDevice: Householder tridiagonalization, with Q kept as its reflectors.
#pragma once

#include <cstdint>

#include "hybrid/memory/arena.hpp"
#include "solver/path/reduction.hpp"
#include "solver/reduction/one_stage/tridiagonalize.hpp"

namespace eigen_g {

template <class T>
class SolveTeam;

// Reduction and ImplicitQ of the one-stage path on the CPU, with A in the triangle `uplo`.
template <class T>
class OneStageOnCpu final : public Reduction<T>, public ImplicitQ<T> {
 public:
  static PathBytes bytes(std::int64_t n, std::int64_t m);
  OneStageOnCpu(Uplo uplo, std::int64_t n, Arena kept, Arena scratch)
      : uplo_(uplo), tau_(kept.take<T>(n)), scratch_(scratch) {}
  ImplicitQ<T>& run(StageRunner& run_stage, MatrixView<T> a, Tridiagonal<real_t<T>> t,
                    const std::function<void()>& when_queued) override;
  void apply(StageRunner& run_stage, MatrixView<T> z,
             const std::function<void(ColumnRange)>& columns_ready) override;

 private:
  Uplo uplo_;
  T* tau_;
  Arena scratch_;
  MatrixView<T> a_;
};

// Reduction and ImplicitQ of the one-stage path on a GPU, with A in the lower triangle and rows padded as tridiagonalize() requires. The
// code is in one_stage_device.cpp, in CUDA builds only.
//   back   workspace of apply() with parked reflectors: PathBytes::back_min bytes
//   team   the devices that share the columns of Z; null: this GPU alone
template <class T>
class OneStageOnDevice final : public DeviceReduction<T>, public ImplicitQ<T> {
 public:
  // Returns the bytes of the path.
  //   parked   the reflectors are parked in host memory
  static PathBytes bytes(std::int64_t n, std::int64_t m, int multiprocessors, bool parked = false);
  OneStageOnDevice(const Products<T>& products, std::int64_t n, Arena kept, Arena scratch, Arena back = {},
                   SolveTeam<T>* team = nullptr)
      : products_(&products), tau_(kept.take<T>(n)), scratch_(scratch), back_(back), team_(team) {}
  void park(ParkedReflectors<T>& parked) override { parked_ = &parked; }
  ImplicitQ<T>& run(StageRunner& run_stage, MatrixView<T> a_dev, Tridiagonal<real_t<T>> t_dev,
                    const std::function<void()>& when_queued) override;
  void apply(StageRunner& run_stage, MatrixView<T> z_dev,
             const std::function<void(ColumnRange)>& columns_ready) override;
  std::vector<CutWork<T>> cuts(MatrixView<T> a_dev, MatrixView<T> z_dev) const override;
  // The n - 1 values of tau, for callers that read them.
  T* tau() const { return tau_; }

 private:
  const Products<T>* products_;
  T* tau_;
  Arena scratch_, back_;
  SolveTeam<T>* team_;
  ParkedReflectors<T>* parked_ = nullptr;
  MatrixView<T> a_;
};

}  // namespace eigen_g
