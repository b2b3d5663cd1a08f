#include <algorithm>

#include "blas2/spmv/block_arguments.hpp"
#include "blas2/spmv/block_rows.cuh"
#include "blas2/spmv/crs.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/stream/queue.hpp"

namespace eigen_g::blas2 {

namespace {

constexpr int threads = 256;

// `group` neighbouring lanes compute a row. Lane l adds the entries l, l + group, ... of the row. The sums of the lanes are
// added in a tree.
template <class T, int k, int group>
__global__ void __launch_bounds__(threads)
    crs_kernel(CrsView<T> a, T alpha, const T* __restrict__ x, T beta, T* __restrict__ y, T gamma) {
  const std::int64_t row = (std::int64_t{blockIdx.x} * threads + threadIdx.x) / group;
  const int lane = threadIdx.x % group;
  T sum[k] = {};
  if (row < a.rows) {
    const std::int64_t end = __ldg(a.row_offsets + row + 1);
#pragma unroll 4
    for (std::int64_t p = __ldg(a.row_offsets + row) + lane; p < end; p += group)
      add_product<k>(sum, __ldg(a.value + p), x, __ldg(a.col + p));
  }
#pragma unroll
  for (int d = group / 2; d > 0; d /= 2) {
#pragma unroll
    for (int j = 0; j < k; ++j) sum[j] += __shfl_xor_sync(0xffffffffu, sum[j], d);
  }
  if (lane == 0 && row < a.rows) store_row<k>(y, row, sum, alpha, beta, gamma, x);
}

template <class T, int k>
void launch(const Queue& queue, int group, const CrsView<T>& a, T alpha, const T* x, T beta, T* y, T gamma) {
  const auto blocks = static_cast<unsigned>((a.rows * group + threads - 1) / threads);
  const auto with = [&](auto kernel) {
    kernel<<<blocks, threads, 0, queue.stream()>>>(a, alpha, x, beta, y, gamma);
  };
  switch (group) {
    case 1:
      with(crs_kernel<T, k, 1>);
      break;
    case 2:
      with(crs_kernel<T, k, 2>);
      break;
    case 4:
      with(crs_kernel<T, k, 4>);
      break;
    case 8:
      with(crs_kernel<T, k, 8>);
      break;
    case 16:
      with(crs_kernel<T, k, 16>);
      break;
    case 32:
      with(crs_kernel<T, k, 32>);
      break;
    default:
      throw InvalidArgument("group", std::to_string(group) + " threads; must be 1, 2, 4, 8, 16 or 32");
  }
  EIGEN_G_LAUNCHED();
}

}  // namespace

int crs_group(std::int64_t rows, std::int64_t nnz, int /*k*/) {
  int group = 1;
  while (group < 32 && 8 * group * rows <= nnz) group *= 2;  // at least four entries for each thread
  return group;
}

template <class T>
void crs_multiply_by(const Queue& queue, int group, int k, same_t<T> alpha, const CrsView<T>& a_dev,
                     const same_t<T>* x_dev, same_t<T> beta, T* y_dev, same_t<T> gamma) {
  require_block(k, x_dev, y_dev);
  if (a_dev.rows == 0) return;
  if (k == 1) {
    launch<T, 1>(queue, group, a_dev, alpha, x_dev, beta, y_dev, gamma);
  } else {
    launch<T, 4>(queue, group, a_dev, alpha, x_dev, beta, y_dev, gamma);
  }
}

template <class T>
void crs_multiply(const Queue& queue, int k, same_t<T> alpha, const CrsView<T>& a_dev, const same_t<T>* x_dev,
                  same_t<T> beta, T* y_dev, same_t<T> gamma) {
  crs_multiply_by<T>(queue, crs_group(a_dev.rows, a_dev.nnz, k), k, alpha, a_dev, x_dev, beta, y_dev, gamma);
}

EIGEN_G_INSTANTIATE_OVERLOAD(real_types, crs_multiply,
                             void(const Queue&, int, T, const CrsView<T>&, const T*, T, T*, T));
EIGEN_G_INSTANTIATE(real_types, crs_multiply_by);

}  // namespace eigen_g::blas2
