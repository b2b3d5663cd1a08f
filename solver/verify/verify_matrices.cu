// verify_matrices(): a block of threads a matrix. A Z and Z^H Z are formed tile by tile, and each tile is added to the sums of its columns.
#include "solver/verify/verify_matrices.hpp"

#include <algorithm>
#include <complex>
#include <type_traits>

#include "hybrid/cuda_check.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/verify/verify_columns.hpp"
#include "solver/verify/verify_device.cuh"

namespace eigen_g {
namespace {

constexpr int tile = 16;  // a block has tile x tile threads: x for rows, y for columns
constexpr int threads = tile * tile;

template <class D>
using wide_of = std::conditional_t<std::is_arithmetic_v<D>, double, DeviceComplex<double>>;

// A matrix of the batch in double, times 2^-e.
template <class D, class R>
struct Matrix {
  bool lower;
  int n, m;
  const D* a;
  std::int64_t lda;
  const R* w;
  const D* z;
  std::int64_t ldz;

  __device__ bool stored(int i, int j) const { return lower ? i >= j : i <= j; }
  __device__ wide_of<D> entry(double scale, int i, int j) const {
    const D x = stored(i, j) ? a[i + j * lda] : conj_of(a[j + i * lda]);
    const wide_of<D> wide = in_double(x);
    return scale * (i == j ? wide_of<D>(real_of(wide)) : wide);
  }
};

__device__ double largest_finite_part(double x) {
  return isfinite(x) ? fabs(x) : 0;
}
__device__ double largest_finite_part(DeviceComplex<double> x) {
  return fmax(largest_finite_part(x.re), largest_finite_part(x.im));
}
__device__ bool is_finite(double x) {
  return isfinite(x);
}
__device__ bool is_finite(DeviceComplex<double> x) {
  return isfinite(x.re) && isfinite(x.im);
}
__device__ double larger_or_nan(double m, double x) {
  return m < x || x != x ? x : m;
}

// The largest x of all threads, in every thread; NaN if one of them is NaN.
__device__ double largest_of_block(double x, double* part) {
  const int t = threadIdx.x + tile * threadIdx.y;
  part[t] = x;
  for (int half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) part[t] = larger_or_nan(part[t], part[t + half]);
  }
  __syncthreads();
  const double largest = part[0];
  __syncthreads();
  return largest;
}

// Returns the one-norm of a matrix with `rows` rows and `cols` columns. left(i, k) and right(k, j) are the entries of two matrices, k < inner;
// less(product, i, j) returns the entry of the matrix.
template <class W, class Left, class Right, class Less>
__device__ double norm_of_product(int rows, int cols, int inner, int slice, const Left& left,
                                  const Right& right, const Less& less, double* part) {
  __shared__ W x[tile][tile + 1], y[tile][tile + 1];
  const int tx = threadIdx.x, ty = threadIdx.y;
  double norm = 0;
  for (int j0 = 0; j0 < cols; j0 += tile) {
    const int j = j0 + ty;
    double sum = 0;
    for (int i0 = 0; i0 < rows; i0 += tile) {
      const int i = i0 + tx;
      W product(0), chain(0);
      for (int k0 = 0; k0 < inner; k0 += tile) {
        x[ty][tx] = i < rows && k0 + ty < inner ? left(i, k0 + ty) : W(0);
        y[ty][tx] = k0 + tx < inner && j < cols ? right(k0 + tx, j) : W(0);
        __syncthreads();
        for (int k = 0; k < tile; ++k) chain = fma(x[k][tx], y[ty][k], chain);
        __syncthreads();
        if ((k0 + tile) % slice == 0) {
          product += chain;
          chain = W(0);
        }
      }
      product += chain;
      if (i < rows && j < cols) sum += modulus(less(product, i, j));
    }
    part[tx + tile * ty] = sum;
    __syncthreads();
    if (tx == 0) {
      double column = 0;
      for (int k = 0; k < tile; ++k) column += part[k + tile * ty];
      norm = larger_or_nan(norm, column);
    }
    __syncthreads();
  }
  return largest_of_block(norm, part);
}

// slice: a multiple of `tile`
template <class D, class R>
__global__ void __launch_bounds__(threads)
    verify_matrix(Matrix<D, R> first, BatchStrides strides, int slice, MatrixSums* sums) {
  using W = wide_of<D>;
  __shared__ double part[threads];
  const std::int64_t at = blockIdx.x;
  Matrix<D, R> g = first;
  g.a += at * strides.a;
  g.w += at * strides.w;
  g.z += at * strides.z;
  const int t = threadIdx.x + tile * threadIdx.y;

  double largest = 0;
  for (int q = t; q < g.n * g.n; q += threads) {
    const int i = q % g.n, j = q / g.n;
    if (g.stored(i, j)) largest = fmax(largest, largest_finite_part(g.entry(1, i, j)));
  }
  const int e = scale_of_check(largest_of_block(largest, part));
  const double scale = ldexp(1.0, -e);

  double norm = 0;
  for (int j = t; j < g.n; j += threads) {
    double column = 0;
    for (int i = 0; i < g.n; ++i) column += modulus(g.entry(scale, i, j));
    norm = larger_or_nan(norm, column);
  }
  norm = largest_of_block(norm, part);

  bool descends = false, infinite = false;
  for (int j = t; j < g.m; j += threads) {
    descends = descends || (j > 0 && !(g.w[j - 1] <= g.w[j]));
    infinite = infinite || !isfinite(g.w[j]);
  }
  for (int q = t; q < g.n * g.m; q += threads)
    infinite = infinite || !is_finite(in_double(g.z[q % g.n + q / g.n * g.ldz]));
  descends = __syncthreads_or(descends);
  infinite = __syncthreads_or(infinite);

  const auto a = [&](int i, int k) { return g.entry(scale, i, k); };
  const auto z = [&](int i, int j) { return in_double(g.z[i + j * g.ldz]); };
  const auto adjoint = [&](int i, int k) { return conj_of(in_double(g.z[k + i * g.ldz])); };
  const double residual = norm_of_product<W>(
      g.n, g.m, g.n, slice, a, z,
      [&](W az, int i, int j) { return az - ldexp(static_cast<double>(g.w[j]), -e) * z(i, j); }, part);
  const double gram = norm_of_product<W>(
      g.m, g.m, g.n, slice, adjoint, z, [](W zz, int i, int j) { return zz - W(i == j ? 1.0 : 0.0); }, part);
  if (t == 0) sums[at] = {norm, residual, gram, e, !descends, !infinite};
}

}  // namespace

