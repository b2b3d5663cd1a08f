// verify() on a GPU. The rows of A(:, J) that the stored triangle lacks come from the row block A(J, :) by a
// transposition, so A is never whole on the device:
//
//   lower:  A(:, J) = [ A(J, 0:j0)^T ; A(j0:n, J) ]       upper:  A(:, J) = [ A(0:j0+b, J) ; A(J, j0+b:n)^T ]
#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "hybrid/cuda_check.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/transfer/transfer.hpp"
#include "solver/verify/verify_columns.hpp"

namespace eigen_g {
namespace {

constexpr std::int64_t panel_columns = 1024;
constexpr int threads = 256;
constexpr int tile = 32;  // of the transposition; a block has tile x tile_rows threads
constexpr int tile_rows = 8;

// out(i, c) := scale in(c, i); in is b x count. Block (x, y) moves the tile that begins at in(32 y, 32 x).
__global__ void transpose_scaled(std::int64_t b, std::int64_t count, double scale, const double* in,
                                 std::int64_t ld_in, double* out, std::int64_t ld_out) {
  __shared__ double block[tile][tile + 1];
  const std::int64_t i0 = static_cast<std::int64_t>(blockIdx.x) * tile;
  const std::int64_t c0 = static_cast<std::int64_t>(blockIdx.y) * tile;
  for (int k = threadIdx.y; k < tile; k += tile_rows)
    if (c0 + threadIdx.x < b && i0 + k < count)
      block[k][threadIdx.x] = in[c0 + threadIdx.x + (i0 + k) * ld_in];
  __syncthreads();
  for (int k = threadIdx.y; k < tile; k += tile_rows)
    if (i0 + threadIdx.x < count && c0 + k < b)
      out[i0 + threadIdx.x + (c0 + k) * ld_out] = scale * block[threadIdx.x][k];
}

// Rows begin..end-1 of the panel hold the stored part of A(:, J), J = j0.. : scales them in place and mirrors
// the triangle of the diagonal block. The thread of a stored entry writes it and its mirror image, nobody
// else does. A block a column.
__global__ void scale_and_mirror(bool lower, double scale, std::int64_t begin, std::int64_t end,
                                 std::int64_t j0, std::int64_t b, double* panel, std::int64_t ld) {
  const std::int64_t c = blockIdx.x;
  for (std::int64_t i = begin + threadIdx.x; i < end; i += threads) {
    const std::int64_t r = i - j0;
    const bool in_diagonal_block = 0 <= r && r < b;
    if (in_diagonal_block && (lower ? r < c : r > c)) continue;
    const double x = scale * panel[i + c * ld];
    panel[i + c * ld] = x;
    if (in_diagonal_block) panel[j0 + c + r * ld] = x;
  }
}

// out(i, k) := z(i, k) w(k), i < rows; a block a column.
__global__ void scale_columns(std::int64_t rows, const double* z, std::int64_t ldz, const double* w,
                              double* out, std::int64_t ld_out) {
  const std::int64_t k = blockIdx.x;
  for (std::int64_t i = threadIdx.x; i < rows; i += threads) out[i + k * ld_out] = z[i + k * ldz] * w[k];
}

struct Plain {
  const double* x;
  std::int64_t ldx;
  __device__ double operator()(std::int64_t i, std::int64_t k) const { return x[i + k * ldx]; }
};

struct Difference {
  const double* x;
  std::int64_t ldx;
  const double* y;
  std::int64_t ldy;
  __device__ double operator()(std::int64_t i, std::int64_t k) const {
    return x[i + k * ldx] - y[i + k * ldy];
  }
};

struct MinusIdentity {
  const double* x;
  std::int64_t ldx;
  std::int64_t first;  // the column of I that column 0 of x belongs to
  __device__ double operator()(std::int64_t i, std::int64_t k) const {
    return x[i + k * ldx] - (i == first + k ? 1.0 : 0.0);
  }
};

// abs[k] += sum_i |x(i, k)|, squares[k] += sum_i x(i, k)^2; a block a column, the order of the sums fixed.
template <class Entry>
__global__ void add_columns(std::int64_t rows, Entry entry, double* abs, double* squares) {
  __shared__ double part[2][threads];
  const std::int64_t k = blockIdx.x;
  const unsigned t = threadIdx.x;
  double sum = 0, sum_squares = 0;
  for (std::int64_t i = t; i < rows; i += threads) {
    const double x = entry(i, k);
    sum += fabs(x);
    sum_squares += x * x;
  }
  part[0][t] = sum;
  part[1][t] = sum_squares;
  for (unsigned half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) {
      part[0][t] += part[0][t + half];
      part[1][t] += part[1][t + half];
    }
  }
  if (t == 0) {
    if (abs) abs[k] += part[0][0];
    squares[k] += part[1][0];
  }
}

template <class Entry>
void add_columns(const Queue& queue, std::int64_t rows, std::int64_t cols, const Entry& entry, double* abs,
                 double* squares) {
  if (rows == 0 || cols == 0) return;
  add_columns<<<static_cast<unsigned>(cols), threads, 0, queue.stream()>>>(rows, entry, abs, squares);
  EIGEN_G_LAUNCHED();
}

__global__ void widen_kernel(std::int64_t rows, const float* from, double* to, std::int64_t ld_to) {
  const std::int64_t k = blockIdx.x;
  for (std::int64_t i = threadIdx.x; i < rows; i += threads) to[i + k * ld_to] = from[i + k * rows];
}

// to_dev := from, in double; a float comes by way of `passing`, at least a column.
void bring(const Queue& queue, MatrixView<const double> from, MatrixView<double> to_dev,
           const DeviceBuffer<double>&) {
  upload(queue, Part::all, from, to_dev);
}
void bring(const Queue& queue, MatrixView<const float> from, MatrixView<double> to_dev,
           const DeviceBuffer<float>& passing) {
  const std::int64_t at_once = from.rows > 0 ? passing.size() / from.rows : 1;
  for (std::int64_t j = 0; from.rows > 0 && j < from.cols; j += at_once) {
    const std::int64_t cols = std::min(at_once, from.cols - j);
    upload<float>(queue, Part::all, from.block(0, j, from.rows, cols),
                  {passing.data(), from.rows, cols, from.rows});
    widen_kernel<<<static_cast<unsigned>(cols), threads, 0, queue.stream()>>>(from.rows, passing.data(),
                                                                              &to_dev(0, j), to_dev.lda);
    EIGEN_G_LAUNCHED();
  }
}

// panel (n x b, device) := scale A(:, j0 : j0 + b); `rows` holds b x n.
template <class T>
void expand_panel(const Queue& queue, const ScaledPairs<T>& p, std::int64_t j0, std::int64_t b, double* rows,
                  double* panel, const DeviceBuffer<T>& passing) {
  const std::int64_t n = p.a.rows;
  const bool lower = p.uplo == Uplo::lower;
  const std::int64_t begin = lower ? j0 : 0, end = lower ? n : j0 + b;                 // rows that are stored
  const std::int64_t missing = lower ? 0 : j0 + b, count = lower ? j0 : n - (j0 + b);  // rows that are not
  bring(queue, p.a.block(begin, j0, end - begin, b), {panel + begin, end - begin, b, n}, passing);
  scale_and_mirror<<<static_cast<unsigned>(b), threads, 0, queue.stream()>>>(lower, p.scale, begin, end, j0,
                                                                             b, panel, n);
  EIGEN_G_LAUNCHED();
  if (count == 0) return;
  bring(queue, p.a.block(j0, missing, b, count), {rows, b, count, b}, passing);
  const dim3 grid(static_cast<unsigned>((count + tile - 1) / tile),
                  static_cast<unsigned>((b + tile - 1) / tile));
  transpose_scaled<<<grid, dim3(tile, tile_rows), 0, queue.stream()>>>(b, count, p.scale, rows, b,
                                                                       panel + missing, n);
  EIGEN_G_LAUNCHED();
}

// c (rows x cols) := alpha op(a) op(b) + beta c
void multiply(const Queue& queue, cublasOperation_t op_a, cublasOperation_t op_b, std::int64_t rows,
              std::int64_t cols, std::int64_t inner, double alpha, const double* a, std::int64_t lda,
              const double* b, std::int64_t ldb, double beta, double* c, std::int64_t ldc) {
  const std::int64_t slice = slice_of_sum(inner);
  for (std::int64_t k = 0; k < inner; k += slice) {
    const double scale = k == 0 ? beta : 1;
    EIGEN_G_CUBLAS(cublasDgemm(queue.blas(), op_a, op_b, static_cast<int>(rows), static_cast<int>(cols),
                               static_cast<int>(std::min(slice, inner - k)), &alpha,
                               a + (op_a == CUBLAS_OP_N ? k * lda : k), static_cast<int>(lda),
                               b + (op_b == CUBLAS_OP_N ? k : k * ldb), static_cast<int>(ldb), &scale, c,
                               static_cast<int>(ldc)));
  }
}

}  // namespace

