#include "solver/path/one_stage.hpp"

#include <algorithm>
#include <complex>

#include "solver/back/back_transform.hpp"

namespace eigen_g {

template <class T>
PathBytes OneStageOnCpu<T>::bytes(std::int64_t n, std::int64_t m) {
  return {bytes_taken([&](Arena& arena) { arena.take<T>(n); }),
          std::max(tridiagonalize_bytes_on_cpu<T>(n), m > 0 ? back_transform_bytes_on_cpu<T>(n, m) : 0)};
}

template <class T>
Factor<T>& OneStageOnCpu<T>::run(Steps& step, MatrixView<T> a, Tridiagonal<real_t<T>> t,
                                 const std::function<void()>& queued) {
  step(Stage::tridiagonalize, [&] { tridiagonalize<T>(uplo_, a, t.d, t.e, tau_, scratch_); });
  if (queued) queued();
  a_ = a;
  return *this;
}

template <class T>
void OneStageOnCpu<T>::apply(Steps& step, MatrixView<T> z, const std::function<void(ColumnRange)>& leaving) {
  step(Stage::back_transform, [&] {
    if (z.cols > 0) back_transform<T>(uplo_, a_, tau_, z, scratch_);
  });
  if (leaving && z.cols > 0) leaving({0, z.cols});
}

template class OneStageOnCpu<double>;
template class OneStageOnCpu<float>;
template class OneStageOnCpu<std::complex<double>>;
template class OneStageOnCpu<std::complex<float>>;

}  // namespace eigen_g
