#include "apps/generate/rotate.hpp"

#include <lapacke.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "hybrid/error.hpp"
#include "hybrid/machine/blas_turn.hpp"
#include "hybrid/machine/cpu.hpp"

namespace eigen_g::generate {
namespace {

// v := the reflector of a normal vector of `length` entries as dlarfg leaves it, v[0] = beta; returns tau.
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

// a := Q a or a Q^T. The _work form, because the other one looks for NaN above the reflectors too, where v is not set.
void apply(char side, char trans, std::int64_t n, const double* v, const double* tau, double* a,
           std::int64_t lda) {
  constexpr std::int64_t block = 64;
  const HostArray<double> work = host_array<double>((n + block + 1) * block);
  const auto order = static_cast<lapack_int>(n);
  const BlasTurn turn(n);
  const lapack_int info = LAPACKE_dormqr_work(LAPACK_COL_MAJOR, side, trans, order, order, order - 1, v,
                                              order, tau, a, static_cast<lapack_int>(lda), work.get(),
                                              static_cast<lapack_int>((n + block + 1) * block));
  if (info != 0) throw DeviceError("LAPACKE_dormqr_work failed with info " + std::to_string(info));
}

}  // namespace

void set_diagonal(std::span<const double> d, double* a, std::int64_t lda) {
  const auto n = static_cast<std::int64_t>(d.size());
  for (std::int64_t j = 0; j < n; ++j) {
    std::fill_n(a + j * lda, n, 0.0);
    a[j + j * lda] = d[j];
  }
}

void rotate_diagonal(const CounterRandom& random, std::span<const double> d, double* a, std::int64_t lda) {
  const auto n = static_cast<std::int64_t>(d.size());
  set_diagonal(d, a, lda);
  if (n < 2) return;

  const HostArray<double> v = host_array<double>(n * n);
  std::vector<double> tau(static_cast<std::size_t>(n - 1));
#pragma omp parallel for schedule(dynamic, 16)
  for (std::int64_t k = 0; k < n - 1; ++k) tau[k] = reflector(random, k, n - k, &v[k + k * n]);

  apply('L', 'N', n, v.get(), tau.data(), a, lda);
  apply('R', 'T', n, v.get(), tau.data(), a, lda);
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = j + 1; i < n; ++i)
      a[i + j * lda] = a[j + i * lda] = 0.5 * (a[i + j * lda] + a[j + i * lda]);
}

}  // namespace eigen_g::generate
