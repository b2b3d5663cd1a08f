#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <utility>

#include "blas2/spmv/row_order.hpp"
#include "hybrid/cuda_check.hpp"

namespace eigen_g::blas2 {

namespace {

constexpr int threads = 256;
constexpr int length_bits = 32;

unsigned blocks_for(std::int64_t count) {
  return static_cast<unsigned>((count + threads - 1) / threads);
}

// Key of row i: the number of its window in the upper bits, and below it a number that falls as the row's length grows.
__global__ void key_kernel(std::int64_t rows, const std::int64_t* row_offsets, std::int64_t sigma,
                           std::int64_t cut, std::uint64_t* keys, std::int64_t* positions) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= rows) return;
  const std::int64_t length = row_offsets[i + 1] - row_offsets[i];
  const std::uint64_t sorted = length > cut ? 0 : static_cast<std::uint64_t>(length);
  keys[i] = (static_cast<std::uint64_t>(i / sigma) << length_bits) | (0xffffffffull - sorted);
  positions[i] = i;
}

__global__ void narrow_kernel(std::int64_t count, const std::int64_t* in, std::int32_t* out) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i < count) out[i] = static_cast<std::int32_t>(in[i]);
}

}  // namespace

void sort_pairs(const Queue& queue, DeviceBuffer<std::uint64_t>& keys, DeviceBuffer<std::int64_t>& values,
                int first_bit, int last_bit) {
  const std::int64_t count = keys.size();
  if (count == 0) return;
  DeviceBuffer<std::uint64_t> sorted_keys(queue, count);
  DeviceBuffer<std::int64_t> sorted_values(queue, count);
  const auto sort = [&](void* scratch, std::size_t& bytes) {
    EIGEN_G_CUDA(cub::DeviceRadixSort::SortPairs(scratch, bytes, keys.data(), sorted_keys.data(),
                                                 values.data(), sorted_values.data(), count, first_bit,
                                                 last_bit, queue.stream()));
  };
  std::size_t bytes = 0;
  sort(nullptr, bytes);
  const DeviceMemory scratch(queue, bytes);
  sort(scratch.data(), bytes);
  std::swap(keys, sorted_keys);
  std::swap(values, sorted_values);
}

void order_rows(const Queue& queue, std::int64_t rows, const std::int64_t* row_offsets, std::int64_t sigma,
                std::int64_t cut, std::int32_t* order_dev) {
  if (rows == 0) return;
  DeviceBuffer<std::uint64_t> keys(queue, rows);
  DeviceBuffer<std::int64_t> positions(queue, rows);
  key_kernel<<<blocks_for(rows), threads, 0, queue.stream()>>>(rows, row_offsets, sigma, cut, keys.data(),
                                                               positions.data());
  EIGEN_G_LAUNCHED();
  int window_bits = 0;
  while ((rows - 1) / sigma >> window_bits) ++window_bits;
  sort_pairs(queue, keys, positions, 0, length_bits + window_bits);
  narrow_kernel<<<blocks_for(rows), threads, 0, queue.stream()>>>(rows, positions.data(), order_dev);
  EIGEN_G_LAUNCHED();
}

std::int64_t running_sum(const Queue& queue, const std::int64_t* in, std::int64_t count, std::int64_t* out) {
  EIGEN_G_CUDA(cudaMemsetAsync(out, 0, sizeof *out, queue.stream()));
  if (count > 0) {
    std::size_t bytes = 0;
    EIGEN_G_CUDA(cub::DeviceScan::InclusiveSum(nullptr, bytes, in, out + 1, count, queue.stream()));
    const DeviceMemory scratch(queue, bytes);
    EIGEN_G_CUDA(cub::DeviceScan::InclusiveSum(scratch.data(), bytes, in, out + 1, count, queue.stream()));
  }
  std::int64_t sum = 0;
  EIGEN_G_CUDA(cudaMemcpyAsync(&sum, out + count, sizeof sum, cudaMemcpyDeviceToHost, queue.stream()));
  queue.wait();
  return sum;
}

}  // namespace eigen_g::blas2