template <class T>
ColumnSums column_sums_gpu(const ScaledPairs<T>& p) {
  const std::int64_t n = p.a.rows, m = p.z.cols, block = std::min(n, panel_columns);
  ColumnSums sums;
  if (n == 0) return sums;

  const Queue queue;
  const DeviceBuffer<double> z(n * m), panel(n * block), product(block * n), scaled(block * n), w(m);
  const DeviceBuffer<double> sums_dev(3 * n + 4 * m);
  EIGEN_G_CUDA(cudaMemsetAsync(sums_dev.data(), 0, sums_dev.bytes(), queue.stream()));
  double* const matrix_abs = sums_dev.data();
  double* const matrix_squares = matrix_abs + n;
  double* const reconstruction_squares = matrix_squares + n;
  double* const residual_abs = reconstruction_squares + n;
  double* const residual_squares = residual_abs + m;
  double* const gram_abs = residual_squares + m;
  double* const gram_squares = gram_abs + m;

  const DeviceBuffer<T> passing(std::is_same_v<T, double> ? 0 : n * block);
  bring(queue, p.z, {z.data(), n, m, n}, passing);
  upload<double>(queue, Part::all, {p.w.data(), m, 1, m}, {w.data(), m, 1, m});
  for (std::int64_t j0 = 0; j0 < n; j0 += block) {
    const std::int64_t b = std::min(block, n - j0);
    expand_panel(queue, p, j0, b, product.data(), panel.data(), passing);
    add_columns(queue, n, b, Plain{panel.data(), n}, matrix_abs + j0, matrix_squares + j0);
    if (m == 0) continue;

    scale_columns<<<static_cast<unsigned>(m), threads, 0, queue.stream()>>>(b, z.data() + j0, n, w.data(),
                                                                            scaled.data(), b);
    EIGEN_G_LAUNCHED();
    multiply(queue, CUBLAS_OP_T, CUBLAS_OP_N, b, m, n, 1, panel.data(), n, z.data(), n, 0, product.data(), b);
    add_columns(queue, b, m, Difference{product.data(), b, scaled.data(), b}, residual_abs, residual_squares);

    if (m == n) {
      multiply(queue, CUBLAS_OP_N, CUBLAS_OP_T, n, b, m, -1, z.data(), n, scaled.data(), b, 1, panel.data(),
               n);
      add_columns(queue, n, b, Plain{panel.data(), n}, nullptr, reconstruction_squares + j0);
    }
  }
  for (std::int64_t j0 = 0; j0 < m; j0 += block) {
    const std::int64_t b = std::min(block, m - j0);
    multiply(queue, CUBLAS_OP_T, CUBLAS_OP_N, m, b, n, 1, z.data(), n, z.data() + j0 * n, n, 0,
             product.data(), m);
    add_columns(queue, m, b, MinusIdentity{product.data(), m, j0}, gram_abs + j0, gram_squares + j0);
  }

  const auto download = [&](std::vector<double>& host, const double* device, std::int64_t count) {
    host.resize(static_cast<std::size_t>(count));
    EIGEN_G_CUDA(
        cudaMemcpyAsync(host.data(), device, count * sizeof(double), cudaMemcpyDeviceToHost, queue.stream()));
  };
  download(sums.matrix_abs, matrix_abs, n);
  download(sums.matrix_squares, matrix_squares, n);
  if (m == n) download(sums.reconstruction_squares, reconstruction_squares, n);
  download(sums.residual_abs, residual_abs, m);
  download(sums.residual_squares, residual_squares, m);
  download(sums.gram_abs, gram_abs, m);
  download(sums.gram_squares, gram_squares, m);
  queue.wait();
  return sums;
}

template ColumnSums column_sums_gpu(const ScaledPairs<double>&);
template ColumnSums column_sums_gpu(const ScaledPairs<float>&);

}  // namespace eigen_g
