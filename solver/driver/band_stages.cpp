// The two stages of the way by a band as calls, and back.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "hybrid/matrix_view.hpp"
#include "solver/api/stages.hpp"
#include "solver/back/back_transform.hpp"
#include "solver/back/chase_back.hpp"
#include "solver/driver/arguments.hpp"
#include "solver/driver/device_stages.hpp"
#include "solver/driver/stage_call.hpp"
#include "solver/path/host_clock.hpp"
#include "solver/path/reduction.hpp"
#include "solver/prepare/check_input.hpp"
#include "solver/prepare/scale.hpp"
#include "solver/reduction/two_stage/band_to_tridiagonal.hpp"
#include "solver/reduction/two_stage/full_to_band.hpp"

namespace eigen_g {

namespace {

void require_named(bool good, const char* parameter, const std::string& what) {
  if (!good) throw InvalidArgument(parameter, what);
}

void require_width(std::int64_t kd, std::int64_t least, std::int64_t most) {
  require_named(
      kd >= least && kd <= most, "kd",
      "is " + std::to_string(kd) + ", must be from " + std::to_string(least) + " to " + std::to_string(most));
}

void require_band(const void* ab, std::int64_t n, std::int64_t kd, std::int64_t ldab) {
  require_named(ab || n == 0, "ab", "is null");
  require_named(ldab >= kd + 1 && ldab <= largest_order * 2, "ldab",
                "is " + std::to_string(ldab) + ", must be at least kd + 1 = " + std::to_string(kd + 1));
}

// The address of memory that another library may name otherwise.
void require_band_on_gpu(const void* p, const char* parameter) {
  try {
    require_on_gpu({{Argument::other, p}});
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(parameter, error.reason());
  }
}
void require_band_on_host(const void* p, const char* parameter) {
  require_named(!p || !is_gpu_memory(p), parameter, "is device memory; give it as device(p)");
}

bool on_16_bytes(const void* p) {
  return reinterpret_cast<std::uintptr_t>(p) % 16 == 0;
}

void check_sy2sb(Uplo uplo, std::int64_t n, std::int64_t kd, const void* a, std::int64_t lda, const void* ab,
                 std::int64_t ldab, const void* tau) {
  require_uplo(uplo);
  require_size(n, Argument::n);
  require_width(kd, 1, largest_order);
  require_pointer(a, n > 0, Argument::a);
  require_leading_dimension(lda, n, Argument::lda);
  require_band(ab, n, kd, ldab);
  require_pointer(tau, n > kd, Argument::tau);
}

void check_sb2st(Uplo uplo, std::int64_t n, std::int64_t kd, const void* ab, std::int64_t ldab, const void* d,
                 const void* e, const void* hous) {
  require_uplo(uplo);
  require_size(n, Argument::n);
  require_width(kd, 0, max_chase_bandwidth);
  require_band(ab, n, kd, ldab);
  require_pointer(d, n > 0, Argument::d);
  require_pointer(e, n > 1, Argument::e);
  require_named(on_16_bytes(hous), "hous", "is not on 16 bytes");
}

void check_ormtr_sb2st(std::int64_t n, std::int64_t m, std::int64_t kd, const void* hous, const void* z,
                       std::int64_t ldz) {
  require_size(n, Argument::n);
  require_size(m, Argument::m);
  require_width(kd, 0, max_chase_bandwidth);
  require_named(hous || n < 3, "hous", "is null");
  require_named(on_16_bytes(hous), "hous", "is not on 16 bytes");
  require_pointer(z, n > 0 && m > 0, Argument::z);
  require_leading_dimension(ldz, n, Argument::ldz);
}

void check_ormtr_sy2sb(Uplo uplo, std::int64_t n, std::int64_t m, std::int64_t kd, const void* a,
                       std::int64_t lda, const void* tau, const void* z, std::int64_t ldz) {
  require_uplo(uplo);
  require_size(n, Argument::n);
  require_size(m, Argument::m);
  require_width(kd, 1, largest_order);
  require_pointer(a, n > 0, Argument::a);
  require_leading_dimension(lda, n, Argument::lda);
  require_pointer(tau, n > kd, Argument::tau);
  require_pointer(z, n > 0 && m > 0, Argument::z);
  require_leading_dimension(ldz, n, Argument::ldz);
}

bool is_chase_bandwidth(std::int64_t kd) {
  return std::find(std::begin(chase_bandwidths), std::end(chase_bandwidths), kd) !=
         std::end(chase_bandwidths);
}

void require_chase_bandwidth(std::int64_t kd) {
  require_named(is_chase_bandwidth(kd), "kd",
                "is " + std::to_string(kd) + "; on a GPU it must be 32, 48, 64, 96 or 128");
}

// A workspace's bytes: on_gpu() by device code, on_cpu() in host memory.
template <class OnGpu, class OnCpu>
WorkspaceBytes bytes_on(bool gpu, [[maybe_unused]] OnGpu&& on_gpu, OnCpu&& on_cpu) {
#ifdef EIGEN_G_HAVE_CUDA
  if (gpu) return on_gpu();
#else
  if (gpu) throw DeviceError("built without CUDA");
#endif
  return {on_cpu(), 0};
}

// Row d of the lower band in LAPACK's layout.
template <class T>
T& band_entry(Uplo uplo, std::int64_t kd, MatrixView<T> ab, std::int64_t d, std::int64_t j) {
  return uplo == Uplo::upper ? ab(kd - d, j + d) : ab(d, j);
}
template <class Act>
void each_band_entry(std::int64_t n, std::int64_t kd, Act&& act) {
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t d = 0; d <= std::min(kd, n - 1 - j); ++d) act(d, j);
}

template <class T>
void sy2sb_on_cpu(Uplo uplo, std::int64_t kd, MatrixView<T> a, MatrixView<T> ab, T* tau, Report& report) {
  const std::int64_t n = a.cols;
  const int k = reduce_scaled(uplo, a, full_to_band_bytes_on_cpu<T>(n, kd), Stage::full_to_band, report,
                              [&](Arena workspace) { full_to_band<T>(uplo, kd, a, ab, tau, workspace); });
  if (k != 0)
    each_band_entry(n, kd, [&](std::int64_t d, std::int64_t j) {
      T& entry = band_entry(uplo, kd, ab, d, j);
      entry = std::ldexp(entry, -k);
    });
}

template <class T>
struct ChaseOnCpu {
  MatrixView<T> band;
  Arena scratch;
  ChaseOnCpu(Arena& arena, std::int64_t n, std::int64_t b)
      : band(arena.matrix<T>(b + 1, n, b + 1)),
        scratch(arena.part(band_to_tridiagonal_bytes_on_cpu<T>(n, b))) {}
  static std::uint64_t bytes(std::int64_t n, std::int64_t kd) {
    return bytes_taken([&](Arena& arena) { ChaseOnCpu(arena, n, chase_bandwidth(kd)); });
  }
};

template <class T>
void sb2st_on_cpu(Uplo uplo, std::int64_t kd, MatrixView<const T> ab, Tridiagonal<real_t<T>> t, T* hous,
                  Report& report) {
  const std::int64_t n = ab.cols, b = chase_bandwidth(kd);
  const std::uint64_t bytes = ChaseOnCpu<T>::bytes(n, kd);
  const auto memory = host_array<std::byte>(static_cast<std::int64_t>(bytes));
  Arena arena(memory.get(), bytes);
  const ChaseOnCpu<T> at(arena, n, b);
  T largest{};
  each_band_entry(n, kd, [&](std::int64_t d, std::int64_t j) {
    const T entry = band_entry(uplo, kd, ab, d, j);
    require_named(std::isfinite(entry), "ab",
                  "has an entry that is not finite: (" + std::to_string(j + d + 1) + ", " +
                      std::to_string(j + 1) + ")");
    largest = std::max(largest, std::abs(entry));
  });
  const int k = scale_exponent(largest);
  std::fill_n(at.band.data, (b + 1) * n, T{});
  each_band_entry(n, kd, [&](std::int64_t d, std::int64_t j) {
    at.band(d, j) = std::ldexp(band_entry(uplo, kd, ab, d, j), k);
  });
  HostClock clock;
  const Progress nobody;
  Steps step(clock, nobody, report.stages);
  const ChaseReflectors<T> out{hous, hous ? hous + ChaseTiles(n, b).packed_count() : nullptr};
  step(Stage::chase, [&] { band_to_tridiagonal<T>(b, at.band, t.d, t.e, out, at.scratch); });
  step.finish();
  scale_values(n, t.d, -k);
  scale_values(n - 1, t.e, -k);
}

}  // namespace

