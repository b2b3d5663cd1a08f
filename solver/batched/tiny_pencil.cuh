// A generalised problem of order N <= 4 in the registers of a thread: the same method as in pencil.cuh.
#pragma once

#include "solver/batched/arithmetic.cuh"
#include "solver/batched/pencil_work.hpp"

namespace eigen_g::batched {

template <class T, int N>
struct TinyPencil {
  using R = real_t<T>;
  T l[N][N];     // below its diagonal
  R inverse[N];  // reciprocals of L's diagonal
  int order[N];  // row k of L is row order[k] of B
  int state = 0, exponent = 0, exponent_of_b = 0;

  // c := the lower triangle of L^-1 A L^-H, for A and B scaled; zero if state is not 0.
  __device__ __forceinline__ void factor(const Triangle<T>& a, const Triangle<T>& b, T (&c)[N][N]) {
    R largest_a = 0, largest_b = 0, smallest = R(INFINITY);
    int size_of[N];
#pragma unroll
    for (int j = 0; j < N; ++j) {
#pragma unroll
      for (int i = j; i < N; ++i) {
        note(largest_part(a(i, j)), largest_a);
        note(largest_part(b(i, j)), largest_b);
      }
      const R diagonal = fabs(real_of(b(j, j)));
      size_of[j] = ilogb(diagonal);
      smallest = diagonal < smallest ? diagonal : smallest;
    }
    const bool finite = largest_a <= Limits<R>::largest && largest_b <= Limits<R>::largest;
    const int of_a = finite ? scale_exponent(largest_a) : 0,
              of_b = finite ? scale_exponent(largest_b) / 2 * 2 : 0;
    exponent = of_a - of_b;
    exponent_of_b = of_b;
    const R scale_a = scalbn(R(1), -of_a), scale_b = scalbn(R(1), -of_b);
    bool ordered = largest_b >= 4 * smallest;
#pragma unroll
    for (int k = 0; k < N; ++k) order[k] = k;
#pragma unroll 1
    for (state = finite ? 1 : -1; state > 0; ordered = false) {
#pragma unroll
      for (int k = 0; k < N; ++k) order[k] = k;
      if (ordered)
#pragma unroll
        for (int i = 0; i < N; ++i) {
          int place = 0;
#pragma unroll
          for (int j = 0; j < N; ++j) place += size_of[j] > size_of[i] || (size_of[j] == size_of[i] && j < i);
#pragma unroll
          for (int k = 0; k < N; ++k) order[k] = place == k ? i : order[k];
        }
      state = cholesky(b, scale_b);
      if (state == 0 || !ordered) break;
    }
    if (state > 0) state += N;
#pragma unroll
    for (int j = 0; j < N; ++j)
#pragma unroll
      for (int i = 0; i < N; ++i) c[i][j] = state == 0 ? scale_a * a(order[i], order[j]) : T(0);
    if (state != 0) return;
    solve(c);  // L^-1 A
#pragma unroll
    for (int j = 0; j < N; ++j) {
      c[j][j] = conj_of(c[j][j]);
#pragma unroll
      for (int i = j + 1; i < N; ++i) {
        const T entry = conj_of(c[i][j]);
        c[i][j] = conj_of(c[j][i]);
        c[j][i] = entry;
      }
    }
    solve(c);
#pragma unroll
    for (int j = 0; j < N; ++j) c[j][j] = diagonal_entry(c[j][j]);
  }

  // V := L^-H V for the L of the unscaled B.
  __device__ __forceinline__ void back_substitute(T (&v)[N][N]) const {
    if (state != 0) return;
    const R scale = scalbn(R(1), -exponent_of_b / 2);
#pragma unroll
    for (int j = 0; j < N; ++j)
#pragma unroll
      for (int i = N - 1; i >= 0; --i) {
#pragma unroll
        for (int p = N - 1; p > i; --p) v[i][j] = fma(-conj_of(l[p][i]), v[p][j], v[i][j]);
        v[i][j] = inverse[i] * v[i][j];
      }
#pragma unroll
    for (int j = 0; j < N; ++j)
#pragma unroll
      for (int i = 0; i < N; ++i) v[i][j] = scale * v[i][j];
  }

 private:
  static __device__ __forceinline__ void note(R size, R& largest) {
    if (!(size <= Limits<R>::largest)) largest = R(INFINITY);
    if (size > largest) largest = size;
  }
  // Returns 0 or the order of the first leading minor that is not positive.
  __device__ __forceinline__ int cholesky(const Triangle<T>& b, R scale) {
    int bad = 0;
#pragma unroll
    for (int j = 0; j < N; ++j) {
      R pivot = scale * real_of(b(order[j], order[j]));
#pragma unroll
      for (int p = 0; p < j; ++p) pivot -= real_product(l[j][p], l[j][p]);
      if (!(pivot > 0)) {
        if (bad == 0) bad = j + 1;
        pivot = 1;
      }
      inverse[j] = inverse_root(pivot);
#pragma unroll
      for (int i = j + 1; i < N; ++i) {
        T entry = scale * b(order[i], order[j]);
#pragma unroll
        for (int p = 0; p < j; ++p) entry = fma(-l[i][p], conj_of(l[j][p]), entry);
        l[i][j] = inverse[j] * entry;
      }
    }
    return bad;
  }
  // X := L^-1 X
  __device__ __forceinline__ void solve(T (&x)[N][N]) const {
#pragma unroll
    for (int j = 0; j < N; ++j)
#pragma unroll
      for (int i = 0; i < N; ++i) {
#pragma unroll
        for (int p = 0; p < i; ++p) x[i][j] = fma(-l[i][p], x[p][j], x[i][j]);
        x[i][j] = inverse[i] * x[i][j];
      }
  }
};

}  // namespace eigen_g::batched
