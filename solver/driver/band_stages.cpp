// The functions of solver/api/stages.hpp that each run one stage of the two-stage path.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include "solver/api/stages.hpp"
#include "solver/back/back_transform.hpp"
#include "solver/back/back_transform_chase.hpp"
#include "solver/driver/device_stages.hpp"
#include "solver/reduction/two_stage/band_layout.hpp"
#include "solver/reduction/two_stage/band_to_tridiagonal.hpp"
#include "solver/reduction/two_stage/full_to_band.hpp"

namespace eigen_g {

namespace {

void require_width(std::int64_t kd, std::int64_t least, std::int64_t most) {
  require(kd >= least && kd <= most, "kd", kd,
          "must be from " + std::to_string(least) + " to " + std::to_string(most));
}

// `ab` has kd + 1 rows and n columns.
void check_band(MatrixView<const double> ab) {
  require(ab.data || ab.cols == 0, "ab", "is null");
  require(ab.lda >= ab.rows && ab.lda <= largest_order * 2, "ldab", ab.lda,
          "must be at least kd + 1 = " + std::to_string(ab.rows));
}

void require_on_16_bytes(const void* hous) {
  require(reinterpret_cast<std::uintptr_t>(hous) % 16 == 0, "hous", "must be aligned to 16 bytes");
}

bool is_chase_bandwidth(std::int64_t kd) {
  return std::find(std::begin(chase_bandwidths), std::end(chase_bandwidths), kd) !=
         std::end(chase_bandwidths);
}

void require_chase_bandwidth(std::int64_t kd) {
  require(is_chase_bandwidth(kd), "kd",
          "is " + std::to_string(kd) + "; on a GPU it must be 32, 48, 64, 96 or 128");
}

void sy2sb_on_cpu(Uplo uplo, std::int64_t kd, MatrixView<double> a, MatrixView<double> ab, double* tau,
                  Report& report, Arena workspace) {
  const int k = reduce_scaled(uplo, a, Stage::full_to_band, report,
                              [&] { full_to_band_on_cpu<double>(uplo, kd, a, ab, tau, workspace); });
  if (k != 0)
    each_band_entry(uplo, ab,
                    [k](double& entry, std::int64_t, std::int64_t) { entry = std::ldexp(entry, -k); });
}

// The buffers of the workspace.
struct ChaseOnCpu {
  MatrixView<double> band;
  Arena scratch;
  ChaseOnCpu(Arena& arena, std::int64_t n, std::int64_t b)
      : band(arena.matrix<double>(b + 1, n, b + 1)),
        scratch(arena.part(band_to_tridiagonal_bytes_on_cpu<double>(n, b))) {}
};

void sb2st_on_cpu(Uplo uplo, std::int64_t kd, MatrixView<const double> ab, Tridiagonal<double> t,
                  double* hous, Report& report, Arena arena) {
  const std::int64_t n = ab.cols, b = chase_bandwidth(kd);
  const ChaseOnCpu at(arena, n, b);
  double largest{};
  each_band_entry(uplo, ab, [&](double entry, std::int64_t d, std::int64_t j) {
    if (!std::isfinite(entry)) refuse_band_entry(j + d, j);
    largest = std::max(largest, std::abs(entry));
  });
  const int k = scale_exponent(largest);
  std::fill_n(at.band.data, (b + 1) * n, double{});
  each_band_entry(
      uplo, ab, [&](double entry, std::int64_t d, std::int64_t j) { at.band(d, j) = std::ldexp(entry, k); });
  HostClock clock;
  const Progress silent;
  StageRunner run_stage(clock, silent, report.stages);
  const ChaseReflectors<double> out{hous, hous ? hous + ChaseTiles(n, b).count() : nullptr};
  run_stage(Stage::chase, [&] { band_to_tridiagonal_on_cpu<double>(b, at.band, t.d, t.e, out, at.scratch); });
  run_stage.finish();
  scale_values(n, t.d, -k);
  scale_values(n - 1, t.e, -k);
}

}  // namespace

Report sytrd_sy2sb_stage(const StageCall& call, Uplo uplo, std::int64_t n, std::int64_t kd, double* a,
                         std::int64_t lda, double* ab, std::int64_t ldab, double* tau) {
  const MatrixView<double> matrix{a, n, n, lda}, band{ab, kd + 1, n, ldab};
  check_matrix(uplo, matrix);
  require_width(kd, 1, largest_order);
  check_band(band);
  require_pointer(tau, n > kd, Argument::tau);
  if (!call.on_host() || call.devices.device == DeviceChoice::gpu) require_chase_bandwidth(kd);
  return run_stage(
      call, n, {{Argument::a, a}, {Argument::tau, tau}, {"ab", ab}}, n == 0,
      [&](bool gpu) { return sytrd_sy2sb_workspace_bytes(n, kd, gpu, call.pointers); },
      [&](Report& report) { sytrd_sy2sb_on_gpu(call, uplo, kd, matrix, band, tau, report); },
      [&](Report& report, Arena workspace) { sy2sb_on_cpu(uplo, kd, matrix, band, tau, report, workspace); },
      is_chase_bandwidth(kd));
}

Report sytrd_sb2st_stage(const StageCall& call, Uplo uplo, std::int64_t n, std::int64_t kd, const double* ab,
                         std::int64_t ldab, double* d, double* e, double* hous) {
  const MatrixView<const double> band{ab, kd + 1, n, ldab};
  const Tridiagonal<double> t{d, e};
  require_uplo(uplo);
  require_size(n, Argument::n);
  require_width(kd, 0, max_chase_bandwidth);
  check_band(band);
  check_tridiagonal(n, t);
  require_on_16_bytes(hous);
  return run_stage(
      call, n, {{Argument::d, d}, {Argument::e, e}, {"ab", ab}, {"hous", hous}}, n == 0,
      [&](bool gpu) { return sytrd_sb2st_workspace_bytes(n, kd, gpu, call.pointers); },
      [&](Report& report) { sytrd_sb2st_on_gpu(call, uplo, kd, band, t, hous, report); },
      [&](Report& report, Arena arena) { sb2st_on_cpu(uplo, kd, band, t, hous, report, arena); });
}

Report ormtr_sb2st_stage(const StageCall& call, std::int64_t n, std::int64_t m, std::int64_t kd,
                         const double* hous, double* z, std::int64_t ldz) {
  const MatrixView<double> columns{z, n, m, ldz};
  check_columns(columns);
  require_width(kd, 0, max_chase_bandwidth);
  require_pointer(hous, n >= 3, "hous");
  require_on_16_bytes(hous);
  return run_stage(
      call, n, {{Argument::z, z}, {"hous", hous}}, n < 3 || m == 0,
      [&](bool gpu) { return ormtr_sb2st_workspace_bytes(n, m, kd, gpu, call.pointers); },
      [&](Report& report) { ormtr_sb2st_on_gpu(call, kd, hous, columns, report); },
      [&](Report&, Arena workspace) {
        const ChaseTiles tiles(n, chase_bandwidth(kd));
        back_transform_chase_on_cpu<double>(tiles, {hous, hous + tiles.count()}, columns, workspace);
      });
}

Report ormtr_sy2sb_stage(const StageCall& call, Uplo uplo, std::int64_t n, std::int64_t m, std::int64_t kd,
                         const double* a, std::int64_t lda, const double* tau, double* z, std::int64_t ldz) {
  const MatrixView<const double> reflectors{a, n, n, lda};
  const MatrixView<double> columns{z, n, m, ldz};
  check_matrix(uplo, reflectors);
  require_width(kd, 1, largest_order);
  require_pointer(tau, n > kd, Argument::tau);
  check_columns(columns);
  return run_stage(
      call, n, {{Argument::a, a}, {Argument::tau, tau}, {Argument::z, z}}, n <= kd || m == 0,
      [&](bool gpu) { return ormtr_sy2sb_workspace_bytes(n, m, kd, gpu, call.pointers); },
      [&](Report& report) { ormtr_sy2sb_on_gpu(call, uplo, kd, reflectors, tau, columns, report); },
      [&](Report&, Arena workspace) {
        back_transform_from_band<double>(uplo, kd, reflectors, tau, columns, workspace);
      });
}

std::int64_t sytrd_sb2st_hous(std::int64_t n, std::int64_t kd) {
  require_size(n, Argument::n);
  require_width(kd, 0, max_chase_bandwidth);
  const ChaseTiles tiles(n, chase_bandwidth(kd));
  return tiles.count() + tiles.tau_count();
}

WorkspaceBytes sytrd_sy2sb_workspace_bytes(std::int64_t n, std::int64_t kd, bool on_gpu, Pointers pointers) {
  require_size(n, Argument::n);
  require_width(kd, 1, largest_order);
  if (on_gpu) require_chase_bandwidth(kd);
  if (on_gpu) return sytrd_sy2sb_gpu_bytes(pointers, n, kd);
  return {n > 0 ? full_to_band_bytes_on_cpu<double>(n, kd) : 0, 0};
}

WorkspaceBytes sytrd_sb2st_workspace_bytes(std::int64_t n, std::int64_t kd, bool on_gpu, Pointers pointers) {
  require_size(n, Argument::n);
  require_width(kd, 0, max_chase_bandwidth);
  if (on_gpu) return sytrd_sb2st_gpu_bytes(pointers, n, kd);
  return {bytes_taken([&](Arena& arena) { ChaseOnCpu(arena, n, chase_bandwidth(kd)); }), 0};
}

WorkspaceBytes ormtr_sb2st_workspace_bytes(std::int64_t n, std::int64_t m, std::int64_t kd, bool on_gpu,
                                           Pointers pointers) {
  require_sizes(n, m);
  require_width(kd, 0, max_chase_bandwidth);
  if (on_gpu) return ormtr_sb2st_gpu_bytes(pointers, n, m, kd);
  return {back_transform_chase_bytes_on_cpu<double>(n, chase_bandwidth(kd), m), 0};
}

WorkspaceBytes ormtr_sy2sb_workspace_bytes(std::int64_t n, std::int64_t m, std::int64_t kd, bool on_gpu,
                                           Pointers pointers) {
  require_sizes(n, m);
  require_width(kd, 1, largest_order);
  if (on_gpu) return ormtr_sy2sb_gpu_bytes(pointers, n, m, kd);
  return {back_transform_from_band_bytes_on_cpu<double>(n, kd, m), 0};
}

}  // namespace eigen_g
