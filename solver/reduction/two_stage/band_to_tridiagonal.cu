// Band to tridiagonal: a block of threads has one position of the band, and the sweeps come by.
//
// Sweep s acts in position k = 0, 1, ... with reflector H_k on the b rows from r = s + 1 + k b on. The position's blocks are
// D, rows and columns r ..., Hermitian, and F, the b rows below D in D's columns:
//
//   y = D v, u = F v                                     v, tau of H_k: from position k - 1
//   F := F - tau u v^H;  H_{k+1} from F's first column    beta, v', tau' to position k + 1
//   F := F - conj(tau') v' (v'^H F)
//   w = tau y - (|tau|^2 / 2)(v^H y) v;  D := D - v w^H - w v^H
//
// For the next sweep all windows move down by a row and a column. What leaves, D's first column and F's beta, goes to position
// k - 1, whose last columns they become; F's first row becomes D's last. Nothing else moves: D and F stay in registers, row and
// column i of the matrix in place i mod b, and f = (s + 1) mod b is every window's first place. Position -1, the head, has only
// the column that is being reduced: from it come d, e and every sweep's first reflector.
//
// Neighbours exchange messages in device memory; a double travels as two words, each with half of it and the sweep's number (a float as one),
// and whoever needs it looks until the number is there: no flag, no fence, no barrier. One mailbox each way is enough: v of the
// next sweep is sent only after that sweep's column came, which is sent after v was read, and likewise the other way. A sweep
// follows the one before after two hops, so the time is about 2 (n + n / b) hops. Everybody must be resident, which a
// cooperative launch grants; where the positions are more than the blocks, each takes several, in order, and keeps those that
// it is not at in device memory.
//
// Sums go over the columns of a warp, then over warps, or over the rows of a lane, then over lanes: an order that b alone says.
// Rejected variants: data/perf/DECISIONS.md, "Chase".
#include <algorithm>
#include <array>
#include <string>

#include "hybrid/cuda_check.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/stream/shared_memory.hpp"
#include "solver/reduction/two_stage/band_to_tridiagonal.hpp"
#include "solver/reduction/two_stage/chase_position.cuh"

