#include "solver/api/stages.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>

#include "hybrid/machine/cpu.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/matrix_view.hpp"
#include "hybrid/nvtx.hpp"
#include "solver/back/back_transform.hpp"
#include "solver/driver/arguments.hpp"
#include "solver/prepare/check_input.hpp"
#include "solver/prepare/scale.hpp"
#include "solver/reduction/one_stage/tridiagonalize.hpp"
#include "solver/tridiagonal/divide_and_conquer.hpp"
#ifdef EIGEN_G_HAVE_CUDA
#include "solver/driver/device_stages.hpp"
#endif

namespace eigen_g {

namespace {

using Clock = std::chrono::steady_clock;

// A NaN or an infinity among d or e, both in host memory.
void require_finite(const double* values, std::int64_t count, const char* name) {
  for (std::int64_t i = 0; i < count; ++i)
    require(std::isfinite(values[i]), name,
            "entry " + std::to_string(i + 1) + " is " + (std::isnan(values[i]) ? "NaN" : "infinite"));
}

void check_sytrd(std::int64_t n, const void* a, std::int64_t lda, const void* d, const void* e,
                 const void* tau) {
  require_size(n, "n");
  require_pointer(a, n > 0, "a");
  require_leading_dimension(lda, n, "lda");
  require_pointer(d, n > 0, "d");
  require_pointer(e, n > 1, "e");
  require_pointer(tau, n > 1, "tau");
}

void check_stedc(std::int64_t n, const void* d, const void* e, const void* z, std::int64_t ldz) {
  require_size(n, "n");
  require_pointer(d, n > 0, "d");
  require_pointer(e, n > 1, "e");
  if (z) require_leading_dimension(ldz, n, "ldz");
}

void check_ormtr(std::int64_t n, std::int64_t m, const void* a, std::int64_t lda, const void* tau,
                 const void* z, std::int64_t ldz) {
  require_size(n, "n");
  require_size(m, "m");
  require_pointer(a, n > 0, "a");
  require_leading_dimension(lda, n, "lda");
  require_pointer(tau, n > 1, "tau");
  require_pointer(z, n > 0 && m > 0, "z");
  require_leading_dimension(ldz, n, "ldz");
}

// Whether host pointers go to the GPU. Where the choice is free, the bytes that it would take there, needed(), must be.
template <class Needed>
bool take_gpu(const StageOptions& options, std::int64_t n, Needed&& needed) {
  if (!take_gpu(options.device, n)) return false;
  return options.device == DeviceChoice::gpu || needed().device <= gpu_memory_free(current_gpu());
}

// One stage on one device, timed; call() returns its Outcome and is left out where there is nothing to do.
template <class Call>
StageReport run(const char* stage, bool gpu, int threads, bool nothing, const WorkspaceBytes& bytes,
                Call&& call) {
  const auto start = Clock::now();
  const ProfilerRange range(stage);
  const ThreadLimit limit(threads);
  StageReport report;
  report.device = gpu ? gpu_facts(current_gpu()).name : cpu_name();
  if (!nothing) {
    const Outcome outcome = call();
    report.status = outcome.status;
    report.failed = outcome.failed;
    report.bytes = bytes;
  }
  report.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return report;
}

Outcome sytrd_on_cpu(Uplo uplo, MatrixView<double> a, double* d, double* e, double* tau) {
  const std::int64_t n = a.cols;
  const int k = scale_exponent(check_input(uplo, a));
  scale(uplo, a, k);
  tridiagonalize(uplo, a, d, e, tau);
  if (k == 0) return {};
  scale_values(n, d, -k);
  scale_values(n - 1, e, -k);
  for (std::int64_t i = 0; i < n; ++i) a(i, i) = d[i];
  for (std::int64_t i = 0; i + 1 < n; ++i) (uplo == Uplo::lower ? a(i + 1, i) : a(i, i + 1)) = e[i];
  return {};
}

std::uint64_t bytes_of(std::int64_t doubles) {
  return static_cast<std::uint64_t>(doubles) * sizeof(double);
}

// LAPACK's workspaces with blocks of at most 64 columns.
constexpr std::int64_t lapack_block = 64;

}  // namespace

StageReport sytrd(Uplo uplo, std::int64_t n, double* a, std::int64_t lda, double* d, double* e, double* tau,
                  const StageOptions& options) {
  check_sytrd(n, a, lda, d, e, tau);
  const auto needed = [&](bool on_gpu) {
    return sytrd_workspace_bytes(uplo, n, lda, on_gpu, Pointers::host);
  };
  const bool gpu = take_gpu(options, n, [&] { return needed(true); });
  if (gpu) require_on_host({{"a", a}, {"d", d}, {"e", e}, {"tau", tau}});
  return run("sytrd", gpu, options.threads, n == 0, needed(gpu), [&]() -> Outcome {
#ifdef EIGEN_G_HAVE_CUDA
    if (gpu) {
      sytrd_on_gpu(Pointers::host, uplo, {a, n, n, lda}, d, e, tau, nullptr);
      return {};
    }
#endif
    return sytrd_on_cpu(uplo, {a, n, n, lda}, d, e, tau);
  });
}

StageReport stedc(std::int64_t n, double* d, double* e, double* z, std::int64_t ldz,
                  const StageOptions& options) {
  check_stedc(n, d, e, z, ldz);
  const auto needed = [&](bool on_gpu) {
    return stedc_workspace_bytes(n, z != nullptr, on_gpu, Pointers::host);
  };
  const bool gpu = take_gpu(options, n, [&] { return needed(true); });
  if (gpu) require_on_host({{"d", d}, {"e", e}, {"z", z}});
  require_finite(d, n, "d");
  require_finite(e, n - 1, "e");
  return run("stedc", gpu, options.threads, n == 0, needed(gpu), [&] {
    const MatrixView<double> vectors{z, n, n, ldz};
#ifdef EIGEN_G_HAVE_CUDA
    if (gpu) return stedc_on_gpu(Pointers::host, n, d, e, vectors, nullptr);
#endif
    return divide_and_conquer(n, d, e, vectors);
  });
}

StageReport ormtr(Uplo uplo, std::int64_t n, std::int64_t m, const double* a, std::int64_t lda,
                  const double* tau, double* z, std::int64_t ldz, const StageOptions& options) {
  check_ormtr(n, m, a, lda, tau, z, ldz);
  const auto needed = [&](bool on_gpu) { return ormtr_workspace_bytes(uplo, n, m, on_gpu, Pointers::host); };
  const bool gpu = take_gpu(options, n, [&] { return needed(true); });
  if (gpu) require_on_host({{"a", a}, {"tau", tau}, {"z", z}});
  return run("ormtr", gpu, options.threads, n < 2 || m == 0, needed(gpu), [&]() -> Outcome {
    const MatrixView<const double> reflectors{a, n, n, lda};
    const MatrixView<double> columns{z, n, m, ldz};
#ifdef EIGEN_G_HAVE_CUDA
    if (gpu) {
      ormtr_on_gpu(Pointers::host, uplo, reflectors, tau, columns, nullptr);
      return {};
    }
#endif
    back_transform(uplo, reflectors, tau, columns);
    return {};
  });
}

StageReport sytrd(Uplo uplo, std::int64_t n, double* a_dev, std::int64_t lda, double* d_dev, double* e_dev,
                  double* tau_dev, [[maybe_unused]] CUstream_st* stream) {
  check_sytrd(n, a_dev, lda, d_dev, e_dev, tau_dev);
  require_on_gpu({{"a", a_dev}, {"d", d_dev}, {"e", e_dev}, {"tau", tau_dev}});
  const WorkspaceBytes needed = sytrd_workspace_bytes(uplo, n, lda, true, Pointers::device);
  return run("sytrd", true, 0, n == 0, needed, [&] {
#ifdef EIGEN_G_HAVE_CUDA
    sytrd_on_gpu(Pointers::device, uplo, {a_dev, n, n, lda}, d_dev, e_dev, tau_dev, stream);
#endif
    return Outcome{};
  });
}

StageReport stedc(std::int64_t n, double* d_dev, double* e_dev, double* z_dev, std::int64_t ldz,
                  [[maybe_unused]] CUstream_st* stream) {
  check_stedc(n, d_dev, e_dev, z_dev, ldz);
  require_on_gpu({{"d", d_dev}, {"e", e_dev}, {"z", z_dev}});
  const WorkspaceBytes needed = stedc_workspace_bytes(n, z_dev != nullptr, true, Pointers::device);
  return run("stedc", true, 0, n == 0, needed, [&] {
#ifdef EIGEN_G_HAVE_CUDA
    require_finite(on_host(d_dev, n, stream).data(), n, "d");
    require_finite(on_host(e_dev, n - 1, stream).data(), n - 1, "e");
    return stedc_on_gpu(Pointers::device, n, d_dev, e_dev, {z_dev, n, n, ldz}, stream);
#else
    return Outcome{};
#endif
  });
}

StageReport ormtr(Uplo uplo, std::int64_t n, std::int64_t m, const double* a_dev, std::int64_t lda,
                  const double* tau_dev, double* z_dev, std::int64_t ldz,
                  [[maybe_unused]] CUstream_st* stream) {
  check_ormtr(n, m, a_dev, lda, tau_dev, z_dev, ldz);
  require_on_gpu({{"a", a_dev}, {"tau", tau_dev}, {"z", z_dev}});
  const WorkspaceBytes needed = ormtr_workspace_bytes(uplo, n, m, true, Pointers::device);
  return run("ormtr", true, 0, n < 2 || m == 0, needed, [&] {
#ifdef EIGEN_G_HAVE_CUDA
    ormtr_on_gpu(Pointers::device, uplo, {a_dev, n, n, lda}, tau_dev, {z_dev, n, m, ldz}, stream);
#endif
    return Outcome{};
  });
}

WorkspaceBytes sytrd_workspace_bytes([[maybe_unused]] Uplo uplo, std::int64_t n,
                                     [[maybe_unused]] std::int64_t lda, bool on_gpu,
                                     [[maybe_unused]] Pointers pointers) {
#ifdef EIGEN_G_HAVE_CUDA
  if (on_gpu) return sytrd_gpu_bytes(pointers, uplo, n, lda);
#else
  if (on_gpu) throw DeviceError("built without CUDA");
#endif
  return {bytes_of(n * lapack_block), 0};
}

WorkspaceBytes stedc_workspace_bytes(std::int64_t n, bool vectors, bool on_gpu,
                                     [[maybe_unused]] Pointers pointers) {
#ifdef EIGEN_G_HAVE_CUDA
  if (on_gpu) return stedc_gpu_bytes(pointers, n, vectors);
#else
  if (on_gpu) throw DeviceError("built without CUDA");
#endif
  return {vectors ? bytes_of(n * n + 9 * n + 4) : 0, 0};
}

WorkspaceBytes ormtr_workspace_bytes([[maybe_unused]] Uplo uplo, [[maybe_unused]] std::int64_t n,
                                     std::int64_t m, bool on_gpu, [[maybe_unused]] Pointers pointers) {
#ifdef EIGEN_G_HAVE_CUDA
  if (on_gpu) return ormtr_gpu_bytes(pointers, uplo, n, m);
#else
  if (on_gpu) throw DeviceError("built without CUDA");
#endif
  return {bytes_of((m + lapack_block + 1) * lapack_block), 0};
}

}  // namespace eigen_g
