#include <algorithm>

#include "gemm_df/tall_product.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/round_up.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/warp_sum.cuh"

namespace eigen_g {

namespace {

constexpr int threads = 128, warps = threads / 32;
// Column blocks that a thread handles at once: 4 rows of 32 bytes are in flight, and W is read a quarter as often.
constexpr int group = 4;
// Column blocks of V whose coefficients are in shared memory at once, in subtract and combine.
constexpr int blocks_in_shared = 16;

// A row of a column block, loaded in words of 16 bytes.
template <class T>
struct alignas(16) Row {
  T at[4];
};

// Rows of a chunk, determined by n alone. A thread block handles one chunk; the sums of the chunks are added in order.
__host__ __device__ inline std::int64_t gram_rows(std::int64_t n) {
  const std::int64_t rows = (n + 1023) / 1024;
  return rows < 2048 ? 2048 : round_up(rows, threads);
}
__host__ __device__ inline std::int64_t subtract_rows(std::int64_t n) {
  const std::int64_t rows = (n + 4095) / 4096;
  return rows < 512 ? 512 : round_up(rows, threads);
}
std::int64_t chunks_of(std::int64_t n, std::int64_t rows) {
  return (n + rows - 1) / rows;
}

// Sums of a[0 ... count) over the 32 lanes. Each lane ends with count / 32 of the sums, at least one. In each step, lanes with
// a clear lane bit keep the first half of the array, and lanes with a set bit the second. block_sums() knows which lane ends
// with which value.
template <int count, int distance, class T>
__device__ inline void scatter_sums(T (&a)[count]) {
  if constexpr (distance > 0) {
    if constexpr (count > 1) {
      constexpr int half = count / 2;
      const bool upper = threadIdx.x & distance;
      T rest[half];
#pragma unroll
      for (int i = 0; i < half; ++i) {
        const T sent = upper ? a[i] : a[i + half];
        rest[i] = (upper ? a[i + half] : a[i]) + __shfl_xor_sync(0xffffffffu, sent, distance);
      }
      scatter_sums<half, distance / 2>(rest);
#pragma unroll
      for (int i = 0; i < half; ++i) a[i] = rest[i];
    } else {
      a[0] += __shfl_xor_sync(0xffffffffu, a[0], distance);
      scatter_sums<1, distance / 2>(a);
    }
  }
}

// Sums of `count` values over the threads of a block, written to sums[0 ... count). count: a power of two, at least 16.
template <int count, class T>
__device__ inline void block_sums(T (&a)[count], T* sums) {
  __shared__ T shared[warps][count];
  scatter_sums<count, 16>(a);
  // Lane bits 16, 8, ... chose the halves. So the values of a lane begin at the index that these bits form.
  const int lane = threadIdx.x % 32;
  constexpr int held = count >= 32 ? count / 32 : 1;
  constexpr int lanes_a_value = count >= 32 ? 1 : 32 / count;
  if (lane % lanes_a_value == 0)
#pragma unroll
    for (int i = 0; i < held; ++i) shared[threadIdx.x / 32][lane / lanes_a_value * held + i] = a[i];
  __syncthreads();
  for (int e = threadIdx.x; e < count; e += threads) {
    T sum = shared[0][e];
#pragma unroll
    for (int w = 1; w < warps; ++w) sum += shared[w][e];
    sums[e] = sum;
  }
}

// partial[chunk][block][16] := V^T W over the rows of a chunk, for `width` column blocks of V from `first` on. A thread block
// handles one chunk and one group of `width` column blocks. Groups of one chunk are neighbours in the grid, so W comes from L2
// for all except one.
template <int width, class T>
__global__ void __launch_bounds__(threads)
    gram_kernel(std::int64_t n, std::int64_t first, std::int64_t groups, std::int64_t p,
                const T* __restrict__ v, const T* __restrict__ w, T* __restrict__ partial) {
  const std::int64_t chunk = blockIdx.x / groups, block = first + blockIdx.x % groups * width;
  const std::int64_t rows = gram_rows(n), begin = chunk * rows;
  const std::int64_t end = begin + rows < n ? begin + rows : n;
  T sums[16 * width] = {};
  for (std::int64_t row = begin + threadIdx.x; row < end; row += threads) {
    const Row<T> right = reinterpret_cast<const Row<T>*>(w)[row];
#pragma unroll
    for (int g = 0; g < width; ++g) {
      const Row<T> left = reinterpret_cast<const Row<T>*>(v)[(block + g) * n + row];
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) sums[16 * g + 4 * i + j] += left.at[i] * right.at[j];
    }
  }
  block_sums(sums, partial + (chunk * p + block) * 16);
}

// sum[e] := partial[0][e] + partial[1][e] + .... One warp computes a sum; the sums of its lanes are added in a tree.
template <class T>
__global__ void __launch_bounds__(threads)
    add_chunks_kernel(std::int64_t chunks, std::int64_t values, const T* __restrict__ partial,
                      T* __restrict__ sum) {
  const std::int64_t e = blockIdx.x * std::int64_t{warps} + threadIdx.x / 32;
  if (e >= values) return;
  T total = 0;
  for (std::int64_t chunk = threadIdx.x % 32; chunk < chunks; chunk += 32)
    total += partial[chunk * values + e];
  total = warp_sum(total);
  if (threadIdx.x % 32 == 0) sum[e] = total;
}

// W := W - V C over a chunk, one thread for each row, and partial[chunk][16] := W^T W.
template <class T>
__global__ void __launch_bounds__(threads)
    subtract_kernel(std::int64_t n, std::int64_t p, const T* __restrict__ v, const T* __restrict__ c,
                    T* __restrict__ w, T* __restrict__ partial) {
  __shared__ T coefficients[blocks_in_shared * 16];
  const std::int64_t rows = subtract_rows(n), begin = blockIdx.x * rows;
  T sums[16] = {};
  for (std::int64_t base = 0; base < rows; base += threads) {
    const std::int64_t row = begin + base + threadIdx.x;
    Row<T> own{};
    if (row < n) own = reinterpret_cast<const Row<T>*>(w)[row];
    for (std::int64_t first = 0; first < p; first += blocks_in_shared) {
      const int count = static_cast<int>(p - first < blocks_in_shared ? p - first : blocks_in_shared);
      if (p > blocks_in_shared || base == 0) {
        __syncthreads();
        for (int e = threadIdx.x; e < 16 * count; e += threads) coefficients[e] = c[first * 16 + e];
        __syncthreads();
      }
      if (row >= n) continue;
#pragma unroll 4
      for (int block = 0; block < count; ++block) {
        const Row<T> left = reinterpret_cast<const Row<T>*>(v)[(first + block) * n + row];
        const T* const s = coefficients + 16 * block;
#pragma unroll
        for (int i = 0; i < 4; ++i)
#pragma unroll
          for (int j = 0; j < 4; ++j) own.at[j] -= left.at[i] * s[4 * i + j];
      }
    }
    if (row >= n) continue;
    reinterpret_cast<Row<T>*>(w)[row] = own;
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j) sums[4 * i + j] += own.at[i] * own.at[j];
  }
  block_sums(sums, partial + blockIdx.x * std::int64_t{16});
}

