// Householder QR of a panel in one cooperative kernel.
//
// Step j eliminates column a_j. Let x be a_j below row j, with zeros elsewhere, u = x + (alpha - beta) e_j and v = u / u_j.
//
//   every block             s_c = x^T a_c for all columns c over its own rows; publishes them
//   the block with row j    publishes a(j, :)
//   every block             norm^2 = s_j, alpha = a(j, j), beta = -sign(alpha) sqrt(alpha^2 + s_j), u_j = alpha - beta
//                           u^T a_c = s_c + u_j a(j, c)
//                           columns c > j: a_c += u (u^T a_c) / (beta u_j)
//                           columns c < j: a_c holds u_c, and v_c^T v_j follows from u^T u_c
//
// Complex: beta = -sign(Re alpha) sqrt(|alpha|^2 + s_j), with x^H and u^H instead of x^T and u^T.
//
// Each column's sum of squares is computed from its current entries, not updated from step to step, so nothing cancels.
// A thread holds `held` rows of column threadIdx.x % columns in registers. Panels with more rows have the rest in shared or device memory.
// All blocks compute the scalars by the same operations.
#include <algorithm>
#include <type_traits>
#include <utility>

#include "hybrid/cuda_check.hpp"
#include "hybrid/device_complex.cuh"
#include "hybrid/instantiate.hpp"
#include "hybrid/stream/mail_complex.cuh"
#include "hybrid/stream/queue.hpp"
#include "hybrid/stream/shared_memory.hpp"
#include "solver/reduction/one_stage/tridiagonalize.hpp"
#include "solver/reduction/two_stage/panel_qr.hpp"

