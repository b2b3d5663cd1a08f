// Z := Q2 Z on the tensor core. A task is a group of reflectors applied to 128 columns, a warp to 16 of them: the warp holds
// the rows that a tile acts on, its window W^T (16 x (b + width)), as accumulators, and takes the group's tiles one by one:
//
//   X^T = W^T V;    X^T := X^T (-T)^T;    W^T := W^T + X^T V^T
//
// (complex numbers: chase_back_planes.cuh; floats in halves: chase_back_halves.cuh). A square of W that is complete is stored at once,
// and the square of the next window that takes its place in the registers is loaded, so that memory is busy all along. V and T of a
// tile come into shared memory by the copy engine, a tile ahead, for all warps of the block; more of them would take L1 from the loads
// on their way.
//
// Tasks are drawn in order, group by group from the last to the first, in a group block of columns by block of columns, so that the
// work is even whatever m: groups of the same columns follow each other some windows apart. A warp tells in a word of the
// task's own how many windows it has stored, and the task of the next group looks there before it loads. Whoever is waited for drew
// its task earlier and waits for nobody later: any number of resident blocks comes to an end.
#include <algorithm>
#include <type_traits>

#include "hybrid/cuda_check.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/stream/shared_memory.hpp"
#include "solver/back/chase_back_fused.hpp"
#include "solver/back/chase_back_halves.cuh"
#include "solver/back/chase_back_planes.cuh"
#include "solver/back/chase_back_window.cuh"

namespace eigen_g {

namespace {

using namespace chase_back_window;

constexpr int max_warps = 12, ticket_words = 32;
constexpr int whole_group = 1 << 30;  // windows stored: all

template <class T>
struct Fused {
  T* z;
  std::int64_t n, m, ldz;
  const double *v, *factors;
  ChaseTiles tiles;
  int first_group, last_group, blocks;  // of columns
  int *ticket, *stored;                 // of a task and its warp
  int told_every;                       // so many windows
  Zeros zeros;
};

__device__ __forceinline__ void start_barrier(std::uint64_t* barrier, int count) {
#if __CUDA_ARCH__ >= 900
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(count) : "memory");
#endif
}
__device__ __forceinline__ void arrive(std::uint64_t* barrier) {
#if __CUDA_ARCH__ >= 900
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
#endif
}
__device__ __forceinline__ void arrive_and_expect(std::uint64_t* barrier, int bytes) {
#if __CUDA_ARCH__ >= 900
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
               : "memory");
#endif
}
__device__ __forceinline__ void wait_for(std::uint64_t* barrier, int parity) {
#if __CUDA_ARCH__ >= 900
  asm volatile(
      "{\n.reg .pred done;\nagain:\nmbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n@!done bra "
      "again;\n}" ::"r"(shared_address(barrier)),
      "r"(parity)
      : "memory");
#endif
}
__device__ __forceinline__ void copy_bulk(void* to, const void* from, int bytes, std::uint64_t* barrier) {
#if __CUDA_ARCH__ >= 900
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
          shared_address(to)),
      "l"(from), "r"(bytes), "r"(shared_address(barrier))
      : "memory");
#endif
}
__device__ __forceinline__ void tell(int* word, int count) {
#if __CUDA_ARCH__ >= 900
  asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(word), "r"(count) : "memory");
#endif
}
__device__ __forceinline__ int look(const int* word) {
  int count = 0;
#if __CUDA_ARCH__ >= 900
  asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(count) : "l"(word) : "memory");
#endif
  return count;
}

// The ring of tiles in shared memory, and what the thread that fills it keeps in mind (there, as registers are short).
template <class T, class S>
struct Ring {
  std::uint64_t full[S::stages], empty[S::stages];
  int task_of[S::stages];  // that the tile belongs to; -1: no more tasks
  int count, task, step, steps, group;
  std::int64_t before;  // tiles of the slab before those of `group`

