// The back-transformation of few rows. The columns of Z are independent. Each thread block loads eight of them into its shared memory
// and applies all blocks of reflectors to them. It does not communicate with other thread blocks:
//
//   Z := Z - V (T (V^T Z)),   V: 32 reflectors, the last block first.
//
// V is read twice from L2. The rows are assigned to the warps in chunks of 16, in the same way for all blocks of reflectors. Thus only
// one warp reads and writes a given row of Z.
#include <algorithm>

#include "gemm_df/tensor_core.cuh"
#include "hybrid/cuda_check.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/pair.hpp"
#include "hybrid/stream/dynamic_shared.cuh"
#include "hybrid/stream/queue.hpp"
#include "hybrid/stream/shared_memory.hpp"
#include "solver/back/back_transform_panel.hpp"
#include "solver/back/triangular_factor.hpp"

namespace eigen_g {

namespace {

constexpr int width = 32, columns = 8, chunk = 16;
constexpr int apply_warps = 16;
constexpr int square = width * width, product = width * columns;

template <class T>
struct Reflectors {
  const T* a;
  std::int64_t lda;
  std::int32_t n;

  __device__ std::int32_t count() const { return n - 1; }
  // Rows `row` and row + 1 of reflector j, row even. Beyond the last reflector it returns the last one; T is zero there.
  __device__ pair_t<T> rows(std::int32_t row, std::int32_t j) const {
    return __ldg(reinterpret_cast<const pair_t<T>*>(a + row + min(j, count() - 1) * lda));
  }
};

// Stride of the columns of Z in shared memory: 4 (mod 16) doubles or 8 (mod 16) floats, which avoids bank conflicts.
template <class T>
__host__ __device__ std::int32_t panel_stride(std::int32_t n) {
  return (n + chunk - 1) / chunk * chunk + 32 / std::int32_t{sizeof(T)};
}
template <class T>
std::size_t panel_bytes(std::int64_t n) {
  return sizeof(T) * static_cast<std::size_t>(columns * panel_stride<T>(static_cast<std::int32_t>(n)) +
                                              (apply_warps + 2) * product + square);
}

template <class T>
__global__ void __launch_bounds__(32 * apply_warps, 1)
    apply_panels_kernel(const Reflectors<T> v, const T* all_t, std::int32_t m, T* z, std::int64_t ldz) {
  constexpr int threads = 32 * apply_warps;
  T* const panel = DynamicShared<T>::memory();
  const std::int32_t stride = panel_stride<T>(v.n);
  T* const partial = panel + columns * stride;  // apply_warps x product
  T* const vz = partial + apply_warps * product;
  T* const tvz = vz + product;
  T* const t_block = tvz + product;

  const std::int32_t first_column = blockIdx.x * columns, own_columns = min(columns, m - first_column);
  z += first_column * ldz;
  for (int c = 0; c < columns; ++c)
    for (std::int32_t row = threadIdx.x; row < stride; row += threads)
      panel[row + c * stride] = c < own_columns && row < v.n ? z[row + c * ldz] : 0;
  __syncthreads();

  const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  // The panel's column for column index c of an mma, in V^T Z and in Z - V (...). Chosen so that the threads of an access to shared
  // memory use different banks.
  const auto in_product = [](int c) { return c % 4 == 1 || c % 4 == 2 ? c ^ 3 : c; };
  const auto in_update = [](int c) { return c / 2 + c % 2 * 4; };

  struct Part {
    pair_t<T> value[8];
  };
  for (std::int32_t block = (v.count() - 1) / width; block >= 0; --block) {
    const std::int32_t first = block * width, first_chunk = (first + 1) / chunk;
    const std::int32_t own_row =
        chunk * (first_chunk + (warp - first_chunk % apply_warps + apply_warps) % apply_warps);
    constexpr std::int32_t step = chunk * apply_warps;

    // V^T Z over the warp's rows.
    const auto transposed = [&](std::int32_t row) {
      Part part;
#pragma unroll
      for (int k = 0; k < 2; ++k)
#pragma unroll
        for (int i = 0; i < 4; ++i) part.value[4 * k + i] = v.rows(row + 8 * k + 2 * t, first + 8 * i + g);
      return part;
    };
    T sum[2][4] = {};
    Part next{};
    if (own_row < v.n) next = transposed(own_row);
    for (int k = threadIdx.x; k < square; k += threads) t_block[k] = all_t[block * square + k];
    for (std::int32_t row = own_row; row < v.n; row += step) {
      const Part part = next;
      if (row + step < v.n) next = transposed(row + step);
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        const pair_t<T> b =
            *reinterpret_cast<const pair_t<T>*>(panel + in_product(g) * stride + row + 8 * k + 2 * t);
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          const pair_t<T> upper = part.value[4 * k + 2 * i], lower = part.value[4 * k + 2 * i + 1];
          mma(sum[i], upper.x, lower.x, b.x);
          mma(sum[i], upper.y, lower.y, b.y);
        }
      }
    }
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int e = 0; e < 4; ++e)
        partial[warp * product + (16 * i + g + e / 2 * 8) * columns + in_product(2 * t + e % 2)] = sum[i][e];

