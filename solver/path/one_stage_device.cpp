#include <algorithm>
#include <complex>

#include "hybrid/instantiate.hpp"
#include "solver/back/back_transform.hpp"
#include "solver/devices/solve_team.hpp"
#include "solver/path/one_stage.hpp"
#include "solver/path/parked_reflectors.hpp"

namespace eigen_g {

template <class T>
PathBytes OneStageOnDevice<T>::bytes(std::int64_t n, std::int64_t m, int multiprocessors, bool parked) {
  PathBytes path;
  path.kept = bytes_taken([&](Arena& arena) { arena.take<T>(n); });
  path.scratch = tridiagonalize_bytes<T>(n, multiprocessors);
  if (m > 0 && parked)
    path.back_min = path.back_preferred = back_transform_from_host_bytes<T>(n, m);
  else if (m > 0)
    path.scratch = std::max(path.scratch, back_transform_bytes<T>(n, m));
  return path;
}

template <class T>
ImplicitQ<T>& OneStageOnDevice<T>::run(StageRunner& run_stage, MatrixView<T> a_dev,
                                       Tridiagonal<real_t<T>> t_dev,
                                       const std::function<void()>& when_queued) {
  std::function<void(std::int64_t)> reached;
  if (parked_) {
    parked_->begin(a_dev);
    reached = [this](std::int64_t columns) { parked_->reached(columns); };
  }
  run_stage(Stage::tridiagonalize, [&](const StageProgress& progress) {
    tridiagonalize<T>(*products_, a_dev, t_dev.d, t_dev.e, tau_, scratch_, progress, when_queued, 0, reached);
    if (parked_) parked_->wait();
  });
  a_ = a_dev;
  return *this;
}

template <class T>
void OneStageOnDevice<T>::apply(StageRunner& run_stage, MatrixView<T> z_dev,
                                const std::function<void(ColumnRange)>& columns_ready) {
  run_stage(Stage::back_transform, [&] {
    if (parked_)
      back_transform_from_host<T>(*products_, parked_->host(), false, tau_, z_dev, back_, columns_ready);
    else
      back_transform<T>(*products_, a_, tau_, z_dev, scratch_, team_, columns_ready);
  });
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
