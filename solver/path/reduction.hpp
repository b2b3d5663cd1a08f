// Reduction: reduces a matrix to tridiagonal form. ImplicitQ: applies the Q of the reduction. Both are interfaces of the two paths.
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
template <class T>
class ParkedReflectors;

// Memory that a path needs on its device.
struct PathBytes {
  std::uint64_t kept = 0;     // used from the reduction to the last use of Q
  std::uint64_t scratch = 0;  // used in run() and in apply(); free for other stages between them
  // The two-stage path has a separate workspace for apply(). apply() has full speed with back_preferred bytes, and needs at least back_min bytes.
  std::uint64_t back_preferred = 0, back_min = 0;
};

// T = tridiag(e, d, e): n values d and n - 1 values e, in host memory on the CPU and in device memory on a GPU.
template <class R>
struct Tridiagonal {
  R *d = nullptr, *e = nullptr;
};

// Q of a reduction as its reflectors, which stay in the memory of the reduction. Valid until the reduction's next run().
template <class T>
class ImplicitQ {
 public:
  virtual ~ImplicitQ() = default;
  // Z := Q Z; Z has n rows. If `columns_ready` is not empty, apply() calls it with a range of columns when all work on them is queued.
  // The ranges are in order, and each column is in one of them.
  virtual void apply(StageRunner& run_stage, MatrixView<T> z,
                     const std::function<void(ColumnRange)>& columns_ready = {}) = 0;
};

template <class T>
class Reduction {
 public:
  virtual ~Reduction() = default;
  // Reduces A to T. Afterwards the memory of A holds the reflectors, until the last use of Q. If `when_queued` is not empty, run() calls it once
  // when the work of the reduction is queued, because the host then has time for other work.
  virtual ImplicitQ<T>& run(StageRunner& run_stage, MatrixView<T> a, Tridiagonal<real_t<T>> t,
                            const std::function<void()>& when_queued = {}) = 0;
};

// A reduction on a GPU.
template <class T>
class DeviceReduction : public Reduction<T> {
 public:
  // The caller promises that the next matrix has A(i, j) = 0 for |i - j| > width. A path may save work if `width` is small.
  virtual void given_band(std::int64_t) {}
  // From now on run() copies the reflectors to host memory and returns when they are there. Other data may use the memory of A afterwards, and
  // apply() copies the reflectors back in parts. `parked` must outlive the reduction.
  virtual void park(ParkedReflectors<T>& parked) = 0;
  // Returns the products of the back-transformation that several devices can share (CutWork in solver/devices/solve_team.hpp), for matrices of
  // these shapes. Complex T: none.
  virtual std::vector<CutWork<T>> cuts(MatrixView<T> a_dev, MatrixView<T> z_dev) const = 0;
};

}  // namespace eigen_g
