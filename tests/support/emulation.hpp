// Runs kernels on the CPU, one block or cluster of blocks after the other, with each thread as a fiber. A test includes this header before the kernels, and is
// compiled with the folder tests/support/emulated before all others.
//
//   emulation::launch(kernel, blocks, threads, bytes of shared memory, arguments...);
//
// The blocks of an InClusters{blocks, cluster} run in clusters.
// The blocks run in random order, and so do the threads between two barriers: a missing barrier changes the results of another seed.
// Kernels use dynamic shared memory only. It is filled with NaN before each block. launch() throws std::logic_error if
//
//   - some thread of a cluster, of a block, of a warp or of 8 or 16 neighbouring lanes ends, or waits elsewhere, while the others wait at a barrier;
//   - a block needs more shared memory than a multiprocessor has, or writes behind its shared memory.
#pragma once

#include <ucontext.h>

#include <math.h>  // NOLINT: the functions of the global namespace, which device code calls

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <vector_types.h>

#if defined(__SANITIZE_ADDRESS__)
#define EIGEN_G_ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EIGEN_G_ADDRESS_SANITIZER
#endif
#endif
#ifdef EIGEN_G_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

#define __global__
#define __device__
#define __host__
#define __shared__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __grid_constant__
#define __maxnreg__(...)
#define __cluster_dims__(...)
#define __align__(n) __attribute__((aligned(n)))

