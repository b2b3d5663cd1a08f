// The stages of the two-stage path on a GPU.
#include <algorithm>

#include "hybrid/round_up.hpp"
#include "hybrid/transfer/transfer.hpp"
#include "solver/api/stages.hpp"
#include "solver/back/back_transform.hpp"
#include "solver/back/back_transform_chase.hpp"
#include "solver/driver/device_stage.hpp"
#include "solver/driver/device_stages.hpp"
#include "solver/prepare/check_input.hpp"
#include "solver/prepare/pack.hpp"
#include "solver/prepare/scale.hpp"
#include "solver/reduction/one_stage/tridiagonalize.hpp"
#include "solver/reduction/two_stage/band_layout.hpp"
#include "solver/reduction/two_stage/band_to_tridiagonal.hpp"
#include "solver/reduction/two_stage/full_to_band.hpp"

namespace eigen_g {

namespace {

// The workspace of each stage. With host pointers it has the matrices' copies on the device too.
struct Sy2sbParts {
  MatrixView<double> given, ab, working, band;
  double* tau;
  Arena scratch;

  Sy2sbParts(Arena& arena, int multiprocessors, Pointers pointers, std::int64_t n, std::int64_t kd) {
    if (pointers == Pointers::host) {
      given = arena.matrix<double>(n, n, n);
      ab = arena.matrix<double>(kd + 1, n, kd + 1);
    }
    working = arena.matrix<double>(n, n, sytrd_in_place_lda(n));
    band = arena.matrix<double>(kd + 1, n, kd + 1);
    tau = arena.take<double>(n);
    scratch = arena.part(std::max(full_to_band_bytes<double>(n, kd, multiprocessors), check_input_bytes));
  }
};

struct Sb2stParts {
  MatrixView<double> ab, band;
  Tridiagonal<double> t;
  double* hous = nullptr;
  Arena scratch;

  Sb2stParts(Arena& arena, int multiprocessors, Pointers pointers, std::int64_t n, std::int64_t kd,
             bool with_hous) {
    const ChaseTiles tiles(n, chase_bandwidth(kd));
    if (pointers == Pointers::host) {
      ab = arena.matrix<double>(kd + 1, n, kd + 1);
      t = {arena.take<double>(n), arena.take<double>(n)};
      if (with_hous) hous = arena.take<double>(tiles.count() + tiles.tau_count());
    }
    band = arena.matrix<double>(tiles.b + 1, n, tiles.b + 1);
    scratch = arena.part(
        std::max(band_to_tridiagonal_bytes<double>(n, tiles.b, multiprocessors), check_input_bytes));
  }
};

struct OrmtrSb2stParts {
  double* hous = nullptr;
  MatrixView<double> z;
  Arena scratch;

  OrmtrSb2stParts(Arena& arena, int, Pointers pointers, std::int64_t n, std::int64_t m, std::int64_t kd) {
    const ChaseTiles tiles(n, chase_bandwidth(kd));
    if (pointers == Pointers::host) {
      hous = arena.take<double>(tiles.count() + tiles.tau_count());
      z = arena.matrix<double>(n, m, round_up(n, 2));
    }
    scratch = arena.part(back_transform_chase_bytes<double>(n, tiles.b, m));
  }
};

struct OrmtrSy2sbParts {
  MatrixView<double> given, z, reflectors;
  double* tau;
  Arena scratch;