  __device__ void start(int last_group) {
    for (int stage = 0; stage < S::stages; ++stage) {
      start_barrier(full + stage, 1);
      start_barrier(empty + stage, S::threads);
    }
#if __CUDA_ARCH__ >= 900
    asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async.shared::cta;" ::: "memory");
#endif
    count = task = step = steps = 0;
    group = last_group;
    before = 0;
  }
  // The next tile, into a stage that all warps have left.
  __device__ __forceinline__ void one_more(const Fused<T>& p, double* tiles) {
    if (step > steps) return;  // all is there
    const int stage = count % S::stages;
    if (count >= S::stages) wait_for(empty + stage, (count / S::stages - 1) & 1);
    ++count;
    if (step == steps) {
      task = atomicAdd(p.ticket, 1);
      step = 0;
      const int next = p.last_group - task / p.blocks;
      if (next < p.first_group) {
        steps = -1;
        task_of[stage] = -1;
        arrive(full + stage);
        return;
      }
      while (group > next) before += p.tiles.steps(group--);
      steps = static_cast<int>(p.tiles.steps(group));
    }
    task_of[stage] = task;
    double* const to = tiles + stage * (S::v_size + S::t_size);
    arrive_and_expect(full + stage, S::stage_bytes);
    copy_bulk(to, p.v + (before + step) * S::v_size, 8 * S::v_size, full + stage);
    copy_bulk(to + S::v_size, p.factors + (before + step) * S::t_size, 8 * S::t_size, full + stage);
    ++step;
  }
};

// Shared memory of a block: the ring, and what a thread keeps in mind from step to step, as registers are short and what spills is
// read from L2: every look() empties L1.
template <class T, class S>
struct Memory {
  double tiles[S::stages * (S::v_size + S::t_size)];
  Ring<T, S> ring;
  T* low[S::threads];  // Place
  int high[S::threads], rows[S::threads];
  int used[S::threads];                     // tiles so far
  int step[S::threads], steps[S::threads];  // of the task
  int ready[S::threads];                    // steps whose rows the group before has left, as far as is known
  int* stored[S::threads];                  // where this warp tells how many windows it has stored

  // This thread's. Volatile: neither its address nor its value is to be kept.
  template <class V>
  static __device__ __forceinline__ volatile V& own(V (&field)[S::threads]) {
    int thread;
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
    return field[thread];
  }
  __device__ __forceinline__ Place<T> place() {
    const int both = own(high);
    return {own(low), both & ~1, own(rows), (both & 1) != 0, (both & ~1) != 0};
  }
  // Waits until the group before has left the rows of a step.
  __device__ __forceinline__ void wait_for_rows(int of_step, int apart) {
    int known = own(ready);
    while (known <= of_step) known = look(own(stored) - apart);
    own(ready) = known;
    __syncwarp();
  }
};

