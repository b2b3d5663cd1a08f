// Kernels for the diagonal blocks of a Cholesky factor: factorisation, products and solves, difference.
#include "solver/generalised/diagonal_blocks.hpp"

#include <algorithm>

#include "hybrid/cuda_check.hpp"
#include "hybrid/device_complex.cuh"
#include "hybrid/instantiate.hpp"
#include "hybrid/stream/dynamic_shared.cuh"
#include "hybrid/stream/queue.hpp"
#include "hybrid/stream/shared_memory.hpp"

namespace eigen_g {

namespace {

constexpr int across = 16,
              per_thread = diagonal_block / across;  // threads along a side; rows and columns of each
constexpr int order = diagonal_block;
constexpr int apply_threads = 128, vectors_of_warp = 8,
              pitch = order + 1;  // distance of two columns in shared memory

// In the factorisation thread (x, y) has rows x + 16 r and columns y + 16 c in registers. Column passes one column to all threads: its
// entries below the pivot, and the pivot. There are two of them, used in turn, so that one barrier a column is enough.
template <class T>
struct Column {
  T below[order];
  real_t<T> pivot;
};

// sum + x y, sum - x conj(y), x / d
template <class R>
__device__ R plus_product(R sum, R x, R y) {
  return sum + x * y;
}
template <class R>
__device__ DeviceComplex<R> plus_product(DeviceComplex<R> sum, DeviceComplex<R> x, DeviceComplex<R> y) {
  return fma(x, y, sum);
}
template <class R>
__device__ R minus_adjoint_product(R sum, R x, R y) {
  return sum - x * y;
}
template <class R>
__device__ DeviceComplex<R> minus_adjoint_product(DeviceComplex<R> sum, DeviceComplex<R> x,
                                                  DeviceComplex<R> y) {
  return fma(-x, conj_of(y), sum);
}
template <class R>
__device__ R over(R x, R d) {
  return x / d;
}
template <class R>
__device__ DeviceComplex<R> over(DeviceComplex<R> x, R d) {
  return {x.re / d, x.im / d};
}

template <class T>
__global__ void __launch_bounds__(across* across)
    factor_kernel(std::int64_t first, int size, T* b, std::int64_t ldb, std::int64_t* minor) {
  __shared__ Column<T> columns[2];
  using R = real_t<T>;
  __shared__ R root[order];
  T a[per_thread][per_thread];
#pragma unroll
  for (int c = 0; c < per_thread; ++c)
#pragma unroll
    for (int r = 0; r < per_thread; ++r) {
      const int i = threadIdx.x + across * r, j = threadIdx.y + across * c;
      a[r][c] = i < size && j <= i ? b[i + j * ldb] : i == j ? T{1} : T{0};
    }
  int bad = order;  // first row whose pivot is not positive
#pragma unroll
  for (int c = 0; c < per_thread; ++c)
    for (int q = 0; q < across; ++q) {
      const int j = across * c + q;
      Column<T>& column = columns[q % 2];
      if (threadIdx.y == q) {
#pragma unroll
        for (int r = 0; r < per_thread; ++r) {
          const int i = threadIdx.x + across * r;
          column.below[i] = i > j ? a[r][c] : T{0};
          if (i == j) column.pivot = real_of(a[r][c]);
        }
      }
      __syncthreads();
      R pivot = column.pivot;
      if (!(pivot > R{0})) {
        bad = min(bad, j);
        pivot = R{1};
      }
      if (threadIdx.x == 0 && threadIdx.y == 0) root[j] = pivot;
      const R inverse = R{1} / pivot;
      T left[per_thread];
#pragma unroll
      for (int r = 0; r < per_thread; ++r) left[r] = inverse * column.below[threadIdx.x + across * r];
#pragma unroll
      for (int k = c; k < per_thread; ++k) {
        const T top = column.below[threadIdx.y + across * k];
#pragma unroll
        for (int r = c; r < per_thread; ++r) a[r][k] = minus_adjoint_product(a[r][k], left[r], top);
      }
    }
  __syncthreads();
  if (const int i = threadIdx.x + across * threadIdx.y; i < order) root[i] = sqrt(root[i]);
  __syncthreads();
  if (threadIdx.x == 0 && threadIdx.y == 0 && bad < size && *minor == 0) *minor = first + bad + 1;
#pragma unroll
  for (int c = 0; c < per_thread; ++c)
#pragma unroll
    for (int r = 0; r < per_thread; ++r) {
      const int i = threadIdx.x + across * r, j = threadIdx.y + across * c;
      if (i < size && j <= i) b[i + j * ldb] = i == j ? T(root[j]) : over(a[r][c], root[j]);
    }
}

// X := op(L^+-1) X or X op(L^+-1). Lane i of a warp has rows i and i + 32 of its vectors in registers; the vectors are columns (left) or
// rows (right) of X. If `down`, a multiple of x_j is added to the x_i with i > j (L from the left, L^H from the right), else to the
// x_i with i < j. s[pitch j + i] is the coefficient; it is 0 for all other i. The diagonal of L is real.
// L is loaded with `at_once` loads in flight, as the registers allow, because one load after the other takes most of the kernel's time.
template <bool inverse, bool down, bool left, class T>
__global__ void __launch_bounds__(apply_threads)
    apply_kernel(int size, const T* l, std::int64_t ldl, std::int64_t vectors, T* x, std::int64_t ldx) {
  using R = real_t<T>;
  constexpr bool ascending = inverse == down, adjoint = left != down;
  constexpr int at_once = is_complex<T> ? 8 : 16;
  T* const s = DynamicShared<T>::memory();
  R* const d = reinterpret_cast<R*>(s + pitch * order);  // the diagonal, or its reciprocals
  const int lane = threadIdx.x % 32;
  const std::int64_t first =
      vectors_of_warp * (std::int64_t{blockIdx.x} * (apply_threads / 32) + threadIdx.x / 32);
  const auto at = [&](int i, int k) -> T& {
    return left ? x[i + (first + k) * ldx] : x[first + k + i * ldx];
  };
  T held[2][vectors_of_warp];
#pragma unroll
  for (int h = 0; h < 2; ++h)
#pragma unroll
    for (int k = 0; k < vectors_of_warp; ++k)
      held[h][k] = lane + 32 * h < size && first + k < vectors ? at(lane + 32 * h, k) : T{0};
  for (int begin = threadIdx.x; begin < order * order; begin += at_once * apply_threads) {
    T entries[at_once];
#pragma unroll
    for (int q = 0; q < at_once; ++q) {
      const int k = begin + q * apply_threads, i = k % order, j = k / order;
      entries[q] = i < size && j <= i ? l[i + j * ldl] : i == j ? T{1} : T{0};
    }
#pragma unroll
    for (int q = 0; q < at_once; ++q) {
      const int k = begin + q * apply_threads, i = k % order, j = k / order;
      const T value = adjoint ? conj_of(entries[q]) : entries[q];
      s[down ? pitch * j + i : pitch * i + j] = i == j ? T{0} : inverse ? -value : value;
      if (i == j) d[i] = inverse ? R{1} / real_of(value) : real_of(value);
    }
  }
  __syncthreads();
#pragma unroll
  for (int part = 0; part < 2; ++part) {
    constexpr int last = 31;
    const int h = ascending ? part : 1 - part;
    for (int q = 0; q <= last; ++q) {
      const int source = ascending ? q : last - q, j = 32 * h + source;
      const T low = s[pitch * j + lane], high = s[pitch * j + lane + 32];
      const R scale = d[j];
#pragma unroll
      for (int k = 0; k < vectors_of_warp; ++k) {
        const T before = __shfl_sync(~0u, held[h][k], source), after = scale * before;
        const T carried = inverse ? after : before;
        held[0][k] = plus_product(held[0][k], low, carried);
        held[1][k] = plus_product(held[1][k], high, carried);
        if (lane == source) held[h][k] = after;
      }
    }
  }
#pragma unroll
  for (int h = 0; h < 2; ++h)
#pragma unroll
    for (int k = 0; k < vectors_of_warp; ++k)
      if (lane + 32 * h < size && first + k < vectors) at(lane + 32 * h, k) = held[h][k];
}

template <class T>
__global__ void subtract_kernel(std::int64_t rows, const T* y, std::int64_t ldy, T* c, std::int64_t ldc) {
  const std::int64_t i = std::int64_t{blockDim.x} * blockIdx.x + threadIdx.x, j = blockIdx.y;
  if (i < rows) c[i + j * ldc] -= y[i + j * ldy];
}

template <bool inverse, bool down, bool left, class T>
void launch(const Queue& queue, MatrixView<const T> l, MatrixView<T> x) {
  using D = device_t<T>;
  constexpr std::size_t bytes = sizeof(T) * (pitch * order + order);
  constexpr std::int64_t of_block = vectors_of_warp * apply_threads / 32;
  const auto kernel = apply_kernel<inverse, down, left, D>;
  allow_shared_memory(kernel, bytes);
  const std::int64_t vectors = left ? x.cols : x.rows;
  kernel<<<static_cast<unsigned>((vectors + of_block - 1) / of_block), apply_threads, bytes,
           queue.stream()>>>(static_cast<int>(l.rows), on_device(l.data), l.lda, vectors, on_device(x.data),
                             x.lda);
  EIGEN_G_LAUNCHED();
}

}  // namespace

template <class T>
void factor_diagonal_block(const Queue& queue, std::int64_t first, MatrixView<T> b_dev,
                           std::int64_t* minor_dev) {
  if (b_dev.rows == 0) return;
  factor_kernel<<<1, dim3(across, across), 0, queue.stream()>>>(first, static_cast<int>(b_dev.rows),
                                                                on_device(b_dev.data), b_dev.lda, minor_dev);
  EIGEN_G_LAUNCHED();
}

template <class T>
void apply_diagonal_block(const Queue& queue, With with, Side side, Op op, MatrixView<const T> l,
                          MatrixView<T> x) {
  if (x.rows == 0 || x.cols == 0) return;
  const bool inverse = with == With::inverse, left = side == Side::left, down = left == (op == Op::none);
  const auto choose_side = [&]<bool inv, bool dn>() {
    left ? launch<inv, dn, true>(queue, l, x) : launch<inv, dn, false>(queue, l, x);
  };
  if (inverse)
    down ? choose_side.template operator()<true, true>() : choose_side.template operator()<true, false>();
  else
    down ? choose_side.template operator()<false, true>() : choose_side.template operator()<false, false>();
}

template <class T>
void subtract(const Queue& queue, MatrixView<const T> y_dev, MatrixView<T> c_dev) {
  constexpr std::int64_t threads = 256, columns_at_once = 32768;
  if (c_dev.rows == 0) return;
  for (std::int64_t j = 0; j < c_dev.cols; j += columns_at_once) {
    const std::int64_t cols = std::min(columns_at_once, c_dev.cols - j);
    const dim3 grid(static_cast<unsigned>((c_dev.rows + threads - 1) / threads), static_cast<unsigned>(cols));
    subtract_kernel<<<grid, threads, 0, queue.stream()>>>(c_dev.rows, on_device(&y_dev(0, j)), y_dev.lda,
                                                          on_device(&c_dev(0, j)), c_dev.lda);
    EIGEN_G_LAUNCHED();
  }
}

EIGEN_G_INSTANTIATE(all_types, factor_diagonal_block, apply_diagonal_block, subtract);

}  // namespace eigen_g
