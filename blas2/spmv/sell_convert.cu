// Conversion of a CSR matrix to SELL-32-sigma on the GPU.
#include <algorithm>
#include <limits>
#include <vector>

#include "blas2/spmv/row_order.hpp"
#include "blas2/spmv/sell.hpp"
#include "blas2/spmv/warp_max.cuh"
#include "hybrid/cuda_check.hpp"
#include "hybrid/instantiate.hpp"

namespace eigen_g::blas2 {

namespace {

constexpr int threads = 256;
constexpr int warp = sell_slice;

struct LongRow {
  std::int64_t row, begin, length;
};

unsigned blocks_for(std::int64_t count) {
  return static_cast<unsigned>((count + threads - 1) / threads);
}

// Number of entries that a row has in its slice: 0 for a long row or a position behind the last row.
__device__ std::int64_t sliced_length(std::int64_t rows, const std::int64_t* row_offsets,
                                      const std::int32_t* order, std::int64_t position, std::int64_t cut,
                                      std::int64_t& row) {
  row = -1;
  if (position >= rows) return 0;
  row = order ? order[position] : position;
  const std::int64_t length = row_offsets[row + 1] - row_offsets[row];
  return length > cut ? 0 : length;
}

// size[s] = 32 times the length of the longest row of slice s. One warp handles a slice.
__global__ void size_kernel(std::int64_t rows, const std::int64_t* row_offsets, const std::int32_t* order,
                            std::int64_t cut, std::int64_t slices, std::int64_t* size) {
  const std::int64_t position = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  std::int64_t row = 0;
  const auto length = static_cast<unsigned>(sliced_length(rows, row_offsets, order, position, cut, row));
  const unsigned longest = warp_max(length);
  if (threadIdx.x % warp == 0 && position / warp < slices)
    size[position / warp] = std::int64_t{warp} * longest;
}

// Finds the long rows, in any order, and counts them.
__global__ void find_long_kernel(std::int64_t rows, const std::int64_t* row_offsets, std::int64_t cut,
                                 unsigned long long* count, LongRow* found, std::int64_t room) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= rows) return;
  const std::int64_t length = row_offsets[i + 1] - row_offsets[i];
  if (length <= cut) return;
  const auto at = static_cast<std::int64_t>(atomicAdd(count, 1ull));
  if (at < room) found[at] = {i, row_offsets[i], length};
}

__global__ void mark_long_kernel(std::int64_t rows, const std::int64_t* row_offsets, std::int64_t cut,
                                 std::int32_t* order) {
  const std::int64_t p = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (p < rows && row_offsets[order[p] + 1] - row_offsets[order[p]] > cut) order[p] = -1;
}

// The stored index of a column: its place among the hot columns, or hot + col.
__device__ std::int32_t named(const std::int32_t* place, std::int32_t hot, std::int32_t col) {
  if (hot == 0) return col;
  return place[col] >= 0 ? place[col] : col + hot;
}

__global__ void count_columns_kernel(std::int64_t nnz, const std::int32_t* col, unsigned* count) {
  const std::int64_t p = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (p < nnz) atomicAdd(&count[col[p]], 1u);
}

// Keys that fall as the count grows.
__global__ void frequency_kernel(std::int64_t cols, const unsigned* count, std::uint64_t* keys,
                                 std::int64_t* columns) {
  const std::int64_t j = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (j >= cols) return;
  keys[j] = 0xffffffffull - count[j];
  columns[j] = j;
}

__global__ void place_kernel(std::int32_t hot, const std::int64_t* columns, std::int32_t* hot_col,
                             std::int32_t* place) {
  const std::int32_t i = blockIdx.x * threads + threadIdx.x;
  if (i >= hot) return;
  hot_col[i] = static_cast<std::int32_t>(columns[i]);
  place[columns[i]] = i;
}

// One warp fills a slice; each lane goes along its row.
template <class T>
__global__ void fill_kernel(CrsView<T> a, const std::int32_t* order, const std::int32_t* place,
                            std::int32_t hot, std::int64_t cut, std::int64_t slices,
                            const std::int64_t* slice_begin, std::int32_t* col, T* value) {
  const std::int64_t position = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  const std::int64_t slice = position / warp;
  if (slice >= slices) return;
  std::int64_t row = 0;
  const std::int64_t length = sliced_length(a.rows, a.row_offsets, order, position, cut, row);
  const std::int64_t begin = slice_begin[slice], end = slice_begin[slice + 1];
  const std::int64_t from = length > 0 ? a.row_offsets[row] : 0;
  std::int64_t j = 0;
  for (std::int64_t to = begin + position % warp; to < end; to += warp, ++j) {
    const bool stored = j < length;
    col[to] = stored ? named(place, hot, a.col[from + j]) : -1;
    value[to] = stored ? a.value[from + j] : T(0);
  }
}

