// run_pencil_chunk(): runs the kernels of one chunk of generalised problems. `launch` is as in run_chunk.cuh.
//
//   order      standard form        pairs of C             vectors and status
//   1..4       jacobi() does everything
//   5..128     to_standard_form()   run_chunk()'s kernels   from_standard_form()
#pragma once

#include "solver/batched/pencil.cuh"
#include "solver/batched/run_chunk.cuh"

namespace eigen_g::batched {

//   solve_standard   solve_standard(chunk) runs the kernels of a chunk of standard problems
template <class T, class Launch, class Standard>
void run_pencil_chunk(const Launch& launch, const Standard& solve_standard, const Chunk<T>& chunk,
                      const PencilWork<T>& work) {
  const std::int64_t count = chunk.count;
  if (chunk.n <= 4)
    return with_padded_order(ExactOrders(), chunk.n, [&](auto n) {
      constexpr int N = n;
      launch(jacobi<T, N, true>, (count + jacobi_threads - 1) / jacobi_threads, jacobi_threads,
             jacobi_shared<T, N, true>(), chunk);
    });
  const auto by_team = [&](auto largest) {
    constexpr int THREADS = threads_of_team(largest), C = columns_of_strip(largest);
    const int shared = TeamMemory<T, C>::bytes(chunk.n);
    launch(to_standard_form<T, THREADS, C>, count, THREADS, shared, chunk, work);
    solve_standard(standard_chunk(chunk, work));
    launch(from_standard_form<T, THREADS, C>, count, THREADS, shared, chunk, work);
  };
  with_padded_order(PaddedOrders<8, 16, 32, 64, 128>(), chunk.n, by_team);
}

}  // namespace eigen_g::batched
