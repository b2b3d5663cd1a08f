#include "hybrid/transfer.hpp"

#include <omp.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <system_error>

#include "hybrid/cuda_check.hpp"
#include "hybrid/device.hpp"
#include "hybrid/memory.hpp"
#include "hybrid/queue.hpp"
#include "hybrid/stream_copy.hpp"

#ifndef MADV_POPULATE_WRITE  // Linux 5.14, glibc 2.35
#define MADV_POPULATE_WRITE 23
#endif

namespace eigen_g {

namespace {

// Measured on PCIe 5 (55 GB/s) with 16 threads, GB/s up: 4 slots of 8 MiB 53, of 4 MiB 34; 3 of 8 MiB 46, 3 or 4 of 16 MiB
// 53. Down with stores past the caches: 8 slots of 8 MiB 54, 4 of 8 MiB 40, 8 of 4 MiB 39; with ordinary ones 49, and less
// where the host is busy, as they move each line of the target twice. A small matrix goes in smaller chunks, or nothing
// would overlap: n = 1000 up and down in 0.21 and 0.20 ms, in one chunk in 0.32 and 0.26.
constexpr std::int64_t most_of_a_chunk = std::int64_t{1} << 20;  // elements
constexpr std::int64_t least_of_a_chunk = std::int64_t{1} << 17;
constexpr int slots_up = 4, slots_down = 8;
constexpr std::int64_t piece_rows = 4096;            // what a thread copies at a time
constexpr std::int64_t least_for_threads = 1 << 15;  // elements

// A slot is free when the engine has passed `moved`.
struct Slot {
  PinnedBuffer<double> memory;
  Event moved;
};
using Slots = std::array<Slot, std::max(slots_up, slots_down)>;
thread_local std::map<int, Slots> kept_slots;  // by GPU

Slots& slots_here() {
  return kept_slots[current_gpu()];
}

double* ready(Slot& slot, std::int64_t elements) {
  slot.moved.wait();
  if (slot.memory.size() < elements) {
    slot.memory = PinnedBuffer<double>();
    slot.memory = PinnedBuffer<double>(elements);
  }
  return slot.memory.data();
}

bool pageable(const void* host) {
  return owner_of(host).place == MemoryPlace::unknown_host;
}

std::size_t bytes_of(std::int64_t elements) {
  return sizeof(double) * static_cast<std::size_t>(elements);
}

void copy_2d(const Queue& queue, MatrixView<const double> from, MatrixView<double> to, cudaMemcpyKind kind) {
  EIGEN_G_CUDA(cudaMemcpy2DAsync(to.data, bytes_of(to.lda), from.data, bytes_of(from.lda),
                                 bytes_of(from.rows), static_cast<std::size_t>(from.cols), kind,
                                 queue.stream()));
}

void plain_copy(const double* from, double* to, std::int64_t count) {
  std::memcpy(to, from, bytes_of(count));
}

// to := from where column j has rows begin(j) ... end(j) - 1 of interest.
template <class Copy, class Begin, class End>
void copy_columns(MatrixView<const double> from, MatrixView<double> to, Copy&& copy, Begin&& begin,
                  End&& end) {
  const std::int64_t pieces = (from.rows + piece_rows - 1) / piece_rows;
#pragma omp parallel for schedule(static) if (from.rows * from.cols > least_for_threads)
  for (std::int64_t p = 0; p < from.cols * pieces; ++p) {
    const std::int64_t j = p / pieces, row = p % pieces * piece_rows;
    const std::int64_t first = std::max(row, begin(j)), last = std::min(row + piece_rows, end(j));
    if (first < last) copy(&from(first, j), &to(first, j), last - first);
  }
}

std::int64_t chunk_elements(std::int64_t rows, std::int64_t cols) {
  return std::clamp(rows * cols / 8, least_of_a_chunk, most_of_a_chunk);
}

template <class T>
MatrixView<T> part_of(MatrixView<T> whole, const Chunk& c) {
  return whole.block(c.first_row, c.first, c.rows, c.cols);
}

}  // namespace

void release_kept_staging() {
  for (auto& of_gpu : kept_slots)
    for (Slot& slot : of_gpu.second) slot.moved.wait();
  kept_slots.clear();
}

std::vector<Chunk> cut_into_chunks(Part part, std::int64_t rows, std::int64_t cols, std::int64_t elements) {
  std::vector<Chunk> chunks;
  for (std::int64_t first = 0; rows > 0 && first < cols;) {
    const std::int64_t first_row = part == Part::lower ? std::min(first, rows - 1) : 0;
    std::int64_t count = elements / (rows - first_row);
    if (part == Part::upper) {  // count (first + count) <= elements
      const double half = 0.5 * static_cast<double>(first);
      count = static_cast<std::int64_t>(std::sqrt(half * half + static_cast<double>(elements)) - half);
    }
    count = std::clamp<std::int64_t>(count, 1, cols - first);
    chunks.push_back(
        {first, count, first_row, part == Part::upper ? std::min(rows, first + count) : rows - first_row});
    first += count;
  }
  return chunks;
}

void upload(const Queue& queue, Part part, MatrixView<const double> from, MatrixView<double> to_dev) {
  const std::vector<Chunk> chunks =
      cut_into_chunks(part, from.rows, from.cols, chunk_elements(from.rows, from.cols));
  if (chunks.empty()) return;
  if (!pageable(from.data)) {
    for (const Chunk& c : chunks)
      copy_2d(queue, part_of(from, c), part_of(to_dev, c), cudaMemcpyHostToDevice);
    return;
  }
  auto& staging = slots_here();
  for (std::size_t k = 0; k < chunks.size(); ++k) {
    const Chunk& c = chunks[k];
    Slot& slot = staging[k % slots_up];
    const MatrixView<double> staged{ready(slot, c.rows * c.cols), c.rows, c.cols, c.rows};
    const std::int64_t diagonal = c.first - c.first_row;  // row of the chunk's first diagonal element
    copy_columns(
        part_of(from, c), staged, plain_copy,  // the engine finds it in the cache
        [&](std::int64_t j) { return part == Part::lower ? diagonal + j : 0; },
        [&](std::int64_t j) { return part == Part::upper ? std::min(diagonal + j + 1, c.rows) : c.rows; });
    copy_2d(queue, staged, part_of(to_dev, c), cudaMemcpyHostToDevice);
    slot.moved.record(queue);
  }
}

void download(const Queue& queue, MatrixView<const double> from_dev, MatrixView<double> to) {
  if (to.rows == 0 || to.cols == 0) return;
  if (!pageable(to.data)) {
    copy_2d(queue, from_dev, to, cudaMemcpyDeviceToHost);
    queue.wait();
    return;
  }
  const std::vector<Chunk> chunks =
      cut_into_chunks(Part::all, to.rows, to.cols, chunk_elements(to.rows, to.cols));
  auto& staging = slots_here();
  const auto staged = [&](std::size_t k) {
    const Chunk& c = chunks[k];
    return MatrixView<double>{staging[k % slots_down].memory.data(), c.rows, c.cols, c.rows};
  };
  const auto start = [&](std::size_t k) {
    if (k >= chunks.size()) return;
    Slot& slot = staging[k % slots_down];
    ready(slot, chunks[k].rows * chunks[k].cols);
    copy_2d(queue, part_of(from_dev, chunks[k]), staged(k), cudaMemcpyDeviceToHost);
    slot.moved.record(queue);
  };
  for (std::size_t k = 0; k < slots_down; ++k) start(k);
  for (std::size_t k = 0; k < chunks.size(); ++k) {
    staging[k % slots_down].moved.wait();
    copy_columns(
        staged(k), part_of(to, chunks[k]), stream_copy, [](std::int64_t) { return std::int64_t{0}; },
        [&](std::int64_t) { return chunks[k].rows; });
    start(k + slots_down);
  }
}

PageFetch::PageFetch(MatrixView<double> host) {
  static constexpr std::uint64_t block = std::uint64_t{8} << 20, least = std::uint64_t{4} << 20;
  // Enough: there is all the time of the reduction. One more for each 32 MiB, as a thread takes time to start.
  constexpr std::uint64_t most_threads = 4, bytes_of_a_thread = std::uint64_t{32} << 20;
  if (host.rows == 0 || host.cols == 0 || !pageable(host.data)) return;
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const auto begin = (reinterpret_cast<std::uint64_t>(host.data) + page - 1) / page * page;
  const auto end = reinterpret_cast<std::uint64_t>(&host(host.rows - 1, host.cols - 1)) / page * page;
  if (begin + least > end) return;
  next_ = begin;
  const auto fetch = [this, end] {
    for (std::uint64_t at = next_.fetch_add(block); at < end; at = next_.fetch_add(block))
      if (madvise(reinterpret_cast<void*>(at), std::min(block, end - at), MADV_POPULATE_WRITE) != 0) return;
  };
  try {
    const auto allowed = static_cast<std::uint64_t>(omp_get_max_threads());
    const std::uint64_t threads = std::min({most_threads, allowed, 1 + (end - begin) / bytes_of_a_thread});
    for (std::uint64_t t = 0; t < threads; ++t) team_.emplace_back(fetch);
  } catch (const std::system_error&) {  // no more threads: those that there are do it
  }
}

PageFetch::~PageFetch() {
  next_ = ~std::uint64_t{0} / 2;
  for (std::thread& thread : team_) thread.join();
}

}  // namespace eigen_g