// One block copies a piece of a long row.
template <class T>
__global__ void copy_pieces_kernel(CrsView<T> a, const std::int32_t* place, std::int32_t hot,
                                   const std::int64_t* source, const std::int64_t* piece_begin,
                                   std::int32_t* col, T* value) {
  const std::int64_t begin = piece_begin[blockIdx.x], from = source[blockIdx.x];
  for (std::int64_t i = threadIdx.x; begin + i < piece_begin[blockIdx.x + 1]; i += threads) {
    col[begin + i] = named(place, hot, a.col[from + i]);
    value[begin + i] = a.value[from + i];
  }
}

template <class U>
void upload(const Queue& queue, const std::vector<U>& from, DeviceBuffer<U>& to) {
  to = DeviceBuffer<U>(queue, static_cast<std::int64_t>(from.size()));
  EIGEN_G_CUDA(cudaMemcpyAsync(to.data(), from.data(), to.bytes(), cudaMemcpyHostToDevice, queue.stream()));
}

std::vector<LongRow> long_rows_of(const Queue& queue, std::int64_t rows, const std::int64_t* row_offsets,
                                  std::int64_t nnz, std::int64_t cut) {
  const std::int64_t room = std::min(rows, nnz / (cut + 1));
  if (room == 0) return {};
  DeviceBuffer<unsigned long long> count_dev(queue, 1);
  DeviceBuffer<LongRow> found_dev(queue, room);
  EIGEN_G_CUDA(cudaMemsetAsync(count_dev.data(), 0, count_dev.bytes(), queue.stream()));
  find_long_kernel<<<blocks_for(rows), threads, 0, queue.stream()>>>(rows, row_offsets, cut, count_dev.data(),
                                                                     found_dev.data(), room);
  EIGEN_G_LAUNCHED();
  unsigned long long count = 0;
  EIGEN_G_CUDA(
      cudaMemcpyAsync(&count, count_dev.data(), sizeof count, cudaMemcpyDeviceToHost, queue.stream()));
  queue.wait();
  std::vector<LongRow> found(count);
  if (count > 0)
    EIGEN_G_CUDA(cudaMemcpyAsync(found.data(), found_dev.data(), count * sizeof(LongRow),
                                 cudaMemcpyDeviceToHost, queue.stream()));
  queue.wait();
  std::sort(found.begin(), found.end(), [](const LongRow& p, const LongRow& q) { return p.row < q.row; });
  return found;
}

// hot_col := the columns with the most entries; among equal ones the lower index first. Returns the place of each column among
// them (-1: not hot).
DeviceBuffer<std::int32_t> hot_columns(const Queue& queue, std::int64_t nnz, const std::int32_t* col,
                                       std::int64_t cols, std::int32_t hot, std::int32_t* hot_col) {
  DeviceBuffer<unsigned> count(queue, cols);
  EIGEN_G_CUDA(cudaMemsetAsync(count.data(), 0, count.bytes(), queue.stream()));
  if (nnz > 0) {
    count_columns_kernel<<<blocks_for(nnz), threads, 0, queue.stream()>>>(nnz, col, count.data());
    EIGEN_G_LAUNCHED();
  }
  DeviceBuffer<std::uint64_t> keys(queue, cols);
  DeviceBuffer<std::int64_t> columns(queue, cols);
  frequency_kernel<<<blocks_for(cols), threads, 0, queue.stream()>>>(cols, count.data(), keys.data(),
                                                                     columns.data());
  EIGEN_G_LAUNCHED();
  sort_pairs(queue, keys, columns, 0, 32);
  DeviceBuffer<std::int32_t> place(queue, cols);
  EIGEN_G_CUDA(cudaMemsetAsync(place.data(), 0xff, place.bytes(), queue.stream()));
  place_kernel<<<blocks_for(hot), threads, 0, queue.stream()>>>(hot, columns.data(), hot_col, place.data());
  EIGEN_G_LAUNCHED();
  return place;
}

}  // namespace

