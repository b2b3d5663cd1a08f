#include "solver/api/stages.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "hybrid/matrix_view.hpp"
#include "solver/back/back_transform.hpp"
#include "solver/driver/arguments.hpp"
#include "solver/driver/stage_call.hpp"
#include "solver/path/host_clock.hpp"
#include "solver/path/reduction.hpp"
#include "solver/prepare/check_input.hpp"
#include "solver/prepare/scale.hpp"
#include "solver/reduction/one_stage/tridiagonalize.hpp"
#include "solver/tridiagonal/divide_and_conquer.hpp"
#ifdef EIGEN_G_HAVE_CUDA
#include "solver/driver/device_stages.hpp"
#endif

namespace eigen_g {

namespace {

// A NaN or an infinity among d or e, both in host memory.
template <class R>
void require_finite(const R* values, std::int64_t count, Argument argument) {
  for (std::int64_t i = 0; i < count; ++i)
    require(std::isfinite(values[i]), argument,
            "entry " + std::to_string(i + 1) + " is " + (std::isnan(values[i]) ? "NaN" : "infinite"));
}

void check_sytrd(Uplo uplo, std::int64_t n, const void* a, std::int64_t lda, const void* d, const void* e,
                 const void* tau) {
  require_uplo(uplo);
  require_size(n, Argument::n);
  require_pointer(a, n > 0, Argument::a);
  require_leading_dimension(lda, n, Argument::lda);
  require_pointer(d, n > 0, Argument::d);
  require_pointer(e, n > 1, Argument::e);
  require_pointer(tau, n > 1, Argument::tau);
}

void check_stedc(std::int64_t n, const void* d, const void* e, const void* z, std::int64_t ldz) {
  require_size(n, Argument::n);
  require_pointer(d, n > 0, Argument::d);
  require_pointer(e, n > 1, Argument::e);
  if (z) require_leading_dimension(ldz, n, Argument::ldz);
}

void check_ormtr(Uplo uplo, std::int64_t n, std::int64_t m, const void* a, std::int64_t lda, const void* tau,
                 const void* z, std::int64_t ldz) {
  require_uplo(uplo);
  require_size(n, Argument::n);
  require_size(m, Argument::m);
  require_pointer(a, n > 0, Argument::a);
  require_leading_dimension(lda, n, Argument::lda);
  require_pointer(tau, n > 1, Argument::tau);
  require_pointer(z, n > 0 && m > 0, Argument::z);
  require_leading_dimension(ldz, n, Argument::ldz);
}

void note(Report& report, const Outcome& outcome) {
  report.status = outcome.status;
  report.failed = outcome.failed;
}

template <class T>
void sytrd_on_cpu(Uplo uplo, MatrixView<T> a, Tridiagonal<real_t<T>> t, T* tau, Report& report) {
  const std::int64_t n = a.cols;
  const int k = reduce_scaled(uplo, a, tridiagonalize_bytes_on_cpu<T>(n), Stage::tridiagonalize, report,
                              [&](Arena workspace) { tridiagonalize<T>(uplo, a, t.d, t.e, tau, workspace); });
  if (k == 0) return;
  scale_values(n, t.d, -k);
  scale_values(n - 1, t.e, -k);
  for (std::int64_t i = 0; i < n; ++i) a(i, i) = t.d[i];
  for (std::int64_t i = 0; i + 1 < n; ++i) (uplo == Uplo::lower ? a(i + 1, i) : a(i, i + 1)) = t.e[i];
}

}  // namespace

template <class T>
Report sytrd(Uplo uplo, std::int64_t n, T* a, std::int64_t lda, same_t<real_t<T>>* d, same_t<real_t<T>>* e,
             same_t<T>* tau, const Devices& devices) {
  check_sytrd(uplo, n, a, lda, d, e, tau);
  const auto needed = [&](bool on_gpu) {
    return sytrd_workspace_bytes(uplo, n, lda, on_gpu, Pointers::host);
  };
  const bool gpu = take_gpu(devices, n, [&] { return needed(true); });
  require_on_host({{Argument::a, a}, {Argument::d, d}, {Argument::e, e}, {Argument::tau, tau}});
  return run_stage(gpu, devices.threads, n == 0, needed(gpu), [&](Report& report) {
#ifdef EIGEN_G_HAVE_CUDA
    if (gpu) return sytrd_on_gpu<T>(Pointers::host, uplo, {a, n, n, lda}, {d, e}, tau, nullptr, report);
#endif
    sytrd_on_cpu<T>(uplo, {a, n, n, lda}, {d, e}, tau, report);
  });
}

template <class R>
Report stedc(std::int64_t n, R* d, same_t<R>* e, same_t<R>* z, std::int64_t ldz, const Devices& devices) {
  check_stedc(n, d, e, z, ldz);
  const auto needed = [&](bool on_gpu) {
    return stedc_workspace_bytes(n, z != nullptr, on_gpu, Pointers::host);
  };
  const bool gpu = take_gpu(devices, n, [&] { return needed(true); });
  require_on_host({{Argument::d, d}, {Argument::e, e}, {Argument::z, z}});
  require_finite(d, n, Argument::d);
  require_finite(e, n - 1, Argument::e);
  return run_stage(gpu, devices.threads, n == 0, needed(gpu), [&](Report& report) {
    const MatrixView<R> vectors{z, n, n, ldz};
#ifdef EIGEN_G_HAVE_CUDA
    if (gpu) return note(report, stedc_on_gpu<R>(Pointers::host, n, {d, e}, vectors, nullptr));
#endif
    const std::uint64_t bytes = divide_and_conquer_bytes_on_cpu<R>(n, z != nullptr, n);
    const auto memory = host_array<std::byte>(static_cast<std::int64_t>(bytes));
    note(report, divide_and_conquer(n, d, e, vectors, Arena(memory.get(), bytes)));
  });
}

template <class T>
Report ormtr(Uplo uplo, std::int64_t n, std::int64_t m, const T* a, std::int64_t lda, const same_t<T>* tau,
             same_t<T>* z, std::int64_t ldz, const Devices& devices) {
  check_ormtr(uplo, n, m, a, lda, tau, z, ldz);
  const auto needed = [&](bool on_gpu) { return ormtr_workspace_bytes(uplo, n, m, on_gpu, Pointers::host); };
  const bool gpu = take_gpu(devices, n, [&] { return needed(true); });
  require_on_host({{Argument::a, a}, {Argument::tau, tau}, {Argument::z, z}});
  return run_stage(gpu, devices.threads, n < 2 || m == 0, needed(gpu), [&](Report& report) {
    const MatrixView<const T> reflectors{a, n, n, lda};
    const MatrixView<T> columns{z, n, m, ldz};
#ifdef EIGEN_G_HAVE_CUDA
    if (gpu) return ormtr_on_gpu<T>(Pointers::host, uplo, reflectors, tau, columns, nullptr, report);
#endif
    const std::uint64_t bytes = back_transform_bytes_on_cpu<T>(n, m);
    const auto memory = host_array<std::byte>(static_cast<std::int64_t>(bytes));
    back_transform<T>(uplo, reflectors, tau, columns, Arena(memory.get(), bytes));
    (void)report;
  });
}

template <class T>
Report sytrd(Uplo uplo, std::int64_t n, DevicePointer<T> a, std::int64_t lda,
             same_t<DevicePointer<real_t<T>>> d, same_t<DevicePointer<real_t<T>>> e,
             same_t<DevicePointer<T>> tau, [[maybe_unused]] CUstream_st* stream) {
  check_sytrd(uplo, n, a.get(), lda, d.get(), e.get(), tau.get());
  require_on_gpu(
      {{Argument::a, a.get()}, {Argument::d, d.get()}, {Argument::e, e.get()}, {Argument::tau, tau.get()}});
  return run_stage(true, 0, n == 0, sytrd_workspace_bytes(uplo, n, lda, true, Pointers::device),
                   [&]([[maybe_unused]] Report& report) {
#ifdef EIGEN_G_HAVE_CUDA
                     sytrd_on_gpu<T>(Pointers::device, uplo, {a.get(), n, n, lda}, {d.get(), e.get()},
                                     tau.get(), stream, report);
#endif
                   });
}

template <class R>
Report stedc(std::int64_t n, DevicePointer<R> d, same_t<DevicePointer<R>> e, same_t<DevicePointer<R>> z,
             std::int64_t ldz, [[maybe_unused]] CUstream_st* stream) {
  check_stedc(n, d.get(), e.get(), z.get(), ldz);
  require_on_gpu({{Argument::d, d.get()}, {Argument::e, e.get()}, {Argument::z, z.get()}});
  return run_stage(
      true, 0, n == 0, stedc_workspace_bytes(n, bool(z), true, Pointers::device),
      [&]([[maybe_unused]] Report& report) {
#ifdef EIGEN_G_HAVE_CUDA
        require_finite(on_host(d.get(), n, stream).data(), n, Argument::d);
        require_finite(on_host(e.get(), n - 1, stream).data(), n - 1, Argument::e);
        note(report, stedc_on_gpu<R>(Pointers::device, n, {d.get(), e.get()}, {z.get(), n, n, ldz}, stream));
#endif
      });
}

template <class T>
Report ormtr(Uplo uplo, std::int64_t n, std::int64_t m, same_t<DevicePointer<const T>> a, std::int64_t lda,
             same_t<DevicePointer<const T>> tau, DevicePointer<T> z, std::int64_t ldz,
             [[maybe_unused]] CUstream_st* stream) {
  check_ormtr(uplo, n, m, a.get(), lda, tau.get(), z.get(), ldz);
  require_on_gpu({{Argument::a, a.get()}, {Argument::tau, tau.get()}, {Argument::z, z.get()}});
  return run_stage(true, 0, n < 2 || m == 0, ormtr_workspace_bytes(uplo, n, m, true, Pointers::device),
                   [&]([[maybe_unused]] Report& report) {
#ifdef EIGEN_G_HAVE_CUDA
                     ormtr_on_gpu<T>(Pointers::device, uplo, {a.get(), n, n, lda}, tau.get(),
                                     {z.get(), n, m, ldz}, stream, report);
#endif
                   });
}

WorkspaceBytes sytrd_workspace_bytes(Uplo uplo, std::int64_t n, [[maybe_unused]] std::int64_t lda,
                                     bool on_gpu, [[maybe_unused]] Pointers pointers) {
  require_uplo(uplo);
  require_size(n, Argument::n);
#ifdef EIGEN_G_HAVE_CUDA
  if (on_gpu) return sytrd_gpu_bytes(pointers, uplo, n, lda);
#else
  if (on_gpu) throw DeviceError("built without CUDA");
#endif
  return {n > 0 ? tridiagonalize_bytes_on_cpu<double>(n) : 0, 0};
}

WorkspaceBytes stedc_workspace_bytes(std::int64_t n, bool vectors, bool on_gpu,
                                     [[maybe_unused]] Pointers pointers) {
  require_size(n, Argument::n);
#ifdef EIGEN_G_HAVE_CUDA
  if (on_gpu) return stedc_gpu_bytes(pointers, n, vectors);
#else
  if (on_gpu) throw DeviceError("built without CUDA");
#endif
  return {divide_and_conquer_bytes_on_cpu<double>(n, vectors, n), 0};
}

WorkspaceBytes ormtr_workspace_bytes(Uplo uplo, std::int64_t n, std::int64_t m, bool on_gpu,
                                     [[maybe_unused]] Pointers pointers) {
  require_uplo(uplo);
  require_size(n, Argument::n);
  require_size(m, Argument::m);
#ifdef EIGEN_G_HAVE_CUDA
  if (on_gpu) return ormtr_gpu_bytes(pointers, uplo, n, m);
#else
  if (on_gpu) throw DeviceError("built without CUDA");
#endif
  return {n > 0 && m > 0 ? back_transform_bytes_on_cpu<double>(n, m) : 0, 0};
}

template Report sytrd(Uplo, std::int64_t, double*, std::int64_t, double*, double*, double*, const Devices&);
template Report sytrd(Uplo, std::int64_t, DevicePointer<double>, std::int64_t, DevicePointer<double>,
                      DevicePointer<double>, DevicePointer<double>, CUstream_st*);
template Report stedc(std::int64_t, double*, double*, double*, std::int64_t, const Devices&);
template Report stedc(std::int64_t, DevicePointer<double>, DevicePointer<double>, DevicePointer<double>,
                      std::int64_t, CUstream_st*);
template Report ormtr(Uplo, std::int64_t, std::int64_t, const double*, std::int64_t, const double*, double*,
                      std::int64_t, const Devices&);
template Report ormtr(Uplo, std::int64_t, std::int64_t, DevicePointer<const double>, std::int64_t,
                      DevicePointer<const double>, DevicePointer<double>, std::int64_t, CUstream_st*);

}  // namespace eigen_g