  OrmtrSy2sbParts(Arena& arena, int, Pointers pointers, std::int64_t n, std::int64_t m, std::int64_t kd) {
    const std::int64_t count = std::max<std::int64_t>(n - kd, 0);
    if (pointers == Pointers::host) {
      given = arena.matrix<double>(n, n, n);
      z = arena.matrix<double>(n, m, round_up(n, 2));
    }
    reflectors = arena.matrix<double>(count, count, sytrd_in_place_lda(count));
    tau = arena.take<double>(count);
    scratch = arena.part(back_transform_bytes<double>(count, m));
  }
};

// Returns the largest absolute value of the band. Throws InvalidArgument (ab) if an entry is NaN or infinite.
double check_band(const Queue& queue, MatrixView<const double> band, Arena scratch) {
  // Entry (i, j) of the matrix is in row i - j and column j of `band`, whose leading dimension is below + 1. Its address is therefore
  // band.data + i + j * below. So check_input() can read the band as a lower triangle with leading dimension `below`. It reads only entries with
  // i - j <= below.
  const std::int64_t n = band.cols, below = band.rows - 1;
  try {
    return check_input<double>(queue, Uplo::lower, {band.data, n, n, below}, scratch, below).largest;
  } catch (const NonFiniteEntry& entry) {
    refuse_band_entry(entry.row(), entry.col());
  }
}

}  // namespace

void sytrd_sy2sb_on_gpu(const StageCall& call, Uplo uplo, std::int64_t kd, MatrixView<double> a,
                        MatrixView<double> ab, double* tau, Report& report) {
  const std::int64_t n = a.cols, count = std::max<std::int64_t>(n - kd, 0);
  const bool host = call.on_host();
  DeviceStage<Sy2sbParts> on(call, report, n, kd);
  const Sy2sbParts& own = on.own;
  const Queue& queue = on.queue;
  // The whole matrix is uploaded, because download() below overwrites all of the caller's matrix.
  if (host) upload<double>(queue, Part::all, a, own.given);
  const MatrixView<double> a_dev = host ? own.given : a, ab_dev = host ? own.ab : ab;
  pack_lower<double>(queue, uplo, a_dev, own.working);
  const int k = scale_exponent(on.run_stage(
      Stage::check, [&] { return check_input<double>(queue, uplo, own.working, own.scratch).largest; }));
  on.run_stage(Stage::scale, [&] { scale(queue, own.working, k); });
  on.run_stage(Stage::full_to_band,
               [&] { full_to_band<double>(on.products, kd, own.working, own.band, own.tau, own.scratch); });
  scale_values(queue, own.band.lda * n, own.band.data, -k);
  if (host)
    EIGEN_G_CUDA(cudaMemsetAsync(own.ab.data, 0, sizeof(double) * static_cast<std::size_t>(own.ab.lda * n),
                                 queue.stream()));
  give_band<double>(queue, uplo, kd, own.band, ab_dev);
  if (count > 0) give_band_reflectors<double>(queue, uplo, kd, own.working.block(kd, 0, count, count), a_dev);
  copy_values(queue, tau, own.tau, count);
  if (host) {
    download<double>(queue, own.given, a);
    download<double>(queue, own.ab, ab);
  }
  on.run_stage.finish();
}

void sytrd_sb2st_on_gpu(const StageCall& call, Uplo uplo, std::int64_t kd, MatrixView<const double> ab,
                        Tridiagonal<double> t, double* hous, Report& report) {
  const std::int64_t n = ab.cols;
  const ChaseTiles tiles(n, chase_bandwidth(kd));
  const bool host = call.on_host();
  DeviceStage<Sb2stParts> on(call, report, n, kd, hous != nullptr);
  const Sb2stParts& own = on.own;
  const Queue& queue = on.queue;
  if (host) upload<double>(queue, Part::all, ab, own.ab);
  const Tridiagonal<double> t_dev = host ? own.t : t;
  double* const hous_dev = host ? own.hous : hous;
  take_band<double>(queue, uplo, kd, host ? MatrixView<const double>(own.ab) : ab, own.band);
  const int k =
      scale_exponent(on.run_stage(Stage::check, [&] { return check_band(queue, own.band, own.scratch); }));
  on.run_stage(Stage::scale, [&] { scale_values(queue, own.band.lda * n, own.band.data, k); });
  on.run_stage(Stage::chase, [&] {
    const ChaseReflectors<double> out{hous_dev, hous_dev ? hous_dev + tiles.count() : nullptr};
    band_to_tridiagonal<double>(queue, tiles.b, own.band, t_dev.d, t_dev.e, out, own.scratch);
  });
  scale_values(queue, n, t_dev.d, -k);
  scale_values(queue, n - 1, t_dev.e, -k);
  if (host) {
    copy_values(queue, t.d, t_dev.d, n);
    copy_values(queue, t.e, t_dev.e, n - 1);
    if (hous) copy_values(queue, hous, hous_dev, tiles.count() + tiles.tau_count());
  }
  on.run_stage.finish();
}

void ormtr_sb2st_on_gpu(const StageCall& call, std::int64_t kd, const double* hous, MatrixView<double> z,
                        Report& report) {
  const ChaseTiles tiles(z.rows, chase_bandwidth(kd));
  const bool host = call.on_host();
  DeviceStage<OrmtrSb2stParts> on(call, report, z.rows, z.cols, kd);
  const OrmtrSb2stParts& own = on.own;
  const Queue& queue = on.queue;
  if (host) {
    copy_values(queue, own.hous, hous, tiles.count() + tiles.tau_count());
    upload<double>(queue, Part::all, z, own.z);
  }
  const double* const hous_dev = host ? own.hous : hous;
  back_transform_chase<double>(on.products, tiles, {hous_dev, hous_dev + tiles.count()}, host ? own.z : z,
                               own.scratch);
  if (host) download<double>(queue, own.z, z);
  queue.wait();
}

void ormtr_sy2sb_on_gpu(const StageCall& call, Uplo uplo, std::int64_t kd, MatrixView<const double> a,
                        const double* tau, MatrixView<double> z, Report& report) {
  const std::int64_t n = a.cols, count = n - kd;
  const bool host = call.on_host();
  DeviceStage<OrmtrSy2sbParts> on(call, report, n, z.cols, kd);
  const OrmtrSy2sbParts& own = on.own;
  const Queue& queue = on.queue;
  if (host) {
    upload<double>(queue, part_of(uplo), a, own.given);
    upload<double>(queue, Part::all, z, own.z);
  }
  const MatrixView<double> z_dev = host ? own.z : z;
  take_band_reflectors<double>(queue, uplo, kd, host ? MatrixView<const double>(own.given) : a,
                               own.reflectors);
  copy_values(queue, own.tau, tau, count);
  back_transform<double>(on.products, own.reflectors, own.tau, z_dev.block(kd, 0, count, z.cols),
                         own.scratch);
  if (host) download<double>(queue, own.z, z);
  queue.wait();
}

WorkspaceBytes sytrd_sy2sb_gpu_bytes(Pointers pointers, std::int64_t n, std::int64_t kd) {
  return parts_bytes<Sy2sbParts>(pointers, n, kd);
}

WorkspaceBytes sytrd_sb2st_gpu_bytes(Pointers pointers, std::int64_t n, std::int64_t kd) {
  return parts_bytes<Sb2stParts>(pointers, n, kd, true);
}

WorkspaceBytes ormtr_sb2st_gpu_bytes(Pointers pointers, std::int64_t n, std::int64_t m, std::int64_t kd) {
  return parts_bytes<OrmtrSb2stParts>(pointers, n, m, kd);
}

WorkspaceBytes ormtr_sy2sb_gpu_bytes(Pointers pointers, std::int64_t n, std::int64_t m, std::int64_t kd) {
  return parts_bytes<OrmtrSy2sbParts>(pointers, n, m, kd);
}

}  // namespace eigen_g
