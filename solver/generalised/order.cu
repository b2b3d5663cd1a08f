// The order of B's rows on a GPU, and copies in an order.
#include <algorithm>
#include <limits>

#include "gemm_df/engines/products.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/device_complex.cuh"
#include "hybrid/instantiate.hpp"
#include "hybrid/memory/arena.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/generalised/order.hpp"

namespace eigen_g {

namespace {

constexpr int threads = 256;
constexpr std::int64_t panel_columns = 128;  // columns of the factor between two updates of B
constexpr int max_columns_of_grid = 65535;   // largest y of a grid

unsigned blocks_of(std::int64_t rows) {
  return static_cast<unsigned>((rows + threads - 1) / threads);
}

// A row and the rest of its diagonal entry, after the pivots so far.
template <class R>
struct Pivot {
  R left;
  std::int64_t row;
};
// The row with more left; of equal ones the first.
template <class R>
__device__ Pivot<R> larger(Pivot<R> x, Pivot<R> y) {
  return y.left > x.left || (y.left == x.left && y.row < x.row) ? y : x;
}
// The largest of all threads' pivots, for every thread.
template <class R>
__device__ Pivot<R> largest_of_block(Pivot<R> mine) {
  __shared__ Pivot<R> held[threads];
  __syncthreads();
  held[threadIdx.x] = mine;
  for (int half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) held[threadIdx.x] = larger(held[threadIdx.x], held[threadIdx.x + half]);
  }
  __syncthreads();
  return held[0];
}

// The buffers of the workspace.
template <class T>
struct PivotParts {
  MatrixView<T> panel;  // columns of the factor; 0 in rows that are pivots already
  real_t<T>* left;      // the rest of the diagonal; -infinity for pivots
  std::int64_t* order;
  Pivot<real_t<T>>* best[2];  // the best pivot of each block of rows, before a column and after it

  PivotParts(Arena& arena, std::int64_t n)
      : panel(arena.matrix<T>(n, panel_columns, n)),
        left(arena.take<real_t<T>>(n)),
        order(arena.take<std::int64_t>(n)) {
    for (auto& of_blocks : best) of_blocks = arena.take<Pivot<real_t<T>>>(blocks_of(n));
  }
};

template <class T>
__global__ void __launch_bounds__(threads)
    begin_kernel(std::int64_t n, const T* b, std::int64_t ldb, real_t<T>* left, Pivot<real_t<T>>* best) {
  using R = real_t<T>;
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  Pivot<R> mine{-std::numeric_limits<R>::infinity(), i};
  if (i < n) left[i] = mine.left = real_of(b[i + i * ldb]);
  mine = largest_of_block(mine);
  if (threadIdx.x == 0) best[blockIdx.x] = mine;
}

// Chooses the pivot of column k of the factor and computes the column; a thread has one row. B is updated with all columns before this
// panel, and this column is number c of its panel.
template <class T>
__global__ void __launch_bounds__(threads)
    column_kernel(std::int64_t n, std::int64_t k, int c, const T* b, std::int64_t ldb, T* panel,
                  real_t<T>* left, std::int64_t* order, const Pivot<real_t<T>>* best,
                  Pivot<real_t<T>>* next) {
  using R = real_t<T>;
  constexpr R none = -std::numeric_limits<R>::infinity();
  __shared__ R row_memory[panel_columns * (sizeof(T) / sizeof(R))];
  T* const pivot_row = reinterpret_cast<T*>(row_memory);
  Pivot<R> pivot{none, n};
  for (unsigned block = threadIdx.x; block < gridDim.x; block += threads) pivot = larger(pivot, best[block]);
  pivot = largest_of_block(pivot);
  for (int t = threadIdx.x; t < c; t += threads) pivot_row[t] = conj_of(panel[pivot.row + t * n]);
  __syncthreads();

  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  Pivot<R> mine{none, i};
  if (i < n) {
    T entry{0};
    mine.left = i == pivot.row ? none : left[i];
    if (mine.left != none && pivot.left > 0) {
      entry = b[i + pivot.row * ldb];
      for (int t = 0; t < c; ++t) entry -= panel[i + t * n] * pivot_row[t];
      entry = (1 / sqrt(pivot.left)) * entry;
      mine.left -= real_product(entry, entry);
    }
    panel[i + c * n] = entry;
    left[i] = mine.left;
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) order[k] = pivot.row;
  mine = largest_of_block(mine);
  if (threadIdx.x == 0) next[blockIdx.x] = mine;
}

template <class T>
__global__ void __launch_bounds__(threads)
    take_in_order_kernel(std::int64_t n, const std::int64_t* order, const T* from, std::int64_t ld_from,
                         T* to, std::int64_t ld_to) {
  for (std::int64_t j = blockIdx.x; j < n; j += gridDim.x) {
    const std::int64_t col = order ? order[j] : j;
    for (std::int64_t i = j + threadIdx.x; i < n; i += threads) {
      const std::int64_t row = order ? order[i] : i;
      to[i + j * ld_to] = row >= col ? from[row + col * ld_from] : conj_of(from[col + row * ld_from]);
    }
  }
}

template <class T>
__global__ void __launch_bounds__(threads)
    take_rows_kernel(const std::int64_t* rows, const T* from, std::int64_t ld_from, std::int64_t m,
                     std::int64_t n, T* to, std::int64_t ld_to) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (i >= m) return;
  const std::int64_t row = rows ? rows[i] : i;
  for (std::int64_t j = blockIdx.y; j < n; j += gridDim.y) to[i + j * ld_to] = from[row + j * ld_from];
}

