// The sums of verify() on a GPU. The full A is never on the device. The stored triangle lacks some rows of the panel A(:, J), J = j0 ...
// j0 + b - 1. They are the transposed row block A(J, :):
//
//   lower:  A(:, J) = [ A(J, 0:j0)^H ; A(j0:n, J) ]       upper:  A(:, J) = [ A(0:j0+b, J) ; A(J, j0+b:n)^H ]
#include <algorithm>
#include <complex>
#include <cstdint>
#include <type_traits>

#include "hybrid/cuda_check.hpp"
#include "hybrid/device_complex.cuh"
#include "hybrid/instantiate.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/transfer/transfer.hpp"
#include "solver/verify/verify_columns.hpp"
#include "solver/verify/verify_device.cuh"

namespace eigen_g {
namespace {

constexpr std::int64_t panel_columns = 1024;
constexpr int threads = 256;
constexpr int tile = 32;  // tile order of the transposition; a block has tile x tile_rows threads
constexpr int tile_rows = 8;

// out(i, c) := scale conj(in(c, i)); `in` is b x count. Block (x, y) transposes the tile that begins at in(32 y, 32 x).
template <class D>
__global__ void transpose_scaled(std::int64_t b, std::int64_t count, double scale, const D* in,
                                 std::int64_t ld_in, D* out, std::int64_t ld_out) {
  __shared__ D block[tile][tile + 1];
  const std::int64_t i0 = static_cast<std::int64_t>(blockIdx.x) * tile;
  const std::int64_t c0 = static_cast<std::int64_t>(blockIdx.y) * tile;
  for (int k = threadIdx.y; k < tile; k += tile_rows)
    if (c0 + threadIdx.x < b && i0 + k < count)
      block[k][threadIdx.x] = in[c0 + threadIdx.x + (i0 + k) * ld_in];
  __syncthreads();
  for (int k = threadIdx.y; k < tile; k += tile_rows)
    if (i0 + threadIdx.x < count && c0 + k < b)
      out[i0 + threadIdx.x + (c0 + k) * ld_out] = scale * conj_of(block[threadIdx.x][k]);
}

// Rows begin ... end - 1 of the panel hold the stored part of A(:, J), J = j0 .... The kernel scales them in place and mirrors the triangle
// of the diagonal block. The thread of a stored entry is the only one that writes the entry and its mirror image. One block a column.
template <class D>
__global__ void scale_and_mirror(bool lower, double scale, std::int64_t begin, std::int64_t end,
                                 std::int64_t j0, std::int64_t b, D* panel, std::int64_t ld) {
  const std::int64_t c = blockIdx.x;
  for (std::int64_t i = begin + threadIdx.x; i < end; i += threads) {
    const std::int64_t r = i - j0;
    const bool in_diagonal_block = 0 <= r && r < b;
    if (in_diagonal_block && (lower ? r < c : r > c)) continue;
    D x = scale * panel[i + c * ld];
    if (r == c) x = real_of(x);
    panel[i + c * ld] = x;
    if (in_diagonal_block) panel[j0 + c + r * ld] = conj_of(x);
  }
}

// out(i, k) := z(i, k) w(k), i < rows; one block a column.
template <class D>
__global__ void scale_columns(std::int64_t rows, const D* z, std::int64_t ldz, const double* w, D* out,
                              std::int64_t ld_out) {
  const std::int64_t k = blockIdx.x;
  for (std::int64_t i = threadIdx.x; i < rows; i += threads) out[i + k * ld_out] = w[k] * z[i + k * ldz];
}

template <class D>
struct Plain {
  const D* x;
  std::int64_t ldx;
  __device__ D operator()(std::int64_t i, std::int64_t k) const { return x[i + k * ldx]; }
};

template <class D>
struct Difference {
  const D* x;
  std::int64_t ldx;
  const D* y;
  std::int64_t ldy;
  __device__ D operator()(std::int64_t i, std::int64_t k) const { return x[i + k * ldx] - y[i + k * ldy]; }
};

template <class D>
struct MinusIdentity {
  const D* x;
  std::int64_t ldx;
  std::int64_t first;  // column of I that corresponds to column 0 of x
  __device__ D operator()(std::int64_t i, std::int64_t k) const {
    return x[i + k * ldx] - (i == first + k ? 1.0 : 0.0);
  }
};

// abs[k] += sum_i |x(i, k)|, squares[k] += sum_i |x(i, k)|^2. One block a column; the sums have a fixed order.
template <class Entry>
__global__ void add_columns(std::int64_t rows, Entry entry, double* abs, double* squares) {
  __shared__ double part[2][threads];
  const std::int64_t k = blockIdx.x;
  const unsigned t = threadIdx.x;
  double sum = 0, sum_squares = 0;
  for (std::int64_t i = t; i < rows; i += threads) {
    const auto x = entry(i, k);
    sum += modulus(x);
    sum_squares = add_real_product(x, x, sum_squares);
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

template <class From, class To>
__global__ void widen_kernel(std::int64_t rows, const From* from, To* to, std::int64_t ld_to) {
  const std::int64_t k = blockIdx.x;
  for (std::int64_t i = threadIdx.x; i < rows; i += threads)
    to[i + k * ld_to] = in_double(from[i + k * rows]);
}

// to_dev := from, in double. A float matrix is copied through `passing`, which has room for at least one column.
template <class T>
void bring(const Queue& queue, MatrixView<const T> from, MatrixView<wide_t<T>> to_dev,
           [[maybe_unused]] const DeviceBuffer<T>& passing) {
  if constexpr (std::is_same_v<T, wide_t<T>>) {
    upload<T>(queue, Part::all, from, to_dev);
  } else {
    const std::int64_t at_once = from.rows > 0 ? passing.size() / from.rows : 1;
    for (std::int64_t j = 0; from.rows > 0 && j < from.cols; j += at_once) {
      const std::int64_t cols = std::min(at_once, from.cols - j);
      upload<T>(queue, Part::all, from.block(0, j, from.rows, cols),
                {passing.data(), from.rows, cols, from.rows});
      widen_kernel<<<static_cast<unsigned>(cols), threads, 0, queue.stream()>>>(
          from.rows, on_device(passing.data()), on_device(&to_dev(0, j)), to_dev.lda);
      EIGEN_G_LAUNCHED();
    }
  }
}

// panel (n x b, device) := scale A(:, j0 : j0 + b). `rows` is scratch memory for b x n values.
template <class T>
void expand_panel(const Queue& queue, const ScaledPairs<T>& p, std::int64_t j0, std::int64_t b,
                  wide_t<T>* rows, wide_t<T>* panel, const DeviceBuffer<T>& passing) {
  const std::int64_t n = p.a.rows;
  const bool lower = p.uplo == Uplo::lower;
  const std::int64_t begin = lower ? j0 : 0, end = lower ? n : j0 + b;  // rows that are stored
  const std::int64_t missing = lower ? 0 : j0 + b,
                     count = lower ? j0 : n - (j0 + b);  // missing rows
  bring<T>(queue, p.a.block(begin, j0, end - begin, b), {panel + begin, end - begin, b, n}, passing);
  scale_and_mirror<<<static_cast<unsigned>(b), threads, 0, queue.stream()>>>(lower, p.scale, begin, end, j0,
                                                                             b, on_device(panel), n);
  EIGEN_G_LAUNCHED();
  if (count == 0) return;
  bring<T>(queue, p.a.block(j0, missing, b, count), {rows, b, count, b}, passing);
  const dim3 grid(static_cast<unsigned>((count + tile - 1) / tile),
                  static_cast<unsigned>((b + tile - 1) / tile));
  transpose_scaled<<<grid, dim3(tile, tile_rows), 0, queue.stream()>>>(b, count, p.scale, on_device(rows), b,
                                                                       on_device(panel + missing), n);
  EIGEN_G_LAUNCHED();
}

void gemm(cublasHandle_t blas, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,
          double alpha, const double* a, int lda, const double* b, int ldb, double beta, double* c, int ldc) {
  EIGEN_G_CUBLAS(Cublas<cublasDgemm>::call(blas, op_a, op_b, m, n, k, &alpha, a, lda, b, ldb, &beta, c, ldc));
}
void gemm(cublasHandle_t blas, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,
          double alpha, const std::complex<double>* a, int lda, const std::complex<double>* b, int ldb,
          double beta, std::complex<double>* c, int ldc) {
  const cuDoubleComplex times{alpha, 0}, onto{beta, 0};
  EIGEN_G_CUBLAS(Cublas<cublasZgemm>::call(
      blas, op_a, op_b, m, n, k, &times, reinterpret_cast<const cuDoubleComplex*>(a), lda,
      reinterpret_cast<const cuDoubleComplex*>(b), ldb, &onto, reinterpret_cast<cuDoubleComplex*>(c), ldc));
}

// c (rows x cols) := alpha op(a) op(b) + beta c, by slices of the sum (slice_of_sum()).
template <class W>
void multiply(const Queue& queue, cublasOperation_t op_a, cublasOperation_t op_b, std::int64_t rows,
              std::int64_t cols, std::int64_t inner, double alpha, const W* a, std::int64_t lda, const W* b,
              std::int64_t ldb, double beta, W* c, std::int64_t ldc) {
  const std::int64_t slice = slice_of_sum(inner);
  for (std::int64_t k = 0; k < inner; k += slice)
    gemm(queue.blas(), op_a, op_b, static_cast<int>(rows), static_cast<int>(cols),
         static_cast<int>(std::min(slice, inner - k)), alpha, a + (op_a == CUBLAS_OP_N ? k * lda : k),
         static_cast<int>(lda), b + (op_b == CUBLAS_OP_N ? k : k * ldb), static_cast<int>(ldb),
         k == 0 ? beta : 1, c, static_cast<int>(ldc));
}

}  // namespace

template <class T>
ColumnSums column_sums_gpu(const ScaledPairs<T>& p) {
  const std::int64_t n = p.a.rows, m = p.z.cols, block = std::min(n, panel_columns);
  ColumnSums sums;
  if (n == 0) return sums;

  const Queue queue;
  using W = wide_t<T>;
  using D = device_t<W>;
  constexpr auto adjoint = is_complex<T> ? CUBLAS_OP_C : CUBLAS_OP_T;
  const DeviceBuffer<W> z(n * m), panel(n * block), product(block * n), scaled(block * n);
  const DeviceBuffer<double> w(m);
  const DeviceBuffer<double> sums_dev(3 * n + 4 * m);
  EIGEN_G_CUDA(cudaMemsetAsync(sums_dev.data(), 0, sums_dev.bytes(), queue.stream()));
  double* const matrix_abs = sums_dev.data();
  double* const matrix_squares = matrix_abs + n;
  double* const reconstruction_squares = matrix_squares + n;
  double* const residual_abs = reconstruction_squares + n;
  double* const residual_squares = residual_abs + m;
  double* const gram_abs = residual_squares + m;
  double* const gram_squares = gram_abs + m;

  const DeviceBuffer<T> passing(std::is_same_v<T, W> ? 0 : n * block);
  bring<T>(queue, p.z, {z.data(), n, m, n}, passing);
  upload<double>(queue, Part::all, {p.w.data(), m, 1, m}, {w.data(), m, 1, m});
  for (std::int64_t j0 = 0; j0 < n; j0 += block) {
    const std::int64_t b = std::min(block, n - j0);
    expand_panel(queue, p, j0, b, product.data(), panel.data(), passing);
    add_columns(queue, n, b, Plain<D>{on_device(panel.data()), n}, matrix_abs + j0, matrix_squares + j0);
    if (m == 0) continue;

    scale_columns<<<static_cast<unsigned>(m), threads, 0, queue.stream()>>>(
        b, on_device(z.data() + j0), n, w.data(), on_device(scaled.data()), b);
    EIGEN_G_LAUNCHED();
    multiply(queue, adjoint, CUBLAS_OP_N, b, m, n, 1, panel.data(), n, z.data(), n, 0, product.data(), b);
    add_columns(queue, b, m, Difference<D>{on_device(product.data()), b, on_device(scaled.data()), b},
                residual_abs, residual_squares);

    if (m == n) {
      multiply(queue, CUBLAS_OP_N, adjoint, n, b, m, -1, z.data(), n, scaled.data(), b, 1, panel.data(), n);
      add_columns(queue, n, b, Plain<D>{on_device(panel.data()), n}, nullptr, reconstruction_squares + j0);
    }
  }
  for (std::int64_t j0 = 0; j0 < m; j0 += block) {
    const std::int64_t b = std::min(block, m - j0);
    multiply(queue, adjoint, CUBLAS_OP_N, m, b, n, 1, z.data(), n, z.data() + j0 * n, n, 0, product.data(),
             m);
    add_columns(queue, m, b, MinusIdentity<D>{on_device(product.data()), m, j0}, gram_abs + j0,
                gram_squares + j0);
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

EIGEN_G_INSTANTIATE(all_types, column_sums_gpu);

}  // namespace eigen_g
