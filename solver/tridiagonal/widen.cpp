#include "solver/tridiagonal/widen.hpp"

#include <algorithm>
#include <complex>

#include "hybrid/machine/cpu.hpp"

namespace eigen_g {

template <class T>
void widen(MatrixView<const real_t<T>> u, MatrixView<T> z) {
#pragma omp parallel for if (u.rows >= smallest_parallel_order)
  for (std::int64_t j = 0; j < u.cols; ++j) std::copy_n(&u(0, j), u.rows, &z(0, j));
}

template void widen(MatrixView<const double>, MatrixView<std::complex<double>>);
template void widen(MatrixView<const float>, MatrixView<std::complex<float>>);

}  // namespace eigen_g