// All threads that write *minor write the same value.
template <class T>
__global__ void __launch_bounds__(threads)
    find_nearly_dependent_kernel(std::int64_t n, const std::int64_t* order, const T* b, std::int64_t ldb,
                                 const T* l, std::int64_t ldl, std::int64_t* minor) {
  const std::int64_t k = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (k >= n) return;
  const std::int64_t row = order ? order[k] : k;
  if (independent * real_of(l[k + k * ldl]) < sqrt(real_of(b[row + row * ldb])) && *minor == 0)
    *minor = nearly_dependent;
}

}  // namespace

template <class T>
RowOrder pivoted_order(const Products<T>& products, MatrixView<same_t<T>> b_dev, void* scratch_dev) {
  const std::int64_t n = b_dev.rows;
  RowOrder order(static_cast<std::size_t>(n));
  if (n == 0) return order;
  Arena arena(scratch_dev, pivoted_order_scratch<T>(n));
  const PivotParts<T> parts(arena, n);
  const auto stream = products.queue().stream();
  auto* const b = on_device(b_dev.data);
  begin_kernel<<<blocks_of(n), threads, 0, stream>>>(n, b, b_dev.lda, parts.left, parts.best[0]);
  EIGEN_G_LAUNCHED();
  for (std::int64_t k0 = 0; k0 < n; k0 += panel_columns) {
    const std::int64_t width = std::min(panel_columns, n - k0);
    for (std::int64_t k = k0; k < k0 + width; ++k) {
      column_kernel<<<blocks_of(n), threads, 0, stream>>>(
          n, k, static_cast<int>(k - k0), b, b_dev.lda, on_device(parts.panel.data), parts.left, parts.order,
          parts.best[k % 2], parts.best[(k + 1) % 2]);
      EIGEN_G_LAUNCHED();
    }
    const MatrixView<const T> columns = parts.panel.block(0, 0, n, width);
    if (k0 + width < n)
      gemm(products, Op::none, Op::conjugate_transpose, T{-1}, columns, columns, T{1}, b_dev);
  }
  EIGEN_G_CUDA(cudaMemcpyAsync(order.data(), parts.order, sizeof(std::int64_t) * order.size(),
                               cudaMemcpyDeviceToHost, stream));
  products.queue().wait();
  return order;
}

template <class T>
std::uint64_t pivoted_order_scratch(std::int64_t n) {
  return bytes_taken([n](Arena& arena) { PivotParts<T>(arena, n); });
}

template <class T>
void take_in_order(const Queue& queue, const std::int64_t* order_dev, MatrixView<const T> from_dev,
                   MatrixView<same_t<T>> to_dev) {
  const std::int64_t n = to_dev.rows, blocks = std::min<std::int64_t>(n, 16 * queue.multiprocessors());
  if (n == 0) return;
  take_in_order_kernel<<<static_cast<unsigned>(blocks), threads, 0, queue.stream()>>>(
      n, order_dev, on_device(from_dev.data), from_dev.lda, on_device(to_dev.data), to_dev.lda);
  EIGEN_G_LAUNCHED();
}

template <class T>
void take_rows(const Queue& queue, const std::int64_t* rows_dev, MatrixView<const T> from_dev,
               MatrixView<same_t<T>> to_dev) {
  if (to_dev.rows == 0 || to_dev.cols == 0) return;
  const dim3 blocks(blocks_of(to_dev.rows),
                    static_cast<unsigned>(std::min<std::int64_t>(to_dev.cols, max_columns_of_grid)));
  take_rows_kernel<<<blocks, threads, 0, queue.stream()>>>(rows_dev, on_device(from_dev.data), from_dev.lda,
                                                           to_dev.rows, to_dev.cols, on_device(to_dev.data),
                                                           to_dev.lda);
  EIGEN_G_LAUNCHED();
}

template <class T>
void find_nearly_dependent(const Queue& queue, const std::int64_t* order_dev, MatrixView<const T> b_dev,
                           MatrixView<const T> l_dev, std::int64_t* minor_dev) {
  if (l_dev.rows == 0) return;
  find_nearly_dependent_kernel<<<blocks_of(l_dev.rows), threads, 0, queue.stream()>>>(
      l_dev.rows, order_dev, on_device(b_dev.data), b_dev.lda, on_device(l_dev.data), l_dev.lda, minor_dev);
  EIGEN_G_LAUNCHED();
}

EIGEN_G_INSTANTIATE_OVERLOAD(all_types, take_in_order,
                             void(const Queue&, const std::int64_t*, MatrixView<const T>, MatrixView<T>));
EIGEN_G_INSTANTIATE(all_types, pivoted_order, pivoted_order_scratch, take_rows, find_nearly_dependent);

}  // namespace eigen_g