std::int64_t sytrd_sb2st_hous(std::int64_t n, std::int64_t kd) {
  require_size(n, Argument::n);
  require_width(kd, 0, max_chase_bandwidth);
  const ChaseTiles tiles(n, chase_bandwidth(kd));
  return tiles.packed_count() + tiles.tau_count();
}

template <class T>
Report sytrd_sy2sb(Uplo uplo, std::int64_t n, std::int64_t kd, T* a, std::int64_t lda, same_t<T>* ab,
                   std::int64_t ldab, same_t<T>* tau, const Devices& devices) {
  check_sy2sb(uplo, n, kd, a, lda, ab, ldab, tau);
  if (devices.place == Place::gpu) require_chase_bandwidth(kd);
  const auto needed = [&](bool on_gpu) { return sytrd_sy2sb_workspace_bytes(n, kd, on_gpu, Pointers::host); };
  const bool gpu = is_chase_bandwidth(kd) && take_gpu(devices, n, [&] { return needed(true); });
  require_on_host({{Argument::a, a}, {Argument::tau, tau}});
  require_band_on_host(ab, "ab");
  return run_stage(gpu, devices.threads, n == 0, needed(gpu), [&](Report& report) {
    const MatrixView<T> matrix{a, n, n, lda}, band{ab, kd + 1, n, ldab};
#ifdef EIGEN_G_HAVE_CUDA
    if (gpu) return sytrd_sy2sb_on_gpu<T>(Pointers::host, uplo, kd, matrix, band, tau, nullptr, report);
#endif
    sy2sb_on_cpu<T>(uplo, kd, matrix, band, tau, report);
  });
}

