#include "solver/prepare/scale.hpp"

#include <cmath>

#include "hybrid/machine/cpu.hpp"

namespace eigen_g {

int scale_exponent(double largest) {
  if (largest == 0 || (largest >= 0x1p-100 && largest <= 0x1p100)) return 0;
  return -std::ilogb(largest);
}

template <class T>
void scale(Uplo uplo, MatrixView<T> a, int k) {
  if (k == 0) return;
#pragma omp parallel for schedule(dynamic, 32) if (a.rows >= smallest_parallel_order)
  for (std::int64_t j = 0; j < a.cols; ++j) {
    const std::int64_t first = uplo == Uplo::lower ? j : 0;
    const std::int64_t last = uplo == Uplo::lower ? a.rows : j + 1;
    for (std::int64_t i = first; i < last; ++i) a(i, j) = std::ldexp(a(i, j), k);
  }
}

template <class R>
void scale_values(std::int64_t n, R* w, int k) {
  if (k == 0) return;
  for (std::int64_t i = 0; i < n; ++i) w[i] = std::ldexp(w[i], k);
}

template void scale(Uplo, MatrixView<double>, int);
template void scale_values(std::int64_t, double*, int);

}  // namespace eigen_g
