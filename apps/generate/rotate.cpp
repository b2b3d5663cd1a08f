#include "apps/generate/rotate.hpp"

#include <lapacke.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include "apps/io/scalar_type.hpp"
#include "hybrid/error.hpp"
#include "hybrid/machine/blas_turn.hpp"
#include "hybrid/machine/cpu.hpp"
#include "solver/prepare/lapack.hpp"

namespace eigen_g::generate {
namespace {

using Complex = std::complex<double>;
using io::mirrored;

// v := the reflector of a normal vector of `length` entries as dlarfg stores it, with v[0] = beta. Returns tau.
double reflector(const CounterRandom& random, std::int64_t index, std::int64_t length, double* v) {
  double squares = 0;
  for (std::int64_t i = 0; i < length; ++i) {
    v[i] = random.normal(i, index);
    squares += v[i] * v[i];
  }
  const double alpha = v[0];
  const double beta = alpha > 0 ? -std::sqrt(squares) : std::sqrt(squares);
  for (std::int64_t i = 1; i < length; ++i) v[i] /= alpha - beta;
  v[0] = beta;
  return (beta - alpha) / beta;
}

// The complex reflector: I - tau v v^H is Hermitian, v[0] = 1 is not stored, and x is mapped to -e^(i arg x_0) |x| times the first axis.
double reflector(const CounterRandom& random, std::int64_t index, std::int64_t length, Complex* v) {
  const std::int64_t beyond = std::int64_t{1} << 31;  // row offset of the imaginary parts' random numbers
  double squares = 0;
  for (std::int64_t i = 0; i < length; ++i) {
    v[i] = {random.normal(i, index), random.normal(i + beyond, index)};
    squares += std::norm(v[i]);
  }
  const double size = std::abs(v[0]), all = std::sqrt(squares);
  const Complex first = v[0] * ((size + all) / size);
  for (std::int64_t i = 1; i < length; ++i) v[i] /= first;
  return (size + all) / all;
}

// a := Q a or a Q^H. Calls LAPACKE's _work function, because the other one checks for NaN above the reflectors too, where v is not set.
template <class T>
void apply(char side, bool adjoint, std::int64_t n, const T* v, const T* tau, T* a, std::int64_t lda) {
  constexpr std::int64_t block = 64;
  const HostArray<T> work = host_array<T>((n + block + 1) * block);
  const auto order = static_cast<lapack_int>(n), ld = static_cast<lapack_int>(lda),
             length = static_cast<lapack_int>((n + block + 1) * block);
  const BlasTurn turn(n);
  lapack_int info = 0;
  if constexpr (is_complex<T>)
    info = LAPACKE_zunmqr_work(LAPACK_COL_MAJOR, side, adjoint ? 'C' : 'N', order, order, order - 1,
                               lapack::of_lapack(v), order, lapack::of_lapack(tau), lapack::of_lapack(a), ld,
                               lapack::of_lapack(work.get()), length);
  else
    info = LAPACKE_dormqr_work(LAPACK_COL_MAJOR, side, adjoint ? 'T' : 'N', order, order, order - 1, v, order,
                               tau, a, ld, work.get(), length);
  if (info != 0) throw DeviceError("LAPACK's ormqr failed with info " + std::to_string(info));
}

}  // namespace

template <class T>
void set_diagonal(std::span<const double> d, T* a, std::int64_t lda) {
  const auto n = static_cast<std::int64_t>(d.size());
  for (std::int64_t j = 0; j < n; ++j) {
    std::fill_n(a + j * lda, n, T{});
    a[j + j * lda] = d[j];
  }
}

template <class T>
void rotate_diagonal(const CounterRandom& random, std::span<const double> d, T* a, std::int64_t lda) {
  const auto n = static_cast<std::int64_t>(d.size());
  set_diagonal(d, a, lda);
  if (n < 2) return;

  const HostArray<T> v = host_array<T>(n * n);
  std::vector<T> tau(static_cast<std::size_t>(n - 1));
#pragma omp parallel for schedule(dynamic, 16)
  for (std::int64_t k = 0; k < n - 1; ++k) tau[k] = reflector(random, k, n - k, &v[k + k * n]);

  apply('L', false, n, v.get(), tau.data(), a, lda);
  apply('R', true, n, v.get(), tau.data(), a, lda);
  for (std::int64_t j = 0; j < n; ++j) {
    a[j + j * lda] = std::real(a[j + j * lda]);
    for (std::int64_t i = j + 1; i < n; ++i) {
      a[i + j * lda] = 0.5 * (a[i + j * lda] + mirrored(a[j + i * lda]));
      a[j + i * lda] = mirrored(a[i + j * lda]);
    }
  }
}

template void set_diagonal(std::span<const double>, double*, std::int64_t);
template void set_diagonal(std::span<const double>, Complex*, std::int64_t);
template void rotate_diagonal(const CounterRandom&, std::span<const double>, double*, std::int64_t);
template void rotate_diagonal(const CounterRandom&, std::span<const double>, Complex*, std::int64_t);

}  // namespace eigen_g::generate
