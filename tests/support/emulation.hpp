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
#include <functional>
#include <memory>
#include <numeric>
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
  void* place[5] = {};  // __builtin_setjmp() writes it
  std::unique_ptr<char[]> stack;
  bool started = false;
  int rank = 0, thread = 0;   // its block in the cluster, and its number in this block
  void* sanitizer = nullptr;  // the address sanitizer writes it
};

// Numbers for the orders of blocks and threads (splitmix64).
class Random {
 public:
  explicit Random(std::uint64_t seed = 0) : state_(seed) {}
  // Less than `count`.
  std::uint32_t below(std::uint32_t count) {
    std::uint64_t x = state_ += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return static_cast<std::uint32_t>(((x ^ x >> 31) >> 32) * count >> 32);
  }
  template <class Iterator>
  void shuffle(Iterator first, Iterator last) {
    for (auto left = static_cast<std::uint32_t>(last - first); left > 1; --left)
      std::swap(first[left - 1], first[below(left)]);
  }

 private:
  std::uint64_t state_;
};

struct Block {
  std::vector<Fiber> fibers;
  std::vector<const char*> waits;  // where each fiber waits
  std::vector<int> ready;          // the fibers that wait nowhere
  void* scheduler[5];              // __builtin_setjmp() writes it
  int current = 0, threads = 0;    // current: a number in the cluster; threads: of a block
  int rank = 0, thread = 0;        // rank and thread of the current fiber
  int cluster = 1;                 // blocks that run at the same time
  unsigned index = 0;              // the first of these blocks
  bool in_lanes = false;           // some thread has waited for a part of a warp
  // Values that threads hand over for shuffles and products, and the copies that the others read: made as the warp's barrier opens.
  std::vector<std::uint64_t> given[2], taken[2];
  std::function<void()> kernel;
  Random random;
};
inline Block block;
alignas(16) inline unsigned char shared_of[largest_cluster][shared_bytes];
inline auto& shared = shared_of[0];

