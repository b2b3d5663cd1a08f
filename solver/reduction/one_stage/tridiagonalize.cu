// Householder tridiagonalization on the GPU, panel by panel.
//
// For each panel, one cooperative kernel reduces the columns and one rank-2k update (SYR2K) updates the matrix to the right of them. For a
// large matrix the update also computes the product with the next column. tridiagonalize_on_chip() reduces the last columns,
// which fit into the registers and shared memory of the GPU.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "gemm_df/engines/products.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/stream/shared_memory.hpp"
#include "solver/devices/tuning.hpp"
#include "solver/reduction/negligible.hpp"
#include "solver/reduction/one_stage/tridiagonalize.hpp"
#include "solver/reduction/one_stage/tridiagonalize_in_cluster.hpp"
#include "solver/reduction/one_stage/tridiagonalize_on_chip.hpp"
#include "solver/reduction/one_stage/tridiagonalize_panel.cuh"

namespace eigen_g {

namespace {

using namespace reduction;

template <class T, std::size_t i>
using Strips = blas2::SymvShape<device_t<T>, reduction_shapes[i].row_warps, reduction_shapes[i].column_warps,
                                reduction_shapes[i].loads, reduction_shapes[i].columns, true>;
static_assert(reduction_shapes.size() == 3 && Strips<double, 0>::threads == threads &&
              Strips<double, 1>::threads == threads && Strips<double, 2>::threads == threads);

// a(i, j) := 0 for i <= j, so that column j holds all of v_j, as the back-transformation needs it.
template <class T>
__global__ void clear_upper_kernel(std::int64_t n, T* a, std::int64_t lda) {
  for (std::int64_t j = blockIdx.x; j < n; j += gridDim.x)
    for (std::int64_t i = threadIdx.x; i <= j; i += blockDim.x) a[i + j * lda] = 0;
}

// The two instances of the panel kernel for one shape of strips.
struct Variant {
  int strip_rows, group_columns, column_warps;
  const void *resident, *mixed;

  std::int64_t strips(std::int64_t rows) const { return (rows + strip_rows - 1) / strip_rows; }
};
template <class Shape>
Variant variant() {
  return {Shape::strip_rows, Shape::columns, Shape::column_warps,
          reinterpret_cast<const void*>(reduce_panel_kernel<Shape, true>),
          reinterpret_cast<const void*>(reduce_panel_kernel<Shape, false>)};
}
template <class T>
const std::array<Variant, 3>& variants() {
  static const std::array<Variant, 3> all{variant<Strips<T, 0>>(), variant<Strips<T, 1>>(),
                                          variant<Strips<T, 2>>()};
  return all;
}
// max_rows(blocks)[k]: largest number of rows left to reduce for which reduction_strips[k] is used; ascending.
std::array<std::int64_t, 3> max_rows(std::int64_t blocks) {
  std::array<std::int64_t, 3> max_of{};
  for (std::size_t k = 0; k < max_of.size(); ++k) {
    const ReductionStrips& strips = solver_tuning().reduction_strips[k];
    max_of[k] = strips.max_rows;
    if (strips.max_share < ReductionStrips::any)
      max_of[k] = std::min(
          max_of[k], static_cast<std::int64_t>(std::sqrt(static_cast<double>(strips.max_share * blocks))));
  }
  return max_of;
}
template <class T>
const Variant& variant_of(std::size_t strips) {
  return variants<T>()[solver_tuning().reduction_strips[strips].shape];
}
template <class T>
const Variant& variant_for(std::int64_t rows, std::int64_t blocks) {
  const auto max_of = max_rows(blocks);
  return variant_of<T>(
      static_cast<std::size_t>(std::lower_bound(max_of.begin(), max_of.end(), rows) - max_of.begin()));
}

// The workspace of the panels for order n on a GPU with this number of multiprocessors.
template <class T>
struct Layout {
  std::int64_t padded, blocks, column_stride, row_sums = 0, column_sums = 0, product_sums;