namespace emulation {

inline constexpr std::size_t shared_bytes = 227 << 10;  // a block on an H100 has at most these
inline constexpr int largest_cluster = 16;
inline constexpr std::size_t stack_bytes = 256 << 10;
inline constexpr unsigned char unwritten = 0xff;  // bytes of a NaN

// Where a thread waits. The names are compared by address.
inline const char* const nowhere = nullptr;
inline const char* const at_end = "at its end";
inline const char* const at_block_barrier = "at __syncthreads()";
inline const char* const at_cluster_barrier = "at the barrier of a cluster";

struct Fiber {
  ucontext_t context;
  void* place[5];  // __builtin_setjmp() writes it
  std::unique_ptr<char[]> stack;
  bool started = false;
  const char* waits = at_end;
  void* sanitizer = nullptr;  // the address sanitizer writes it
};

struct Block {
  std::deque<Fiber> fibers;
  void* scheduler[5];                   // __builtin_setjmp() writes it
  int current = 0, threads = 0;         // threads: of a block
  int cluster = 1;                      // blocks that run at the same time
  unsigned index = 0;                   // the first of these blocks
  bool in_lanes = false;                // some thread has waited for a part of a warp
  std::vector<std::uint64_t> slots[2];  // values of shuffles and of products
  std::function<void()> kernel;
  std::mt19937 random;
};
inline Block block;
alignas(16) inline unsigned char shared_of[largest_cluster][shared_bytes];
inline auto& shared = shared_of[0];

// Seed of the orders of blocks and threads.
inline void seed(unsigned value) {
  block.random.seed(value);
}

// Changes of the stack, without the system calls of swapcontext(). No function that changes it may be inlined or checked.
#define EIGEN_G_CHANGES_STACK __attribute__((noinline, no_sanitize("address")))

#ifdef EIGEN_G_ADDRESS_SANITIZER
inline const void* scheduler_stack = nullptr;
inline std::size_t scheduler_stack_bytes = 0;
inline void* scheduler_sanitizer = nullptr;
EIGEN_G_CHANGES_STACK inline void leave_for_fiber(const Fiber& to) {
  __sanitizer_start_switch_fiber(&scheduler_sanitizer, to.stack.get(), stack_bytes);
}
EIGEN_G_CHANGES_STACK inline void leave_for_scheduler(Fiber& from) {
  __sanitizer_start_switch_fiber(&from.sanitizer, scheduler_stack, scheduler_stack_bytes);
}
EIGEN_G_CHANGES_STACK inline void arrive_at_fiber(const Fiber& at) {
  __sanitizer_finish_switch_fiber(at.sanitizer, &scheduler_stack, &scheduler_stack_bytes);
}
EIGEN_G_CHANGES_STACK inline void arrive_at_scheduler() {
  __sanitizer_finish_switch_fiber(scheduler_sanitizer, nullptr, nullptr);
}
#else
inline void leave_for_fiber(const Fiber&) {}
inline void leave_for_scheduler(const Fiber&) {}
inline void arrive_at_fiber(const Fiber&) {}
inline void arrive_at_scheduler() {}
#endif

EIGEN_G_CHANGES_STACK inline void jump(void** to) {
  __builtin_longjmp(to, 1);
}
EIGEN_G_CHANGES_STACK inline void jump_from(void** from, void** to) {
  if (__builtin_setjmp(from) == 0) jump(to);
}
EIGEN_G_CHANGES_STACK inline void start_from(void** from, const ucontext_t* to) {
  if (__builtin_setjmp(from) == 0) setcontext(to);
}

inline Fiber& current_fiber() {
  return block.fibers[static_cast<std::size_t>(block.current)];
}
// The calling thread waits.
EIGEN_G_CHANGES_STACK inline void wait(const char* where) {
  Fiber& fiber = current_fiber();
  fiber.waits = where;
  leave_for_scheduler(fiber);
  asm volatile("" ::: "memory");  // other threads change the memory
  jump_from(fiber.place, block.scheduler);
  asm volatile("" ::: "memory");
  arrive_at_fiber(fiber);
}
inline void enter() {
  arrive_at_fiber(current_fiber());
  for (;;) {  // once for each block
    block.kernel();
    wait(at_end);
  }
}
// Runs a thread to its next barrier.
EIGEN_G_CHANGES_STACK inline void run(int thread) {
  block.current = thread;
  Fiber& fiber = current_fiber();
  leave_for_fiber(fiber);
  if (std::exchange(fiber.started, true))
    jump_from(block.scheduler, fiber.place);
  else
    start_from(block.scheduler, &fiber.context);
  arrive_at_scheduler();
}

inline void make_fibers(int threads) {
  for (std::size_t t = block.fibers.size(); t < static_cast<std::size_t>(threads); ++t) {
    Fiber& fiber = block.fibers.emplace_back();
    fiber.stack = std::make_unique<char[]>(stack_bytes);
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.get();
    fiber.context.uc_stack.ss_size = stack_bytes;
    fiber.context.uc_link = nullptr;
    makecontext(&fiber.context, enter, 0);
  }
}

// The lanes of a barrier of a part of a warp, whose name begins with their number: 8 or 16. 0: another place.
inline int lanes_of(const char* where) {
  return where == nullptr ? 0 : *where == '8' ? 8 : *where == '1' ? 16 : 0;
}

// The barrier of a block or of a cluster opens if each thread is at it; that of a warp if each of its threads is at the same one. Threads
// that have all ended wait for nothing.
enum class Barrier { of_warp, of_block, of_cluster };
inline void open_barrier(int first, int last, Barrier barrier) {
  const auto fibers = block.fibers.begin();
  const char* const where = (fibers + first)->waits;
  const auto other =
      std::find_if(fibers + first, fibers + last, [&](const Fiber& f) { return f.waits != where; });
  const Barrier at = where == at_block_barrier     ? Barrier::of_block
                     : where == at_cluster_barrier ? Barrier::of_cluster
                                                   : Barrier::of_warp;
  if (at != barrier || where == at_end) return;
  if (other == fibers + last)
    std::for_each(fibers + first, fibers + last, [](Fiber& f) { f.waits = nowhere; });
}

[[noreturn]] inline void fail(const std::string& message) {
  block.fibers.clear();  // they are in the middle of the kernel
  throw std::logic_error("emulation: " + message);
}

inline void run_cluster(std::size_t bytes) {
  const int threads = block.threads * block.cluster;
  for (int rank = 0; rank < block.cluster; ++rank) {
    std::fill_n(shared_of[rank], shared_bytes, unwritten);
#ifdef EIGEN_G_ADDRESS_SANITIZER
    ASAN_POISON_MEMORY_REGION(shared_of[rank] + bytes, shared_bytes - bytes);
#endif
  }
  const auto fibers = block.fibers.begin();
  std::for_each(fibers, fibers + threads, [](Fiber& fiber) { fiber.waits = nowhere; });
  std::vector<int> order(static_cast<std::size_t>(threads));
  std::iota(order.begin(), order.end(), 0);
  const auto is = [](const char* where) {
    return [where](const Fiber& fiber) { return fiber.waits == where; };
  };
  for (;;) {
    std::shuffle(order.begin(), order.end(), block.random);
    for (const int t : order)
      if ((fibers + t)->waits == nowhere) run(t);
    if (std::all_of(fibers, fibers + threads, is(at_end))) break;
    for (int begin = 0; begin < threads; begin += block.threads) {
      const int end = begin + block.threads;
      for (int first = begin; block.in_lanes && first < end; first += 8)
        if (const int lanes = lanes_of((fibers + first)->waits); lanes > 0 && first % lanes == 0)
          open_barrier(first, std::min(first + lanes, end), Barrier::of_warp);
      for (int first = begin; first < end; first += 32)
        if (!block.in_lanes || lanes_of((fibers + first)->waits) == 0)
          open_barrier(first, std::min(first + 32, end), Barrier::of_warp);
      open_barrier(begin, end, Barrier::of_block);
    }
    open_barrier(0, threads, Barrier::of_cluster);
    if (std::any_of(fibers, fibers + threads, is(nowhere))) continue;
    for (int first = 0; first < threads; ++first)
      for (int t = first; t < threads; ++t)
        if ((fibers + t)->waits != (fibers + first)->waits)
          fail("thread " + std::to_string(first) + " of block " + std::to_string(block.index) + " is " +
               (fibers + first)->waits + ", thread " + std::to_string(t) + " " + (fibers + t)->waits);
  }
  for (int rank = 0; rank < block.cluster; ++rank) {
    unsigned char* const memory = shared_of[rank];
#ifdef EIGEN_G_ADDRESS_SANITIZER
    ASAN_UNPOISON_MEMORY_REGION(memory, shared_bytes);
#endif
    if (std::any_of(memory + bytes, memory + shared_bytes, [](unsigned char x) { return x != unwritten; }))
      fail("a block writes behind its shared memory");
  }
}

struct InClusters {
  std::int64_t blocks;
  int cluster;
};

template <class Kernel, class... Arguments>
void launch(Kernel kernel, InClusters grid, int threads, int bytes, const Arguments&... arguments) {
  const auto [blocks, cluster] = grid;
  if (blocks < 1 || threads < 1 || threads > 1024 || bytes < 0 ||
      static_cast<std::size_t>(bytes) > shared_bytes || cluster < 1 || cluster > largest_cluster ||
      blocks % cluster != 0 || (cluster > 1 && threads % 32 != 0))
    fail(std::to_string(blocks) + " blocks of " + std::to_string(threads) + " threads with " +
         std::to_string(bytes) + " bytes of shared memory");
  block.threads = threads;
  block.cluster = cluster;
  block.kernel = [&] { kernel(arguments...); };
  make_fibers(threads * cluster);
  for (auto& slots : block.slots)
    slots.assign(static_cast<std::size_t>((threads * cluster + 31) / 32 * 32), 0);
  std::vector<unsigned> order(static_cast<std::size_t>(blocks / cluster));
  std::iota(order.begin(), order.end(), 0U);
  std::shuffle(order.begin(), order.end(), block.random);
  for (const unsigned index : order) {
    block.index = index * static_cast<unsigned>(cluster);
    run_cluster(static_cast<std::size_t>(bytes));
  }
}
template <class Kernel, class... Arguments>
void launch(Kernel kernel, std::int64_t blocks, int threads, int bytes, const Arguments&... arguments) {
  launch(kernel, InClusters{blocks, 1}, threads, bytes, arguments...);
}

// Value of `lane` of the calling thread's warp. A lane that is not there has 0.
template <class T>
T exchange(T value, int lane, const char* where) {
  const int me = block.current;
  std::memcpy(&block.slots[0][static_cast<std::size_t>(me)], &value, sizeof value);
  wait(where);
  T result;
  std::memcpy(&result, &block.slots[0][static_cast<std::size_t>(me / 32 * 32 + lane)], sizeof result);
  wait(where);
  return result;
}

struct ThreadNumber {
  operator unsigned() const { return static_cast<unsigned>(block.current % block.threads); }
};
struct BlockNumber {
  operator unsigned() const { return block.index + static_cast<unsigned>(block.current / block.threads); }
};

}  // namespace emulation