// S: a Window of chase_back_window.cuh.
template <class T, class S>
__global__ void __launch_bounds__(S::threads, 1) chase_back_kernel(const __grid_constant__ Fused<T> p) {
  static_assert(S::x_squares == S::band_squares, "two steps move the window by its length");
  extern __shared__ __align__(128) char shared[];
  auto& memory = *reinterpret_cast<Memory<T, S>*>(shared);
  if (threadIdx.x == 0) {
    memory.ring.start(p.last_group);
    for (int k = 0; k < S::ahead; ++k) memory.ring.one_more(p, memory.tiles);
  }
  __syncthreads();

  const int apart = p.blocks * S::warps;  // words of a group
  typename S::Square w[S::squares];
  memory.own(memory.used) = 0;
  for (;;) {
    {
      const int used = memory.own(memory.used), lane = threadIdx.x % 32, warp = threadIdx.x / 32;
      wait_for(memory.ring.full + used % S::stages, used / S::stages & 1);
      const int task = memory.ring.task_of[used % S::stages];
      if (task < 0) break;
      const int group = p.last_group - task / p.blocks;
      memory.own(memory.steps) = static_cast<int>(p.tiles.steps(group));
      memory.own(memory.step) = 0;
      const int row = static_cast<int>(p.tiles.first_row(group, 0)) + lane % 4 * 2;
      const std::int64_t column =
          static_cast<std::int64_t>(task % p.blocks) * S::columns + warp * S::warp_columns + lane / 4;
      memory.own(memory.low) = p.z + min(column, p.m - 1) * p.ldz + row;
      memory.own(memory.high) = (column + 8 < p.m ? static_cast<int>(8 * p.ldz) : 0) + (column < p.m ? 1 : 0);
      memory.own(memory.rows) = static_cast<int>(p.n) - row;
      memory.own(memory.stored) = p.stored + static_cast<std::int64_t>(task) * S::warps + warp;
      memory.own(memory.ready) = group == p.last_group ? whole_group : 0;
    }
    memory.wait_for_rows(0, apart);
    if (memory.own(memory.steps) > 2)
#pragma unroll
      for (int k = 0; k < S::squares; ++k) S::template load<false>(memory.place(), k, w[k]);
    else
#pragma unroll
      for (int k = 0; k < S::squares; ++k) S::template load<true>(memory.place(), k, w[k]);
    // The window begins in w[moved]; false after the last step.
    const auto work = [&]<int moved>(std::integral_constant<int, moved>) {
      if (threadIdx.x == 0) memory.ring.one_more(p, memory.tiles);
      typename S::Product x;
      const int used = memory.own(memory.used);
      const double* const tile = memory.tiles + used % S::stages * (S::v_size + S::t_size);
      wait_for(memory.ring.full + used % S::stages, used / S::stages & 1);
      S::template multiply<moved>(w, x, tile, threadIdx.x % 32, p.zeros);
      const int step = memory.own(memory.step), left = memory.own(memory.steps) - step - 1;
      // The steps before this one, long on their way.
      if ((moved || p.told_every == 1) && threadIdx.x % 32 == 0) tell(memory.own(memory.stored), step);
      if (left > 0) memory.wait_for_rows(step + 1, apart);
      if (left > 2)
        S::template add_and_move<moved, false>(w, x, tile, threadIdx.x % 32, p.zeros, memory, false);
      else
        S::template add_and_move<moved, true>(w, x, tile, threadIdx.x % 32, p.zeros, memory, left == 0);
      __syncwarp();  // of the stores that tell() will speak of
      // Every lane: racecheck follows no order by way of __syncwarp.
      arrive(memory.ring.empty + memory.own(memory.used) % S::stages);
      memory.own(memory.used) = memory.own(memory.used) + 1;
      memory.own(memory.low) = memory.own(memory.low) + S::b;
      memory.own(memory.rows) = memory.own(memory.rows) - S::b;
      const int next = memory.own(memory.step) + 1;
      memory.own(memory.step) = next;
      return next < memory.own(memory.steps);
    };
    constexpr std::integral_constant<int, 0> even;
    constexpr std::integral_constant<int, S::band_squares> odd;
    for (;;) {
      if (!work(even)) {
#pragma unroll
        for (int k = 0; k < S::x_squares; ++k)
          S::template store<true>(memory.place(), k, w[k + S::band_squares]);
        break;
      }
      if (!work(odd)) {
#pragma unroll
        for (int k = 0; k < S::x_squares; ++k) S::template store<true>(memory.place(), k, w[k]);
        break;
      }
    }
    __syncwarp();
    if (threadIdx.x % 32 == 0) tell(memory.own(memory.stored), whole_group);
  }
}

template <class S, class T>
void launch(const Queue& queue, Fused<T> p) {
  const auto kernel = chase_back_kernel<T, S>;
  allow_shared_memory(kernel, sizeof(Memory<T, S>));
  p.blocks = static_cast<int>((p.m + S::columns - 1) / S::columns);
  p.told_every = 8 * p.blocks < queue.multiprocessors()
                     ? 1
                     : 2;  // a release takes time; groups of few columns wait for each other
  const std::int64_t tasks = static_cast<std::int64_t>(p.blocks) * (p.last_group - p.first_group + 1);
  const std::int64_t grid = std::min<std::int64_t>(tasks, queue.multiprocessors());
  kernel<<<static_cast<unsigned>(grid), S::threads, sizeof(Memory<T, S>), queue.stream()>>>(p);
  EIGEN_G_LAUNCHED();
}

}  // namespace