template <class T>
__global__ void __launch_bounds__(threads)
    times_kernel(std::int64_t n, T* __restrict__ w, const T* __restrict__ s) {
  const std::int64_t row = blockIdx.x * std::int64_t{threads} + threadIdx.x;
  if (row >= n) return;
  const Row<T> own = reinterpret_cast<const Row<T>*>(w)[row];
  Row<T> result{};
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) result.at[j] += own.at[i] * __ldg(s + 4 * i + j);
  reinterpret_cast<Row<T>*>(w)[row] = result;
}

// One thread computes a row of `group` column blocks of Z. Groups of the same rows are neighbours in the grid.
template <class T>
__global__ void __launch_bounds__(threads)
    combine_kernel(std::int64_t n, std::int64_t p, const T* __restrict__ v, const T* __restrict__ q,
                   std::int64_t q_blocks, std::int64_t groups, T* __restrict__ z) {
  constexpr int columns = 4 * group;
  __shared__ T coefficients[blocks_in_shared * 4 * columns];
  const std::int64_t row = blockIdx.x / groups * threads + threadIdx.x, to = blockIdx.x % groups * group;
  T sums[columns] = {};
  for (std::int64_t first = 0; first < p; first += blocks_in_shared) {
    const int count = static_cast<int>(p - first < blocks_in_shared ? p - first : blocks_in_shared);
    __syncthreads();
    for (int e = threadIdx.x; e < 4 * columns * count; e += threads) {
      const std::int64_t column = 4 * to + e % columns;
      coefficients[e] = column < 4 * q_blocks ? q[(4 * first + e / columns) * 4 * q_blocks + column] : T(0);
    }
    __syncthreads();
    if (row >= n) continue;
#pragma unroll 2
    for (int block = 0; block < count; ++block) {
      const Row<T> left = reinterpret_cast<const Row<T>*>(v)[(first + block) * n + row];
      const T* const s = coefficients + 4 * columns * block;
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < columns; ++j) sums[j] += left.at[i] * s[columns * i + j];
    }
  }
  if (row >= n) return;