    // Z - V (T V^T Z) in the warp's rows. Its first rows of V are loaded while V^T Z is summed over the warps.
    const auto plain = [&](std::int32_t row) {
      Part part;
#pragma unroll
      for (int k = 0; k < 8; ++k) part.value[k] = v.rows(row + 2 * g, first + 4 * k + t);
      return part;
    };
    if (own_row < v.n) next = plain(own_row);
    __syncthreads();
    if (threadIdx.x < product) {
      T total = 0;
#pragma unroll
      for (int part = 0; part < apply_warps; ++part) total += partial[part * product + threadIdx.x];
      vz[threadIdx.x] = total;
    }
    __syncthreads();
    if (threadIdx.x < product) {
      const int row = threadIdx.x / columns, c = threadIdx.x % columns;
      T dot[4] = {};
#pragma unroll
      for (int l = 0; l < width; ++l)
        dot[l % 4] = fma(t_block[row + l * width], vz[l * columns + c], dot[l % 4]);
      tvz[threadIdx.x] = -((dot[0] + dot[1]) + (dot[2] + dot[3]));
    }
    __syncthreads();
    T factor[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) factor[k] = tvz[(4 * k + t) * columns + in_update(g)];
    for (std::int32_t row = own_row; row < v.n; row += step) {
      const Part part = next;
      if (row + step < v.n) next = plain(row + step);
      pair_t<T>* const left = reinterpret_cast<pair_t<T>*>(panel + in_update(2 * t) * stride + row + 2 * g);
      pair_t<T>* const right =
          reinterpret_cast<pair_t<T>*>(panel + in_update(2 * t + 1) * stride + row + 2 * g);
      T own[4] = {left->x, right->x, left->y, right->y};
#pragma unroll
      for (int k = 0; k < 8; ++k) mma(own, part.value[k].x, part.value[k].y, factor[k]);
      *left = {own[0], own[2]};
      *right = {own[1], own[3]};
    }
    __syncwarp();
  }
  __syncthreads();
  for (int c = 0; c < own_columns; ++c)
    for (std::int32_t row = threadIdx.x; row < v.n; row += threads)
      z[row + c * ldz] = panel[row + c * stride];
}

}  // namespace

std::int64_t back_transform_panels_workspace(std::int64_t n) {
  return ReflectorBlocks{n, width}.elements();
}

template <class T>
bool back_transform_panels_fit(std::int64_t n) {
  int device = 0, shared = 0;
  EIGEN_G_CUDA(cudaGetDevice(&device));
  EIGEN_G_CUDA(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  return panel_bytes<T>(n) <= static_cast<std::size_t>(shared);
}

template <class T>
void back_transform_panels(const Queue& queue, MatrixView<const same_t<T>> a_dev, const same_t<T>* tau_dev,
                           MatrixView<T> z_dev, same_t<T>* workspace_dev) {
  const auto n = static_cast<std::int32_t>(a_dev.rows), m = static_cast<std::int32_t>(z_dev.cols);
  if (n < 2 || m == 0) return;
  const Reflectors<T> reflectors{a_dev.data, a_dev.lda, n};
  const std::size_t shared = panel_bytes<T>(n);
  allow_shared_memory(apply_panels_kernel<T>, shared);
  triangular_factors<T>(queue, {n, width}, a_dev, tau_dev, nullptr, workspace_dev);
  apply_panels_kernel<T>
      <<<static_cast<unsigned>((m + columns - 1) / columns), 32 * apply_warps, shared, queue.stream()>>>(
          reflectors, workspace_dev, m, z_dev.data, z_dev.lda);
  EIGEN_G_LAUNCHED();
}

EIGEN_G_INSTANTIATE(real_types, back_transform_panels_fit, back_transform_panels);

}  // namespace eigen_g
