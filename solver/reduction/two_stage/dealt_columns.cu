#include "solver/reduction/two_stage/dealt_columns.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

#include "hybrid/cuda_check.hpp"
#include "hybrid/device_complex.cuh"
#include "hybrid/instantiate.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/reduction/two_stage/dealt_part.cuh"

namespace eigen_g {

namespace {

constexpr int threads = 256;
constexpr int tile = 32, tile_rows = 8;  // copy_adjoint_kernel: a block is tile x tile_rows threads

template <class T>
__global__ void copy_adjoint_kernel(std::int64_t rows, std::int64_t cols, const T* from, std::int64_t ld_from,
                                    T* to, std::int64_t ld_to) {
  __shared__ T buffer[tile][tile + 1];
  const std::int64_t i0 = static_cast<std::int64_t>(blockIdx.x) * tile,
                     j0 = static_cast<std::int64_t>(blockIdx.y) * tile;
  for (int k = threadIdx.y; k < tile; k += tile_rows) {
    const std::int64_t i = i0 + threadIdx.x, j = j0 + k;
    if (i < rows && j < cols) buffer[k][threadIdx.x] = from[i + j * ld_from];
  }
  __syncthreads();
  for (int k = threadIdx.y; k < tile; k += tile_rows) {
    const std::int64_t i = i0 + k, j = j0 + threadIdx.x;
    if (i < rows && j < cols) to[j + i * ld_to] = conj_of(buffer[threadIdx.x][k]);
  }
}

template <class R>
struct BitsOf;
template <>
struct BitsOf<double> {
  using Bits = unsigned long long;
  static __device__ Bits of(double x) { return static_cast<Bits>(__double_as_longlong(x)); }
};
template <>
struct BitsOf<float> {
  using Bits = unsigned;
  static __device__ Bits of(float x) { return __float_as_uint(x); }
};

// Extremes of integers, so the order in which the blocks finish does not matter.
template <class R>
struct Findings {
  unsigned long long first_bad;
  typename BitsOf<R>::Bits largest_bits;
};

template <class R>
__device__ R largest_part(R x) {
  return fabs(x);
}
template <class R>
__device__ R largest_part(DeviceComplex<R> x) {
  const R re = fabs(x.re), im = fabs(x.im);
  return !isfinite(re) ? re : !isfinite(im) ? im : fmax(re, im);
}

template <class D, class R>
__global__ void __launch_bounds__(threads)
    check_part_kernel(DealtPart<const D> part, std::int64_t columns, Findings<R>* findings) {
  const DealtColumns& deal = part.deal;
  R largest = 0;
  unsigned long long bad = ~0ull;
  for (std::int64_t l = blockIdx.x; l < columns; l += gridDim.x) {
    const std::int64_t j = deal.global(part.part, l);
    const D* const column = part.column(l);
    for (std::int64_t i = j + threadIdx.x; i < deal.n; i += threads) {
      const R value = largest_part(column[i]);
      if (isfinite(value))
        largest = fmax(largest, value);
      else
        bad = min(bad, static_cast<unsigned long long>(i + j * deal.n));
    }
  }
  __shared__ R block_largest[threads];
  __shared__ unsigned long long block_bad[threads];
  block_largest[threadIdx.x] = largest;
  block_bad[threadIdx.x] = bad;
  for (int half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) {
      block_largest[threadIdx.x] = fmax(block_largest[threadIdx.x], block_largest[threadIdx.x + half]);
      block_bad[threadIdx.x] = min(block_bad[threadIdx.x], block_bad[threadIdx.x + half]);
    }
  }
  if (threadIdx.x == 0) {
    atomicMax(&findings->largest_bits, BitsOf<R>::of(block_largest[0]));
    atomicMin(&findings->first_bad, block_bad[0]);
  }
}

template <class D>
__global__ void __launch_bounds__(threads) scale_part_kernel(DealtPart<D> part, std::int64_t columns, int k) {
  const DealtColumns& deal = part.deal;
  for (std::int64_t l = blockIdx.x; l < columns; l += gridDim.x) {
    const std::int64_t begin = deal.global(part.part, l) / deal.height * deal.height;
    D* const column = part.column(l);
    for (std::int64_t i = begin + threadIdx.x; i < deal.n; i += threads) column[i] = scalbn(column[i], k);
  }
}

template <class R>
__device__ R square_of(R x) {
  return x * x;
}
template <class R>
__device__ R square_of(DeviceComplex<R> x) {
  return x.re * x.re + x.im * x.im;
}

template <class D, class R>
__global__ void __launch_bounds__(threads) part_squares_kernel(DealtPart<const D> part, R* squares) {
  const DealtColumns& deal = part.deal;
  const std::int64_t l = blockIdx.x, j = deal.global(part.part, l);
  const D* const column = part.column(l);
  __shared__ R sums[threads];
  R sum = 0;
  for (std::int64_t i = j + 1 + threadIdx.x; i < deal.n; i += threads) sum += square_of(column[i]);
  sums[threadIdx.x] = sum;
  for (int half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) {
    const R diagonal = real_of(column[j]);
    squares[l] = diagonal * diagonal + 2 * sums[0];
  }
}

template <class D>
__global__ void band_of_part_kernel(DealtPart<const D> part, std::int64_t b, std::int64_t last, D* band,
                                    std::int64_t ldb) {
  const std::int64_t l = blockIdx.x, j = part.deal.global(part.part, l),
                     end = j < last ? (j / b + 1) * b : part.deal.n;
  const D* const column = part.column(l);
  for (std::int64_t i = j + threadIdx.x; i < end; i += blockDim.x) band[i - j + j * ldb] = column[i];
}

std::int64_t blocks_for(const Queue& queue, std::int64_t columns) {
  return std::min<std::int64_t>(columns, 16 * queue.multiprocessors());
}

}  // namespace

