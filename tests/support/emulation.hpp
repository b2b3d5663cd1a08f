// Runs kernels on the CPU, one block after the other, with each thread as a fiber. A test includes this header before the kernels.
//
//   emulation::launch(kernel, blocks, threads, bytes of shared memory, arguments...);
//
// The threads run in random order between two barriers, so that a missing barrier changes the results. Shared memory is filled with NaN
// before each block. Kernels use dynamic shared memory only.
#pragma once

#include <ucontext.h>

#include <math.h>  // NOLINT: the functions of the global namespace, which device code calls

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

#include <vector_types.h>

#define __global__
#define __device__
#define __host__
#define __shared__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __maxnreg__(...)

namespace emulation {

struct Fiber {
  ucontext_t context;
  std::vector<char> stack;
  enum class State { runs, at_block_barrier, at_warp_barrier, done } state = State::runs;
};

struct Block {
  std::vector<Fiber> fibers;
  ucontext_t scheduler;
  int current = 0, threads = 0;
  unsigned index = 0, grid = 0;
  std::vector<std::uint64_t> slots[2];  // values of shuffles and of products
  std::function<void()> kernel;
  std::mt19937 random{7};
};
inline Block block;

inline constexpr std::size_t shared_bytes = 232448;
alignas(16) inline unsigned char shared[shared_bytes];

inline void wait(Fiber::State state) {
  Fiber& fiber = block.fibers[static_cast<std::size_t>(block.current)];
  fiber.state = state;
  swapcontext(&fiber.context, &block.scheduler);
}
inline void enter() {
  block.kernel();
  wait(Fiber::State::done);
}

// Frees the threads first..last-1 if each of them is at the barrier or has ended, and some is at the barrier.
inline bool open_barrier(int first, int last, Fiber::State barrier) {
  int waiting = 0, done = 0;
  for (int t = first; t < last; ++t) {
    waiting += block.fibers[static_cast<std::size_t>(t)].state == barrier;
    done += block.fibers[static_cast<std::size_t>(t)].state == Fiber::State::done;
  }
  if (waiting == 0 || waiting + done < last - first) return false;
  for (int t = first; t < last; ++t) {
    Fiber& fiber = block.fibers[static_cast<std::size_t>(t)];
    if (fiber.state == barrier) fiber.state = Fiber::State::runs;
  }
  return true;
}

inline void run_block() {
  const int threads = block.threads;
  std::fill_n(shared, shared_bytes, static_cast<unsigned char>(0xff));
  std::vector<int> order(static_cast<std::size_t>(threads));
  for (int t = 0; t < threads; ++t) {
    Fiber& fiber = block.fibers[static_cast<std::size_t>(t)];
    fiber.stack.resize(256 << 10);
    fiber.state = Fiber::State::runs;
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.data();
    fiber.context.uc_stack.ss_size = fiber.stack.size();
    fiber.context.uc_link = &block.scheduler;
    makecontext(&fiber.context, enter, 0);
    order[static_cast<std::size_t>(t)] = t;
  }
  for (;;) {
    std::shuffle(order.begin(), order.end(), block.random);
    bool moved = false;
    for (const int t : order) {
      if (block.fibers[static_cast<std::size_t>(t)].state != Fiber::State::runs) continue;
      block.current = t;
      swapcontext(&block.scheduler, &block.fibers[static_cast<std::size_t>(t)].context);
      moved = true;
    }
    for (int first = 0; first < threads; first += 32)
      moved |= open_barrier(first, std::min(first + 32, threads), Fiber::State::at_warp_barrier);
    moved |= open_barrier(0, threads, Fiber::State::at_block_barrier);
    if (moved) continue;
    if (std::all_of(block.fibers.begin(), block.fibers.begin() + threads,
                    [](const Fiber& fiber) { return fiber.state == Fiber::State::done; }))
      return;
    std::fprintf(stderr, "the threads of a block wait at different barriers\n");
    std::abort();
  }
}

template <class Kernel, class... Arguments>
void launch(Kernel kernel, std::int64_t blocks, int threads, int bytes, const Arguments&... arguments) {
  if (static_cast<std::size_t>(bytes) > shared_bytes) {
    std::fprintf(stderr, "a block needs %d bytes of shared memory\n", bytes);
    std::abort();
  }
  block.threads = threads;
  block.grid = static_cast<unsigned>(blocks);
  block.kernel = [&] { kernel(arguments...); };
  block.fibers.resize(std::max(block.fibers.size(), static_cast<std::size_t>(threads)));
  for (auto& slots : block.slots) slots.assign(static_cast<std::size_t>((threads + 31) / 32 * 32), 0);
  for (block.index = 0; block.index < block.grid; ++block.index) run_block();
}

// Value of `lane` of the calling thread's warp.
template <class T>
T exchange(T value, int lane) {
  const int me = block.current;
  std::memcpy(&block.slots[0][static_cast<std::size_t>(me)], &value, sizeof value);
  wait(Fiber::State::at_warp_barrier);
  T result;
  std::memcpy(&result, &block.slots[0][static_cast<std::size_t>(me / 32 * 32 + lane)], sizeof result);
  wait(Fiber::State::at_warp_barrier);
  return result;
}

struct ThreadNumber {
  operator unsigned() const { return static_cast<unsigned>(block.current); }
};
struct BlockNumber {
  operator unsigned() const { return block.index; }
};

}  // namespace emulation

