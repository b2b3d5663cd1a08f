// Groups and chunks of a batch, for the solves of batched_device.cpp (device pointers) and batched_on_host_pointers.cpp (host pointers). CUDA builds
// only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "solver/batched/batched_device.hpp"
#include "solver/batched/small_on_cpu.hpp"
#include "solver/driver/batched.hpp"
#include "solver/driver/device_frame.hpp"

namespace eigen_g {

// The kernels take leading dimensions of 32 bits.
inline constexpr std::int64_t largest_short_ld = std::numeric_limits<std::int32_t>::max();

// Returns true if the kernels solve problems of order n. The padded order of n is the next order for which
// a kernel is compiled (batched_device.hpp). All orders with the same padded order have the same answer.
template <class T>
bool kernels_solve(std::int64_t n, bool vectors, bool generalised) {
  return n <= batched::largest_order && batched::BatchOnDevice<T>::supports(
                                            batched::padded_order(static_cast<int>(n)), vectors, generalised);
}

// Returns a chunk with the sizes and options of the batch, for `count` matrices of order up to n. Its arrays are not set.
template <class T>
batched::Chunk<T> chunk_of(const Batch<T>& batch, std::int64_t n, std::int64_t count) {
  batched::Chunk<T> chunk;
  chunk.count = count;
  chunk.n = static_cast<int>(n);
  chunk.upper = batch.upper();
  const Selected pairs = batch.pairs(n);
  chunk.from = static_cast<int>(pairs.first);
  chunk.to = static_cast<int>(pairs.first + pairs.count);
  return chunk;
}

// Some matrices of a batch. If by_kernels is true, all matrices of the group have the same padded order, and one BatchOnDevice solves them. If
// by_kernels is false, all have the same order, and lanes of the GPU solve them (batched_in_lanes.hpp). The bits of a matrix's results do not
// depend on the other matrices of its group.
struct BatchGroup {
  std::int64_t n = 0;  // the largest order
  bool by_kernels = false;
  std::vector<std::int64_t> members;
};

// Returns the groups of a batch on the current GPU. Matrices of order 0 are in no group.
template <class T>
std::vector<BatchGroup> groups_of(const Batch<T>& batch) {
  std::map<std::int64_t, BatchGroup> groups;
  const bool vectors = batch.options.vectors;
  for (std::int64_t k = 0; k < batch.count; ++k) {
    const BatchMatrix<T> x = batch[k];
    if (x.n == 0) continue;
    const bool short_ld =
        batch.on_host() || std::max({x.lda, x.b ? x.ldb : 1, vectors ? x.ldz : 1}) <= largest_short_ld;
    const int padded = x.n <= batched::largest_order ? batched::padded_order(static_cast<int>(x.n)) : 0;
    const bool by_kernels = short_ld && padded > 0 &&
                            (groups.count(padded) > 0 || kernels_solve<T>(x.n, vectors, batch.generalised));
    BatchGroup& group = groups[by_kernels ? padded : -x.n];
    group.by_kernels = by_kernels;
    group.n = std::max(group.n, x.n);
    group.members.push_back(k);
  }
  std::vector<BatchGroup> list;
  list.reserve(groups.size());
  for (auto& [key, group] : groups) list.push_back(std::move(group));
  return list;
}

// Returns the indices of the matrices that the kernels do not solve.
inline std::vector<std::int64_t> problems_in_lanes(const std::vector<BatchGroup>& groups) {
  std::vector<std::int64_t> list;
  for (const BatchGroup& group : groups)
    if (!group.by_kernels) list.insert(list.end(), group.members.begin(), group.members.end());
  return list;
}

// The destructor waits for all queued work, also after an exception, because the memory that the work uses is freed afterwards.
struct WaitAtEnd {
  const Queue& queue;
  ~WaitAtEnd() { cudaStreamSynchronize(queue.stream()); }
};

}  // namespace eigen_g