template <class T>
Report sytrd_sb2st(Uplo uplo, std::int64_t n, std::int64_t kd, const T* ab, std::int64_t ldab,
                   same_t<real_t<T>>* d, same_t<real_t<T>>* e, same_t<T>* hous, const Devices& devices) {
  check_sb2st(uplo, n, kd, ab, ldab, d, e, hous);
  const auto needed = [&](bool on_gpu) { return sytrd_sb2st_workspace_bytes(n, kd, on_gpu, Pointers::host); };
  const bool gpu = take_gpu(devices, n, [&] { return needed(true); });
  require_on_host({{Argument::d, d}, {Argument::e, e}});
  require_band_on_host(ab, "ab");
  require_band_on_host(hous, "hous");
  return run_stage(gpu, devices.threads, n == 0, needed(gpu), [&](Report& report) {
    const MatrixView<const T> band{ab, kd + 1, n, ldab};
#ifdef EIGEN_G_HAVE_CUDA
    if (gpu) return sytrd_sb2st_on_gpu<T>(Pointers::host, uplo, kd, band, {d, e}, hous, nullptr, report);
#endif
    sb2st_on_cpu<T>(uplo, kd, band, {d, e}, hous, report);
  });
}

template <class T>
Report ormtr_sb2st(std::int64_t n, std::int64_t m, std::int64_t kd, const T* hous, same_t<T>* z,
                   std::int64_t ldz, const Devices& devices) {
  check_ormtr_sb2st(n, m, kd, hous, z, ldz);
  const auto needed = [&](bool on_gpu) {
    return ormtr_sb2st_workspace_bytes(n, m, kd, on_gpu, Pointers::host);
  };
  const bool gpu = take_gpu(devices, n, [&] { return needed(true); });
  require_on_host({{Argument::z, z}});
  require_band_on_host(hous, "hous");
  return run_stage(gpu, devices.threads, n < 3 || m == 0, needed(gpu), [&](Report&) {
    const MatrixView<T> columns{z, n, m, ldz};
#ifdef EIGEN_G_HAVE_CUDA
    if (gpu) return ormtr_sb2st_on_gpu<T>(Pointers::host, kd, hous, columns, nullptr);
#endif
    const ChaseTiles tiles(n, chase_bandwidth(kd));
    const std::uint64_t bytes = chase_back_bytes_on_cpu<T>(n, tiles.b, m);
    const auto memory = host_array<std::byte>(static_cast<std::int64_t>(bytes));
    chase_back<T>(tiles, {hous, hous + tiles.packed_count()}, columns, Arena(memory.get(), bytes));
  });
}

