// Reduction and Factor: how a matrix becomes tridiagonal, and how Q is applied afterwards, on any path.
//
//   A = Q T Q^H,   T = tridiag(e, d, e) real,   Z := Q Z
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "hybrid/matrix_view.hpp"
#include "hybrid/scalar.hpp"
#include "hybrid/team/split.hpp"
#include "solver/path/stage_runner.hpp"

namespace eigen_g {

template <class T>
struct CutWork;

// Memory that a path needs on its device.
struct PathBytes {
  std::uint64_t kept = 0;     // from the reduction to the factor's last use
  std::uint64_t scratch = 0;  // in the reduction and in the factor's use; in between for other steps
  // Instead of `scratch` in the use of the two-stage path's factor: for full speed, and the least.
  std::uint64_t back_preferred = 0, back_min = 0;
};

// n values and n - 1 values, in the memory of the device that works.
template <class R>
struct Tridiagonal {
  R *d = nullptr, *e = nullptr;
};

// Q of a reduction, in the memory where the reduction left it. Valid until the reduction's next run.
template <class T>
class ImplicitQ {
 public:
  virtual ~ImplicitQ() = default;
  // Z := Q Z for columns of n rows. `columns_ready`, if it is not empty, is called with columns when all work on them is queued: with each
  // column once, in order.
  virtual void apply(StageRunner& run_stage, MatrixView<T> z,
                     const std::function<void(ColumnRange)>& columns_ready = {}) = 0;
};

template <class T>
class Reduction {
 public:
  virtual ~Reduction() = default;
  // A -> T. A holds what the factor needs until the factor's last use. `queued`, if it is not empty, is called once when the work of
  // the large step is queued: the host has time then for other things.
  virtual ImplicitQ<T>& run(StageRunner& run_stage, MatrixView<T> a, Tridiagonal<real_t<T>> t,
                            const std::function<void()>& queued = {}) = 0;
};

// On a GPU.
template <class T>
class DeviceReduction : public Reduction<T> {
 public:
  // Announces that the next matrix has A(i, j) = 0 for |i - j| > width. A path may make use of it.
  virtual void given_band(std::int64_t) {}
  // The products of the back-transformation that may be shared with helpers, for matrices of this shape. Real T alone.
  virtual std::vector<CutWork<T>> cuts(MatrixView<T> a_dev, MatrixView<T> z_dev) const = 0;
};

}  // namespace eigen_g