  Layout(std::int64_t n, int multiprocessors)
      : padded((n + tridiagonalize_row_multiple - 1) / tridiagonalize_row_multiple *
               tridiagonalize_row_multiple),
        blocks(std::min(max_blocks, blocks_per_multiprocessor * multiprocessors)),
        column_stride(blas2::symv_column_stride(n + variant_for<T>(n, blocks).strip_rows)),
        product_sums(syr2k_product_scratch<T>(n)) {
    const auto max_of = max_rows(blocks);
    for (std::size_t k = 0; k < max_of.size() && (k == 0 || n > max_of[k - 1]); ++k) {
      const Variant& v = variant_of<T>(k);
      const std::int64_t strips = v.strips(std::min(n, max_of[k])) + 1;  // + 1: an incomplete first strip
      row_sums = std::max(row_sums, (blocks + strips) * v.strip_rows);
      column_sums = std::max(column_sums, strips * column_stride);
    }
  }

  struct Buffers {
    Exchange<device_t<T>> exchange{};
    T *product, *product_sums;  // A x; scratch for its sums in the rank-2k update
  };
  Buffers place(Arena& arena) const {
    Buffers places;
    using D = device_t<T>;
    Exchange<D>& ex = places.exchange;
    ex.x = arena.take<D>(padded);
    ex.w = arena.take<D>(padded * max_panel_columns);
    ex.ldw = padded;
    ex.partials.rows = arena.take<D>(row_sums);
    ex.partials.columns = arena.take<D>(column_sums);
    ex.partials.column_stride = column_stride;
    ex.dots = arena.take<D>(blocks * dot_stride);
    ex.quadratic = arena.take<D>(blocks);
    ex.products = arena.take<D>(2 * max_panel_columns);
    ex.arrivals = arena.take<unsigned>(grid_barrier_words);
    places.product = arena.take<T>(padded);
    places.product_sums = arena.take<T>(product_sums);
    return places;
  }
};

// A panel: rows of a thread block's slice, columns, and the number of V's and of W's columns that its shared memory holds.
template <class T>
struct PanelShape {
  std::int32_t slice_rows, columns, held;

