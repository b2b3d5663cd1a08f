// All eigenpairs of Hermitian matrices of order N <= 4, by cyclic Jacobi rotations. A thread has a matrix in its registers.
//
// Jacobi is as fast as the closed formulas for N = 3, and accurate at double eigenvalues, where the closed formulas lose half of the digits.
#pragma once

#include "solver/batched/tiny_pencil.cuh"

namespace eigen_g::batched {

inline constexpr int jacobi_threads = 128;
// Values between the matrices in shared memory. An odd number: no bank conflicts.
EIGEN_G_HOST_DEVICE constexpr int jacobi_stride(int order) {
  return order * order | 1;
}
template <class T, int N, bool PENCIL>
EIGEN_G_HOST_DEVICE constexpr int jacobi_shared() {
  return jacobi_threads * jacobi_stride(N) * static_cast<int>(sizeof(T)) * (PENCIL ? 2 : 1);
}

//   PENCIL   generalised problems: the matrix in registers is C = L^-1 A L^-H (tiny_pencil.cuh)
template <class T, int N, bool PENCIL>
__global__ void __launch_bounds__(jacobi_threads) jacobi(Chunk<T> chunk) {
  using R = real_t<T>;
  using L = Limits<R>;
  constexpr int NN = N * N, S = jacobi_stride(N);
  T* const memory = reinterpret_cast<T*>(DynamicShared<pair_t<R>>::memory());  // [matrix][S]
  const int tid = threadIdx.x;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * jacobi_threads,
                     left = chunk.count - first;
  const int here = left < jacobi_threads ? static_cast<int>(left) : jacobi_threads;
  for (int q = tid; q < here * NN; q += jacobi_threads) {
    const int matrix = q / NN, column = q % NN / N, r = q % NN % N;
    const std::int64_t id = chunk.id(first + matrix);
    memory[matrix * S + q % NN] = chunk.a.of(id)[static_cast<std::int64_t>(column) * chunk.lda.of(id) + r];
  }
  [[maybe_unused]] T* const memory_of_b = memory + jacobi_threads * S;
  if constexpr (PENCIL)
    for (int q = tid; q < here * NN; q += jacobi_threads) {
      const int matrix = q / NN, column = q % NN / N, r = q % NN % N;
      const std::int64_t id = chunk.id(first + matrix);
      memory_of_b[matrix * S + q % NN] =
          chunk.b.of(id)[static_cast<std::int64_t>(column) * chunk.ldb.of(id) + r];
    }
  __syncthreads();
  T a[N][N], v[N][N];
  R w[N] = {};
  if (tid < here) {
    const Triangle<T> source(memory + tid * S, N, chunk.upper);
    [[maybe_unused]] TinyPencil<T, N> pencil;
    if constexpr (PENCIL) pencil.factor(source, Triangle<T>(memory_of_b + tid * S, N, chunk.upper), a);
    R largest = 0;
#pragma unroll
    for (int j = 0; j < N; ++j)
#pragma unroll
      for (int i = j; i < N; ++i) {
        if constexpr (!PENCIL) a[i][j] = source(i, j);
        const R size = largest_part(a[i][j]);
        if (!(size <= L::largest)) largest = R(INFINITY);
        if (size > largest) largest = size;
      }
    const bool finite = largest <= L::largest;
    const int exponent = finite ? scale_exponent(largest) : 0;
    const R scale = scalbn(R(1), -exponent);
#pragma unroll
    for (int j = 0; j < N; ++j)
#pragma unroll
      for (int i = j; i < N; ++i) {
        a[i][j] = finite ? scale * a[i][j] : T(0);
        a[j][i] = conj_of(a[i][j]);
        v[i][j] = T(i == j ? 1 : 0);
        v[j][i] = v[i][j];
      }
    bool open = true;
#pragma unroll 1
    for (int sweep = 0; sweep < 12 && open; ++sweep) {
      open = false;
#pragma unroll
      for (int p = 0; p < N - 1; ++p)
#pragma unroll
        for (int q = p + 1; q < N; ++q) {
          if (largest_part(a[q][p]) <= L::half_eps * R(0x1p-6)) continue;
          open = true;
          R x;
          if constexpr (is_complex<T>) {  // A := D^H A D with D = diag(..., u, ...) makes a_qp = |a_qp|
            x = hypot(a[q][p].re, a[q][p].im);
            T u = {a[q][p].re / x, a[q][p].im / x};
            u = add_scaled(R(0.5) * fma(-u.re, u.re, fma(-u.im, u.im, R(1))), u, u);  // |u| nearer to 1
#pragma unroll
            for (int r = 0; r < N; ++r) {
              v[r][q] = v[r][q] * u;
              if (r != p && r != q) {
                a[r][q] = a[r][q] * u;
                a[q][r] = conj_of(a[r][q]);
              }
            }
          } else {
            x = a[q][p];
          }
          const R app = real_of(a[p][p]), aqq = real_of(a[q][q]), d = aqq - app,
                  root = sqrt(fma(d, d, 4 * x * x));
          const R t = 2 * x / (d + (d < 0 ? -root : root)), c = inverse_root(fma(t, t, R(1))), s = t * c,
                  z = s / (1 + c);
          a[p][p] = T(fma(-t, x, app));
          a[q][q] = T(fma(t, x, aqq));
          a[q][p] = a[p][q] = T(0);
#pragma unroll
          for (int r = 0; r < N; ++r) {
            if (r != p && r != q) {
              const T f = a[r][p], g = a[r][q];
              a[r][p] = add_scaled(-s, add_scaled(z, f, g), f);
              a[r][q] = add_scaled(s, add_scaled(-z, g, f), g);
              a[p][r] = conj_of(a[r][p]);
              a[q][r] = conj_of(a[r][q]);
            }
            const T f = v[r][p], g = v[r][q];
            v[r][p] = add_scaled(-s, add_scaled(z, f, g), f);
            v[r][q] = add_scaled(s, add_scaled(-z, g, f), g);
          }
        }
    }
#pragma unroll
    for (int k = 0; k < N; ++k) w[k] = real_of(a[k][k]);
#pragma unroll
    for (int k = 0; k < N - 1; ++k)
#pragma unroll
      for (int j = 0; j < N - 1 - k; ++j)
        if (w[j + 1] < w[j]) {
          const R value = w[j];
          w[j] = w[j + 1];
          w[j + 1] = value;
#pragma unroll
          for (int r = 0; r < N; ++r) {
            const T entry = v[r][j];
            v[r][j] = v[r][j + 1];
            v[r][j + 1] = entry;
          }
        }
    int info = !finite ? -1 : open ? 1 : 0, total = exponent;
    if constexpr (PENCIL) {
      info = pencil_info(pencil.state, info, N);
      total += pencil.exponent;
      for (int k = 0; k < N; ++k)
        if (k >= chunk.from && k < chunk.to && info == 0 && !(fabs(scalbn(w[k], total)) <= L::largest))
          info = -1;
      pencil.back_substitute(v);
    }
    const bool valid = info >= 0 && info <= N;
    report_status(chunk, chunk.id(first + tid), info);
#pragma unroll
    for (int j = 0; j < N; ++j) {
      w[j] = valid ? scalbn(w[j], total) : R(NAN);
#pragma unroll
      for (int i = 0; i < N; ++i) {
        int row = i;
        if constexpr (PENCIL) row = pencil.order[i];
        memory[tid * S + j * N + row] = valid ? v[i][j] : not_a_number<T>();
      }
    }
  }
  __syncthreads();
  const int columns = chunk.to - chunk.from;
  if (chunk.z.given())
    for (int q = tid; q < here * N * columns; q += jacobi_threads) {
      const int matrix = q / (N * columns), column = q / N % columns, r = q % N;
      const std::int64_t id = chunk.id(first + matrix);
      chunk.z.of(id)[static_cast<std::int64_t>(column) * chunk.ldz.of(id) + r] =
          memory[matrix * S + (chunk.from + column) * N + r];
    }
  __syncthreads();
  R* const values = reinterpret_cast<R*>(memory);  // [matrix][N]
  if (tid < here)
#pragma unroll
    for (int j = 0; j < N; ++j) values[tid * N + j] = w[j];
  __syncthreads();
  for (int q = tid; q < here * columns; q += jacobi_threads) {
    const int matrix = q / columns, j = q % columns;
    chunk.w.of(chunk.id(first + matrix))[j] = values[matrix * N + chunk.from + j];
  }
}

}  // namespace eigen_g::batched
