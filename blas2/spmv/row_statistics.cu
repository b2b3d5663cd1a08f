#include "blas2/spmv/row_statistics.hpp"
#include "blas2/spmv/warp_max.cuh"
#include "hybrid/cuda_check.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/warp_sum.cuh"

namespace eigen_g::blas2 {

namespace {

constexpr int threads = 256;
constexpr int warp = 32;
constexpr int cuts = static_cast<int>(spmv_cuts.size());

struct Sums {
  unsigned long long longest, long_rows[cuts], long_entries[cuts], padded[cuts];
};
struct Cuts {
  std::int64_t at[cuts];
};

// One warp handles a slice of 32 rows. The sums are integers, so the order of the additions does not matter.
__global__ void statistics_kernel(std::int64_t rows, const std::int64_t* row_offsets, Cuts cut, Sums* sums) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  const bool first = threadIdx.x % warp == 0;
  const std::int64_t length = i < rows ? row_offsets[i + 1] - row_offsets[i] : 0;
  const auto bounded = static_cast<unsigned>(length);
  const unsigned longest = warp_max(bounded);
  if (first) atomicMax(&sums->longest, static_cast<unsigned long long>(longest));
  for (int c = 0; c < cuts; ++c) {
    const bool is_long = length > cut.at[c];
    const unsigned deepest = warp_max(is_long ? 0u : bounded);
    const unsigned count = __popc(__ballot_sync(0xffffffffu, is_long));
    const unsigned long long entries =
        count > 0 ? warp_sum(is_long ? static_cast<unsigned long long>(length) : 0) : 0;
    if (!first) continue;
    atomicAdd(&sums->padded[c], static_cast<unsigned long long>(warp) * deepest);
    if (count > 0) {
      atomicAdd(&sums->long_rows[c], static_cast<unsigned long long>(count));
      atomicAdd(&sums->long_entries[c], entries);
    }
  }
}

}  // namespace

template <class T>
RowStatistics row_statistics(const Queue& queue, const CrsView<T>& a_dev) {
  RowStatistics s{.rows = a_dev.rows, .cols = a_dev.cols, .nnz = a_dev.nnz};
  if (s.rows == 0) return s;
  DeviceBuffer<Sums> sums_dev(queue, 1);
  EIGEN_G_CUDA(cudaMemsetAsync(sums_dev.data(), 0, sums_dev.bytes(), queue.stream()));
  Cuts cut;
  for (int c = 0; c < cuts; ++c) cut.at[c] = spmv_cuts[static_cast<std::size_t>(c)];
  statistics_kernel<<<static_cast<unsigned>((s.rows + threads - 1) / threads), threads, 0, queue.stream()>>>(
      s.rows, a_dev.row_offsets, cut, sums_dev.data());
  EIGEN_G_LAUNCHED();
  Sums sums;
  EIGEN_G_CUDA(cudaMemcpyAsync(&sums, sums_dev.data(), sizeof sums, cudaMemcpyDeviceToHost, queue.stream()));
  queue.wait();
  s.longest = static_cast<std::int64_t>(sums.longest);
  for (int c = 0; c < cuts; ++c) {
    const auto at = static_cast<std::size_t>(c);
    s.long_rows[at] = static_cast<std::int64_t>(sums.long_rows[c]);
    s.long_entries[at] = static_cast<std::int64_t>(sums.long_entries[c]);
    s.padded[at] = static_cast<std::int64_t>(sums.padded[c]);
  }
  return s;
}

EIGEN_G_INSTANTIATE_OVERLOAD(real_types, row_statistics, RowStatistics(const Queue&, const CrsView<T>&));

}  // namespace eigen_g::blas2