struct {
  emulation::ThreadNumber x;
} inline threadIdx;
struct {
  emulation::BlockNumber x;
} inline blockIdx;

inline void __syncthreads() {
  emulation::wait(emulation::Fiber::State::at_block_barrier);
}
inline void __syncwarp() {
  emulation::wait(emulation::Fiber::State::at_warp_barrier);
}
template <class T>
T __shfl_xor_sync(unsigned, T value, int mask) {
  return emulation::exchange(value, emulation::block.current % 32 ^ mask);
}
template <class T>
T __shfl_sync(unsigned, T value, int lane) {
  return emulation::exchange(value, lane % 32);
}
inline unsigned __ballot_sync(unsigned, bool yes) {
  unsigned bits = 0;
  auto& slots = emulation::block.slots[0];
  const int me = emulation::block.current, first = me / 32 * 32;
  slots[static_cast<std::size_t>(me)] = yes;
  __syncwarp();
  for (int i = 0; i < 32; ++i)
    bits |= static_cast<unsigned>(slots[static_cast<std::size_t>(first + i)] & 1) << i;
  __syncwarp();
  return bits;
}
inline bool __any_sync(unsigned mask, bool yes) {
  return __ballot_sync(mask, yes) != 0;
}
inline int __popc(unsigned x) {
  return __builtin_popcount(x);
}
template <class T>
T __ldcg(const T* from) {
  return *from;
}
inline double rsqrt(double x) {
  return 1 / std::sqrt(x);
}
inline float rsqrtf(float x) {
  return 1 / std::sqrt(x);
}
inline void atomicAdd(unsigned long long* at, unsigned long long x) {
  *at += x;
}
inline void atomicMin(unsigned long long* at, unsigned long long x) {
  *at = std::min(*at, x);
}
using std::max;
using std::min;

namespace eigen_g::batched {

// D := A B + D of the tensor cores.
inline void multiply_8x8x4(double2& d, double a, double b) {
  auto& as = emulation::block.slots[0];
  auto& bs = emulation::block.slots[1];
  const int me = emulation::block.current, first = me / 32 * 32, lane = me % 32;
  const auto of = [](const std::vector<std::uint64_t>& slots, int at) {
    double x;
    std::memcpy(&x, &slots[static_cast<std::size_t>(at)], sizeof x);
    return x;
  };
  std::memcpy(&as[static_cast<std::size_t>(me)], &a, sizeof a);
  std::memcpy(&bs[static_cast<std::size_t>(me)], &b, sizeof b);
  __syncwarp();
  for (int k = 0; k < 4; ++k) {
    const double x = of(as, first + lane / 4 * 4 + k);
    d.x = std::fma(x, of(bs, first + 2 * (lane % 4) * 4 + k), d.x);
    d.y = std::fma(x, of(bs, first + (2 * (lane % 4) + 1) * 4 + k), d.y);
  }
  __syncwarp();
}

}  // namespace eigen_g::batched
