// run_pencil_chunk(): the kernels of one chunk of generalised problems. The launcher is as in run_chunk.cuh.
//
//   order      standard form        pairs of C             vectors and status
//   1..4       jacobi() does everything
//   5..128     to_standard_form()   those of run_chunk()   from_standard_form()
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
  const auto by_team = [&](auto threads) {
    constexpr int THREADS = threads;
    const int shared = TeamMemory<T>::bytes(chunk.n);
    launch(to_standard_form<T, THREADS>, count, THREADS, shared, chunk, work);
    solve_standard(standard_chunk(chunk, work));
    launch(from_standard_form<T, THREADS>, count, THREADS, shared, chunk, work);
  };
  if (chunk.n <= 32)
    by_team(Order<threads_of_team(32)>());
  else if (chunk.n <= 64)
    by_team(Order<threads_of_team(64)>());
  else
    by_team(Order<threads_of_team(128)>());
}

}  // namespace eigen_g::batched
