// sytrd, stedc, ormtr and orgtr: the functions of solver/api/stages.hpp that each run one stage of the one-stage path.
#include "solver/api/stages.hpp"

#include <algorithm>
#include <complex>
#include <cstddef>

#include "gemm_df/cpu_gemm.hpp"
#include "hybrid/instantiate.hpp"
#include "solver/back/back_transform.hpp"
#include "solver/driver/device_stages.hpp"
#include "solver/prepare/subset.hpp"
#include "solver/reduction/one_stage/tridiagonalize.hpp"
#include "solver/tridiagonal/widen.hpp"

namespace eigen_g {

namespace {

void note(Report& report, const DivideAndConquerResult& outcome) {
  report.status = outcome.status;
  report.info = outcome.info;
  report.m = outcome.found.count;
  report.first_index = outcome.found.first + 1;
}

template <class T>
void sytrd_on_cpu(Uplo uplo, MatrixView<T> a, Tridiagonal<real_t<T>> t, T* tau, Report& report,
                  Arena workspace) {
  const std::int64_t n = a.cols;
  // The imaginary parts of the diagonal may hold anything. They are set to zero, as LAPACK's zhetrd does.
  if constexpr (is_complex<T>)
    for (std::int64_t i = 0; i < n; ++i) a(i, i) = a(i, i).real();
  const int k = reduce_scaled(uplo, a, Stage::tridiagonalize, report,
                              [&] { tridiagonalize_on_cpu<T>(uplo, a, t.d, t.e, tau, workspace); });
  if (k == 0) return;
  scale_values(n, t.d, -k);
  scale_values(n - 1, t.e, -k);
  for (std::int64_t i = 0; i < n; ++i) a(i, i) = t.d[i];
  for (std::int64_t i = 0; i + 1 < n; ++i) (uplo == Uplo::lower ? a(i + 1, i) : a(i, i + 1)) = t.e[i];
}

// The workspace of stedc on the CPU.
template <class T>
struct StedcOnCpu {
  using R = real_t<T>;
  MatrixView<R> u;     // U, if z does not receive it
  MatrixView<R> rows;  // some rows of Z, for Z := Z U
  Arena scratch;

  StedcOnCpu(Arena& arena, std::int64_t n, bool vectors, const TridiagonalVectors& which) {
    const bool multiply = which.compz == Compz::multiply;
    const std::int64_t most = which.subset.max_count(n);
    if (vectors && (is_complex<T> || multiply)) u = arena.matrix<R>(n, most, n);
    if (vectors && multiply) rows = arena.matrix<R>(std::min<std::int64_t>(planes<T> * n, 256), n, 256);
    scratch = arena.part(divide_and_conquer_bytes_on_cpu<R>(n, vectors ? n : 0, most));
  }
};

template <class T>
DivideAndConquerResult stedc_on_cpu(const TridiagonalVectors& vectors, std::int64_t n,
                                    Tridiagonal<real_t<T>> t, MatrixView<T> z, Arena workspace) {
  using R = real_t<T>;
  const StedcOnCpu<T> own(workspace, n, z.data != nullptr, vectors);
  const MatrixView<R> u = own.u.data ? own.u : as_real(z);
  const DivideAndConquerResult outcome =
      divide_and_conquer_on_cpu<R>(n, t.d, t.e, u, own.scratch, {vectors.subset, 0});
  if (!own.u.data || outcome.status != Status::converged) return outcome;
  if constexpr (is_complex<T>)
    if (vectors.compz == Compz::initial) widen<T>(u.block(0, 0, n, outcome.found.count), z);
  if (vectors.compz == Compz::initial) return outcome;
  const MatrixView<R> real = as_real(z);
  for (std::int64_t first = 0; first < real.rows; first += own.rows.rows) {
    const std::int64_t count = std::min(own.rows.rows, real.rows - first);
    const MatrixView<R> part = real.block(first, 0, count, n), copy = own.rows.block(0, 0, count, n);
    for (std::int64_t j = 0; j < n; ++j) std::copy_n(&part(0, j), count, &copy(0, j));
    gemm_on_cpu<R>(Op::none, Op::none, 1, copy, u, 0, part);
  }
  return outcome;
}

template <class T>
struct OrgtrOnCpu {
  MatrixView<T> q;
  Arena scratch;

