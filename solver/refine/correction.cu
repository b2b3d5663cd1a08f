// The elementwise part of a refinement step on a GPU.
#include "hybrid/cuda_check.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/refine/correction.hpp"
#include "solver/refine/correction_pair.hpp"

namespace eigen_g {

namespace {

constexpr int threads = 256;
constexpr int tile = 32, tile_rows = 8;

// Combines the values of a block by a tree: the largest one, or their sum. Thread 0 has the result.
template <class Value, class Combine>
__device__ Value combined(Value value, Value (&held)[threads], Combine&& combine) {
  held[threadIdx.x] = value;
  for (int half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) held[threadIdx.x] = combine(held[threadIdx.x], held[threadIdx.x + half]);
  }
  return held[threadIdx.x];
}

// One block a column; for S only its part from the diagonal down.
__global__ void residual_kernel(MatrixView<const double> y, MatrixView<const double> x, const double* w,
                                MatrixView<float> r) {
  const std::int64_t j = blockIdx.x;
  const double w_j = w[j];
  for (std::int64_t i = threadIdx.x; i < r.rows; i += threads)
    r(i, j) = static_cast<float>(fma(-x(i, j), w_j, y(i, j)));
}
__global__ void rayleigh_matrix_kernel(MatrixView<const float> v, MatrixView<const double> g, const double* w,
                                       MatrixView<double> s) {
  const std::int64_t j = blockIdx.x;
  const double w_j = w[j];
  for (std::int64_t i = j + threadIdx.x; i < s.rows; i += threads) s(i, j) = fma(g(i, j), w_j, v(i, j));
}

__global__ void lengths_kernel(MatrixView<const double> s, MatrixView<const double> g, double* lambda,
                               double* scales) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= s.rows) return;
  lambda[i] = s(i, i) / g(i, i);
  scales[i] = 1 / sqrt(g(i, i));
}
__global__ void normalise_kernel(MatrixView<double> s, MatrixView<double> g, const double* scales) {
  const std::int64_t j = blockIdx.x;
  const double scale_j = scales[j];
  for (std::int64_t i = j + threadIdx.x; i < s.rows; i += threads) {
    s(i, j) = s(i, j) * scales[i] * scale_j;
    g(i, j) = g(i, j) * scales[i] * scale_j;
  }
}

// One block a column, for its part below the diagonal.
__global__ void reach_kernel(MatrixView<const double> s, MatrixView<const double> g, const double* lambda,
                             CorrectionLimits limits, std::int64_t* fine, std::int64_t* coarse) {
  __shared__ std::int64_t held[threads];
  const std::int64_t n = s.rows, j = blockIdx.x;
  const double lambda_j = lambda[j];
  std::int64_t far_fine = j, far_coarse = j;
  for (std::int64_t i = j + 1 + threadIdx.x; i < n; i += threads) {
    const CorrectionPair pair(s(i, j), g(i, j), lambda[i], lambda_j);
    if (pair.beyond(limits.fine, limits.noise)) far_fine = i;
    if (pair.beyond(limits.coarse, limits.noise)) far_coarse = i;
  }
  const auto further = [](std::int64_t a, std::int64_t b) { return a > b ? a : b; };
  far_fine = combined(far_fine, held, further);
  __syncthreads();
  far_coarse = combined(far_coarse, held, further);
  if (threadIdx.x > 0) return;
  fine[j] = far_fine;
  coarse[j] = far_coarse;
}

// Block (x, y), x >= y: the tile of S and G at row 32 x and column 32 y gives two tiles of E. The tile above the diagonal passes through
// shared memory, so that its columns are written contiguously.
__global__ void correction_kernel(MatrixView<const double> s, MatrixView<const double> g,
                                  const double* lambda, const std::int64_t* cluster, bool solved,
                                  CorrectionLimits limits, MatrixView<float> e) {
  if (blockIdx.x < blockIdx.y) return;
  __shared__ float above[tile][tile + 1];
  const std::int64_t n = s.rows, i0 = std::int64_t{blockIdx.x} * tile, j0 = std::int64_t{blockIdx.y} * tile;
  const std::int64_t i = i0 + threadIdx.x;
  for (int column = threadIdx.y; column < tile; column += tile_rows) {
    const std::int64_t j = j0 + column;
    if (i >= n || j >= n || i < j) continue;
    const bool together = cluster[i] >= 0 && cluster[i] == cluster[j];
    if (i == j) {
      e(j, j) = 0;
      continue;
    }
    const CorrectionPair pair(s(i, j), g(i, j), lambda[i], lambda[j]);
    const double half = together && solved ? 0 : pair.symmetric;
    const double turn = together ? 0 : pair.antisymmetric(limits);
    e(i, j) = static_cast<float>(half + turn);
    above[threadIdx.x][column] = static_cast<float>(half - turn);
  }
  __syncthreads();
  const std::int64_t j = j0 + threadIdx.x;
  for (int row = threadIdx.y; row < tile; row += tile_rows) {
    const std::int64_t column = i0 + row;  // column of E
    if (j < column && column < n) e(j, column) = above[row][threadIdx.x];
  }
}

