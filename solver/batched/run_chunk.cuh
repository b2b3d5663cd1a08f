// run_chunk(): runs the kernels of one chunk of a batch, in their order. Its argument `launch` is a function that launches a kernel on a GPU
// (launch_kernel.cuh). In a test it runs the kernel on the CPU, with each thread as a fiber (tests/support/emulation.hpp).
//
//   order      reduction                   values of T              vectors
//   1..4       jacobi() does everything
//   5..32      tridiagonalize_in_warps()   find_values()            rows_of_z(); values only: order_values()
//   33..128    tridiagonalize_in_blocks()  find_values() of leaves  real: conquer() or conquer_on_tensor_cores()
//                                                                   complex: conquer_tridiagonal(), back_transform_strip()
//                                                                   values only: conquer_tridiagonal()
//   129..512   run_in_memory.cuh
#pragma once

#include <type_traits>

#include "hybrid/memory/arena.hpp"
#include "solver/batched/back_transform.cuh"
#include "solver/batched/batched_device.hpp"
#include "solver/batched/conquer_on_tensor_cores.cuh"
#include "solver/batched/jacobi.cuh"
#include "solver/batched/run_in_memory.cuh"
#include "solver/batched/tridiagonalize.cuh"

namespace eigen_g::batched {

// Takes the work arrays of `count` matrices of order up to n from the arena.
template <class T>
Work<T> place_work(Arena& arena, Method method, int n, bool vectors, std::int64_t count) {
  using R = real_t<T>;
  Work<T> work;
  if (method == Method::jacobi) return work;
  if (method == Method::in_memory) return place_work_in_memory<T>(arena, n, vectors, count);
  const int leaves = leaves_of(method), rows = ql_most_rows(n, leaves);
  const std::int64_t problems = count * leaves;
  work.ld = n;
  for (R** array : {&work.d, &work.e, &work.tau, &work.w}) *array = arena.take<R>(count * n);
  if constexpr (is_complex<T>) work.phase = arena.take<T>(count * n);
  work.exponent = arena.take<int>(count);
  work.info = arena.take<int>(count);
  const bool rotations = vectors || leaves > 1;
  work.most_sweeps = rotations ? ql_most_sweeps(rows) : 30 * n;
  if (vectors) work.v = arena.take<T>(count * n * n);
  if (vectors && is_complex<T> && leaves > 1) work.u = arena.take<R>(count * n * n);
  if (!rotations) return work;
  work.room = ql_room(rows);
  work.rotations = arena.take<pair_t<R>>(problems * work.room);
  work.sweeps = arena.take<int2>(problems * work.most_sweeps);
  work.sweep_count = arena.take<int>(problems);
  return work;
}

//   launch            launch(kernel, blocks, threads, bytes of shared memory, arguments...)
//   multiprocessors   of the GPU
template <class T, class Launch>
void run_chunk(const Launch& launch, Method method, const Chunk<T>& chunk, const Work<T>& work, bool vectors,
               int multiprocessors) {
  using R = real_t<T>;
  const int n = chunk.n;
  const std::int64_t count = chunk.count;
  if (method == Method::in_memory) return run_in_memory(launch, chunk, work, vectors, multiprocessors);
  if (method == Method::jacobi) {
    with_padded_order(ExactOrders(), n, [&](auto np) {
      constexpr int N = np;
      launch(jacobi<T, N, false>, (count + jacobi_threads - 1) / jacobi_threads, jacobi_threads,
             jacobi_shared<T, N, false>(), chunk);
    });
    return;
  }
  if (n <= 32) {
    with_padded_order(OrdersInWarps(), n, [&](auto np) {
      launch(tridiagonalize_in_warps<T, np>, (count + warps_a_block - 1) / warps_a_block, 32 * warps_a_block,
             tridiagonalize_in_warps_shared<T, np>(), chunk, work);
    });
  } else {
    with_padded_order(OrdersInBlocks(), n, [&](auto np) {
      launch(tridiagonalize_in_blocks<T, np>, count, threads_across(np) * threads_across(np),
             tridiagonalize_shared<T, np>(), chunk, work);
    });
  }
  const int leaves = leaves_of(method);
  if (!vectors && leaves == 1) {
    launch_find_values<false>(launch, chunk, work, leaves, multiprocessors);
    launch(order_values<T>, (count + 3) / 4, 128, 0, chunk, work);
    return;
  }
  launch_find_values<true>(launch, chunk, work, leaves, multiprocessors);
  if (leaves == 1) {
    launch(rows_of_z<T>, count, 32, RowsPlan<T, 32>::shared(work.most_sweeps), chunk, work);
    return;
  }
  with_padded_order(PaddedOrders<64, 96, 128>(), n, [&](auto np) {
    constexpr int NP = np, bytes = ConquerPlan<R, NP>::shared();
    if (!vectors) return launch(conquer_tridiagonal<T, NP, false>, count, 2 * NP, bytes, chunk, work);
    if constexpr (is_complex<T>) {
      using Plan = StripPlan<T, NP>;
      const int strips = (chunk.to - chunk.from + Plan::columns - 1) / Plan::columns;
      launch(conquer_tridiagonal<T, NP, true>, count, 2 * NP, bytes, chunk, work);
      if (strips > 0)
        launch(back_transform_strip<T, NP>, count * strips, Plan::threads, Plan::shared(), chunk, work,
               strips);
    } else {
      if constexpr (std::is_same_v<T, double>)
        if (method == Method::conquer_on_tensor_cores)
          return launch(conquer_on_tensor_cores<NP>, count, 2 * NP, bytes, chunk, work);
      launch(conquer<T, NP>, count, 2 * NP, bytes, chunk, work);
    }
  });
}

}  // namespace eigen_g::batched
