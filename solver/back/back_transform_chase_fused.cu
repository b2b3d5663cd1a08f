// The fused kernel: Z := Q2 Z on the tensor core, with a window of Z in registers.
//
// A task is one sweep group applied to the columns of one thread block: 128 of Z, or 192 for double and b = 32. Each warp has 16 of
// them. The window W is the b + width rows of Z on which a tile acts, in the warp's columns. The warp holds W^T, 16 x (b + width), as
// accumulators of the tensor core, and applies the group's tiles one after the other:
//
//   X^T = W^T V;    X^T := X^T (-T)^T;    W^T := W^T + X^T V^T
//
// back_transform_chase_planes.cuh has these products for complex numbers, back_transform_chase_halves.cuh for float in fp16 pairs.
//
// An 8 x 8 square of W that is complete is stored at once. Then the square of the next window that takes its registers is loaded, so memory
// is busy all the time. The copy engine brings V and T of a tile into shared memory for all warps of the block, one tile ahead. More tiles
// in shared memory would leave less L1 for the loads of Z in flight.
//
// Blocks draw tasks in order: group by group from the last to the first, and within a group one block of columns after the other. So the
// work is even for every m, and the groups of the same columns follow each other at a distance of some windows. Each task has a word per
// warp in device memory, in which the warp reports how many windows it has stored. The task of the next group reads this word before it
// loads a window. A task waits only for a task that was drawn earlier, so the kernel ends with any number of resident blocks.
#include <algorithm>
#include <type_traits>

#include "hybrid/cuda_check.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/stream/shared_memory.hpp"
#include "solver/back/back_transform_chase_fused.hpp"
#include "solver/back/back_transform_chase_halves.cuh"
#include "solver/back/back_transform_chase_planes.cuh"
#include "solver/back/back_transform_chase_window.cuh"

namespace eigen_g {

namespace {

using namespace back_transform_chase_window;

constexpr int max_warps = 12, ticket_words = 32;
constexpr int whole_group = 1 << 30;  // as the number of windows stored: all

template <class T>
struct Fused {
  T* z;
  std::int64_t n, m, ldz;
  const double *v, *factors;
  ChaseTiles tiles;
  int first_group, last_group, blocks;  // number of blocks of columns
  int *ticket, *stored;                 // stored: a word for each task and warp
  int told_every;                       // windows from one report in `stored` to the next
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

// The ring of tiles in shared memory, and the variables of the thread that fills it. They are in shared memory because registers are short.
template <class T, class S>
struct Ring {
  std::uint64_t full[S::slots], empty[S::slots];
  int task_of[S::slots];  // the task that the tile belongs to; -1: no more tasks
  int count, task, step, steps, group;
  std::int64_t before;  // tiles of the slab before the tiles of `group`

  __device__ void start(int last_group) {
    for (int slot = 0; slot < S::slots; ++slot) {
      start_barrier(full + slot, 1);
      start_barrier(empty + slot, S::threads);
    }
#if __CUDA_ARCH__ >= 900
    asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async.shared::cta;" ::: "memory");
#endif
    count = task = step = steps = 0;
    group = last_group;
    before = 0;
  }
  // Copies the next tile into a slot that all warps have left.
  __device__ __forceinline__ void one_more(const Fused<T>& p, double* tiles) {
    if (step > steps) return;  // all tiles are copied
    const int slot = count % S::slots;
    if (count >= S::slots) wait_for(empty + slot, (count / S::slots - 1) & 1);
    ++count;
    if (step == steps) {
      task = atomicAdd(p.ticket, 1);
      step = 0;
      const int next = p.last_group - task / p.blocks;
      if (next < p.first_group) {
        steps = -1;
        task_of[slot] = -1;
        arrive(full + slot);
        return;
      }
      while (group > next) before += p.tiles.steps(group--);
      steps = static_cast<int>(p.tiles.steps(group));
    }
    task_of[slot] = task;
    double* const to = tiles + slot * (S::v_size + S::t_size);
    arrive_and_expect(full + slot, S::stage_bytes);
    copy_bulk(to, p.v + (before + step) * S::v_size, 8 * S::v_size, full + slot);
    copy_bulk(to + S::v_size, p.factors + (before + step) * S::t_size, 8 * S::t_size, full + slot);
    ++step;
  }
};

// Shared memory of a block: the ring, and variables that a thread keeps from tile to tile. Registers are short, and spilled values would be
// read from L2, because every look() invalidates L1.
template <class T, class S>
struct Memory {
  double tiles[S::slots * (S::v_size + S::t_size)];
  Ring<T, S> ring;
  T* low[S::threads];  // low, high, rows: the thread's Place
  int high[S::threads], rows[S::threads];
  int used[S::threads];                     // tiles that the thread has used
  int step[S::threads], steps[S::threads];  // step within the task; number of the task's steps
  int ready[S::threads];    // steps whose rows the previous group has stored, as far as this thread knows
  int* stored[S::threads];  // the word in which this warp reports the number of stored windows

