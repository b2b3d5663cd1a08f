// Choices of a launch: the instance of a kernel by the padded order, and the problems of a warp of find_values().
#pragma once

#include <cstdint>
#include <type_traits>

#include "solver/batched/batched_device.hpp"
#include "solver/batched/ql.cuh"

namespace eigen_g::batched {

// The blocks of a launch in clusters.
struct InClusters {
  std::int64_t blocks;
  int cluster;
  operator std::int64_t() const { return blocks; }
};

// The blocks of a launch that start before waiting blocks of other kernels. find_values() has few warps with long chains of operations, so
// that it should run at the same time as the kernels of other chunks.
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
  // A batch with few problems has fewer of them in a warp: all multiprocessors have work then, and lanes wait less for each other.
  const std::int64_t problems = chunk.count * leaves;
  int lanes = 32;
  while (lanes > 1 && (problems + lanes - 1) / lanes < 2 * multiprocessors) lanes /= 2;
  const std::int64_t warps = (problems + lanes - 1) / lanes;
  const int shared = ql_shared(chunk.n, leaves, sizeof(real_t<T>));
  launch(find_values<T, VECTORS>, BeforeOthers{warps}, 32, shared, chunk, work, lanes, leaves);
}

}  // namespace eigen_g::batched
