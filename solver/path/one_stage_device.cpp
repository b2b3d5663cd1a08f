#include <algorithm>
#include <complex>

#include "solver/back/back_transform.hpp"
#include "solver/path/one_stage.hpp"

namespace eigen_g {

template <class T>
PathBytes OneStageOnDevice<T>::bytes(std::int64_t n, std::int64_t m, int multiprocessors) {
  return {bytes_taken([&](Arena& arena) { arena.take<T>(n); }),
          std::max(tridiagonalize_bytes<T>(n, multiprocessors), m > 0 ? back_transform_bytes<T>(n, m) : 0)};
}

template <class T>
Factor<T>& OneStageOnDevice<T>::run(Steps& step, MatrixView<T> a_dev, Tridiagonal<real_t<T>> t_dev,
                                    const std::function<void()>& queued) {
  step(Stage::tridiagonalize, [&](const StageProgress& progress) {
    tridiagonalize<T>(*products_, a_dev, t_dev.d, t_dev.e, tau_, scratch_, progress, queued);
  });
  return of(a_dev);
}

template <class T>
void OneStageOnDevice<T>::apply(Steps& step, MatrixView<T> z_dev,
                                const std::function<void(ColumnRange)>& leaving) {
  step(Stage::back_transform,
       [&] { back_transform<T>(*products_, a_, tau_, z_dev, scratch_, team_, leaving); });
}

template class OneStageOnDevice<double>;
template class OneStageOnDevice<float>;
template class OneStageOnDevice<std::complex<double>>;
template class OneStageOnDevice<std::complex<float>>;

}  // namespace eigen_g
