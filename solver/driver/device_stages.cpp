// sytrd, stedc, ormtr and orgtr on a GPU.
#include "solver/driver/device_stages.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "hybrid/instantiate.hpp"
#include "hybrid/transfer/transfer.hpp"
#include "solver/api/stages.hpp"
#include "solver/back/back_transform.hpp"
#include "solver/driver/device_stage.hpp"
#include "solver/path/one_stage.hpp"
#include "solver/prepare/check_input.hpp"
#include "solver/prepare/scale.hpp"
#include "solver/reduction/one_stage/reflector_layout.hpp"
#include "solver/tridiagonal/widen.hpp"

namespace eigen_g {

namespace {

static_assert(sytrd_in_place_lda(1) == tridiagonalize_row_multiple);

// The workspace of each stage. With host pointers it has the matrices' copies on the device too.
template <class T>
struct SytrdParts {
  MatrixView<T> given, working;  // working: its data is null if the reduction works in the caller's array a
  Tridiagonal<real_t<T>> t;
  T* padding = nullptr;
  Arena kept, scratch;

  SytrdParts(Arena& arena, int multiprocessors, Pointers pointers, Uplo uplo, std::int64_t n,
             std::int64_t lda, bool aligned) {
    const bool host = pointers == Pointers::host;
    const bool in_place =
        !is_complex<T> && !host && uplo == Uplo::lower && lda == sytrd_in_place_lda(n) && aligned;
    const PathBytes path = OneStageOnDevice<T>::bytes(n, 0, multiprocessors);
    if (host) {
      given = arena.matrix<T>(n, n, n);
      t = {arena.take<real_t<T>>(n), arena.take<real_t<T>>(n)};
    }
    if (in_place)
      padding = arena.take<T>((lda - n) * n);
    else
      working = arena.matrix<T>(n, n, sytrd_in_place_lda(n));
    kept = arena.part(path.kept);
    scratch = arena.part(std::max(path.scratch, check_input_bytes));
  }
};

template <class T>
struct StedcParts {
  using R = real_t<T>;
  Tridiagonal<R> t;
  MatrixView<T> z;        // the caller's matrix in device memory, if it is not there already
  MatrixView<R> u;        // U, if z does not receive it
  MatrixView<R> product;  // Z U, with Compz::multiply
  Arena scratch;

  StedcParts(Arena& arena, int, Pointers pointers, std::int64_t n, bool vectors,
             const TridiagonalVectors& which) {
    const bool host = pointers == Pointers::host, multiply = which.compz == Compz::multiply;
    if (host) t = {arena.take<R>(n), arena.take<R>(n)};
    if (vectors) {
      if (host) z = arena.matrix<T>(n, n, n);
      if (is_complex<T> || multiply || (!host && which.subset.by != Subset::By::all))
        u = arena.matrix<R>(n, n, n);
      if (multiply) product = arena.matrix<R>(planes<T> * n, n, planes<T> * n);
    }
    scratch = arena.part(divide_and_conquer_bytes<R>(n, vectors ? n : 0));
  }
};

// The workspace of ormtr, and of orgtr with Z = Q. With device pointers Z is the caller's.
template <class T>
struct OrmtrParts {
  MatrixView<T> given, z, reflectors;
  Arena kept, scratch;

  OrmtrParts(Arena& arena, int multiprocessors, Pointers pointers, Uplo uplo, std::int64_t n,
             std::int64_t rows, std::int64_t columns) {
    if (pointers == Pointers::host) {
      if (uplo == Uplo::upper) given = arena.matrix<T>(n, n, n);
      z = arena.matrix<T>(rows, columns, rows);
    }
    reflectors = arena.matrix<T>(n, n, sytrd_in_place_lda(n));
    const PathBytes path = OneStageOnDevice<T>::bytes(n, rows == n ? columns : rows, multiprocessors);
    kept = arena.part(path.kept);
    scratch = arena.part(path.scratch);
  }
};

// The reflectors of a caller's Q in the GPU's layout, in own.reflectors. J reverses the rows. The upper triangle of A becomes the lower triangle of
// J A J (reflector_layout.hpp). The Q of an upper triangle is therefore applied between two reversals.
template <class T>
struct ReflectorsOnGpu {
  T* tau;