namespace eigen_g {

namespace {

// A block has few threads, so that each thread has many registers.
constexpr int max_threads = 256;
// Groups of threads in a block; each group has all columns of some rows.
constexpr std::int64_t groups_of(std::int64_t columns) {
  return max_threads / columns;
}
// Largest number of rows that a thread holds in registers.
template <class T>
constexpr std::int64_t max_held = sizeof(T) > sizeof(double) ? 32 : 48;

template <class T>
struct Panel {
  const T* a;
  std::int64_t lda;
  // Rows of the panel; more: rows of a thread that are not in registers, even.
  std::int32_t columns, rows, more;
  bool more_shared;
  T* more_dev;
  unsigned step;
  Packet<T>* mail;
  T *v[2], *tau, *gram, *band;
  std::int64_t ldv[2], ldg, ldb;
  const real_t<T>* negligible;
  const unsigned* done;
};

template <class T, int held>
struct ThreadRange {
  int columns, groups, column, group;
  int of_thread, of_block;  // rows
  std::int32_t first;       // row of the thread
  __device__ explicit ThreadRange(const Panel<T>& p)
      : columns(p.columns),
        groups(blockDim.x / columns),
        column(threadIdx.x % columns),
        group(threadIdx.x / columns),
        of_thread(held + p.more),
        of_block(groups * of_thread),
        first(static_cast<std::int32_t>(blockIdx.x) * of_block + group * of_thread) {}
};

// Number of values in dynamic shared memory: x twice, the sums of the block and of all blocks, row j, and u_j of each column. If they
// are in shared memory, also the rows that are not in registers.
std::size_t shared_values(std::int64_t columns, std::int64_t held, std::int64_t more, bool more_shared) {
  const std::int64_t groups = groups_of(columns);
  return static_cast<std::size_t>(2 * groups * (held + more) + 2 * groups * columns + 2 * columns +
                                  (more_shared ? more * groups * columns : 0));
}

// Calls f(0), f(1), ... with compile-time integers. The barrier after each eight stops the compiler from moving loads ahead, which would
// need more registers.
template <int count, int first = 0, class F>
__device__ void each_row(const F& f) {
  [&]<int... i>(std::integer_sequence<int, i...>) {
    (f(std::integral_constant<int, first + i>()), ...);
  }
  (std::make_integer_sequence<int, 8>());
  if constexpr (first + 8 < count) {
    asm volatile("" ::: "memory");
    each_row<count, first + 8>(f);
  }
}

// 1 / u
template <class R>
__device__ R inverse_of(R u) {
  return 1 / u;
}
template <class R>
__device__ DeviceComplex<R> inverse_of(DeviceComplex<R> u) {
  return (1 / real_product(u, u)) * conj_of(u);
}
// product / (beta u)
template <class R>
__device__ R of_update(R product, R beta, R u) {
  return product / (beta * u);
}
template <class R>
__device__ DeviceComplex<R> of_update(DeviceComplex<R> product, R beta, DeviceComplex<R> u) {
  return (1 / beta) * (product * inverse_of(u));
}
// tau = -u / beta
template <class R>
__device__ R of_reflector(R u, R beta) {
  return -u / beta;
}
template <class R>
__device__ DeviceComplex<R> of_reflector(DeviceComplex<R> u, R beta) {
  return {-u.re / beta, -u.im / beta};
}
// v_c^H v_j = (u_c^H u_j) / (conj(u_cc) u_jj) of product = u_j^H u_c
template <class R>
__device__ R of_gram(R product, R diagonal, R u) {
  return product / (diagonal * u);
}
template <class R>
__device__ DeviceComplex<R> of_gram(DeviceComplex<R> product, DeviceComplex<R> diagonal, DeviceComplex<R> u) {
  return conj_of(product * inverse_of(diagonal)) * inverse_of(u);
}

template <class T, int held>
__global__ void __launch_bounds__(max_threads, 1) panel_qr_kernel(const __grid_constant__ Panel<T> p) {
  using R = real_t<T>;
  constexpr int batch = 4;
  if (p.done && *p.done) return;
  extern __shared__ double shared_bytes[];  // 16-byte aligned, because the kernel has no static shared memory
  const ThreadRange<T, held> at(p);
  const int c = at.column, g = at.group, columns = at.columns, groups = at.groups, blocks = gridDim.x;
  T* const x_all = reinterpret_cast<T*>(shared_bytes);
  T* const sums = x_all + 2 * at.of_block;
  T* const totals = sums + groups * columns;
  T* const pivots = totals + groups * columns;
  T* const diagonal = pivots + columns;
  T* const more =
      (p.more_shared ? diagonal + columns
                     : p.more_dev + static_cast<std::int64_t>(blockIdx.x) * groups * columns * p.more) +
      g * p.more * columns + c;

  T a[held];
  const T* const from = p.a + at.first + c * p.lda;
#pragma unroll
  for (int i = 0; i < held; ++i) a[i] = at.first + i < p.rows ? from[i] : T{};
#pragma unroll 1
  for (int i = 0; i < p.more; ++i) more[i * columns] = at.first + held + i < p.rows ? from[held + i] : T{};

  T own_beta{}, own_scale{1};
  R negligible = negligible_square<R>;
  if (p.negligible) negligible = max(negligible, *p.negligible);
  const int steps = min(columns, p.rows - 1);
#pragma unroll 1
  for (int j = 0; j < steps; ++j) {
    T* const x_block = x_all + (j & 1) * at.of_block;
    T* const x = x_block + g * at.of_thread;
    const int pivot = j - at.first;  // index of row j among the thread's rows; it may be outside of them
    const bool has_pivot = pivot >= 0 && pivot < at.of_thread;
    if (c == j) {
#pragma unroll
      for (int i = 0; i < held; ++i) x[i] = i > pivot ? a[i] : T{};
#pragma unroll 1
      for (int i = 0; i < p.more; ++i) x[held + i] = held + i > pivot ? more[i * columns] : T{};
    }
    __syncthreads();

    T part[4] = {};
    each_row<held>([&](auto i) { part[i % 4] = fma(conj_of(x[i]), a[i], part[i % 4]); });
#pragma unroll 1
    for (int i = 0; i < p.more; i += 2) {
      part[0] = fma(conj_of(x[held + i]), more[i * columns], part[0]);
      part[1] = fma(conj_of(x[held + i + 1]), more[(i + 1) * columns], part[1]);
    }
    sums[g * columns + c] = (part[0] + part[1]) + (part[2] + part[3]);
    Packet<T>* const mail = p.mail + (j & 1) * (blocks + 1) * columns;
    const unsigned step = p.step + j + 1;
    if (has_pivot) {
      T value{};
#pragma unroll
      for (int i = 0; i < held; ++i)
        if (i == pivot) value = a[i];
      if (pivot >= held) value = more[(pivot - held) * columns];
      if (blocks > 1)
        publish(mail + blocks * columns + c, value, step);
      else
        pivots[c] = value;
    }
    __syncthreads();

    if (blocks > 1) {
      if (g == 0) {
        T sum = sums[c];
#pragma unroll 1
        for (int k = 1; k < groups; ++k) sum += sums[k * columns + c];
        publish(mail + blockIdx.x * columns + c, sum, step);
      }
      T total{};
#pragma unroll 1
      for (int first = g; first < blocks; first += batch * groups) {
        Packet<T> packet[batch];
        bool all;
        do {
          all = true;
#pragma unroll
          for (int k = 0; k < batch; ++k)
            if (first + k * groups < blocks) packet[k] = look(mail + (first + k * groups) * columns + c);
#pragma unroll
          for (int k = 0; k < batch; ++k)
            if (first + k * groups < blocks) all = all && arrived(packet[k], step);
        } while (!all);
#pragma unroll
        for (int k = 0; k < batch; ++k)
          if (first + k * groups < blocks) total += value(packet[k]);
      }
      totals[g * columns + c] = total;
      if (g == groups - 1) {
        Packet<T> packet;
        do packet = look(mail + blocks * columns + c);
        while (!arrived(packet, step));
        pivots[c] = value(packet);
      }
      __syncthreads();
    }

    const T* const all_sums = blocks > 1 ? totals : sums;
    R square = real_of(all_sums[j]);
    T dot = all_sums[c];
#pragma unroll 1
    for (int k = 1; k < groups; ++k) {
      square += real_of(all_sums[k * columns + j]);
      dot += all_sums[k * columns + c];
    }
    const T alpha = pivots[j], of_row = pivots[c];
    const bool any = square > negligible;
    const T beta = any ? T(-copysign(sqrt(add_real_product(alpha, alpha, square)), real_of(alpha))) : alpha;
    const T u = any ? alpha - beta : T{1};
    const T product = fma(conj_of(u), of_row, dot);  // u^H a_c
    if (c > j && any) {
      const T factor = of_update(product, real_of(beta), u);
      each_row<held>([&](auto i) { a[i] = fma(factor, x[i], a[i]); });
#pragma unroll 1
      for (int i = 0; i < p.more; ++i) more[i * columns] = fma(factor, x[held + i], more[i * columns]);
      if (has_pivot) {
#pragma unroll
        for (int i = 0; i < held; ++i)
          if (i == pivot) a[i] = fma(factor, u, a[i]);
        if (pivot >= held) more[(pivot - held) * columns] = fma(factor, u, more[(pivot - held) * columns]);
      }
    } else if (c == j) {
      own_beta = beta;
      own_scale = any ? inverse_of(u) : T{};
      if (has_pivot) {
#pragma unroll
        for (int i = 0; i < held; ++i)
          if (i == pivot) a[i] = u;
        if (pivot >= held) more[(pivot - held) * columns] = u;
      }
      if (g == 0) diagonal[c] = u;
      if (g == 0 && blockIdx.x == 0) p.tau[j] = any ? of_reflector(u, real_of(beta)) : T{};
    } else if (c < j && g == 0 && blockIdx.x == 0) {
      p.gram[c + j * p.ldg] = of_gram(product, diagonal[c], u);
    }
  }
  if (blockIdx.x == 0 && g == 0 && c >= steps) {
    p.tau[c] = T{};
#pragma unroll 1
    for (int l = 0; l < c; ++l) p.gram[l + c * p.ldg] = T{};
  }

  // R to the band, V to its two arrays.
  const bool beta_known = c < steps;
  const auto to_band = [&](std::int32_t row, T value) {
    if (row <= c && row < p.rows)
      p.band[columns + row - c + c * p.ldb] = row == c && beta_known ? own_beta : value;
  };
  const auto of_v = [&](std::int32_t row, T value) {
    return row > c ? value * own_scale : row == c ? T{1} : T{};
  };
  if (at.first <= c) {
#pragma unroll
    for (int i = 0; i < held; ++i) to_band(at.first + i, a[i]);
#pragma unroll 1
    for (int i = 0; i < p.more; ++i) to_band(at.first + held + i, more[i * columns]);
  }
#pragma unroll
  for (int i = 0; i < held; ++i) a[i] = of_v(at.first + i, a[i]);
#pragma unroll 1
  for (int k = 0; k < 2; ++k) {
    if (!p.v[k]) continue;
    T* const v = p.v[k] + at.first + c * p.ldv[k];
    const int left = p.rows - at.first;
#pragma unroll
    for (int i = 0; i < held; ++i)
      if (i < left) v[i] = a[i];
#pragma unroll 1
    for (int i = 0; i < p.more; ++i)
      if (held + i < left) v[held + i] = of_v(at.first + held + i, more[i * columns]);
  }
}

// The distribution of a panel over threads and blocks.
struct Shape {
  std::int64_t held,
      more = 0, blocks,
      max_blocks;  // held, more: rows of a thread in and beyond registers; max_blocks: limit of blocks