struct {
  emulation::ThreadNumber x;
} inline threadIdx;
struct {
  emulation::BlockNumber x;
  unsigned y = 0, z = 0;  // a test sets them
} inline blockIdx;
struct {
  unsigned x = 1, y = 1, z = 1;
} inline gridDim, blockDim;  // a test sets them

inline void __syncthreads() {
  emulation::wait(emulation::at_block_barrier);
}
// The barrier of a cluster, and the place in the shared memory of block `rank` of the cluster that is at `mine` in the caller's own.
inline void cluster_barrier() {
  emulation::wait(emulation::at_cluster_barrier);
}
template <class T>
const T* in_block_of_cluster(const T* mine, int rank) {
  const auto* const own = emulation::shared_of[emulation::block.current / emulation::block.threads];
  return reinterpret_cast<const T*>(emulation::shared_of[rank] +
                                    (reinterpret_cast<const unsigned char*>(mine) - own));
}
// `members` are all lanes of the warp, or 8 or 16 neighbouring lanes. Returns the name of the barrier.
inline const char* barrier_of(unsigned members, const char* of_warp, const char* of_8, const char* of_16) {
  if (members == ~0u) return of_warp;
  emulation::block.in_lanes = true;
  return __builtin_popcount(members) == 8 ? of_8 : of_16;
}
inline void __syncwarp(unsigned members = ~0u) {
  static const char *const of_warp = "at __syncwarp()", *const of_8 = "8 lanes at __syncwarp()",
                           *const of_16 = "16 lanes at __syncwarp()";
  emulation::wait(barrier_of(members, of_warp, of_8, of_16));
}
template <class T>
T __shfl_xor_sync(unsigned members, T value, int mask) {
  static const char *const of_warp = "at __shfl_xor_sync()", *const of_8 = "8 lanes at __shfl_xor_sync()",
                           *const of_16 = "16 lanes at __shfl_xor_sync()";
  return emulation::exchange(value, emulation::block.current % 32 ^ mask,
                             barrier_of(members, of_warp, of_8, of_16));
}
template <class T>
T __shfl_sync(unsigned, T value, int lane, int = 32) {
  static const char* const where = "at __shfl_sync()";
  return emulation::exchange(value, lane % 32, where);
}
template <class T>
T __shfl_up_sync(unsigned, T value, int distance, int = 32) {
  static const char* const where = "at __shfl_up_sync()";
  const int lane = emulation::block.current % 32;
  return emulation::exchange(value, lane >= distance ? lane - distance : lane, where);
}
inline int __ffs(int x) {
  return __builtin_ffs(x);
}
inline unsigned __ballot_sync(unsigned, bool yes) {
  static const char* const where = "at __ballot_sync()";
  auto& slots = emulation::block.slots[0];
  const int me = emulation::block.current, first = me / 32 * 32;
  slots[static_cast<std::size_t>(me)] = yes;
  emulation::wait(where);
  unsigned bits = 0;
  for (int i = 0; i < 32; ++i)
    bits |= static_cast<unsigned>(slots[static_cast<std::size_t>(first + i)] & 1) << i;
  emulation::wait(where);
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
template <class T>
void __stcs(T* to, T x) {
  *to = x;
}
template <class T>
void __stcg(T* to, T x) {
  *to = x;
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
inline unsigned atomicAdd(unsigned* at, unsigned x) {
  return std::exchange(*at, *at + x);
}
inline void __threadfence() {}
inline void atomicMin(unsigned long long* at, unsigned long long x) {
  *at = std::min(*at, x);
}
inline void atomicMin(unsigned* at, unsigned x) {
  *at = std::min(*at, x);
}
using std::max;
using std::min;

namespace eigen_g {

// D := A B + D of the tensor cores.
inline void multiply_8x8x4(double2& d, double a, double b) {
  static const char* const where = "at the tensor cores";
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
  emulation::wait(where);
  for (int k = 0; k < 4; ++k) {
    const double x = of(as, first + lane / 4 * 4 + k);
    d.x = std::fma(x, of(bs, first + 2 * (lane % 4) * 4 + k), d.x);
    d.y = std::fma(x, of(bs, first + (2 * (lane % 4) + 1) * 4 + k), d.y);
  }
  emulation::wait(where);
}

}  // namespace eigen_g
