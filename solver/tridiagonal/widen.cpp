// widen() on the CPU.
#include "solver/tridiagonal/widen.hpp"

#include <algorithm>
#include <complex>

#include "hybrid/instantiate.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/team/loops.hpp"

namespace eigen_g {

template <class T>
void widen(MatrixView<const real_t<T>> u, MatrixView<T> z) {
  for_each(u.cols, threads_if(u.rows >= smallest_parallel_order),
           [&](std::int64_t j) { std::copy_n(&u(0, j), u.rows, &z(0, j)); });
}

EIGEN_G_INSTANTIATE_OVERLOAD(complex_types, widen, void(MatrixView<const real_t<T>>, MatrixView<T>));

}  // namespace eigen_g
