#include "solver/back/back_transform.hpp"

#include <algorithm>
#include <complex>
#include <optional>

#include "gemm_df/adjoint.hpp"
#include "gemm_df/cpu_gemm.hpp"
#include "hybrid/instantiate.hpp"
#include "solver/back/reflector_blocks.hpp"
#include "solver/prepare/lapack.hpp"

namespace eigen_g {

namespace {

// Number of reflectors in a block on the CPU. Wider blocks make the products faster and T more expensive, which does not pay for few
// columns. Measured on two cores of an AMD EPYC: data/perf/DECISIONS.md, "Back-transformation".
std::int64_t cpu_block_width(std::int64_t n, std::int64_t m) {
  const std::int64_t least = std::min(n, m);
  if (16 * m <= n) return 8;
  return least < 400 ? 32 : least < 1500 ? 48 : 96;
}

// Memory for a block's V and T, for (V^H Z)^H and for (T V^H Z)^H. The products access Z by whole columns. dlarfb copies
// rows of Z instead. If ldz is a power of two, this doubles the time, because the elements of a row are then in the same set of the cache.
template <class T>
struct BlockOnCpu {
  ReflectorBlocks blocks;
  MatrixView<T> v, t, zv, zvt;

  BlockOnCpu(Arena& arena, std::int64_t n, std::int64_t m) : blocks{n, cpu_block_width(n, m)} {
    const std::int64_t width = blocks.width;
    v = arena.matrix<T>(n, width, n);
    t = arena.matrix<T>(width, width, width);
    zv = arena.matrix<T>(m, width, m);
    zvt = arena.matrix<T>(m, width, m);
  }
};

// Expands a reflector to a column of V: 1 in row `unit`, the entries below it (lower) or above it (upper), zeros elsewhere.
template <class T>
void expand_reflector(Uplo uplo, const T* entries, std::int64_t unit, std::int64_t rows, T* v) {
  const bool lower = uplo == Uplo::lower;
  std::fill_n(lower ? v : v + unit + 1, lower ? unit : rows - unit - 1, T(0));
  v[unit] = 1;
  std::copy_n(entries, lower ? rows - unit - 1 : unit, lower ? v + unit + 1 : v);
}

}  // namespace

template <class T>
std::uint64_t back_transform_bytes_on_cpu(std::int64_t n, std::int64_t m) {
  return bytes_taken([&](Arena& arena) { BlockOnCpu<T>(arena, lapack_size(n, "n"), lapack_size(m, "m")); });
}

template <class T>
void back_transform_on_cpu(Uplo uplo, MatrixView<const same_t<T>> a, const T* tau, MatrixView<same_t<T>> z,
                           Arena scratch, const std::function<void(double fraction)>& progress) {
  const std::int64_t n = lapack_size(z.rows, "n"), m = lapack_size(z.cols, "m");
  const BlockOnCpu<T> own(scratch, n, m);
  const bool lower = uplo == Uplo::lower;
  const auto size = [](std::int64_t x) { return static_cast<lapack_int>(x); };  // for sizes <= n, which fit
  const std::int64_t count = own.blocks.count();
  double done = 0;  // rows of all columns of V so far; n (n - 1) / 2 in the end
  for (std::int64_t step = 0; step < count; ++step) {  // Q = H_1 H_2 ... (lower), ... H_2 H_1 (upper)
    const std::int64_t block = lower ? count - 1 - step : step;
    const std::int64_t first = own.blocks.first(block), k = own.blocks.columns(block);
    const std::int64_t rows = lower ? n - 1 - first : first + k;
    const MatrixView<T> v{own.v.data, rows, k, rows}, t = own.t.block(0, 0, k, k);
    std::optional<BlasTurn> turn(std::in_place, n);
    for (std::int64_t j = 0; j < k; ++j) {
      const std::int64_t unit = lower ? j : first + j;
      expand_reflector(uplo, lower ? &a(first + 2 + j, first + j) : &a(0, first + j + 1), unit, rows,
                       &v(0, j));
      std::fill_n(&t(0, j), k, T(0));
    }
    check_lapack(lapack::larft(lower ? 'F' : 'B', size(rows), size(k), v.data, size(v.lda), tau + first,
                               t.data, size(t.lda)),
                 "larft");
    const MatrixView<T> of_z = z.block(lower ? first + 1 : 0, 0, rows, m);
    const MatrixView<T> zv = own.zv.block(0, 0, m, k), zvt = own.zvt.block(0, 0, m, k);
    gemm_on_cpu<T>(adjoint<T>, Op::none, 1, of_z, v, 0, zv);
    gemm_on_cpu<T>(Op::none, adjoint<T>, 1, zv, t, 0, zvt);
    gemm_on_cpu<T>(Op::none, adjoint<T>, -1, v, zvt, 1, of_z);
    turn.reset();  // progress is the caller's code
    done += static_cast<double>(k) * (static_cast<double>(rows) - static_cast<double>(k - 1) / 2);
    if (progress) progress(2 * done / (static_cast<double>(n) * static_cast<double>(n - 1)));
  }
}

namespace {

// dormqr with the part of A below row kd, or dormlq with the part right of column kd. If work is null, returns the workspace size.
template <class T>
T from_band(Uplo uplo, std::int64_t kd, MatrixView<const T> a, const T* tau, MatrixView<T> z, T* work,
            lapack_int values) {
  const lapack_int n = lapack_size(a.cols - kd, "n"), m = lapack_size(z.cols, "m"),
                   lda = lapack_size(a.lda, "lda"), ldz = lapack_size(z.lda, "ldz");
  const bool upper = uplo == Uplo::upper;
  T query{};
  const auto apply = upper ? lapack::ormlq_transposed : lapack::ormqr;
  check_lapack(apply(n, m, n, work ? (upper ? &a(0, kd) : &a(kd, 0)) : nullptr, lda, tau,
                     work ? &z(kd, 0) : nullptr, ldz, work ? work : &query, values),
               upper ? "ormlq" : "ormqr");
  return query;
}

}  // namespace

template <class T>
std::uint64_t back_transform_from_band_bytes_on_cpu(std::int64_t n, std::int64_t kd, std::int64_t m) {
  if (n <= kd || m == 0) return 0;
  T most = 0;
  for (const Uplo uplo : {Uplo::lower, Uplo::upper})
    most =
        std::max(most, from_band<T>(uplo, kd, {nullptr, n, n, n}, nullptr, {nullptr, n, m, n}, nullptr, -1));
  return bytes_taken([&](Arena& arena) { arena.take<T>(static_cast<std::int64_t>(most)); });
}

template <class T>
void back_transform_from_band(Uplo uplo, std::int64_t kd, MatrixView<const same_t<T>> a, const T* tau,
                              MatrixView<same_t<T>> z, Arena scratch) {
  if (a.cols <= kd || z.cols == 0) return;
  const auto values =
      static_cast<std::int64_t>(back_transform_from_band_bytes_on_cpu<T>(a.cols, kd, z.cols) / sizeof(T));
  from_band<T>(uplo, kd, a, tau, z, scratch.take<T>(values), lapack_size(values, "the workspace of ormqr"));
}

EIGEN_G_INSTANTIATE(all_types, back_transform_on_cpu, back_transform_bytes_on_cpu);
EIGEN_G_INSTANTIATE(double_type, back_transform_from_band, back_transform_from_band_bytes_on_cpu);

}  // namespace eigen_g
