#include "solver/path/one_stage.hpp"

#include <algorithm>
#include <complex>

#include "hybrid/instantiate.hpp"
#include "solver/back/back_transform.hpp"

namespace eigen_g {

template <class T>
PathBytes OneStageOnCpu<T>::bytes(std::int64_t n, std::int64_t m) {
  return {bytes_taken([&](Arena& arena) { arena.take<T>(n); }),
          std::max(tridiagonalize_bytes_on_cpu<T>(n), m > 0 ? back_transform_bytes_on_cpu<T>(n, m) : 0)};
}

template <class T>
ImplicitQ<T>& OneStageOnCpu<T>::run(StageRunner& run_stage, MatrixView<T> a, Tridiagonal<real_t<T>> t,
                                    const std::function<void()>& when_queued) {
  run_stage(Stage::tridiagonalize, [&](const StageProgress& progress) {
    tridiagonalize_on_cpu<T>(uplo_, a, t.d, t.e, tau_, scratch_, progress);
  });
  if (when_queued) when_queued();
  a_ = a;
  return *this;
}

template <class T>
void OneStageOnCpu<T>::apply(StageRunner& run_stage, MatrixView<T> z,
                             const std::function<void(ColumnRange)>& columns_ready) {
  run_stage(Stage::back_transform, [&](const StageProgress& progress) {
    if (z.cols > 0) back_transform_on_cpu<T>(uplo_, a_, tau_, z, scratch_, progress);
  });
  if (columns_ready && z.cols > 0) columns_ready({0, z.cols});
}

EIGEN_G_INSTANTIATE_CLASS(all_types, OneStageOnCpu);

}  // namespace eigen_g