namespace eigen_g {

namespace {

using namespace chase;

// The block's positions; where they are several, their D and F are in memory but while it is at them.
template <class T, int b, bool several>
__global__ void __launch_bounds__(Shape<b>::threads, b > 64    ? 1
                                                     : b == 64 ? 2
                                                     : b == 48 ? 2
                                                               : 4)
    chase_kernel(const __grid_constant__ Chase<T> c) {
  extern __shared__ double2 dynamic[];
  __shared__ Shared<T, b> shared;
  Position<T, b> position(c, shared, reinterpret_cast<T*>(dynamic));
  const int begin = static_cast<int>(blockIdx.x) * c.per_block - 1;  // -1: the head
  const int end = min(begin + c.per_block, c.positions - 1);
  std::int64_t tile = c.first_tile, group = c.first / c.tiles.width;
  int first_place = static_cast<int>((c.first + 1) % b), j = static_cast<int>(c.first % c.tiles.width);
  if (!several && begin >= 0) {
    if (c.first == 0)
      position.load_band(begin);
    else
      position.load(begin);
  }
  for (std::int64_t s = c.first; s < c.last; ++s) {
    if (j == c.tiles.width) {
      j = 0;
      ++group;
      if (group < c.tiles.groups()) tile -= c.tiles.steps(group);
    }
    for (int k = begin; k < end; ++k) {
      if (k < 0) {
        if (threadIdx.x < 32) head<T, b>(c, s, first_place);
        continue;
      }
      if (s + 1 + static_cast<std::int64_t>(k) * b >= c.n) continue;
      if constexpr (several) {
        if (s == 0)
          position.load_band(k);
        else
          position.load(k);
      }
      position.work(k, s, first_place, tile, j);
      if constexpr (several) position.store(k);
    }
    first_place = first_place + 1 == b ? 0 : first_place + 1;
    ++j;
  }
  if (!several && begin >= 0 && c.last < c.n) position.store(begin);
}

// Positions that sweep s has, the head included.
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
  throw InvalidArgument(Argument::other, "no bandwidth of the chase: " + std::to_string(b));
}

template <class T, int b>
void run(const Queue& queue, MatrixView<const T> band, real_t<T>* d, real_t<T>* e,
         const ChaseReflectors<T>& out, Arena arena, int multiprocessors) {
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
    if (out.stride == 0)  // between runs, too
      EIGEN_G_CUDA(cudaMemsetAsync(out.v, 0, bytes(tiles.packed_count(), sizeof(T)), queue.stream()));
    EIGEN_G_CUDA(cudaMemsetAsync(out.tau, 0, bytes(tiles.tau_count(), sizeof(T)), queue.stream()));
  }
  const std::array<const void*, 2> kernels{reinterpret_cast<const void*>(chase_kernel<D, b, false>),
                                           reinterpret_cast<const void*>(chase_kernel<D, b, true>)};
  std::array<std::int64_t, 2> resident{};
  for (std::size_t i = 0; i < 2; ++i) {
    if (S::shared_bytes > 0) allow_shared_memory(kernels[i], S::shared_bytes);
    int blocks = 0;
    EIGEN_G_CUDA(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernels[i], S::threads, S::shared_bytes));
    resident[i] = static_cast<std::int64_t>(blocks) * multiprocessors;
  }
  for (std::int64_t first = 0; first < n;) {
    const std::int64_t positions = positions_of(n, b, first);
    const bool several = positions > resident[0];
    const std::int64_t per_block = several ? (positions + resident[1] - 1) / resident[1] : 1;
    // With several positions a block, until one fewer is enough.
    const std::int64_t enough = several ? (per_block == 2 ? resident[0] : (per_block - 1) * resident[1]) : 0;
    const std::int64_t last = several ? std::min(n, std::max(first + 1, n - 1 - (enough - 1) * b)) : n;
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
        kernels[several], dim3(static_cast<unsigned>((positions + per_block - 1) / per_block)),
        dim3(S::threads), arguments, S::shared_bytes, queue.stream()));
    first = last;
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
                         int multiprocessors) {
  if (band_dev.cols == 0) return;
  with_bandwidth<T>(b, [&](auto width) {
    run<T, decltype(width)::value>(queue, band_dev, d_dev, e_dev, out, workspace,
                                   multiprocessors > 0 ? multiprocessors : queue.multiprocessors());
  });
}

template std::uint64_t band_to_tridiagonal_bytes<double>(std::int64_t, std::int64_t, int);
template void band_to_tridiagonal<double>(const Queue&, std::int64_t, MatrixView<const double>, double*,
                                          double*, const ChaseReflectors<double>&, Arena, int);
template std::uint64_t band_to_tridiagonal_bytes<float>(std::int64_t, std::int64_t, int);
template void band_to_tridiagonal<float>(const Queue&, std::int64_t, MatrixView<const float>, float*, float*,
                                         const ChaseReflectors<float>&, Arena, int);
template std::uint64_t band_to_tridiagonal_bytes<std::complex<double>>(std::int64_t, std::int64_t, int);
template void band_to_tridiagonal<std::complex<double>>(const Queue&, std::int64_t,
                                                        MatrixView<const std::complex<double>>, double*,
                                                        double*, const ChaseReflectors<std::complex<double>>&,
                                                        Arena, int);
template std::uint64_t band_to_tridiagonal_bytes<std::complex<float>>(std::int64_t, std::int64_t, int);
template void band_to_tridiagonal<std::complex<float>>(const Queue&, std::int64_t,
                                                       MatrixView<const std::complex<float>>, float*, float*,
                                                       const ChaseReflectors<std::complex<float>>&, Arena,
                                                       int);

}  // namespace eigen_g
