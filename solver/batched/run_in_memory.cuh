// run_in_memory(): runs the kernels of a chunk of matrices of order 129 to 512, in their order.
#pragma once

#include <utility>

#include "hybrid/memory/arena.hpp"
#include "solver/batched/back_transform_in_memory.cuh"
#include "solver/batched/conquer_in_memory.cuh"
#include "solver/batched/launching.cuh"
#include "solver/batched/tridiagonalize_in_memory.cuh"

namespace eigen_g::batched {

template <class T>
Work<T> place_work_in_memory(Arena& arena, int n, bool vectors, std::int64_t count) {
  using R = real_t<T>;
  Work<T> work;
  const int leaves = leaves_in_memory(n);
  const std::int64_t problems = count * leaves;
  work.ld = in_strips(n);
  const std::int64_t ld = work.ld;
  for (R** array : {&work.d, &work.e, &work.tau, &work.w, &work.inverse_norms})
    *array = arena.take<R>(count * ld);
  if constexpr (is_complex<T>) work.phase = arena.take<T>(count * ld);
  work.exponent = arena.take<int>(count);
  work.info = arena.take<int>(count);
  work.v = arena.take<T>(count * ld * ld);
  for (R** array : {&work.u, &work.q, &work.q_next}) *array = arena.take<R>(count * ld * ld);
  if (vectors) {
    work.factors = arena.take<T>(count * ld * tile_size);
    work.column = arena.take<int>(count * ld);
  }
  work.most_sweeps = ql_most_sweeps(leaf_rows);
  work.room = ql_room(leaf_rows);
  work.rotations = arena.take<pair_t<R>>(problems * work.room);
  work.sweeps = arena.take<int2>(problems * work.most_sweeps);
  work.sweep_count = arena.take<int>(problems);
  return work;
}

template <class T, class Launch>
void run_in_memory(const Launch& launch, const Chunk<T>& chunk, Work<T> work, bool vectors,
                   int multiprocessors) {
  using R = real_t<T>;
  const int n = chunk.n, leaves = leaves_in_memory(n);
  const std::int64_t count = chunk.count;
  with_padded_order(OrdersInMemory(), n, [&](auto np) {
    constexpr int NP = np, few = NP == 256 ? 1 : 4, many = NP == 256 ? 4 : 8;
    // A small chunk gets larger clusters of thread blocks. The results have the same bits.
    if (count * many <= multiprocessors)
      launch(tridiagonalize_in_memory<T, NP, many>, InClusters{count * many, many},
             reduction_threads<T, NP>(), ReductionPlan<T, NP, many>::shared(), chunk, work);
    else
      launch(tridiagonalize_in_memory<T, NP, few>, InClusters{count * few, few}, reduction_threads<T, NP>(),
             ReductionPlan<T, NP, few>::shared(), chunk, work);
  });
  launch_find_values<true>(launch, chunk, work, leaves, multiprocessors);
  launch(leaf_vectors_in_memory<T>, count * leaves, 32, LeafPlan<R>::shared(), chunk, work, leaves);
  for (int span = 2; span <= leaves; span *= 2) {
    const int rows = span * leaf_rows;
    const bool product = vectors || span < leaves;
    with_padded_order(PaddedOrders<64, 128, 256, 512>(), rows, [&](auto mc) {
      constexpr int MC = mc, threads = merge_threads(MC), bytes = merge_shared<R, MC>();
      if (product)
        launch(merge_in_memory<T, MC, true>, count * (leaves / span), threads, bytes, chunk, work, span,
               leaves);
      else
        launch(merge_in_memory<T, MC, false>, count * (leaves / span), threads, bytes, chunk, work, span,
               leaves);
    });
    if (!product) break;
    launch(multiply_in_memory<T>, count * (leaves / span) * tiles_of_merge(rows), tile_threads,
           multiply_shared(sizeof(R)), chunk, work, span, leaves, rows);
    std::swap(work.q, work.q_next);
  }
  launch(order_in_memory<T>, count, order_threads, (n + 3) / 4 * 4 * static_cast<int>(sizeof(R)), chunk,
         work);
  const int strips = (chunk.to - chunk.from + tile_size - 1) / tile_size;
  if (!vectors || strips == 0) return;
  launch(factors_in_memory<T>, count * (work.ld / tile_size), tile_threads, factors_shared<T>(), chunk, work);
  launch(back_transform_in_memory<T>, count * strips, tile_threads, BackTransformPlan<T>::shared(), chunk,
         work, strips);
}

}  // namespace eigen_g::batched