template <class T>
Report ormtr_sy2sb(Uplo uplo, std::int64_t n, std::int64_t m, std::int64_t kd, const T* a, std::int64_t lda,
                   const same_t<T>* tau, same_t<T>* z, std::int64_t ldz, const Devices& devices) {
  check_ormtr_sy2sb(uplo, n, m, kd, a, lda, tau, z, ldz);
  const auto needed = [&](bool on_gpu) {
    return ormtr_sy2sb_workspace_bytes(n, m, kd, on_gpu, Pointers::host);
  };
  const bool gpu = take_gpu(devices, n, [&] { return needed(true); });
  require_on_host({{Argument::a, a}, {Argument::tau, tau}, {Argument::z, z}});
  return run_stage(gpu, devices.threads, n <= kd || m == 0, needed(gpu), [&](Report&) {
    const MatrixView<const T> reflectors{a, n, n, lda};
    const MatrixView<T> columns{z, n, m, ldz};
#ifdef EIGEN_G_HAVE_CUDA
    if (gpu) return ormtr_sy2sb_on_gpu<T>(Pointers::host, uplo, kd, reflectors, tau, columns, nullptr);
#endif
    const std::uint64_t bytes = back_transform_from_band_bytes_on_cpu<T>(n, kd, m);
    const auto memory = host_array<std::byte>(static_cast<std::int64_t>(bytes));
    back_transform_from_band<T>(uplo, kd, reflectors, tau, columns, Arena(memory.get(), bytes));
  });
}

template <class T>
Report sytrd_sy2sb(Uplo uplo, std::int64_t n, std::int64_t kd, DevicePointer<T> a, std::int64_t lda,
                   same_t<DevicePointer<T>> ab, std::int64_t ldab, same_t<DevicePointer<T>> tau,
                   [[maybe_unused]] CUstream_st* stream) {
  check_sy2sb(uplo, n, kd, a.get(), lda, ab.get(), ldab, tau.get());
  require_chase_bandwidth(kd);
  require_on_gpu({{Argument::a, a.get()}, {Argument::tau, tau.get()}});
  require_band_on_gpu(ab.get(), "ab");
  return run_stage(true, 0, n == 0, sytrd_sy2sb_workspace_bytes(n, kd, true, Pointers::device),
                   [&]([[maybe_unused]] Report& report) {
#ifdef EIGEN_G_HAVE_CUDA
                     sytrd_sy2sb_on_gpu<T>(Pointers::device, uplo, kd, {a.get(), n, n, lda},
                                           {ab.get(), kd + 1, n, ldab}, tau.get(), stream, report);
#endif
                   });
}

template <class T>
Report sytrd_sb2st(Uplo uplo, std::int64_t n, std::int64_t kd, same_t<DevicePointer<const T>> ab,
                   std::int64_t ldab, same_t<DevicePointer<real_t<T>>> d, same_t<DevicePointer<real_t<T>>> e,
                   DevicePointer<T> hous, [[maybe_unused]] CUstream_st* stream) {
  check_sb2st(uplo, n, kd, ab.get(), ldab, d.get(), e.get(), hous.get());
  require_on_gpu({{Argument::d, d.get()}, {Argument::e, e.get()}});
  require_band_on_gpu(ab.get(), "ab");
  require_band_on_gpu(hous.get(), "hous");
  return run_stage(true, 0, n == 0, sytrd_sb2st_workspace_bytes(n, kd, true, Pointers::device),
                   [&]([[maybe_unused]] Report& report) {
#ifdef EIGEN_G_HAVE_CUDA
                     sytrd_sb2st_on_gpu<T>(Pointers::device, uplo, kd, {ab.get(), kd + 1, n, ldab},
                                           {d.get(), e.get()}, hous.get(), stream, report);
#endif
                   });
}

template <class T>
Report ormtr_sb2st(std::int64_t n, std::int64_t m, std::int64_t kd, same_t<DevicePointer<const T>> hous,
                   DevicePointer<T> z, std::int64_t ldz, [[maybe_unused]] CUstream_st* stream) {
  check_ormtr_sb2st(n, m, kd, hous.get(), z.get(), ldz);
  require_on_gpu({{Argument::z, z.get()}});
  require_band_on_gpu(hous.get(), "hous");
  return run_stage(true, 0, n < 3 || m == 0, ormtr_sb2st_workspace_bytes(n, m, kd, true, Pointers::device),
                   [&](Report&) {
#ifdef EIGEN_G_HAVE_CUDA
                     ormtr_sb2st_on_gpu<T>(Pointers::device, kd, hous.get(), {z.get(), n, m, ldz}, stream);
#endif
                   });
}

