// sytrd, stedc and ormtr: the stages of the one-stage path as calls.
#include "solver/api/stages.hpp"

#include <cstddef>

#include "hybrid/instantiate.hpp"
#include "solver/back/back_transform.hpp"
#include "solver/driver/device_stages.hpp"
#include "solver/reduction/one_stage/tridiagonalize.hpp"

namespace eigen_g {

namespace {

void note(Report& report, const DivideAndConquerResult& outcome) {
  report.status = outcome.status;
  report.info = outcome.info;
}

template <class T>
void sytrd_on_cpu(Uplo uplo, MatrixView<T> a, Tridiagonal<real_t<T>> t, T* tau, Report& report,
                  Arena workspace) {
  const std::int64_t n = a.cols;
  if constexpr (is_complex<T>)  // the imaginary parts may hold anything, and zhetrd sets them to zero
    for (std::int64_t i = 0; i < n; ++i) a(i, i) = a(i, i).real();
  const int k = reduce_scaled(uplo, a, Stage::tridiagonalize, report,
                              [&] { tridiagonalize_on_cpu<T>(uplo, a, t.d, t.e, tau, workspace); });
  if (k == 0) return;
  scale_values(n, t.d, -k);
  scale_values(n - 1, t.e, -k);
  for (std::int64_t i = 0; i < n; ++i) a(i, i) = t.d[i];
  for (std::int64_t i = 0; i + 1 < n; ++i) (uplo == Uplo::lower ? a(i + 1, i) : a(i, i + 1)) = t.e[i];
}

}  // namespace

template <class T>
Report sytrd_stage(const StageCall& call, Uplo uplo, std::int64_t n, T* a, std::int64_t lda,
                   same_t<real_t<T>>* d, same_t<real_t<T>>* e, same_t<T>* tau) {
  const MatrixView<T> matrix{a, n, n, lda};
  const Tridiagonal<real_t<T>> t{d, e};
  check_matrix(uplo, matrix);
  check_tridiagonal(n, t);
  require_pointer(tau, n > 1, Argument::tau);
  return run_stage(
      call, n, {{Argument::a, a}, {Argument::d, d}, {Argument::e, e}, {Argument::tau, tau}}, n == 0,
      [&](bool gpu) { return sytrd_workspace_bytes<T>(uplo, n, lda, gpu, call.pointers); },
      [&](Report& report) { sytrd_on_gpu(call, uplo, matrix, t, tau, report); },
      [&](Report& report, Arena workspace) { sytrd_on_cpu(uplo, matrix, t, tau, report, workspace); });
}

template <class R>
Report stedc_stage(const StageCall& call, std::int64_t n, R* d, same_t<R>* e, same_t<R>* z,
                   std::int64_t ldz) {
  const Tridiagonal<R> t{d, e};
  require_size(n, Argument::n);
  check_tridiagonal(n, t);
  if (z) require_leading_dimension(ldz, n, Argument::ldz);
  const MatrixView<R> vectors{z, n, n, ldz};
  if (call.on_host()) {
    require_on_host({{Argument::d, d}, {Argument::e, e}, {Argument::z, z}});
    require_finite(d, n, Argument::d);
    require_finite(e, n - 1, Argument::e);
  }
  return run_stage(
      call, n, {{Argument::d, d}, {Argument::e, e}, {Argument::z, z}}, n == 0,
      [&](bool gpu) { return stedc_workspace_bytes<R>(n, z != nullptr, gpu, call.pointers); },
      [&](Report& report) { note(report, stedc_on_gpu(call, n, t, vectors, report)); },
      [&](Report& report, Arena workspace) {
        note(report, divide_and_conquer_on_cpu(n, d, e, vectors, workspace));
      });
}

template <class T>
Report ormtr_stage(const StageCall& call, Uplo uplo, std::int64_t n, std::int64_t m, const T* a,
                   std::int64_t lda, const same_t<T>* tau, same_t<T>* z, std::int64_t ldz) {
  const MatrixView<const T> reflectors{a, n, n, lda};
  const MatrixView<T> columns{z, n, m, ldz};
  check_matrix(uplo, reflectors);
  require_pointer(tau, n > 1, Argument::tau);
  check_columns(columns);
  return run_stage(
      call, n, {{Argument::a, a}, {Argument::tau, tau}, {Argument::z, z}}, n < 2 || m == 0,
      [&](bool gpu) { return ormtr_workspace_bytes<T>(uplo, n, m, gpu, call.pointers); },
      [&](Report& report) { ormtr_on_gpu(call, uplo, reflectors, tau, columns, report); },
      [&](Report&, Arena workspace) { back_transform_on_cpu<T>(uplo, reflectors, tau, columns, workspace); });
}

template <class T>
WorkspaceBytes sytrd_workspace_bytes(Uplo uplo, std::int64_t n, std::int64_t lda, bool on_gpu,
                                     Pointers pointers) {
  require_uplo(uplo);
  require_size(n, Argument::n);
  if (on_gpu) return sytrd_gpu_bytes<T>(pointers, uplo, n, lda);
  return {n > 0 ? tridiagonalize_bytes_on_cpu<T>(n) : 0, 0};
}

template <class R>
WorkspaceBytes stedc_workspace_bytes(std::int64_t n, bool vectors, bool on_gpu, Pointers pointers) {
  require_size(n, Argument::n);
  if (on_gpu) return stedc_gpu_bytes<R>(pointers, n, vectors);
  return {divide_and_conquer_bytes_on_cpu<R>(n, vectors ? n : 0, n), 0};
}

template <class T>
WorkspaceBytes ormtr_workspace_bytes(Uplo uplo, std::int64_t n, std::int64_t m, bool on_gpu,
                                     Pointers pointers) {
  require_uplo(uplo);
  require_sizes(n, m);
  if (on_gpu) return ormtr_gpu_bytes<T>(pointers, uplo, n, m);
  return {n > 0 && m > 0 ? back_transform_bytes_on_cpu<T>(n, m) : 0, 0};
}

EIGEN_G_INSTANTIATE(all_types, sytrd_stage, ormtr_stage, sytrd_workspace_bytes, ormtr_workspace_bytes);
EIGEN_G_INSTANTIATE(real_types, stedc_stage, stedc_workspace_bytes);

}  // namespace eigen_g
