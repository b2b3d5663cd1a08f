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

void sytrd_on_cpu(Uplo uplo, MatrixView<double> a, Tridiagonal<double> t, double* tau, Report& report) {
  const std::int64_t n = a.cols;
  const int k =
      reduce_scaled(uplo, a, tridiagonalize_bytes_on_cpu<double>(n), Stage::tridiagonalize, report,
                    [&](Arena workspace) { tridiagonalize<double>(uplo, a, t.d, t.e, tau, workspace); });
  if (k == 0) return;
  scale_values(n, t.d, -k);
  scale_values(n - 1, t.e, -k);
  for (std::int64_t i = 0; i < n; ++i) a(i, i) = t.d[i];
  for (std::int64_t i = 0; i + 1 < n; ++i) (uplo == Uplo::lower ? a(i + 1, i) : a(i, i + 1)) = t.e[i];
}

Report sytrd_stage(const StageCall& call, Uplo uplo, MatrixView<double> a, Tridiagonal<double> t,
                   double* tau) {
  const std::int64_t n = a.cols;
  check_matrix(uplo, a);
  require_pointer(t.d, n > 0, Argument::d);
  require_pointer(t.e, n > 1, Argument::e);
  require_pointer(tau, n > 1, Argument::tau);
  return run_stage(
      call, n, {{Argument::a, a.data}, {Argument::d, t.d}, {Argument::e, t.e}, {Argument::tau, tau}}, n == 0,
      [&](bool gpu) { return sytrd_workspace_bytes(uplo, n, a.lda, gpu, call.pointers); },
      [&](Report& report) { sytrd_on_gpu(call, uplo, a, t, tau, report); },
      [&](Report& report) { sytrd_on_cpu(uplo, a, t, tau, report); });
}

Report stedc_stage(const StageCall& call, std::int64_t n, Tridiagonal<double> t, double* z,
                   std::int64_t ldz) {
  require_size(n, Argument::n);
  require_pointer(t.d, n > 0, Argument::d);
  require_pointer(t.e, n > 1, Argument::e);
  if (z) require_leading_dimension(ldz, n, Argument::ldz);
  const MatrixView<double> vectors{z, n, n, ldz};
  if (call.on_host()) {
    require_on_host({{Argument::d, t.d}, {Argument::e, t.e}, {Argument::z, z}});
    require_finite(t.d, n, Argument::d);
    require_finite(t.e, n - 1, Argument::e);
  }
  return run_stage(
      call, n, {{Argument::d, t.d}, {Argument::e, t.e}, {Argument::z, z}}, n == 0,
      [&](bool gpu) { return stedc_workspace_bytes(n, z != nullptr, gpu, call.pointers); },
      [&](Report& report) { note(report, stedc_on_gpu(call, n, t, vectors)); },
      [&](Report& report) {
        with_workspace(divide_and_conquer_bytes_on_cpu<double>(n, z != nullptr, n), [&](Arena workspace) {
          note(report, divide_and_conquer(n, t.d, t.e, vectors, workspace));
        });
      });
}

Report ormtr_stage(const StageCall& call, Uplo uplo, MatrixView<const double> a, const double* tau,
                   MatrixView<double> z) {
  const std::int64_t n = z.rows, m = z.cols;
  check_matrix(uplo, a);
  require_pointer(tau, n > 1, Argument::tau);
  check_columns(z);
  return run_stage(
      call, n, {{Argument::a, a.data}, {Argument::tau, tau}, {Argument::z, z.data}}, n < 2 || m == 0,
      [&](bool gpu) { return ormtr_workspace_bytes(uplo, n, m, gpu, call.pointers); },
      [&](Report& report) { ormtr_on_gpu(call, uplo, a, tau, z, report); },
      [&](Report&) {
        with_workspace(back_transform_bytes_on_cpu<double>(n, m),
                       [&](Arena workspace) { back_transform<double>(uplo, a, tau, z, workspace); });
      });
}

}  // namespace

template <class T>
Report sytrd(Uplo uplo, std::int64_t n, T* a, std::int64_t lda, same_t<real_t<T>>* d, same_t<real_t<T>>* e,
             same_t<T>* tau, const Devices& devices) {
  return sytrd_stage(devices, uplo, {a, n, n, lda}, {d, e}, tau);
}
template <class T>
Report sytrd(Uplo uplo, std::int64_t n, DevicePointer<T> a, std::int64_t lda,
             same_t<DevicePointer<real_t<T>>> d, same_t<DevicePointer<real_t<T>>> e,
             same_t<DevicePointer<T>> tau, CUstream_st* stream) {
  return sytrd_stage(stream, uplo, {a.get(), n, n, lda}, {d.get(), e.get()}, tau.get());
}