  Shape(std::int64_t rows, std::int64_t groups, std::int64_t max_blocks, std::int64_t max_rows_held)
      : max_blocks(max_blocks) {
    const std::int64_t needed = (rows + groups * max_blocks - 1) / (groups * max_blocks);
    held = needed <= 16 ? 16 : needed <= 32 ? 32 : max_rows_held;
    if (needed > held) more = (needed - held + 1) / 2 * 2;
    blocks = (rows + groups * (held + more) - 1) / (groups * (held + more));
  }
};
template <class T, class F>
void for_rows(std::int64_t held, const F& f) {
  switch (held) {
    case 16:
      return f(std::integral_constant<int, 16>());
    case 32:
      return f(std::integral_constant<int, 32>());
    default:
      return f(std::integral_constant<int, max_held<T>>());
  }
}

int blocks_for(const Queue& queue, int max_blocks) {
  const int all = queue.multiprocessors();
  return max_blocks > 0 ? std::min(max_blocks, all) : all;
}
std::size_t max_shared() {
  int device = 0, bytes = 0;
  EIGEN_G_CUDA(cudaGetDevice(&device));
  EIGEN_G_CUDA(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  return static_cast<std::size_t>(bytes);
}

template <class T>
struct Buffers {
  Packet<device_t<T>>* mail;
  std::byte* more;
  Buffers(Arena& arena, std::int64_t b, int multiprocessors, std::uint64_t more_bytes)
      : mail(reinterpret_cast<Packet<device_t<T>>*>(
            arena.take<std::byte>(static_cast<std::int64_t>(panel_qr_mail_bytes<T>(b, multiprocessors))))),
        more(arena.take<std::byte>(static_cast<std::int64_t>(more_bytes))) {}
};

// Bytes of device memory for the rows that fit neither into registers nor into shared memory; 0: they fit.
template <class T>
std::uint64_t more_bytes(const Shape& shape, std::int64_t columns) {
  const std::int64_t groups = groups_of(columns);
  const std::size_t shared = sizeof(T) * shared_values(columns, shape.held, shape.more, true);
  return shared <= max_shared()
             ? 0
             : sizeof(T) * static_cast<std::uint64_t>(shape.max_blocks * groups * columns * shape.more);
}

}  // namespace

template <class T>
std::uint64_t panel_qr_mail_bytes(std::int64_t b, int multiprocessors) {
  return 2 * sizeof(Packet<device_t<T>>) * static_cast<std::uint64_t>(b) *
         static_cast<std::uint64_t>(multiprocessors + 1);
}

template <class T>
std::uint64_t panel_qr_bytes(std::int64_t rows, std::int64_t b, int multiprocessors, int max_blocks) {
  const Shape shape(rows, groups_of(b), max_blocks > 0 ? max_blocks : multiprocessors, max_held<T>);
  return bytes_taken([&](Arena& arena) { Buffers<T>(arena, b, multiprocessors, more_bytes<T>(shape, b)); });
}

template <class T>
void panel_qr(const Queue& queue, MatrixView<const T> panel_dev, const PanelFactor<T>& out, unsigned step,
              Arena scratch, int max_blocks) {
  const std::int64_t rows = panel_dev.rows, b = panel_dev.cols;
  if (rows == 0) return;
  const Shape shape(rows, groups_of(b), blocks_for(queue, max_blocks), max_held<T>);
  const std::uint64_t in_memory = more_bytes<T>(shape, b);
  const Buffers<T> places(scratch, b, queue.multiprocessors(), in_memory);
  using D = device_t<T>;
  Panel<D> panel{};
  panel.a = on_device(panel_dev.data);
  panel.lda = panel_dev.lda;
  panel.columns = static_cast<std::int32_t>(b);
  panel.rows = static_cast<std::int32_t>(rows);
  panel.more = static_cast<std::int32_t>(shape.more);
  panel.more_shared = in_memory == 0;
  panel.more_dev = reinterpret_cast<D*>(places.more);
  panel.step = step;
  panel.mail = places.mail;
  for (int k = 0; k < 2; ++k) {
    panel.v[k] = on_device(out.v[k].data);
    panel.ldv[k] = out.v[k].lda;
  }
  panel.tau = on_device(out.tau);
  panel.gram = on_device(out.gram.data);
  panel.ldg = out.gram.lda;
  panel.band = on_device(out.band);
  panel.ldb = out.band_ld;
  panel.negligible = out.negligible;
  panel.done = out.done;
  void* arguments[] = {&panel};
  const std::size_t bytes = sizeof(T) * shared_values(b, shape.held, shape.more, panel.more_shared);
  for_rows<T>(shape.held, [&](auto held) {
    const auto kernel = panel_qr_kernel<D, held()>;
    allow_shared_memory(kernel, bytes);
    EIGEN_G_CUDA(cudaLaunchCooperativeKernel(
        reinterpret_cast<const void*>(kernel), dim3(static_cast<unsigned>(shape.blocks)),
        dim3(static_cast<unsigned>(groups_of(b) * b)), arguments, bytes, queue.stream()));
  });
}

namespace {

constexpr int row_threads = 128;  // block size of the kernels in which each thread has one row

// w_k = tau_k (v_k - sum_{l < k} w_l S(l, k)), with S = V^H V. Each thread has one row and computes `width` columns at a time in registers.
// It reads its earlier columns of W back from memory.
template <class T, int width>
__global__ void __launch_bounds__(row_threads)
    substitution_kernel(std::int64_t rows, int columns, const T* v, std::int64_t ldv, const T* gram,
                        std::int64_t ldg, const T* tau, T* w, std::int64_t ldw, const unsigned* done) {
  if (done && *done) return;
  __shared__ alignas(16) T factor[width][width + 2];  // factor[l][k] = S(l, k); 0 on and below the diagonal
  __shared__ T scale[width];
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * row_threads + threadIdx.x;
  const bool any = row < rows;
  const T* from = v + row;
  T* to = w + row;
  for (int first = 0; first < columns; first += width) {
    T own[width];
#pragma unroll
    for (int k = 0; k < width; ++k) {
      own[k] = any ? *from : T{};
      from += ldv;
    }
    for (int before = 0; before <= first; before += width) {
      __syncthreads();
      if (before == first && threadIdx.x < width) scale[threadIdx.x] = tau[first + threadIdx.x];
#pragma unroll 16
      for (int i = threadIdx.x; i < width * width; i += row_threads) {
        const int l = i % width, k = i / width;
        factor[l][k] = before + l < first + k ? gram[before + l + (first + k) * ldg] : T{};
      }
      __syncthreads();
      if (before == first) break;
#pragma unroll 4
      for (int l = 0; l < width; ++l) {
        const T of_l = any ? w[row + (before + l) * ldw] : T{};
#pragma unroll
        for (int k = 0; k < width; ++k) own[k] = fma(-of_l, factor[l][k], own[k]);
      }
    }
#pragma unroll
    for (int l = 0; l < width; ++l) {
      own[l] = own[l] * scale[l];
#pragma unroll
      for (int k = l + 1; k < width; ++k) own[k] = fma(-own[l], factor[l][k], own[k]);
      if (any) *to = own[l];
      to += ldw;
      // Stops loads of S from moving ahead, which would need more registers.
      if (l % 4 == 3) asm volatile("" ::: "memory");
    }
  }
}

unsigned row_blocks(std::int64_t rows) {
  return static_cast<unsigned>((rows + row_threads - 1) / row_threads);
}

}  // namespace

template <class T>
void panel_times_factor(const Queue& queue, MatrixView<const T> v_dev, MatrixView<const T> gram_dev,
                        const T* tau_dev, MatrixView<T> w_dev, const unsigned* done_dev) {
  if (v_dev.rows == 0) return;
  const auto launch = [&](auto width) {
    substitution_kernel<device_t<T>, width()><<<row_blocks(v_dev.rows), row_threads, 0, queue.stream()>>>(
        v_dev.rows, static_cast<int>(v_dev.cols), on_device(v_dev.data), v_dev.lda, on_device(gram_dev.data),
        gram_dev.lda, on_device(tau_dev), on_device(w_dev.data), w_dev.lda, done_dev);
  };
  if constexpr (is_complex<T>)
    launch(std::integral_constant<int, (sizeof(T) > sizeof(double) ? 16 : 32)>());
  else if (v_dev.cols % 64 == 0)
    launch(std::integral_constant<int, 64>());
  else if (v_dev.cols % 48 == 0)
    launch(std::integral_constant<int, 48>());
  else
    launch(std::integral_constant<int, 32>());
  EIGEN_G_LAUNCHED();
}

EIGEN_G_INSTANTIATE(all_types, panel_qr, panel_qr_bytes, panel_qr_mail_bytes, panel_times_factor);

}  // namespace eigen_g
