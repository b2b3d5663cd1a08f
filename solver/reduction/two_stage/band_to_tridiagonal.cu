// Bulge chase on the GPU: each thread block keeps one position of the band on its multiprocessor, and all sweeps pass through it.
//
// Position k at sweep s has the b rows from r = s + 1 + k b on. Sweep s acts there with reflector H_k. The position keeps two b x b
// blocks of the matrix: D, rows and columns r ... r + b - 1, Hermitian; and F, the b rows below D in D's columns. It computes
//
//   y = D v, u = F v                                      v, tau of H_k come from position k - 1
//   F := F - tau u v^H;  H_{k+1} from F's first column    beta is its new first entry; v', tau' of H_{k+1} go to position k + 1
//   F := F - conj(tau') v' (v'^H F)
//   w = tau y - (|tau|^2 / 2)(v^H y) v;  D := D - v w^H - w v^H
//
// For the next sweep all positions move down by one row and one column. D's first column and F's beta leave. They go to position
// k - 1 and complete the last columns of its D and F. F's first row becomes D's last row. Nothing else moves. F stays in
// registers, and D in registers or in shared memory. Row and column i of the matrix have slot i mod b. The first row of every position has
// slot f = (s + 1) mod b (`first_place`).
// Position -1, the head, has only the column that is being reduced. It produces d, e and each sweep's first reflector.
//
// Neighbours exchange messages through mailboxes in device memory. A double is sent as two words, a float as one. Each word has half of
// the double (or the float) and the number of the sweep. The reader polls a word until it has this number. No
// flag, fence or barrier is needed.
// One mailbox in each direction is enough, because nothing unread is overwritten:
//   v of sweep s + 1      position k - 1 sends it after it got k's column of sweep s, which k sends after it has read v of sweep s
//   column of sweep s + 1 position k sends it after it got v of sweep s + 1, which k - 1 sends after it has read the column of sweep s
// A sweep follows the previous one at a distance of two messages, so the time is about that of 2 (n + n / b) messages.
//
// All blocks must be resident; the cooperative launch ensures it. If there are many positions, D is in shared memory, so that more blocks are
// resident. If there are more positions than resident blocks, a block processes several positions in order. It then keeps the D and F of the other
// positions in device memory.
//
// A sum is over the columns of a warp, then over warps, or over the rows of a lane, then over lanes. The order depends only on b.
// Rejected variants: data/perf/DECISIONS.md, "Chase".
#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "hybrid/cuda_check.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/stream/shared_memory.hpp"
#include "solver/reduction/two_stage/band_to_tridiagonal.hpp"
#include "solver/reduction/two_stage/chase_position.cuh"

namespace eigen_g {

namespace {

using namespace chase;

// warps: the registers suffice for this number of warps on a multiprocessor, or for one block if a block has more warps.
template <class T, int b, bool several, Diagonal place, int warps>
__global__ void __launch_bounds__(Shape<b>::threads, std::max(1, warps / Shape<b>::warps))
    chase_kernel(const __grid_constant__ Chase<T> c) {
  extern __shared__ double2 dynamic[];
  __shared__ Shared<T, b> shared;
  pass_sweeps<T, b, several, place>(c, shared, reinterpret_cast<T*>(dynamic));
}

struct Kernel {
  const void* function;
  std::size_t shared;     // bytes of dynamic shared memory
  std::int64_t resident;  // number of blocks that the GPU can run at the same time
};
template <class T, int b, bool several, Diagonal place, int warps>
Kernel kernel_of(int multiprocessors) {
  Kernel k{reinterpret_cast<const void*>(chase_kernel<T, b, several, place, warps>),
           shared_bytes<T, b>(place), 0};
  if (k.shared > 0) allow_shared_memory(k.function, k.shared);
  int blocks = 0;
  EIGEN_G_CUDA(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, k.function, Shape<b>::threads, k.shared));
  k.resident = static_cast<std::int64_t>(blocks) * multiprocessors;
  return k;
}
// All kernels. The last kernel is for blocks with several positions. The kernels before it are for blocks with one position, in the order of the
// time of a sweep. For complex double a sweep with 32 warps would take longer than with several positions a block.
template <class T, int b>
std::vector<Kernel> kernels_of(int multiprocessors) {
  constexpr Diagonal registers = Diagonal::in_registers, shared = Diagonal::in_shared;
  if constexpr (b > 64) {
    constexpr Diagonal place = b > 96 ? shared : registers;
    return {kernel_of<T, b, false, place, 1>(multiprocessors),
            kernel_of<T, b, true, place, 1>(multiprocessors)};
  } else {
    std::vector<Kernel> kernels{kernel_of<T, b, false, registers, 1>(multiprocessors),
                                kernel_of<T, b, false, registers, 16>(multiprocessors),
                                kernel_of<T, b, false, shared, 24>(multiprocessors)};
    if constexpr (sizeof(T) <= sizeof(double))
      kernels.push_back(kernel_of<T, b, false, shared, 32>(multiprocessors));
    kernels.push_back(kernel_of<T, b, true, registers, 16>(multiprocessors));
    return kernels;
  }
}

// A chase that reports its sweeps ends a launch after each of these equal parts of the sweeps. The v arrays of a part can then be copied during the
// next part. The last part has a sixteenth of their values.
constexpr std::int64_t reported_parts = 4;

// Number of positions through which sweep s passes, including the head.
std::int64_t positions_of(std::int64_t n, std::int64_t b, std::int64_t s) {
  return (n - 2 - s + b) / b + 1;
}

template <class T>
struct Workspace {  // T is the device's type
  Packet<T>* mail;
  T* state;
  std::int64_t packets;

