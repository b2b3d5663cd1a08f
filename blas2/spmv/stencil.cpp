#include "blas2/spmv/stencil.hpp"

#include <array>

#include "blas2/spmv/stencil_points.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/team/loops.hpp"

namespace eigen_g::blas2 {

namespace {

constexpr int width = 4;

template <int points, class T>
void multiply(const GridSize& grid, T alpha, const T* x, T gamma, T beta, T* y) {
  constexpr Stencil<points> stencil;
  std::array<Neighbour, stencil.neighbours> neighbours;
  for (int m = 0; m < stencil.neighbours; ++m) neighbours[m] = neighbour(stencil, m);
  const std::int64_t nx = grid.nx, ny = grid.ny, nz = grid.nz;
  for_each(ny * nz, threads_if(grid.points() >= smallest_parallel_order), [&](std::int64_t line) {
    const std::int64_t j = line % ny, k = line / ny;
    for (std::int64_t i = 0; i < nx; ++i) {
      const T* const at = x + width * (i + nx * line);
      T sum[width];
      for (int c = 0; c < width; ++c) sum[c] = stencil.centre * at[c];
      for (const Neighbour& n : neighbours) {
        if (i + n.x < 0 || i + n.x >= nx || j + n.y < 0 || j + n.y >= ny || k + n.z < 0 || k + n.z >= nz)
          continue;
        const T* const other = at + width * (n.x + nx * (n.y + ny * n.z));
        for (int c = 0; c < width; ++c) sum[c] -= n.weight * other[c];
      }
      T* const to = y + width * (i + nx * line);
      for (int c = 0; c < width; ++c) {
        const T value = alpha * sum[c] + gamma * at[c];
        to[c] = beta == T(0) ? value : value + beta * to[c];
      }
    }
  });
}

}  // namespace

double stencil_row_sum(int points) {
  double sum = 0;
  with_stencil(points, [&](const auto& stencil) {
    sum = stencil.centre;
    for (int m = 0; m < stencil.neighbours; ++m) sum += neighbour(stencil, m).weight;
  });
  return sum;
}

template <class T>
void stencil_multiply(const GridSize& grid, int points, same_t<T> alpha, const T* x, same_t<T> gamma,
                      same_t<T> beta, T* y) {
  with_stencil(points, [&]<int p>(Stencil<p>) { multiply<p>(grid, alpha, x, gamma, beta, y); });
}

EIGEN_G_INSTANTIATE_OVERLOAD(double_type, stencil_multiply,
                             void(const GridSize&, int, T, const T*, T, T, T*));

}  // namespace eigen_g::blas2