#pragma unroll
  for (int g = 0; g < group; ++g)
    if (to + g < q_blocks)
      reinterpret_cast<Row<T>*>(z)[(to + g) * n + row] =
          Row<T>{{sums[4 * g], sums[4 * g + 1], sums[4 * g + 2], sums[4 * g + 3]}};
}

unsigned blocks_of(std::int64_t count) {
  return static_cast<unsigned>(count);
}

template <int width, class T>
void gram_groups(const Queue& queue, std::int64_t n, std::int64_t first, std::int64_t groups, std::int64_t p,
                 const T* v, const T* w, T* work) {
  if (groups == 0) return;
  gram_kernel<width><<<blocks_of(groups * chunks_of(n, gram_rows(n))), threads, 0, queue.stream()>>>(
      n, first, groups, p, v, w, work);
  EIGEN_G_LAUNCHED();
}

template <class T>
void add_chunks(const Queue& queue, std::int64_t chunks, std::int64_t values, const T* work, T* sum) {
  add_chunks_kernel<<<blocks_of((values + warps - 1) / warps), threads, 0, queue.stream()>>>(chunks, values,
                                                                                             work, sum);
  EIGEN_G_LAUNCHED();
}

}  // namespace

std::int64_t tall_work(std::int64_t n, std::int64_t p) {
  return 16 * std::max(p * chunks_of(n, gram_rows(n)), chunks_of(n, subtract_rows(n)));
}

template <class T>
void tall_gram(const Queue& queue, std::int64_t n, std::int64_t p, const T* v_dev, const T* w_dev, T* c_dev,
               T* work_dev) {
  if (p == 0) return;
  const std::int64_t whole = p / group * group;
  gram_groups<group>(queue, n, 0, n > 0 ? p / group : 0, p, v_dev, w_dev, work_dev);
  gram_groups<1>(queue, n, whole, n > 0 ? p - whole : 0, p, v_dev, w_dev, work_dev);
  add_chunks(queue, chunks_of(n, gram_rows(n)), p * 16, work_dev, c_dev);
}

template <class T>
void tall_subtract(const Queue& queue, std::int64_t n, std::int64_t p, const T* v_dev, const T* c_dev,
                   T* w_dev, T* g_dev, T* work_dev) {
  const std::int64_t chunks = chunks_of(n, subtract_rows(n));
  if (n > 0) {
    subtract_kernel<<<blocks_of(chunks), threads, 0, queue.stream()>>>(n, p, v_dev, c_dev, w_dev, work_dev);
    EIGEN_G_LAUNCHED();
  }
  add_chunks(queue, chunks, 16, work_dev, g_dev);
}

template <class T>
void tall_times(const Queue& queue, std::int64_t n, T* w_dev, const T* s_dev) {
  if (n == 0) return;
  times_kernel<<<blocks_of((n + threads - 1) / threads), threads, 0, queue.stream()>>>(n, w_dev, s_dev);
  EIGEN_G_LAUNCHED();
}

template <class T>
void tall_combine(const Queue& queue, std::int64_t n, std::int64_t p, const T* v_dev, const T* q_dev,
                  std::int64_t q_blocks, T* z_dev) {
  if (n == 0 || q_blocks == 0) return;
  const std::int64_t groups = (q_blocks + group - 1) / group;
  combine_kernel<<<blocks_of((n + threads - 1) / threads * groups), threads, 0, queue.stream()>>>(
      n, p, v_dev, q_dev, q_blocks, groups, z_dev);
  EIGEN_G_LAUNCHED();
}

EIGEN_G_INSTANTIATE(double_type, tall_gram, tall_subtract, tall_times, tall_combine);

}  // namespace eigen_g