// Seed of the orders of blocks and threads.
inline void seed(unsigned value) {
  block.random = Random(value);
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
inline Fiber& current_fiber() {
  return block.fibers[static_cast<std::size_t>(block.current)];
}
inline const char*& current_waits() {
  return block.waits[static_cast<std::size_t>(block.current)];
}
// The calling thread waits.
EIGEN_G_CHANGES_STACK inline void wait(const char* where) {
  Fiber& fiber = current_fiber();
  current_waits() = where;
  leave_for_scheduler(fiber);
  asm volatile("" ::: "memory");  // other threads change the memory
  if (__builtin_setjmp(fiber.place) == 0) jump(block.scheduler);
  asm volatile("" ::: "memory");
  arrive_at_fiber(current_fiber());
}
inline void enter() {
  arrive_at_fiber(current_fiber());
  for (;;) {  // once for each block
    block.kernel();
    wait(at_end);
  }
}
// Begins the life of a fiber at enter().
EIGEN_G_CHANGES_STACK inline void start(Fiber& fiber) {
  static ucontext_t context;
  getcontext(&context);
  // The stacks begin in different lines of the caches. Otherwise their first lines displace each other.
  const auto line = static_cast<std::size_t>(block.current) % 61 * 5;
  context.uc_stack.ss_sp = fiber.stack.get();
  context.uc_stack.ss_size = stack_bytes - line * 64;
  context.uc_link = nullptr;
  makecontext(&context, enter, 0);
  fiber.started = true;
  setcontext(&context);
}
// Runs a thread to its next barrier.
EIGEN_G_CHANGES_STACK inline void run(int number) {
  block.current = number;
  Fiber& fiber = current_fiber();
  block.rank = fiber.rank;
  block.thread = fiber.thread;
  leave_for_fiber(fiber);
  if (__builtin_setjmp(block.scheduler) == 0) {
    if (fiber.started)
      jump(fiber.place);
    else
      start(fiber);
  }
  arrive_at_scheduler();
}

inline void make_fibers() {
  const auto count = static_cast<std::size_t>(block.threads) * static_cast<std::size_t>(block.cluster);
  for (std::size_t t = block.fibers.size(); t < count; ++t)
    block.fibers.emplace_back().stack = std::unique_ptr<char[]>(new char[stack_bytes]);
  for (std::size_t t = 0; t < count; ++t) {
    block.fibers[t].rank = static_cast<int>(t) / block.threads;
    block.fibers[t].thread = static_cast<int>(t) % block.threads;
  }
  block.waits.assign(count, at_end);
  const std::size_t lanes = (count + 31) / 32 * 32;
  for (int k = 0; k < 2; ++k) {
    block.given[k].assign(lanes, 0);
    block.taken[k].assign(lanes, 0);
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
  const auto waits = block.waits.begin();
  const char* const where = waits[first];
  if (where == nowhere || where == at_end) return;
  const Barrier at = where == at_block_barrier     ? Barrier::of_block
                     : where == at_cluster_barrier ? Barrier::of_cluster
                                                   : Barrier::of_warp;
  if (at != barrier ||
      std::any_of(waits + first, waits + last, [where](const char* x) { return x != where; }))
    return;
  for (int t = first; t < last; ++t) {
    waits[t] = nowhere;
    block.ready.push_back(t);
  }
  if (barrier == Barrier::of_warp)
    for (int k = 0; k < 2; ++k)
      std::copy(block.given[k].begin() + first, block.given[k].begin() + last,
                block.taken[k].begin() + first);
}

[[noreturn]] inline void fail(const std::string& message) {
  block.fibers.clear();  // they are in the middle of the kernel
  throw std::logic_error("emulation: " + message);
}

// Opens the barriers at which all threads are.
inline void open_barriers() {
  const int threads = block.threads * block.cluster;
  for (int begin = 0; begin < threads; begin += block.threads) {
    const int end = begin + block.threads;
    const auto lanes_at = [&](int first) { return lanes_of(block.waits[static_cast<std::size_t>(first)]); };
    for (int first = begin; block.in_lanes && first < end; first += 8)
      if (const int lanes = lanes_at(first); lanes > 0 && first % lanes == 0)
        open_barrier(first, std::min(first + lanes, end), Barrier::of_warp);
    for (int first = begin; first < end; first += 32)
      if (!block.in_lanes || lanes_at(first) == 0)
        open_barrier(first, std::min(first + 32, end), Barrier::of_warp);
    open_barrier(begin, end, Barrier::of_block);
  }
  open_barrier(0, threads, Barrier::of_cluster);
}

// Runs these threads to their next barriers. The memory of the next ones comes into the caches meanwhile.
inline void run_all(const std::vector<int>& threads) {
  for (std::size_t k = 0; k < threads.size(); ++k) {
    const auto fiber = [&](std::size_t at) { return &block.fibers[static_cast<std::size_t>(threads[at])]; };
    if (k + 8 < threads.size()) __builtin_prefetch(fiber(k + 8));
    if (k + 4 < threads.size()) {
      const auto* const stack = static_cast<const char*>(fiber(k + 4)->place[2]);
      __builtin_prefetch(stack);
      __builtin_prefetch(stack + 64);
    }
    run(threads[k]);
    if (block.waits[static_cast<std::size_t>(threads[k])] == nowhere) block.ready.push_back(threads[k]);
  }
}

// The shared memory of each block is unwritten before the first cluster of a launch, and behind its `bytes` bytes after each one.
inline void run_cluster(std::size_t bytes) {
  for (int rank = 0; rank < block.cluster; ++rank) {
    std::fill_n(shared_of[rank], bytes, unwritten);
#ifdef EIGEN_G_ADDRESS_SANITIZER
    ASAN_POISON_MEMORY_REGION(shared_of[rank] + bytes, shared_bytes - bytes);
#endif
  }
  const std::vector<const char*>& waits = block.waits;
  std::fill(block.waits.begin(), block.waits.end(), nowhere);
  block.ready.resize(waits.size());
  std::iota(block.ready.begin(), block.ready.end(), 0);
  std::vector<int> order;
  while (!block.ready.empty()) {
    order.swap(block.ready);
    block.ready.clear();
    block.random.shuffle(order.begin(), order.end());
    run_all(order);
    open_barriers();
  }
  for (std::size_t first = 0; first < waits.size(); ++first)
    for (std::size_t t = first; waits[first] != at_end && t < waits.size(); ++t)
      if (waits[t] != waits[first])
        fail("thread " + std::to_string(first) + " of block " + std::to_string(block.index) + " is " +
             waits[first] + ", thread " + std::to_string(t) + " " + waits[t]);
  for (int rank = 0; rank < block.cluster; ++rank) {
    unsigned char* const behind = shared_of[rank] + bytes;
    const std::size_t count = shared_bytes - bytes;
#ifdef EIGEN_G_ADDRESS_SANITIZER
    ASAN_UNPOISON_MEMORY_REGION(behind, count);
#endif
    // All bytes are the first one if each is the next one.
    if (count > 0 && (*behind != unwritten || std::memcmp(behind, behind + 1, count - 1) != 0))
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
  make_fibers();
  for (int rank = 0; rank < cluster; ++rank) std::fill_n(shared_of[rank], shared_bytes, unwritten);
  std::vector<unsigned> order(static_cast<std::size_t>(blocks / cluster));
  std::iota(order.begin(), order.end(), 0U);
  block.random.shuffle(order.begin(), order.end());
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
  std::memcpy(&block.given[0][static_cast<std::size_t>(me)], &value, sizeof value);
  wait(where);
  T result;
  std::memcpy(&result, &block.taken[0][static_cast<std::size_t>(me / 32 * 32 + lane)], sizeof result);
  return result;
}

struct ThreadNumber {
  operator unsigned() const { return static_cast<unsigned>(block.thread); }
};
struct BlockNumber {
  operator unsigned() const { return block.index + static_cast<unsigned>(block.rank); }
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
  const auto* const own = emulation::shared_of[emulation::block.rank];
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
  const int me = emulation::block.current, first = me / 32 * 32;
  emulation::block.given[0][static_cast<std::size_t>(me)] = yes;
  emulation::wait(where);
  unsigned bits = 0;
  for (int i = 0; i < 32; ++i)
    bits |= static_cast<unsigned>(emulation::block.taken[0][static_cast<std::size_t>(first + i)] & 1) << i;
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
  const int me = emulation::block.current, first = me / 32 * 32, lane = me % 32;
  const auto of = [](const std::vector<std::uint64_t>& taken, int at) {
    double x;
    std::memcpy(&x, &taken[static_cast<std::size_t>(at)], sizeof x);
    return x;
  };
  std::memcpy(&emulation::block.given[0][static_cast<std::size_t>(me)], &a, sizeof a);
  std::memcpy(&emulation::block.given[1][static_cast<std::size_t>(me)], &b, sizeof b);
  emulation::wait(where);
  const auto& [as, bs] = emulation::block.taken;
  for (int k = 0; k < 4; ++k) {
    const double x = of(as, first + lane / 4 * 4 + k);
    d.x = std::fma(x, of(bs, first + 2 * (lane % 4) * 4 + k), d.x);
    d.y = std::fma(x, of(bs, first + (2 * (lane % 4) + 1) * 4 + k), d.y);
  }
}

}  // namespace eigen_g
