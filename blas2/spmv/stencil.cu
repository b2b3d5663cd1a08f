#include "blas2/spmv/stencil.hpp"
#include "blas2/spmv/stencil_points.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/stream/queue.hpp"

namespace eigen_g::blas2 {

namespace {

constexpr int tile_x = 32, tile_y = 8, width = 4;

// A row of a block of four vectors, loaded in words of 16 bytes.
template <class T>
struct alignas(16) Row {
  T at[width];
};

struct Box {
  std::int32_t nx, ny, nz, tiles_x, tiles_y;
};

// A thread block computes a tile of a plane, a thread a point. Neighbours in the tile come from L1, neighbours in other planes
// from L2.
template <int points, class T>
__global__ void __launch_bounds__(tile_x* tile_y)
    stencil_kernel(Box box, T alpha, const Row<T>* __restrict__ x, T gamma, T beta, Row<T>* __restrict__ y) {
  constexpr Stencil<points> stencil;
  const auto tile = static_cast<std::int32_t>(blockIdx.x);
  const std::int32_t line = tile / box.tiles_x;
  const std::int32_t k = line / box.tiles_y;
  const auto i = static_cast<std::int32_t>((tile - line * box.tiles_x) * tile_x + threadIdx.x);
  const auto j = static_cast<std::int32_t>((line - k * box.tiles_y) * tile_y + threadIdx.y);
  if (i >= box.nx || j >= box.ny) return;
  const std::int64_t nx = box.nx, plane = nx * box.ny, row = i + nx * j + plane * k;
  const Row<T> own = x[row];
  Row<T> sum;
#pragma unroll
  for (int c = 0; c < width; ++c) sum.at[c] = stencil.centre * own.at[c];
#pragma unroll
  for (int m = 0; m < stencil.neighbours; ++m) {
    const Neighbour n = neighbour(stencil, m);
    const bool inside =
        (n.x == 0 || static_cast<std::uint32_t>(i + n.x) < static_cast<std::uint32_t>(box.nx)) &&
        (n.y == 0 || static_cast<std::uint32_t>(j + n.y) < static_cast<std::uint32_t>(box.ny)) &&
        (n.z == 0 || static_cast<std::uint32_t>(k + n.z) < static_cast<std::uint32_t>(box.nz));
    if (!inside) continue;
    const Row<T> other = x[row + n.x + nx * n.y + plane * n.z];
#pragma unroll
    for (int c = 0; c < width; ++c) sum.at[c] -= n.weight * other.at[c];
  }
  Row<T> before{};
  if (beta != T(0)) before = y[row];
#pragma unroll
  for (int c = 0; c < width; ++c) sum.at[c] = alpha * sum.at[c] + gamma * own.at[c] + beta * before.at[c];
  y[row] = sum;
}

}  // namespace

template <class T>
void stencil_multiply(const Queue& queue, const GridSize& grid, int points, same_t<T> alpha, const T* x_dev,
                      same_t<T> gamma, same_t<T> beta, T* y_dev) {
  if (grid.points() == 0) return;
  const auto tiles = [](std::int64_t side, int tile) {
    return static_cast<std::int32_t>((side + tile - 1) / tile);
  };
  const auto side = [](std::int64_t m) { return static_cast<std::int32_t>(m); };
  const Box box{side(grid.nx), side(grid.ny), side(grid.nz), tiles(grid.nx, tile_x), tiles(grid.ny, tile_y)};
  const std::int64_t blocks = std::int64_t{box.tiles_x} * box.tiles_y * grid.nz;
  if (blocks >= std::int64_t{1} << 31)
    throw InvalidArgument(
        "a", "is a box of " + std::to_string(grid.points()) + " points, which is too large for one launch");
  with_stencil(points, [&]<int p>(Stencil<p>) {
    stencil_kernel<p, T><<<static_cast<unsigned>(blocks), dim3(tile_x, tile_y), 0, queue.stream()>>>(
        box, alpha, reinterpret_cast<const Row<T>*>(x_dev), gamma, beta, reinterpret_cast<Row<T>*>(y_dev));
  });
  EIGEN_G_LAUNCHED();
}

EIGEN_G_INSTANTIATE_OVERLOAD(double_type, stencil_multiply,
                             void(const Queue&, const GridSize&, int, T, const T*, T, T, T*));

}  // namespace eigen_g::blas2
