// Bulge chase on the CPU, one sweep after the other. The copy of the band has 2 b diagonals, so that the bulge fits: element (i - j, j) is
// A(i, j). A block of A is therefore a matrix view with leading dimension 2 b - 1.
#include "solver/reduction/two_stage/band_to_tridiagonal.hpp"

#include <algorithm>

#include "hybrid/instantiate.hpp"
#include "solver/prepare/lapack.hpp"

namespace eigen_g {

namespace {

// D := H D H on the lower triangle, by w = tau D v - (tau / 2)(tau v^T D v) v and D := D - v w^T - w v^T.
template <class T>
void apply_on_both_sides(MatrixView<T> d, const T* v, T tau, T* w) {
  const std::int64_t n = d.rows;
  std::fill_n(w, n, T{});
  for (std::int64_t j = 0; j < n; ++j) {
    T sum = d(j, j) * v[j];
    for (std::int64_t i = j + 1; i < n; ++i) {
      w[i] += d(i, j) * v[j];
      sum += d(i, j) * v[i];
    }
    w[j] += sum;
  }
  T product{};
  for (std::int64_t i = 0; i < n; ++i) product += w[i] * v[i];
  for (std::int64_t i = 0; i < n; ++i) w[i] = tau * (w[i] - tau / 2 * product * v[i]);
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = j; i < n; ++i) d(i, j) -= v[i] * w[j] + w[i] * v[j];
}

// F := F H.
template <class T>
void apply_from_the_right(MatrixView<T> f, const T* v, T tau, T* u) {
  std::fill_n(u, f.rows, T{});
  for (std::int64_t j = 0; j < f.cols; ++j)
    for (std::int64_t i = 0; i < f.rows; ++i) u[i] += f(i, j) * v[j];
  for (std::int64_t j = 0; j < f.cols; ++j)
    for (std::int64_t i = 0; i < f.rows; ++i) f(i, j) -= tau * u[i] * v[j];
}

// F := H F.
template <class T>
void apply_from_the_left(MatrixView<T> f, const T* v, T tau) {
  for (std::int64_t j = 0; j < f.cols; ++j) {
    T sum{};
    for (std::int64_t i = 0; i < f.rows; ++i) sum += v[i] * f(i, j);
    for (std::int64_t i = 0; i < f.rows; ++i) f(i, j) -= tau * sum * v[i];
  }
}

// Computes v and returns tau of the reflector that eliminates column x; x := (beta, 0, ...).
template <class T>
T reflector(std::int64_t n, T* x, T* v) {
  T tau{};
  lapack::larfg(lapack_size(n, "kd"), x, x + 1, &tau);
  v[0] = 1;
  std::copy_n(x + 1, n - 1, v + 1);
  std::fill_n(x + 1, n - 1, T{});
  return tau;
}

template <class T>
struct ChaseWorkspace {
  MatrixView<T> band;
  T *v, *next, *w;

  ChaseWorkspace(Arena& arena, std::int64_t n, std::int64_t b)
      : band(arena.matrix<T>(2 * b, n, 2 * b)),
        v(arena.take<T>(b)),
        next(arena.take<T>(b)),
        w(arena.take<T>(b)) {}
};

}  // namespace

template <class T>
std::uint64_t band_to_tridiagonal_bytes_on_cpu(std::int64_t n, std::int64_t b) {
  return bytes_taken([&](Arena& arena) { ChaseWorkspace<T>(arena, n, b); });
}

template <class T>
void band_to_tridiagonal_on_cpu(std::int64_t b, MatrixView<const T> band, real_t<T>* d, real_t<T>* e,
                                const ChaseReflectors<T>& out, Arena scratch) {
  const std::int64_t n = band.cols;
  const ChaseTiles tiles(n, b);
  ChaseWorkspace<T> at(scratch, n, b);
  std::fill_n(at.band.data, 2 * b * n, T{});
  for (std::int64_t j = 0; j < n; ++j) std::copy_n(&band(0, j), std::min(b + 1, n - j), &at.band(0, j));
  if (out.v) {
    std::fill_n(out.v, tiles.count(), T{});
    std::fill_n(out.tau, tiles.tau_count(), T{});
  }
  const auto keep = [&](std::int64_t s, std::int64_t step, std::int64_t rows, const T* v, T tau) {
    if (!out.v) return;
    std::copy_n(v, rows, out.sweep(tiles, s) + step * b);
    out.tau[tiles.tile(s / tiles.width, step) * tiles.width + s % tiles.width] = tau;
  };
  const auto block = [&](std::int64_t row, std::int64_t col, std::int64_t rows, std::int64_t cols) {
    return MatrixView<T>{&at.band(row - col, col), rows, cols, 2 * b - 1};
  };
  for (std::int64_t s = 0; s < tiles.sweeps(); ++s) {
    std::int64_t row = s + 1, rows = std::min(b, n - row);
    T tau = reflector(rows, &at.band(1, s), at.v);
    for (std::int64_t step = 0;; ++step) {
      keep(s, step, rows, at.v, tau);
      apply_on_both_sides(block(row, row, rows, rows), at.v, tau, at.w);
      const std::int64_t below = row + rows, more = std::min(b, n - below);
      if (more <= 0) break;
      const MatrixView<T> f = block(below, row, more, rows);
      apply_from_the_right(f, at.v, tau, at.w);
      if (more == 1) break;
      tau = reflector(more, &f(0, 0), at.next);
      apply_from_the_left(f.block(0, 1, more, rows - 1), at.next, tau);
      std::swap(at.v, at.next);
      row = below;
      rows = more;
    }
  }
  for (std::int64_t j = 0; j < n; ++j) {
    d[j] = at.band(0, j);
    if (j + 1 < n) e[j] = at.band(1, j);
  }
}

EIGEN_G_INSTANTIATE(double_type, band_to_tridiagonal_on_cpu, band_to_tridiagonal_bytes_on_cpu);

}  // namespace eigen_g