  // This thread's value of a field. Volatile, so that the compiler keeps neither the address nor the value in a register.
  template <class V>
  static __device__ __forceinline__ volatile V& own(V (&field)[S::threads]) {
    int thread;
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
    return field[thread];
  }
  __device__ __forceinline__ ColumnPair<T> place() {
    const int both = own(high);
    return {own(low), both & ~1, own(rows), (both & 1) != 0, (both & ~1) != 0};
  }
  // Waits until the previous group has stored the rows of step `of_step`.
  __device__ __forceinline__ void wait_for_rows(int of_step, int apart) {
    int known = own(ready);
    while (known <= of_step) known = look(own(stored) - apart);
    own(ready) = known;
    __syncwarp();
  }
};

// S: the kind of window: InDouble (back_transform_chase_window.cuh), InHalves or InPlanes.
template <class T, class S>
__global__ void __launch_bounds__(S::threads, 1)
    back_transform_chase_kernel(const __grid_constant__ Fused<T> p) {
  static_assert(S::x_squares == S::band_squares, "two steps move the window by its length");
  extern __shared__ __align__(128) char shared[];
  auto& memory = *reinterpret_cast<Memory<T, S>*>(shared);
  if (threadIdx.x == 0) {
    memory.ring.start(p.last_group);
    for (int k = 0; k < S::ahead; ++k) memory.ring.one_more(p, memory.tiles);
  }
  __syncthreads();

  const int apart = p.blocks * S::warps;  // words of a sweep group
  typename S::Square w[S::squares];
  memory.own(memory.used) = 0;
  for (;;) {
    {
      const int used = memory.own(memory.used), lane = threadIdx.x % 32, warp = threadIdx.x / 32;
      wait_for(memory.ring.full + used % S::slots, used / S::slots & 1);
      const int task = memory.ring.task_of[used % S::slots];
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
    // Applies one tile. The window begins in w[moved]. Returns false after the task's last tile.
    const auto work = [&]<int moved>(std::integral_constant<int, moved>) {
      if (threadIdx.x == 0) memory.ring.one_more(p, memory.tiles);
      typename S::Product x;
      const int used = memory.own(memory.used);
      const double* const tile = memory.tiles + used % S::slots * (S::v_size + S::t_size);
      wait_for(memory.ring.full + used % S::slots, used / S::slots & 1);
      S::template multiply<moved>(w, x, tile, threadIdx.x % 32, p.zeros);
      const int step = memory.own(memory.step), left = memory.own(memory.steps) - step - 1;
      // Reports the windows of the steps before this one. Their stores were issued long ago, so the release hardly waits for them.
      if ((moved || p.told_every == 1) && threadIdx.x % 32 == 0) tell(memory.own(memory.stored), step);
      if (left > 0) memory.wait_for_rows(step + 1, apart);
      if (left > 2)
        S::template add_and_move<moved, false>(w, x, tile, threadIdx.x % 32, p.zeros, memory, false);
      else
        S::template add_and_move<moved, true>(w, x, tile, threadIdx.x % 32, p.zeros, memory, left == 0);
      __syncwarp();  // orders the stores of all lanes before lane 0's release
      // Every lane arrives, not only one: racecheck does not follow the order that __syncwarp gives.
      arrive(memory.ring.empty + memory.own(memory.used) % S::slots);
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
  const auto kernel = back_transform_chase_kernel<T, S>;
  allow_shared_memory(kernel, sizeof(Memory<T, S>));
  p.blocks = static_cast<int>((p.m + S::columns - 1) / S::columns);
  // A release takes time. But with few columns the groups wait for each other, so every window is reported.
  p.told_every = 8 * p.blocks < queue.multiprocessors() ? 1 : 2;
  const std::int64_t tasks = static_cast<std::int64_t>(p.blocks) * (p.last_group - p.first_group + 1);
  const std::int64_t grid = std::min<std::int64_t>(tasks, queue.multiprocessors());
  kernel<<<static_cast<unsigned>(grid), S::threads, sizeof(Memory<T, S>), queue.stream()>>>(p);
  EIGEN_G_LAUNCHED();
}

}  // namespace

template <class T>
bool back_transform_chase_fused_serves(const ChaseTiles& tiles, MatrixView<const same_t<T>> z_dev) {
  constexpr std::size_t needed =
      std::max({sizeof(Memory<double, InDouble<64, 64>>), sizeof(Memory<double, InPlanes>),
                sizeof(Memory<float, InHalves>)});
  int device = 0, major = 0, shared = 0;
  EIGEN_G_CUDA(cudaGetDevice(&device));
  EIGEN_G_CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  EIGEN_G_CUDA(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  cudaFuncAttributes code{};  // code compiled for an older GPU lacks the kernel's instructions
  EIGEN_G_CUDA(cudaFuncGetAttributes(&code, back_transform_chase_kernel<double, InPlanes>));
  return major >= 9 && code.ptxVersion >= 90 && static_cast<std::size_t>(shared) >= needed &&
         (std::is_same_v<T, double> ? tiles.b <= 64 : tiles.b == 64) && z_dev.lda % 2 == 0 &&
         reinterpret_cast<std::uintptr_t>(z_dev.data) % 16 == 0;
}

std::int64_t back_transform_chase_fused_words(std::int64_t groups, std::int64_t m) {
  return ticket_words + groups * (m / Shape<64, 64>::warp_columns + max_warps);
}

namespace {

// Clears the words and sets the parameters that all instances share.
template <class T>
Fused<T> fused(const Queue& queue, const ChaseTiles& tiles, const double* v_dev, const double* factors_dev,
               std::int64_t first_group, std::int64_t last_group, MatrixView<T> z_dev, int* words_dev) {
  const std::int64_t words = back_transform_chase_fused_words(last_group - first_group + 1, z_dev.cols);
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

void back_transform_chase_fused(const Queue& queue, const ChaseTiles& tiles, const double* v_dev,
                                const double* factors_dev, std::int64_t first_group, std::int64_t last_group,
                                MatrixView<double> z_dev, int* words_dev) {
  if (first_group > last_group || z_dev.cols == 0) return;
  const Fused p = fused(queue, tiles, v_dev, factors_dev, first_group, last_group, z_dev, words_dev);
  if (tiles.b == 32) return launch<InDouble<32, 32>>(queue, p);
  if (tiles.b == 48) return launch<InDouble<48, 48>>(queue, p);
  launch<InDouble<64, 64>>(queue, p);
}

void back_transform_chase_in_halves(const Queue& queue, const ChaseTiles& tiles, const double* v_halves_dev,
                                    const double* t_halves_dev, std::int64_t first_group,
                                    std::int64_t last_group, MatrixView<float> z_dev, int* words_dev) {
  if (first_group > last_group || z_dev.cols == 0) return;
  launch<InHalves>(
      queue, fused(queue, tiles, v_halves_dev, t_halves_dev, first_group, last_group, z_dev, words_dev));
}

void back_transform_chase_in_planes(const Queue& queue, const ChaseTiles& tiles, const double* v_planes_dev,
                                    const double* y_planes_dev, std::int64_t first_group,
                                    std::int64_t last_group, MatrixView<double> z_dev, int* words_dev) {
  if (first_group > last_group || z_dev.cols == 0) return;
  launch<InPlanes>(
      queue, fused(queue, tiles, v_planes_dev, y_planes_dev, first_group, last_group, z_dev, words_dev));
}

EIGEN_G_INSTANTIATE(real_types, back_transform_chase_fused_serves);

}  // namespace eigen_g
