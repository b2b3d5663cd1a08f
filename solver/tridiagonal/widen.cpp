// widen_on_cpu() on the CPU.
#include "solver/tridiagonal/widen.hpp"

#include <algorithm>
#include <complex>

#include "hybrid/instantiate.hpp"
#include "hybrid/machine/cpu.hpp"

namespace eigen_g {

template <class T>
void widen_on_cpu(MatrixView<const real_t<T>> u, MatrixView<T> z) {
#pragma omp parallel for if (u.rows >= smallest_parallel_order)
  for (std::int64_t j = 0; j < u.cols; ++j) std::copy_n(&u(0, j), u.rows, &z(0, j));
}

EIGEN_G_INSTANTIATE(complex_types, widen_on_cpu);

}  // namespace eigen_g