template <class T>
std::vector<MatrixSums> verify_matrices(const Queue& queue, const BatchToVerify<T>& b) {
  using D = device_t<T>;
  constexpr std::int64_t most_blocks = std::int64_t{1} << 30;
  std::vector<MatrixSums> sums(static_cast<std::size_t>(b.count));
  const DeviceBuffer<MatrixSums> sums_dev(std::min(b.count, most_blocks));
  for (std::int64_t k = 0; k < b.count; k += most_blocks) {
    const std::int64_t count = std::min(most_blocks, b.count - k);
    const Matrix<D, real_t<T>> first{b.uplo == Uplo::lower,
                                     static_cast<int>(b.n),
                                     static_cast<int>(b.m),
                                     on_device(b.a + k * b.strides.a),
                                     b.lda,
                                     b.w + k * b.strides.w,
                                     on_device(b.z + k * b.strides.z),
                                     b.ldz};
    const auto slice = static_cast<int>(slice_of_sum(b.n) / tile * tile);
    verify_matrix<<<static_cast<unsigned>(count), dim3(tile, tile), 0, queue.stream()>>>(
        first, b.strides, slice, sums_dev.data());
    EIGEN_G_LAUNCHED();
    EIGEN_G_CUDA(cudaMemcpyAsync(sums.data() + k, sums_dev.data(),
                                 static_cast<std::size_t>(count) * sizeof(MatrixSums), cudaMemcpyDeviceToHost,
                                 queue.stream()));
  }
  queue.wait();
  return sums;
}

EIGEN_G_INSTANTIATE(all_types, verify_matrices);

}  // namespace eigen_g