  Workspace(Arena& arena, std::int64_t n, std::int64_t b, std::int64_t state_of_position)
      : packets((positions_of(n, b, 0) + 1) * 2 * (b + 8)) {
    mail = arena.take<Packet<T>>(packets);
    state = arena.take<T>(positions_of(n, b, 0) * state_of_position);
  }
};

template <class T, class Act>
void with_bandwidth(std::int64_t b, Act&& act) {
  if (b == 32) return act(std::integral_constant<int, 32>());
  if constexpr (!is_complex<T>) switch (b) {
      case 48:
        return act(std::integral_constant<int, 48>());
      case 64:
        return act(std::integral_constant<int, 64>());
      case 96:
        return act(std::integral_constant<int, 96>());
      case 128:
        return act(std::integral_constant<int, 128>());
      default:
        break;
    }
  throw InvalidArgument(
      "kd", "the bandwidth must be 32, 48, 64, 96 or 128 (complex: 32); it is " + std::to_string(b));
}

template <class T, int b>
void run(const Queue& queue, MatrixView<const T> band, real_t<T>* d, real_t<T>* e,
         const ChaseReflectors<T>& out, Arena arena, int multiprocessors,
         const std::function<void(std::int64_t)>& reached) {
  using S = Shape<b>;
  using D = device_t<T>;
  const std::int64_t n = band.cols;
  const ChaseTiles tiles = chase_tiles<T>(n, b);
  const Workspace<D> w(arena, n, b, S::state);
  const auto bytes = [](std::int64_t count, std::size_t size) {
    return static_cast<std::size_t>(count) * size;
  };
  EIGEN_G_CUDA(cudaMemsetAsync(w.mail, 0, bytes(w.packets, sizeof(Packet<D>)), queue.stream()));
  if (out.v) {
    if (out.stride == 0)  // v arrays are aligned; the gaps between them become zero too
      EIGEN_G_CUDA(cudaMemsetAsync(out.v, 0, bytes(tiles.count(), sizeof(T)), queue.stream()));
    EIGEN_G_CUDA(cudaMemsetAsync(out.tau, 0, bytes(tiles.tau_count(), sizeof(T)), queue.stream()));
  }
  const std::vector<Kernel> kernels = kernels_of<D, b>(multiprocessors);
  const Kernel& several = kernels.back();
  const std::int64_t part = (n + reported_parts - 1) / reported_parts;
  for (std::int64_t first = 0; first < n;) {
    const std::int64_t positions = positions_of(n, b, first);
    // The launch ends at the first sweep that has at most `enough` positions. A faster kernel, or one position fewer per block, then suffices. 0: there
    // is no faster kernel.
    const Kernel* kernel = &several;
    std::int64_t enough = 0;
    for (const Kernel& one : std::span(kernels).first(kernels.size() - 1)) {
      if (positions <= one.resident) {
        kernel = &one;
        break;
      }
      enough = std::max(enough, one.resident);
    }
    const std::int64_t per_block =
        kernel == &several ? (positions + several.resident - 1) / several.resident : 1;
    if (per_block > 1) enough = std::max(enough, (per_block - 1) * several.resident);
    std::int64_t last = enough == 0 ? n : std::min(n, std::max(first + 1, n - 1 - (enough - 1) * b));
    if (reached) last = std::min(last, (first / part + 1) * part);
    Chase<D> c{on_device(band.data),
               band.lda,
               n,
               first,
               last,
               static_cast<int>(positions),
               static_cast<int>(per_block),
               d,
               e,
               tiles,
               {on_device(out.v), on_device(out.tau), out.stride},
               tiles.tiles_from(first / tiles.width + 1),
               w.mail,
               w.state};
    void* arguments[] = {&c};
    EIGEN_G_CUDA(cudaLaunchCooperativeKernel(
        kernel->function, dim3(static_cast<unsigned>((positions + per_block - 1) / per_block)),
        dim3(S::threads), arguments, kernel->shared, queue.stream()));
    first = last;
    if (reached) reached(std::min(first, tiles.sweeps()));
  }
}

}  // namespace

template <class T>
std::uint64_t band_to_tridiagonal_bytes(std::int64_t n, std::int64_t b, int) {
  return bytes_taken([&](Arena& arena) {
    with_bandwidth<T>(
        b, [&](auto width) { Workspace<device_t<T>>(arena, n, b, Shape<decltype(width)::value>::state); });
  });
}

template <class T>
void band_to_tridiagonal(const Queue& queue, std::int64_t b, MatrixView<const T> band_dev, real_t<T>* d_dev,
                         real_t<T>* e_dev, const ChaseReflectors<T>& out, Arena workspace,
                         int multiprocessors, const std::function<void(std::int64_t sweeps)>& reached) {
  if (band_dev.cols == 0) return;
  with_bandwidth<T>(b, [&](auto width) {
    run<T, decltype(width)::value>(queue, band_dev, d_dev, e_dev, out, workspace,
                                   multiprocessors > 0 ? multiprocessors : queue.multiprocessors(), reached);
  });
}

EIGEN_G_INSTANTIATE(all_types, band_to_tridiagonal, band_to_tridiagonal_bytes);

}  // namespace eigen_g