  OrgtrOnCpu(Arena& arena, std::int64_t n) {
    q = arena.matrix<T>(n, n, n);
    scratch = arena.part(back_transform_bytes_on_cpu<T>(n, n));
  }
};

template <class T>
void orgtr_on_cpu(Uplo uplo, MatrixView<T> a, const T* tau, Arena workspace) {
  const std::int64_t n = a.cols;
  const OrgtrOnCpu<T> own(workspace, n);
  for (std::int64_t j = 0; j < n; ++j) {
    std::fill_n(&own.q(0, j), n, T(0));
    own.q(j, j) = 1;
  }
  back_transform_on_cpu<T>(uplo, a, tau, own.q, own.scratch);
  for (std::int64_t j = 0; j < n; ++j) std::copy_n(&own.q(0, j), n, &a(0, j));
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

template <class T>
Report stedc_stage(const StageCall& call, const TridiagonalVectors& vectors, std::int64_t n,
                   real_t<same_t<T>>* d, real_t<same_t<T>>* e, T* z, std::int64_t ldz) {
  const Tridiagonal<real_t<T>> t{d, e};
  require_size(n, Argument::n);
  check_tridiagonal(n, t);
  check_subset(n, vectors.subset);
  require(vectors.compz == Compz::initial || vectors.subset.by == Subset::By::all, Argument::range,
          "must be all pairs if the vectors are multiplied by a given Z");
  if (z) require_leading_dimension(ldz, n, Argument::ldz);
  const MatrixView<T> columns{z, n, vectors.subset.max_count(n), ldz};
  if (call.on_host()) {
    require_on_host({{Argument::d, d}, {Argument::e, e}, {Argument::z, z}});
    require_finite(d, n, Argument::d);
    require_finite(e, n - 1, Argument::e);
  }
  return run_stage(
      call, n, {{Argument::d, d}, {Argument::e, e}, {Argument::z, z}}, n == 0,
      [&](bool gpu) { return stedc_workspace_bytes<T>(n, z != nullptr, gpu, call.pointers, vectors); },
      [&](Report& report) { note(report, stedc_on_gpu(call, vectors, n, t, columns, report)); },
      [&](Report& report, Arena workspace) {
        note(report, stedc_on_cpu(vectors, n, t, columns, workspace));
      });
}

template <class T>
Report ormtr_stage(const StageCall& call, Side side, Uplo uplo, Trans trans, std::int64_t n, std::int64_t m,
                   const T* a, std::int64_t lda, const same_t<T>* tau, same_t<T>* z, std::int64_t ldz) {
  const bool right = side == Side::right;
  require(right || side == Side::left, "side", "must be left or right");
  require(trans == Trans::none || trans == Trans::adjoint, "trans", "must be none or adjoint");
  require_uplo(uplo);
  require_sizes(n, m);
  const std::int64_t order = right ? m : n, vectors = right ? n : m;
  const MatrixView<const T> reflectors{a, order, order, lda};
  const MatrixView<T> given{z, n, m, ldz};
  check_matrix(uplo, reflectors);
  require_pointer(tau, order > 1, Argument::tau);
  check_columns(given);
  return run_stage(
      call, order, {{Argument::a, a}, {Argument::tau, tau}, {Argument::z, z}}, order < 2 || vectors == 0,
      [&](bool gpu) { return ormtr_workspace_bytes<T>(uplo, order, vectors, gpu, call.pointers); },
      [&](Report& report) { ormtr_on_gpu(call, side, uplo, trans, reflectors, tau, given, report); },
      [&](Report&, Arena workspace) {
        multiply_by_q_on_cpu<T>(side, uplo, trans, reflectors, tau, given, workspace);
      });
}

template <class T>
Report orgtr_stage(const StageCall& call, Uplo uplo, std::int64_t n, T* a, std::int64_t lda,
                   const same_t<T>* tau) {
  const MatrixView<T> matrix{a, n, n, lda};
  check_matrix(uplo, matrix);
  require_pointer(tau, n > 1, Argument::tau);
  return run_stage(
      call, n, {{Argument::a, a}, {Argument::tau, tau}}, n == 0,
      [&](bool gpu) { return orgtr_workspace_bytes<T>(uplo, n, gpu, call.pointers); },
      [&](Report& report) { orgtr_on_gpu(call, uplo, matrix, tau, report); },
      [&](Report&, Arena workspace) { orgtr_on_cpu(uplo, matrix, tau, workspace); });
}

template <class T>
WorkspaceBytes sytrd_workspace_bytes(Uplo uplo, std::int64_t n, std::int64_t lda, bool on_gpu,
                                     Pointers pointers) {
  require_uplo(uplo);
  require_size(n, Argument::n);
  if (on_gpu) return sytrd_gpu_bytes<T>(pointers, uplo, n, lda);
  return {n > 0 ? tridiagonalize_bytes_on_cpu<T>(n) : 0, 0};
}

template <class T>
WorkspaceBytes stedc_workspace_bytes(std::int64_t n, bool vectors, bool on_gpu, Pointers pointers,
                                     const TridiagonalVectors& which) {
  require_size(n, Argument::n);
  if (on_gpu) return stedc_gpu_bytes<T>(pointers, n, vectors, which);
  return {bytes_taken([&](Arena& arena) { StedcOnCpu<T>(arena, n, vectors, which); }), 0};
}

template <class T>
WorkspaceBytes ormtr_workspace_bytes(Uplo uplo, std::int64_t n, std::int64_t m, bool on_gpu,
                                     Pointers pointers) {
  require_uplo(uplo);
  require_sizes(n, m);
  if (on_gpu) return ormtr_gpu_bytes<T>(pointers, uplo, n, m);
  return {n > 0 && m > 0 ? back_transform_bytes_on_cpu<T>(n, m) : 0, 0};
}

template <class T>
WorkspaceBytes orgtr_workspace_bytes(Uplo uplo, std::int64_t n, bool on_gpu, Pointers pointers) {
  require_uplo(uplo);
  require_size(n, Argument::n);
  if (on_gpu) return orgtr_gpu_bytes<T>(pointers, uplo, n);
  return {bytes_taken([&](Arena& arena) { OrgtrOnCpu<T>(arena, n); }), 0};
}

EIGEN_G_INSTANTIATE(all_types, sytrd_stage, stedc_stage, ormtr_stage, orgtr_stage, sytrd_workspace_bytes,
                    stedc_workspace_bytes, ormtr_workspace_bytes, orgtr_workspace_bytes);

}  // namespace eigen_g