template <class T>
bool chase_back_fused_serves(const ChaseTiles& tiles, MatrixView<const same_t<T>> z_dev) {
  constexpr std::size_t needed =
      std::max({sizeof(Memory<double, InDouble<64, 64>>), sizeof(Memory<double, InPlanes>),
                sizeof(Memory<float, InHalves>)});
  int device = 0, major = 0, shared = 0;
  EIGEN_G_CUDA(cudaGetDevice(&device));
  EIGEN_G_CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  EIGEN_G_CUDA(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  cudaFuncAttributes code{};  // that for an older GPU has no flags
  EIGEN_G_CUDA(cudaFuncGetAttributes(&code, chase_back_kernel<double, InPlanes>));
  return major >= 9 && code.ptxVersion >= 90 && static_cast<std::size_t>(shared) >= needed &&
         (std::is_same_v<T, double> ? tiles.b <= 64 : tiles.b == 64) && z_dev.lda % 2 == 0 &&
         reinterpret_cast<std::uintptr_t>(z_dev.data) % 16 == 0;
}

std::int64_t chase_back_fused_words(std::int64_t groups, std::int64_t m) {
  return ticket_words + groups * (m / Shape<64, 64>::warp_columns + max_warps);
}

namespace {

// Sets the words and counts what all instances need.
template <class T>
Fused<T> fused(const Queue& queue, const ChaseTiles& tiles, const double* v_dev, const double* factors_dev,
               std::int64_t first_group, std::int64_t last_group, MatrixView<T> z_dev, int* words_dev) {
  const std::int64_t words = chase_back_fused_words(last_group - first_group + 1, z_dev.cols);
  EIGEN_G_CUDA(cudaMemsetAsync(words_dev, 0, sizeof(int) * static_cast<std::size_t>(words), queue.stream()));
  return {z_dev.data,
          z_dev.rows,
          z_dev.cols,
          z_dev.lda,
          v_dev,
          factors_dev,
          tiles,
          static_cast<int>(first_group),
          static_cast<int>(last_group),
          0,
          words_dev,
          words_dev + ticket_words,
          0,
          {}};
}

}  // namespace

void chase_back_fused(const Queue& queue, const ChaseTiles& tiles, const double* v_dev,
                      const double* factors_dev, std::int64_t first_group, std::int64_t last_group,
                      MatrixView<double> z_dev, int* words_dev) {
  if (first_group > last_group || z_dev.cols == 0) return;
  const Fused p = fused(queue, tiles, v_dev, factors_dev, first_group, last_group, z_dev, words_dev);
  if (tiles.b == 32) return launch<InDouble<32, 32>>(queue, p);
  if (tiles.b == 48) return launch<InDouble<48, 48>>(queue, p);
  launch<InDouble<64, 64>>(queue, p);
}

void chase_back_in_halves(const Queue& queue, const ChaseTiles& tiles, const double* v_halves_dev,
                          const double* t_halves_dev, std::int64_t first_group, std::int64_t last_group,
                          MatrixView<float> z_dev, int* words_dev) {
  if (first_group > last_group || z_dev.cols == 0) return;
  launch<InHalves>(
      queue, fused(queue, tiles, v_halves_dev, t_halves_dev, first_group, last_group, z_dev, words_dev));
}

void chase_back_in_planes(const Queue& queue, const ChaseTiles& tiles, const double* v_planes_dev,
                          const double* y_planes_dev, std::int64_t first_group, std::int64_t last_group,
                          MatrixView<double> z_dev, int* words_dev) {
  if (first_group > last_group || z_dev.cols == 0) return;
  launch<InPlanes>(
      queue, fused(queue, tiles, v_planes_dev, y_planes_dev, first_group, last_group, z_dev, words_dev));
}

template bool chase_back_fused_serves<double>(const ChaseTiles&, MatrixView<const double>);
template bool chase_back_fused_serves<float>(const ChaseTiles&, MatrixView<const float>);

}  // namespace eigen_g