__global__ void squares_kernel(MatrixView<const float> e, double* squares) {
  __shared__ double held[threads];
  const std::int64_t j = blockIdx.x;
  double sum = 0;
  for (std::int64_t i = threadIdx.x; i < e.rows; i += threads) {
    const double value = e(i, j);
    sum += value * value;
  }
  sum = combined(sum, held, [](double a, double b) { return a + b; });
  if (threadIdx.x == 0) squares[j] = sum;
}

}  // namespace

void residual(const Queue& queue, MatrixView<const double> y_dev, MatrixView<const double> x_dev,
              const double* w_dev, MatrixView<float> r_dev) {
  if (r_dev.rows == 0) return;
  residual_kernel<<<static_cast<unsigned>(r_dev.cols), threads, 0, queue.stream()>>>(y_dev, x_dev, w_dev,
                                                                                     r_dev);
  EIGEN_G_LAUNCHED();
}

void rayleigh_matrix(const Queue& queue, MatrixView<const float> v_dev, MatrixView<const double> g_dev,
                     const double* w_dev, MatrixView<double> s_dev) {
  if (s_dev.rows == 0) return;
  rayleigh_matrix_kernel<<<static_cast<unsigned>(s_dev.cols), threads, 0, queue.stream()>>>(v_dev, g_dev,
                                                                                            w_dev, s_dev);
  EIGEN_G_LAUNCHED();
}

void normalise(const Queue& queue, MatrixView<double> s_dev, MatrixView<double> g_dev, double* lambda_dev,
               double* scales_dev) {
  if (s_dev.rows == 0) return;
  const auto blocks = static_cast<unsigned>((s_dev.rows + threads - 1) / threads);
  lengths_kernel<<<blocks, threads, 0, queue.stream()>>>(s_dev, g_dev, lambda_dev, scales_dev);
  EIGEN_G_LAUNCHED();
  normalise_kernel<<<static_cast<unsigned>(s_dev.cols), threads, 0, queue.stream()>>>(s_dev, g_dev,
                                                                                      scales_dev);
  EIGEN_G_LAUNCHED();
}

void find_reach(const Queue& queue, MatrixView<const double> s_dev, MatrixView<const double> g_dev,
                const double* lambda_dev, const CorrectionLimits& limits, std::int64_t* fine_dev,
                std::int64_t* coarse_dev) {
  if (s_dev.rows == 0) return;
  reach_kernel<<<static_cast<unsigned>(s_dev.rows), threads, 0, queue.stream()>>>(
      s_dev, g_dev, lambda_dev, limits, fine_dev, coarse_dev);
  EIGEN_G_LAUNCHED();
}

void correction(const Queue& queue, MatrixView<const double> s_dev, MatrixView<const double> g_dev,
                const double* lambda_dev, const std::int64_t* cluster_dev, bool solved,
                const CorrectionLimits& limits, MatrixView<float> e_dev, double* squares_dev) {
  if (s_dev.rows == 0) return;
  const auto tiles = static_cast<unsigned>((s_dev.rows + tile - 1) / tile);
  correction_kernel<<<dim3(tiles, tiles), dim3(tile, tile_rows), 0, queue.stream()>>>(
      s_dev, g_dev, lambda_dev, cluster_dev, solved, limits, e_dev);
  EIGEN_G_LAUNCHED();
  squares_kernel<<<static_cast<unsigned>(e_dev.cols), threads, 0, queue.stream()>>>(e_dev, squares_dev);
  EIGEN_G_LAUNCHED();
}

}  // namespace eigen_g