template <class T>
Report ormtr_sy2sb(Uplo uplo, std::int64_t n, std::int64_t m, std::int64_t kd,
                   same_t<DevicePointer<const T>> a, std::int64_t lda, same_t<DevicePointer<const T>> tau,
                   DevicePointer<T> z, std::int64_t ldz, [[maybe_unused]] CUstream_st* stream) {
  check_ormtr_sy2sb(uplo, n, m, kd, a.get(), lda, tau.get(), z.get(), ldz);
  require_on_gpu({{Argument::a, a.get()}, {Argument::tau, tau.get()}, {Argument::z, z.get()}});
  return run_stage(true, 0, n <= kd || m == 0, ormtr_sy2sb_workspace_bytes(n, m, kd, true, Pointers::device),
                   [&](Report&) {
#ifdef EIGEN_G_HAVE_CUDA
                     ormtr_sy2sb_on_gpu<T>(Pointers::device, uplo, kd, {a.get(), n, n, lda}, tau.get(),
                                           {z.get(), n, m, ldz}, stream);
#endif
                   });
}

WorkspaceBytes sytrd_sy2sb_workspace_bytes(std::int64_t n, std::int64_t kd, bool on_gpu,
                                           [[maybe_unused]] Pointers pointers) {
  require_size(n, Argument::n);
  require_width(kd, 1, largest_order);
  if (on_gpu) require_chase_bandwidth(kd);
  return bytes_on(
      on_gpu, [&] { return sytrd_sy2sb_gpu_bytes(pointers, n, kd); },
      [&] { return n > 0 ? full_to_band_bytes_on_cpu<double>(n, kd) : 0; });
}

WorkspaceBytes sytrd_sb2st_workspace_bytes(std::int64_t n, std::int64_t kd, bool on_gpu,
                                           [[maybe_unused]] Pointers pointers) {
  require_size(n, Argument::n);
  require_width(kd, 0, max_chase_bandwidth);
  return bytes_on(
      on_gpu, [&] { return sytrd_sb2st_gpu_bytes(pointers, n, kd); },
      [&] { return ChaseOnCpu<double>::bytes(n, kd); });
}

WorkspaceBytes ormtr_sb2st_workspace_bytes(std::int64_t n, std::int64_t m, std::int64_t kd, bool on_gpu,
                                           [[maybe_unused]] Pointers pointers) {
  require_size(n, Argument::n);
  require_size(m, Argument::m);
  require_width(kd, 0, max_chase_bandwidth);
  return bytes_on(
      on_gpu, [&] { return ormtr_sb2st_gpu_bytes(pointers, n, m, kd); },
      [&] { return chase_back_bytes_on_cpu<double>(n, chase_bandwidth(kd), m); });
}

WorkspaceBytes ormtr_sy2sb_workspace_bytes(std::int64_t n, std::int64_t m, std::int64_t kd, bool on_gpu,
                                           [[maybe_unused]] Pointers pointers) {
  require_size(n, Argument::n);
  require_size(m, Argument::m);
  require_width(kd, 1, largest_order);
  return bytes_on(
      on_gpu, [&] { return ormtr_sy2sb_gpu_bytes(pointers, n, m, kd); },
      [&] { return back_transform_from_band_bytes_on_cpu<double>(n, kd, m); });
}

template Report sytrd_sy2sb(Uplo, std::int64_t, std::int64_t, double*, std::int64_t, double*, std::int64_t,
                            double*, const Devices&);
template Report sytrd_sy2sb(Uplo, std::int64_t, std::int64_t, DevicePointer<double>, std::int64_t,
                            DevicePointer<double>, std::int64_t, DevicePointer<double>, CUstream_st*);
template Report sytrd_sb2st(Uplo, std::int64_t, std::int64_t, const double*, std::int64_t, double*, double*,
                            double*, const Devices&);
template Report sytrd_sb2st(Uplo, std::int64_t, std::int64_t, DevicePointer<const double>, std::int64_t,
                            DevicePointer<double>, DevicePointer<double>, DevicePointer<double>,
                            CUstream_st*);
template Report ormtr_sb2st(std::int64_t, std::int64_t, std::int64_t, const double*, double*, std::int64_t,
                            const Devices&);
template Report ormtr_sb2st(std::int64_t, std::int64_t, std::int64_t, DevicePointer<const double>,
                            DevicePointer<double>, std::int64_t, CUstream_st*);
template Report ormtr_sy2sb(Uplo, std::int64_t, std::int64_t, std::int64_t, const double*, std::int64_t,
                            const double*, double*, std::int64_t, const Devices&);
template Report ormtr_sy2sb(Uplo, std::int64_t, std::int64_t, std::int64_t, DevicePointer<const double>,
                            std::int64_t, DevicePointer<const double>, DevicePointer<double>, std::int64_t,
                            CUstream_st*);

}  // namespace eigen_g