template <class R>
Report stedc(std::int64_t n, R* d, same_t<R>* e, same_t<R>* z, std::int64_t ldz, const Devices& devices) {
  return stedc_stage(devices, n, {d, e}, z, ldz);
}
template <class R>
Report stedc(std::int64_t n, DevicePointer<R> d, same_t<DevicePointer<R>> e, same_t<DevicePointer<R>> z,
             std::int64_t ldz, CUstream_st* stream) {
  return stedc_stage(stream, n, {d.get(), e.get()}, z.get(), ldz);
}

template <class T>
Report ormtr(Uplo uplo, std::int64_t n, std::int64_t m, const T* a, std::int64_t lda, const same_t<T>* tau,
             same_t<T>* z, std::int64_t ldz, const Devices& devices) {
  return ormtr_stage(devices, uplo, {a, n, n, lda}, tau, {z, n, m, ldz});
}
template <class T>
Report ormtr(Uplo uplo, std::int64_t n, std::int64_t m, same_t<DevicePointer<const T>> a, std::int64_t lda,
             same_t<DevicePointer<const T>> tau, DevicePointer<T> z, std::int64_t ldz, CUstream_st* stream) {
  return ormtr_stage(stream, uplo, {a.get(), n, n, lda}, tau.get(), {z.get(), n, m, ldz});
}

WorkspaceBytes sytrd_workspace_bytes(Uplo uplo, std::int64_t n, std::int64_t lda, bool on_gpu,
                                     Pointers pointers) {
  require_uplo(uplo);
  require_size(n, Argument::n);
  if (on_gpu) return sytrd_gpu_bytes(pointers, uplo, n, lda);
  return {n > 0 ? tridiagonalize_bytes_on_cpu<double>(n) : 0, 0};
}

WorkspaceBytes stedc_workspace_bytes(std::int64_t n, bool vectors, bool on_gpu, Pointers pointers) {
  require_size(n, Argument::n);
  if (on_gpu) return stedc_gpu_bytes(pointers, n, vectors);
  return {divide_and_conquer_bytes_on_cpu<double>(n, vectors, n), 0};
}

WorkspaceBytes ormtr_workspace_bytes(Uplo uplo, std::int64_t n, std::int64_t m, bool on_gpu,
                                     Pointers pointers) {
  require_uplo(uplo);
  require_size(n, Argument::n);
  require_size(m, Argument::m);
  if (on_gpu) return ormtr_gpu_bytes(pointers, uplo, n, m);
  return {n > 0 && m > 0 ? back_transform_bytes_on_cpu<double>(n, m) : 0, 0};
}

EIGEN_G_INSTANTIATE_OVERLOAD(double_type, sytrd,
                             Report(Uplo, std::int64_t, T*, std::int64_t, T*, T*, T*, const Devices&));
EIGEN_G_INSTANTIATE_OVERLOAD(double_type, sytrd,
                             Report(Uplo, std::int64_t, DevicePointer<T>, std::int64_t, DevicePointer<T>,
                                    DevicePointer<T>, DevicePointer<T>, CUstream_st*));
EIGEN_G_INSTANTIATE_OVERLOAD(double_type, stedc,
                             Report(std::int64_t, T*, T*, T*, std::int64_t, const Devices&));
EIGEN_G_INSTANTIATE_OVERLOAD(double_type, stedc,
                             Report(std::int64_t, DevicePointer<T>, DevicePointer<T>, DevicePointer<T>,
                                    std::int64_t, CUstream_st*));
EIGEN_G_INSTANTIATE_OVERLOAD(double_type, ormtr,
                             Report(Uplo, std::int64_t, std::int64_t, const T*, std::int64_t, const T*, T*,
                                    std::int64_t, const Devices&));
EIGEN_G_INSTANTIATE_OVERLOAD(double_type, ormtr,
                             Report(Uplo, std::int64_t, std::int64_t, DevicePointer<const T>, std::int64_t,
                                    DevicePointer<const T>, DevicePointer<T>, std::int64_t, CUstream_st*));

}  // namespace eigen_g
