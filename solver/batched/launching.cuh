// Decisions of a launch: the instance of a kernel for a padded order, the number of problems that a warp of find_values() has, and its priority.
#pragma once

#include <cstdint>
#include <type_traits>

#include "solver/batched/batched_device.hpp"
#include "solver/batched/ql.cuh"

namespace eigen_g::batched {

// The number of blocks of a launch, and the number of blocks in a cluster.
struct InClusters {
  std::int64_t blocks;
  int cluster;
  operator std::int64_t() const { return blocks; }
};

// The number of blocks of a launch with a high priority: its blocks start before waiting blocks of other kernels. find_values() has few warps with
// long chains of operations, so it should run at the same time as the kernels of other chunks.
struct BeforeOthers {
  std::int64_t blocks;
  operator std::int64_t() const { return blocks; }
};

template <int N>
using Order = std::integral_constant<int, N>;

// Calls act(Order<NP>()) for the smallest NP of the list that is at least n.
template <int NP, int... Larger, class Act>
void with_padded_order(PaddedOrders<NP, Larger...>, int n, const Act& act) {
  if constexpr (sizeof...(Larger) > 0)
    if (n > NP) return with_padded_order(PaddedOrders<Larger...>(), n, act);
  act(Order<NP>());
}

template <bool VECTORS, class T, class Launch>
void launch_find_values(const Launch& launch, const Chunk<T>& chunk, const Work<T>& work, int leaves,
                        int multiprocessors) {
  // If there are few problems, a warp has fewer than 32. All multiprocessors then have work, and the threads of a warp wait less for each other.
  const std::int64_t problems = chunk.count * leaves;
  int lanes = 32;
  while (lanes > 1 && (problems + lanes - 1) / lanes < 2 * multiprocessors) lanes /= 2;
  const std::int64_t warps = (problems + lanes - 1) / lanes;
  const int shared = ql_shared(chunk.n, leaves, sizeof(real_t<T>));
  launch(find_values<T, VECTORS>, BeforeOthers{warps}, 32, shared, chunk, work, lanes, leaves);
}

}  // namespace eigen_g::batched
