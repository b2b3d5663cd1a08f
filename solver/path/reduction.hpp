// How a matrix becomes tridiagonal, and how the way back is applied; the driver does not ask which way it was.
//
//   A = Q T Q^H,   T = tridiag(e, d, e) real,   Z := Q Z
#pragma once

#include <functional>

#include "hybrid/matrix_view.hpp"
#include "hybrid/scalar.hpp"
#include "hybrid/team/split.hpp"
#include "solver/path/steps.hpp"

namespace eigen_g {

// n values, n - 1 values, in the memory of the device that works.
template <class R>
struct Tridiagonal {
  R *d = nullptr, *e = nullptr;
};

// Q of a reduction, kept where that left it; good until its next run.
template <class T>
class Factor {
 public:
  virtual ~Factor() = default;
  // Z := Q Z for columns of n rows. `leaving`, where it is not empty, is told of columns when all work on them is queued: all
  // columns once, in order.
  virtual void apply(Steps& step, MatrixView<T> z, const std::function<void(ColumnRange)>& leaving = {}) = 0;
};

template <class T>
class Reduction {
 public:
  virtual ~Reduction() = default;
  // A -> T; A holds what the factor needs until that is no longer used. `queued`, where it is not empty, is called once when the
  // work of the large step is queued: there is time then for other things.
  virtual Factor<T>& run(Steps& step, MatrixView<T> a, Tridiagonal<real_t<T>> t,
                         const std::function<void()>& queued = {}) = 0;
};

}  // namespace eigen_g
