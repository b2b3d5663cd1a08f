#include "solver/path/two_stage.hpp"

#include <algorithm>
#include <complex>
#include <utility>

#include "hybrid/instantiate.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/team/loops.hpp"
#include "solver/back/back_transform.hpp"
#include "solver/devices/two_stage_tuning.hpp"
#include "solver/reduction/two_stage/band_to_tridiagonal.hpp"
#include "solver/reduction/two_stage/full_to_band_on_threads.hpp"

namespace eigen_g {

namespace {

// The arrays from the reduction to the last use of Q.
template <class T>
struct Kept {
  T *tau, *chase_tau;

  Kept(Arena& arena, std::int64_t n, std::int64_t m)
      : tau(arena.take<T>(n)),
        chase_tau(m > 0 ? arena.take<T>(chase_tiles<T>(n, two_stage_tuning().bandwidth_on_cpu).tau_count())
                        : nullptr) {}
};

// The band, and the memory of the reduction's stages.
template <class T>
struct ReductionParts {
  MatrixView<T> band;
  Arena scratch;

  ReductionParts(Arena& arena, std::int64_t n, std::int64_t b)
      : band(arena.matrix<T>(b + 1, n, b + 1)),
        scratch(arena.part(
            std::max(full_to_band_bytes_on_threads<T>(n, b), band_to_tridiagonal_bytes_on_cpu<T>(n, b)))) {}
};

// a(i, j) := a(n - 1 - i, n - 1 - j) for i >= j: the lower triangle becomes the upper one with the order of rows and columns reversed.
template <class T>
void reverse_into_lower(MatrixView<T> a) {
  const std::int64_t n = a.cols;
  for_each(n, threads_if(n >= smallest_parallel_order), [&](std::int64_t j) {
    const std::int64_t from = n - 1 - j;
    std::reverse_copy(&a(0, from), &a(0, from) + from, &a(j, j) + 1);
  });
  for (std::int64_t j = 0; 2 * j < n - 1; ++j) std::swap(a(j, j), a(n - 1 - j, n - 1 - j));
}

template <class T>
void reverse_rows(MatrixView<T> z) {
  for_each(z.cols, threads_if(z.rows >= smallest_parallel_order),
           [&](std::int64_t j) { std::reverse(&z(0, j), &z(0, j) + z.rows); });
}

}  // namespace

template <class T>
PathBytes TwoStageOnCpu<T>::bytes(std::int64_t n, std::int64_t m) {
  const std::int64_t b = two_stage_tuning().bandwidth_on_cpu;
  PathBytes path;
  path.kept = bytes_taken([&](Arena& arena) { Kept<T>(arena, n, m); });
  path.scratch = bytes_taken([&](Arena& arena) { ReductionParts<T>(arena, n, b); });
  if (m > 0)
    path.scratch = std::max({path.scratch, back_transform_chase_bytes_on_cpu<T>(n, b, m),
                             back_transform_from_band_bytes_on_cpu<T>(n, b, m)});
  return path;
}

template <class T>
TwoStageOnCpu<T>::TwoStageOnCpu(Uplo uplo, std::int64_t n, std::int64_t m, Arena kept, Arena scratch)
    : uplo_(uplo), b_(two_stage_tuning().bandwidth_on_cpu), scratch_(scratch) {
  const Kept<T> parts(kept, n, m);
  tau_ = parts.tau;
  chase_tau_ = parts.chase_tau;
}

template <class T>
ImplicitQ<T>& TwoStageOnCpu<T>::run(StageRunner& run_stage, MatrixView<T> a, Tridiagonal<real_t<T>> t,
                                    const std::function<void()>& when_queued) {
  const std::int64_t n = a.cols;
  Arena scratch = scratch_;
  const ReductionParts<T> parts(scratch, n, b_);
  a_ = a;
  // Sweep s has column n - 1 - s above the diagonal. With one column there is no reflector.
  reflectors_ =
      chase_tau_ && n > 1 ? ChaseReflectors<T>{&a(0, n - 1), chase_tau_, -a.lda} : ChaseReflectors<T>{};
  run_stage(Stage::full_to_band, [&](const StageProgress& progress) {
    if (uplo_ == Uplo::upper) reverse_into_lower(a);
    full_to_band_on_threads<T>(b_, a, parts.band, tau_, parts.scratch, progress);
  });
  run_stage(Stage::chase, [&](const StageProgress& progress) {
    band_to_tridiagonal_on_cpu<T>(b_, parts.band, t.d, t.e, reflectors_, parts.scratch, progress);
  });
  if (when_queued) when_queued();
  return *this;
}

template <class T>
void TwoStageOnCpu<T>::apply(StageRunner& run_stage, MatrixView<T> z,
                             const std::function<void(ColumnRange)>& columns_ready) {
  const bool works = z.cols > 0 && z.rows > 1;
  run_stage(Stage::back_transform_chase, [&](const StageProgress& progress) {
    if (!works) return;
    const ChaseReflectors<const T> reflectors{reflectors_.v, reflectors_.tau, reflectors_.stride};
    back_transform_chase_on_cpu<T>(chase_tiles<T>(z.rows, b_), reflectors, z, scratch_, progress);
  });
  run_stage(Stage::back_transform_band, [&](const StageProgress& progress) {
    if (!works) return;
    back_transform_from_band<T>(Uplo::lower, b_, a_, tau_, z, scratch_, progress);
    if (uplo_ == Uplo::upper) reverse_rows(z);
  });
  if (columns_ready && z.cols > 0) columns_ready({0, z.cols});
}

EIGEN_G_INSTANTIATE_CLASS(all_types, TwoStageOnCpu);

}  // namespace eigen_g
