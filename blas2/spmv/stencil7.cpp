#include "blas2/spmv/stencil7.hpp"

#include "hybrid/machine/cpu.hpp"

namespace eigen_g::blas2 {

template <class T>
void stencil7_multiply(const GridSize& grid, same_t<T> alpha, const T* x, same_t<T> gamma, same_t<T> beta,
                       T* y) {
  const std::int64_t nx = grid.nx, ny = grid.ny,
                     nz = grid.nz;  // bindings cannot be shared in a region of OpenMP
#pragma omp parallel for schedule(static) if (grid.points() >= smallest_parallel_order)
  for (std::int64_t line = 0; line < ny * nz; ++line) {
    const std::int64_t j = line % ny, k = line / ny;
    for (std::int64_t i = 0; i < nx; ++i) {
      const std::int64_t row = i + nx * line;
      for (int c = 0; c < 4; ++c) {
        const T* const at = x + 4 * row + c;
        T sum = 6 * at[0];
        if (i > 0) sum -= at[-4];
        if (i + 1 < nx) sum -= at[4];
        if (j > 0) sum -= at[-4 * nx];
        if (j + 1 < ny) sum -= at[4 * nx];
        if (k > 0) sum -= at[-4 * nx * ny];
        if (k + 1 < nz) sum -= at[4 * nx * ny];
        const T value = alpha * sum + gamma * at[0];
        y[4 * row + c] = beta == T(0) ? value : value + beta * y[4 * row + c];
      }
    }
  }
}

template void stencil7_multiply(const GridSize&, double, const double*, double, double, double*);

}  // namespace eigen_g::blas2
