#include <algorithm>
#include <complex>

#include "hybrid/instantiate.hpp"
#include "solver/back/back_transform.hpp"
#include "solver/devices/solve_team.hpp"
#include "solver/path/one_stage.hpp"

namespace eigen_g {

template <class T>
PathBytes OneStageOnDevice<T>::bytes(std::int64_t n, std::int64_t m, int multiprocessors) {
  return {bytes_taken([&](Arena& arena) { arena.take<T>(n); }),
          std::max(tridiagonalize_bytes<T>(n, multiprocessors), m > 0 ? back_transform_bytes<T>(n, m) : 0)};
}

template <class T>
ImplicitQ<T>& OneStageOnDevice<T>::run(StageRunner& run_stage, MatrixView<T> a_dev,
                                       Tridiagonal<real_t<T>> t_dev,
                                       const std::function<void()>& when_queued) {
  run_stage(Stage::tridiagonalize, [&](const StageProgress& progress) {
    tridiagonalize<T>(*products_, a_dev, t_dev.d, t_dev.e, tau_, scratch_, progress, when_queued);
  });
  a_ = a_dev;
  return *this;
}

template <class T>
void OneStageOnDevice<T>::apply(StageRunner& run_stage, MatrixView<T> z_dev,
                                const std::function<void(ColumnRange)>& columns_ready) {
  run_stage(Stage::back_transform,
            [&] { back_transform<T>(*products_, a_, tau_, z_dev, scratch_, team_, columns_ready); });
}

template <class T>
std::vector<CutWork<T>> OneStageOnDevice<T>::cuts(MatrixView<T> a_dev, MatrixView<T> z_dev) const {
  if constexpr (is_complex<T>)
    return {};
  else
    return {back_transform_cut<T>(a_dev, z_dev)};
}

EIGEN_G_INSTANTIATE_CLASS(all_types, OneStageOnDevice);

}  // namespace eigen_g