template <class T>
Sell<T>::Sell(const Queue& queue, const CrsView<T>& a_dev, const SellConfig& config)
    : rows_(a_dev.rows), cols_(a_dev.cols) {
  if (rows_ == 0) return;
  const std::int64_t cut = config.cut;
  const std::vector<LongRow> found = long_rows_of(queue, rows_, a_dev.row_offsets, a_dev.nnz, cut);
  if (config.sigma > 1 || !found.empty()) {
    order_ = DeviceBuffer<std::int32_t>(queue, rows_);
    order_rows(queue, rows_, a_dev.row_offsets, config.sigma, cut, order_.data());
  }
  DeviceBuffer<std::int32_t> place;
  if (config.hot > 0 && config.hot < cols_ &&
      cols_ <= std::numeric_limits<std::int32_t>::max() - config.hot) {
    hot_ = config.hot;
    std::int64_t first = 0;
    EIGEN_G_CUDA(
        cudaMemcpyAsync(&first, a_dev.row_offsets, sizeof first, cudaMemcpyDeviceToHost, queue.stream()));
    queue.wait();
    hot_col_ = DeviceBuffer<std::int32_t>(queue, hot_);
    hot_x_ = DeviceBuffer<T>(queue, std::int64_t{4} * hot_);
    place = hot_columns(queue, a_dev.nnz, a_dev.col + first, cols_, hot_, hot_col_.data());
  }
  const std::int64_t slices = (rows_ + sell_slice - 1) / sell_slice;
  const unsigned blocks = blocks_for(slices * warp);
  DeviceBuffer<std::int64_t> size(queue, slices);
  slice_begin_ = DeviceBuffer<std::int64_t>(queue, slices + 1);
  size_kernel<<<blocks, threads, 0, queue.stream()>>>(rows_, a_dev.row_offsets, order_.data(), cut, slices,
                                                      size.data());
  EIGEN_G_LAUNCHED();
  const std::int64_t sliced = running_sum(queue, size.data(), slices, slice_begin_.data());
  stored_ = sliced;
  for (const LongRow& row : found) stored_ += row.length;
  col_ = DeviceBuffer<std::int32_t>(queue, stored_);
  value_ = DeviceBuffer<T>(queue, stored_);
  fill_kernel<<<blocks, threads, 0, queue.stream()>>>(a_dev, order_.data(), place.data(), hot_, cut, slices,
                                                      slice_begin_.data(), col_.data(), value_.data());
  EIGEN_G_LAUNCHED();
  if (!found.empty()) {
    mark_long_kernel<<<blocks_for(rows_), threads, 0, queue.stream()>>>(rows_, a_dev.row_offsets, cut,
                                                                        order_.data());
    EIGEN_G_LAUNCHED();
    std::vector<std::int32_t> row;
    std::vector<std::int64_t> first_piece{0}, piece_begin, source;
    std::int64_t at = sliced;
    for (const LongRow& r : found) {
      row.push_back(static_cast<std::int32_t>(r.row));
      for (std::int64_t done = 0; done < r.length; done += config.piece_entries) {
        piece_begin.push_back(at + done);
        source.push_back(r.begin + done);
      }
      at += r.length;
      first_piece.push_back(static_cast<std::int64_t>(piece_begin.size()));
    }
    long_rows_ = static_cast<std::int64_t>(row.size());
    pieces_ = static_cast<std::int64_t>(piece_begin.size());
    piece_begin.push_back(at);
    DeviceBuffer<std::int64_t> source_dev;
    upload(queue, row, long_row_);
    upload(queue, first_piece, first_piece_);
    upload(queue, piece_begin, piece_begin_);
    upload(queue, source, source_dev);
    partial_ = DeviceBuffer<T>(queue, 4 * pieces_);
    copy_pieces_kernel<<<static_cast<unsigned>(pieces_), threads, 0, queue.stream()>>>(
        a_dev, place.data(), hot_, source_dev.data(), piece_begin_.data(), col_.data(), value_.data());
    EIGEN_G_LAUNCHED();
    queue.wait();
  }
  queue.wait();
}

template <class T>
SellView<T> Sell<T>::view() const {
  return {rows_,
          cols_,
          (rows_ + sell_slice - 1) / sell_slice,
          slice_begin_.data(),
          order_.data(),
          col_.data(),
          value_.data(),
          long_rows_,
          pieces_,
          long_row_.data(),
          first_piece_.data(),
          piece_begin_.data(),
          hot_,
          hot_col_.data()};
}

template <class T>
std::uint64_t Sell<T>::bytes() const {
  return slice_begin_.bytes() + first_piece_.bytes() + piece_begin_.bytes() + order_.bytes() + col_.bytes() +
         long_row_.bytes() + value_.bytes() + partial_.bytes() + hot_col_.bytes() + hot_x_.bytes();
}

EIGEN_G_INSTANTIATE_CLASS(real_types, Sell);

}  // namespace eigen_g::blas2
