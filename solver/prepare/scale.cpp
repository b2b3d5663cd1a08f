// Scales a matrix and eigenvalues by a power of two, on the CPU.
#include "solver/prepare/scale.hpp"

#include <cmath>
#include <complex>

#include "hybrid/instantiate.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/team/loops.hpp"

namespace eigen_g {

namespace {

template <class R>
R scaled(R x, int k) {
  return std::ldexp(x, k);
}
template <class R>
std::complex<R> scaled(std::complex<R> x, int k) {
  return {std::ldexp(x.real(), k), std::ldexp(x.imag(), k)};
}

}  // namespace

template <class T>
void scale(Uplo uplo, MatrixView<T> a, int k) {
  if (k == 0) return;
  for_each(a.cols, threads_if(a.rows >= smallest_parallel_order), [&](std::int64_t j) {
    const std::int64_t first = uplo == Uplo::lower ? j : 0;
    const std::int64_t last = uplo == Uplo::lower ? a.rows : j + 1;
    for (std::int64_t i = first; i < last; ++i) a(i, j) = scaled(a(i, j), k);
  });
}

template <class R>
void scale_values(std::int64_t n, R* w, int k) {
  if (k == 0) return;
  for (std::int64_t i = 0; i < n; ++i) w[i] = std::ldexp(w[i], k);
}

EIGEN_G_INSTANTIATE_OVERLOAD(all_types, scale, void(Uplo, MatrixView<T>, int));
EIGEN_G_INSTANTIATE_OVERLOAD(real_types, scale_values, void(std::int64_t, T*, int));

}  // namespace eigen_g