template <class T>
void copy_adjoint(const Queue& queue, MatrixView<const same_t<T>> from_dev, MatrixView<T> to_dev) {
  if (from_dev.rows == 0 || from_dev.cols == 0) return;
  const dim3 grid(static_cast<unsigned>((from_dev.rows + tile - 1) / tile),
                  static_cast<unsigned>((from_dev.cols + tile - 1) / tile));
  copy_adjoint_kernel<<<grid, dim3(tile, tile_rows), 0, queue.stream()>>>(
      from_dev.rows, from_dev.cols, on_device(from_dev.data), from_dev.lda, on_device(to_dev.data),
      to_dev.lda);
  EIGEN_G_LAUNCHED();
}

template <class T>
PartFacts<real_t<T>> check_part(const Queue& queue, const DealtPart<const same_t<T>>& part_dev,
                                T* scratch_dev) {
  using R = real_t<T>;
  const DealtColumns& deal = part_dev.deal;
  const std::int64_t columns = part_dev.columns();
  if (columns == 0) return {};
  static_assert(sizeof(Findings<R>) <= check_part_bytes);
  auto* const findings = reinterpret_cast<Findings<R>*>(scratch_dev);
  Findings<R> host{~0ull, 0};
  EIGEN_G_CUDA(cudaMemcpyAsync(findings, &host, sizeof host, cudaMemcpyHostToDevice, queue.stream()));
  check_part_kernel<<<static_cast<unsigned>(blocks_for(queue, columns)), threads, 0, queue.stream()>>>(
      on_device(part_dev), columns, findings);
  EIGEN_G_LAUNCHED();
  EIGEN_G_CUDA(cudaMemcpyAsync(&host, findings, sizeof host, cudaMemcpyDeviceToHost, queue.stream()));
  queue.wait();
  PartFacts<R> facts;
  std::memcpy(&facts.largest, &host.largest_bits, sizeof facts.largest);
  if (host.first_bad == ~0ull) return facts;
  facts.first_bad = static_cast<std::int64_t>(host.first_bad);
  T value = 0;
  const T* const at = part_dev.column(deal.local(facts.first_bad / deal.n)) + facts.first_bad % deal.n;
  EIGEN_G_CUDA(cudaMemcpyAsync(&value, at, sizeof value, cudaMemcpyDeviceToHost, queue.stream()));
  queue.wait();
  facts.bad_value = std::isfinite(std::real(value)) ? std::imag(value) : std::real(value);
  return facts;
}

template <class T>
void scale_part(const Queue& queue, const DealtPart<T>& part_dev, int k) {
  const std::int64_t columns = part_dev.columns();
  if (k == 0 || columns == 0) return;
  scale_part_kernel<<<static_cast<unsigned>(blocks_for(queue, columns)), threads, 0, queue.stream()>>>(
      on_device(part_dev), columns, k);
  EIGEN_G_LAUNCHED();
}

template <class T>
void squares_of_part(const Queue& queue, const DealtPart<const same_t<T>>& part_dev, real_t<T>* squares_dev) {
  const std::int64_t columns = part_dev.columns();
  if (columns == 0) return;
  part_squares_kernel<<<static_cast<unsigned>(columns), threads, 0, queue.stream()>>>(on_device(part_dev),
                                                                                      squares_dev);
  EIGEN_G_LAUNCHED();
}

template <class T>
void band_of_part(const Queue& queue, std::int64_t b, std::int64_t last,
                  const DealtPart<const same_t<T>>& part_dev, MatrixView<T> band_dev) {
  const std::int64_t columns = part_dev.columns();
  if (columns == 0) return;
  band_of_part_kernel<<<static_cast<unsigned>(columns), 128, 0, queue.stream()>>>(
      on_device(part_dev), b, last, on_device(band_dev.data), band_dev.lda);
  EIGEN_G_LAUNCHED();
}

EIGEN_G_INSTANTIATE(all_types, copy_adjoint, check_part, scale_part, squares_of_part, band_of_part);

}  // namespace eigen_g