  ReflectorsOnGpu(const DeviceStage<OrmtrParts<T>, T>& on, const StageCall& call, Uplo uplo,
                  MatrixView<const same_t<T>> a, const T* given_tau) {
    const OrmtrParts<T>& own = on.own;
    const Queue& queue = on.queue;
    const std::int64_t n = a.cols;
    const bool upper = uplo == Uplo::upper;
    Arena kept = own.kept;
    tau = kept.take<T>(n);
    MatrixView<const T> a_dev = a;
    if (call.on_host()) {
      // take_reflectors() can convert a lower triangle in place, so a lower triangle is uploaded to its target.
      const MatrixView<T> arrival = upper ? own.given : own.reflectors;
      upload<T>(queue, part_of(uplo), a, arrival);
      a_dev = arrival;
    }
    take_reflectors(queue, uplo, a_dev, own.reflectors);
    copy_values(queue, tau, given_tau, n - 1);
    if (upper) reverse_rows<T>(queue, {tau, n - 1, 1, n});
  }
};

// The part of an entry that is NaN or infinite, for the message.
template <class T>
double not_finite_part(T value) {
  if constexpr (is_complex<T>)
    return std::isfinite(value.real()) ? value.imag() : value.real();
  else
    return value;
}

// Returns the largest absolute value of the working matrix. Throws NonFiniteEntry with row and column of the caller's matrix.
template <class T>
real_t<T> check_working(const Queue& queue, Uplo uplo, MatrixView<const same_t<T>> working, Arena scratch) {
  try {
    return check_input<T>(queue, Uplo::lower, working, scratch).largest;
  } catch (const NonFiniteEntry& entry) {
    if (uplo == Uplo::lower) throw;
    T value = 0;
    copy_values(queue, &value, &working(entry.row(), entry.col()), 1);
    queue.wait();
    throw NonFiniteEntry(working.rows - 1 - entry.row(), working.rows - 1 - entry.col(),
                         not_finite_part(value));
  }
}

}  // namespace

template <class T>
void sytrd_on_gpu(const StageCall& call, Uplo uplo, MatrixView<T> a, Tridiagonal<real_t<T>> t, T* tau,
                  Report& report) {
  const std::int64_t n = a.cols;
  const bool host = call.on_host(), aligned = reinterpret_cast<std::uintptr_t>(a.data) % 16 == 0;
  DeviceStage<SytrdParts<T>, T> on(call, report, uplo, n, a.lda, aligned);
  const SytrdParts<T>& own = on.own;
  const Queue& queue = on.queue;
  OneStageOnDevice<T> path(on.products, n, own.kept, own.scratch);
  const MatrixView<T> a_dev = host ? own.given : a;
  const Tridiagonal<real_t<T>> t_dev = host ? own.t : t;
  const bool in_place = !own.working.data;
  const MatrixView<T> working = in_place ? a_dev : own.working;
  // The caller's rows between n and lda. A reduction in place needs zeros in these rows. The caller's entries are kept in the workspace meanwhile.
  const MatrixView<T> padding{a.data + n, a.lda - n, n, a.lda}, kept{own.padding, a.lda - n, n, a.lda - n};

  // The whole matrix is uploaded, because download() below overwrites all of the caller's matrix.
  if (host) upload<T>(queue, Part::all, a, a_dev);
  if (!in_place) take_triangle(queue, uplo, a_dev, working);
  const int k = scale_exponent(
      on.run_stage(Stage::check, [&] { return check_working<T>(queue, uplo, working, own.scratch); }));
  if (in_place) {
    copy_on_gpu<T>(queue, kept, padding);
    take_triangle(queue, uplo, a_dev, working);
  }
  on.run_stage(Stage::scale, [&] { scale(queue, working, k); });
  path.run(on.run_stage, working, t_dev, {});
  scale_values(queue, n, t_dev.d, -k);
  scale_values(queue, n - 1, t_dev.e, -k);
  if (uplo == Uplo::upper) {
    reverse_rows<real_t<T>>(queue, {t_dev.d, n, 1, n});
    reverse_rows<real_t<T>>(queue, {t_dev.e, n - 1, 1, n});
    reverse_rows<T>(queue, {path.tau(), n - 1, 1, n});
  }
  give_reflectors(queue, uplo, working, t_dev.d, t_dev.e, a_dev);
  if (in_place) copy_on_gpu<T>(queue, padding, kept);
  if (host) {
    download<T>(queue, a_dev, a);
    copy_values(queue, t.d, t_dev.d, n);
    copy_values(queue, t.e, t_dev.e, n - 1);
  }
  copy_values(queue, tau, path.tau(), n - 1);
  on.run_stage.finish();
}

template <class T>
DivideAndConquerResult stedc_on_gpu(const StageCall& call, const TridiagonalVectors& vectors, std::int64_t n,
                                    Tridiagonal<real_t<T>> t, MatrixView<T> z, Report& report) {
  using R = real_t<T>;
  DeviceStage<StedcParts<T>, R> on(call, report, n, z.data != nullptr, vectors);
  const StedcParts<T>& own = on.own;
  const Queue& queue = on.queue;
  const bool host = call.on_host(), multiply = z.data && vectors.compz == Compz::multiply;
  const Tridiagonal<R> t_dev = host ? own.t : t;
  if (host) {
    copy_values(queue, t_dev.d, t.d, n);
    copy_values(queue, t_dev.e, t.e, n - 1);
  } else {
    std::vector<R> d(static_cast<std::size_t>(n)), e(static_cast<std::size_t>(n - 1));
    copy_values<R>(queue, d.data(), t.d, n);
    copy_values<R>(queue, e.data(), t.e, n - 1);
    queue.wait();
    require_finite(d.data(), n, Argument::d);
    require_finite(e.data(), n - 1, Argument::e);
  }
  const MatrixView<T> z_dev = host ? own.z : z;
  if (host && multiply) upload<T>(queue, Part::all, z, z_dev);
  const MatrixView<R> u = own.u.data ? own.u : as_real(z_dev);
  const DivideAndConquerResult outcome =
      divide_and_conquer<R>(on.products, n, t_dev.d, t_dev.e, u, own.scratch, {vectors.subset, 0});
  const std::int64_t found = outcome.found.count;
  if (own.u.data && outcome.status == Status::converged) {
    const MatrixView<R> columns = u.block(0, 0, n, found), target = as_real(z_dev.block(0, 0, n, found));
    if (multiply) {
      gemm<R>(on.products, Op::none, Op::none, 1, as_real(z_dev), u, 0, own.product);
      copy_on_gpu<R>(queue, target, own.product);
    } else if constexpr (is_complex<T>) {
      widen<T>(queue, columns, z_dev);
    } else {
      copy_on_gpu<R>(queue, target, columns);
    }
  }
  if (host) {
    copy_values(queue, t.d, t_dev.d, n);
    if (z.data) download<T>(queue, z_dev.block(0, 0, n, found), z.block(0, 0, n, found));
  }
  queue.wait();
  return outcome;
}

template <class T>
void ormtr_on_gpu(const StageCall& call, Side side, Uplo uplo, Trans trans, MatrixView<const T> a,
                  const T* tau, MatrixView<T> z, Report& report) {
  const std::int64_t n = a.cols;
  const bool host = call.on_host(), upper = uplo == Uplo::upper;
  DeviceStage<OrmtrParts<T>, T> on(call, report, uplo, n, z.rows, z.cols);
  const OrmtrParts<T>& own = on.own;
  const Queue& queue = on.queue;
  const MatrixView<T> z_dev = host ? own.z : z;
  if (host) upload<T>(queue, Part::all, z, z_dev);
  const ReflectorsOnGpu<T> q(on, call, uplo, a, tau);
  const auto reverse = [&] {
    if (upper && side == Side::left) reverse_rows(queue, z_dev);
    if (upper && side == Side::right) reverse_columns(queue, z_dev);
  };
  reverse();
  on.run_stage(Stage::back_transform, [&] {
    multiply_by_q<T>(on.products, side, trans, own.reflectors, q.tau, z_dev, own.scratch);
  });
  reverse();
  if (host) download<T>(queue, z_dev, z);
  on.run_stage.finish();
}

template <class T>
void orgtr_on_gpu(const StageCall& call, Uplo uplo, MatrixView<T> a, const T* tau, Report& report) {
  const std::int64_t n = a.cols;
  DeviceStage<OrmtrParts<T>, T> on(call, report, uplo, n, n, n);
  const OrmtrParts<T>& own = on.own;
  const Queue& queue = on.queue;
  const ReflectorsOnGpu<T> q(on, call, uplo, a, tau);
  const MatrixView<T> q_dev = call.on_host() ? own.z : a;
  set_identity(queue, q_dev);
  on.run_stage(Stage::back_transform, [&] {
    multiply_by_q<T>(on.products, Side::left, Trans::none, own.reflectors, q.tau, q_dev, own.scratch);
  });
  if (uplo == Uplo::upper) {  // J Q J
    reverse_rows(queue, q_dev);
    reverse_columns(queue, q_dev);
  }
  if (call.on_host()) download<T>(queue, q_dev, a);
  on.run_stage.finish();
}

template <class T>
WorkspaceBytes sytrd_gpu_bytes(Pointers pointers, Uplo uplo, std::int64_t n, std::int64_t lda) {
  return parts_bytes<SytrdParts<T>>(pointers, uplo, n, lda, true);
}

template <class T>
WorkspaceBytes stedc_gpu_bytes(Pointers pointers, std::int64_t n, bool vectors,
                               const TridiagonalVectors& which) {
  WorkspaceBytes bytes = parts_bytes<StedcParts<T>>(pointers, n, vectors, which);
  bytes.host = 4 * sizeof(real_t<T>) *
               static_cast<std::uint64_t>(n);  // copies of d and e, and the tree of the divide and conquer
  return bytes;
}

template <class T>
WorkspaceBytes ormtr_gpu_bytes(Pointers pointers, Uplo uplo, std::int64_t n, std::int64_t m) {
  return parts_bytes<OrmtrParts<T>>(pointers, uplo, n, n, m);
}

template <class T>
WorkspaceBytes orgtr_gpu_bytes(Pointers pointers, Uplo uplo, std::int64_t n) {
  return ormtr_gpu_bytes<T>(pointers, uplo, n, n);
}

EIGEN_G_INSTANTIATE(all_types, sytrd_on_gpu, stedc_on_gpu, ormtr_on_gpu, orgtr_on_gpu, sytrd_gpu_bytes,
                    stedc_gpu_bytes, ormtr_gpu_bytes, orgtr_gpu_bytes);

}  // namespace eigen_g