  PanelShape(std::int64_t left, std::int64_t blocks, std::size_t shared_bytes)
      : slice_rows(static_cast<std::int32_t>((left + blocks - 1) / blocks)),
        columns(static_cast<std::int32_t>(std::min<std::int64_t>(max_panel_columns, left - 1))),
        held(columns) {
    while (held > 0 && lasting_bytes<T>(slice_rows, held) > shared_bytes) --held;
  }
  std::size_t bytes() const { return lasting_bytes<T>(slice_rows, held); }
};

// Dynamic shared memory that a thread block of any of these kernels may use if two blocks share a multiprocessor.
template <class T>
std::size_t shared_share() {
  int device = 0, per_multiprocessor = 0, per_block = 0, reserved = 0;
  EIGEN_G_CUDA(cudaGetDevice(&device));
  EIGEN_G_CUDA(
      cudaDeviceGetAttribute(&per_multiprocessor, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device));
  EIGEN_G_CUDA(cudaDeviceGetAttribute(&per_block, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  EIGEN_G_CUDA(cudaDeviceGetAttribute(&reserved, cudaDevAttrReservedSharedMemoryPerBlock, device));
  std::size_t fixed = 0;
  for (const Variant& v : variants<T>())
    for (const void* kernel : {v.resident, v.mixed}) {
      cudaFuncAttributes attributes{};
      EIGEN_G_CUDA(cudaFuncGetAttributes(&attributes, kernel));
      fixed = std::max(fixed, attributes.sharedSizeBytes);
    }
  const SolverTuning& tuning = solver_tuning();
  const int available = per_multiprocessor - std::clamp(per_multiprocessor - tuning.reduction_min_shared, 0,
                                                        tuning.reduction_left_to_l1);
  const std::size_t share =
      static_cast<std::size_t>(std::min(per_block, available / blocks_per_multiprocessor - reserved)) - fixed;
  for (const Variant& v : variants<T>())
    for (const void* kernel : {v.resident, v.mixed}) allow_shared_memory(kernel, share);
  return share;
}

// Largest order up to which reflectors made from rounding errors do no harm (orthogonality ratio at most 1.3). There the two launches
// of negligible_square_of() would take noticeable time. Complex matrices need a lower limit: data/perf/DECISIONS.md, "Full to band".
template <class T>
constexpr std::int64_t max_order_of_any_reflector = is_complex<T> ? 128 : 1024;

// Reduces columns 0, 1, ... of `a_dev` in panels until at most `stop` >= 1 columns are left. Returns the index of the first column left.
template <class T>
std::int64_t reduce_panels(const Products<T>& products, MatrixView<T> a_dev, real_t<T>* d_dev,
                           real_t<T>* e_dev, T* tau_dev, const real_t<T>* negligible_dev, Arena scratch_dev,
                           int multiprocessors, std::int64_t stop,
                           const std::function<void(std::int64_t column)>& reached) {
  const Queue& queue = products.queue();
  const std::int64_t n = a_dev.cols;
  const Layout<T> layout(n, multiprocessors);
  const typename Layout<T>::Buffers places = layout.place(scratch_dev);
  const Exchange<device_t<T>>& exchange = places.exchange;
  T *const x_dev = reinterpret_cast<T*>(exchange.x), *const w_dev = reinterpret_cast<T*>(exchange.w);
  const std::size_t share = shared_share<T>();
  int device = 0, l2_bytes = 0;
  EIGEN_G_CUDA(cudaGetDevice(&device));
  EIGEN_G_CUDA(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, device));
  EIGEN_G_CUDA(
      cudaMemsetAsync(exchange.x, 0, sizeof(T) * static_cast<std::size_t>(layout.padded), queue.stream()));

  std::int64_t p = 0;
  bool multiplied = false;  // A x of column p is already computed
  while (n - p > stop) {
    const PanelShape<device_t<T>> shape(n - p, layout.blocks, share);
    const std::int64_t columns = shape.columns;
    const Variant& kernel = variant_for<T>(n - p, layout.blocks);
    const std::int32_t shift = blas2::symv_shift(true, n, kernel.strip_rows, kernel.group_columns);
    const blas2::SymvPartition partition(true, n + shift, kernel.strip_rows, kernel.group_columns,
                                         static_cast<int>(layout.blocks), p + 1 + shift, kernel.column_warps);
    const double bytes = sizeof(T) / 2.0 * static_cast<double>(n - p) * static_cast<double>(n - p);
    Panel<device_t<T>> panel{
        on_device(a_dev.data),
        a_dev.lda,
        static_cast<std::int32_t>(n),
        static_cast<std::int32_t>(p),
        shape.columns,
        shape.held,
        shape.slice_rows,
        shift,
        d_dev,
        e_dev,
        on_device(tau_dev),
        static_cast<std::int32_t>(
            256 * std::min(1.0, solver_tuning().reduction_kept_share_of_l2 * l2_bytes / bytes)),
        multiplied ? on_device(places.product) : nullptr,
        negligible_dev,
        partition,
        exchange};
    // Moves the base address so that the first strip of this partition has the first column sums.
    panel.exchange.partials.columns -= partition.first_strip() * layout.column_stride;
    void* arguments[] = {&panel};
    EIGEN_G_CUDA(
        cudaMemsetAsync(exchange.arrivals, 0, sizeof(unsigned) * grid_barrier_words, queue.stream()));
    EIGEN_G_CUDA(cudaLaunchCooperativeKernel(shape.held == shape.columns ? kernel.resident : kernel.mixed,
                                             dim3(static_cast<unsigned>(layout.blocks)), dim3(threads),
                                             arguments, shape.bytes(), queue.stream()));
    const std::int64_t next = p + columns;
    const MatrixView<const T> v = a_dev.block(next, p, n - next, columns),
                              w{w_dev + next, n - next, columns, exchange.ldw};
    const MatrixView<T> rest = a_dev.block(next, next, n - next, n - next);
    multiplied =
        n - next > stop && products.syr2k_lower_and_product(
                               -1, v, w, rest,
                               {x_dev + next, places.product + next, reinterpret_cast<T*>(exchange.quadratic),
                                static_cast<int>(layout.blocks), places.product_sums});
    if (!multiplied) syr2k_lower<T>(products, -1, v, w, 1, rest);
    p = next;
    reached(p);
  }
  return p;
}

}  // namespace

template <class T>
std::uint64_t tridiagonalize_bytes(std::int64_t n, int multiprocessors) {
  return bytes_taken([&](Arena& arena) { arena.take<real_t<T>>(n + 1); }) +
         std::max(bytes_taken([&](Arena& arena) { Layout<T>(n, multiprocessors).place(arena); }),
                  bytes_taken([&](Arena& arena) { arena.take<T>(on_chip_workspace<T>(n)); }));
}

template <class T>
void tridiagonalize(const Products<T>& products, MatrixView<T> a_dev, real_t<T>* d_dev, real_t<T>* e_dev,
                    T* tau_dev, Arena scratch_dev, const std::function<void(double)>& progress,
                    const std::function<void()>& when_queued, int multiprocessors,
                    const std::function<void(std::int64_t columns)>& reached) {
  const std::int64_t n = a_dev.cols;
  if (n == 0) return;
  const Queue& queue = products.queue();
  const int all = queue.multiprocessors();
  const int taken = multiprocessors > 0 ? std::min(multiprocessors, all) : all;
  const std::int64_t on_chip = max_on_chip<T>(taken);

  real_t<T>* const squares_dev = scratch_dev.take<real_t<T>>(n + 1);
  const real_t<T>* const negligible_dev = n > std::min(on_chip, max_order_of_any_reflector<T>)
                                              ? negligible_square_of<T>(queue, a_dev, squares_dev)
                                              : nullptr;

  std::vector<std::pair<Event, double>> milestones;
  std::int64_t p = 0;
  if (n > on_chip)
    p = reduce_panels<T>(products, a_dev, d_dev, e_dev, tau_dev, negligible_dev, scratch_dev, taken, on_chip,
                         [&](std::int64_t column) {
                           if (reached) reached(column);
                           if (!progress) return;
                           const double left = 1 - static_cast<double>(column) / static_cast<double>(n);
                           milestones.emplace_back(Event(queue.resources()), 1 - std::pow(left, 3));
                           milestones.back().first.record(queue);
                         });
  // The last columns are a cluster's, and the columns between the panels and them the whole chip's.
  const std::int64_t first = std::max(p, n - max_in_cluster<T>(taken));
  if (first > p)
    tridiagonalize_on_chip<T>(queue, a_dev.block(p, p, n - p, n - p), d_dev + p, e_dev + p, tau_dev + p,
                              scratch_dev.take<T>(on_chip_workspace<T>(n - p)), taken, negligible_dev,
                              n - first);
  if (first < n)
    tridiagonalize_in_cluster<T>(queue, a_dev.block(first, first, n - first, n - first), d_dev + first,
                                 e_dev + first, tau_dev + first, first == 0, negligible_dev);
  if (first > 0) {
    const auto blocks = static_cast<unsigned>(std::min<std::int64_t>(n, 16 * queue.multiprocessors()));
    clear_upper_kernel<<<blocks, threads, 0, queue.stream()>>>(n, on_device(a_dev.data), a_dev.lda);
    EIGEN_G_LAUNCHED();
  }
  if (reached) reached(n);
  if (when_queued) when_queued();
  for (const auto& [event, fraction] : milestones) {
    event.wait();
    progress(fraction);
  }
}

EIGEN_G_INSTANTIATE(all_types, tridiagonalize, tridiagonalize_bytes);

}  // namespace eigen_g
