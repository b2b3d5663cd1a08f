#include <algorithm>
#include <chrono>
#include <utility>

#include "apps/papers/himeno_device.hpp"
#include "apps/papers/himeno_point.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/transfer/peer.hpp"

namespace eigen_g::papers {

namespace {

constexpr int block_k = 64, block_j = 4;
constexpr int threads = block_k * block_j;
// The threads that a multiprocessor has room for. 2048, as on Hopper, leave each thread 32 registers (data/perf/DECISIONS.md, "Sparse
// products").
#if __CUDA_ARCH__ == 750
constexpr int resident_threads = 1024;
#elif (__CUDA_ARCH__ >= 860 && __CUDA_ARCH__ < 900) || __CUDA_ARCH__ >= 1100
constexpr int resident_threads = 1536;
#else
constexpr int resident_threads = 2048;
#endif

struct Extents {
  std::int64_t plane, row;
  std::int64_t last_j, last_k;  // largest j and k of the interior
};

// One sweep of the planes 1 ... gridDim.z; with `edges` of the planes 1 and `planes` only. with_gosa: block_sum[block] := the block's
// sum of ss^2, added in a tree.
// Keep the form of the index and of the condition: with other forms the compiler begins the loads later, which costs 5 % of a sweep.
template <bool edges, bool with_gosa>
__global__ void __launch_bounds__(threads, resident_threads / threads)
    himeno_kernel(HimenoPointers h, Extents e, std::int64_t planes, double* block_sum) {
  const std::int64_t k = 1 + (std::int64_t{blockIdx.x} * block_k + threadIdx.x);
  const std::int64_t j = 1 + std::int64_t{blockIdx.y} * block_j + threadIdx.y;
  const std::int64_t i = 1 + (edges ? blockIdx.z * (planes - 1) : std::int64_t{blockIdx.z});
  const bool outside = k > e.last_k || j > e.last_j;
  if constexpr (!with_gosa) {
    if (outside) return;
    himeno_point(h, i * e.plane + j * e.row + k, e.plane, e.row);
  } else {
    __shared__ double sums[threads];
    const int t = static_cast<int>(threadIdx.y * block_k + threadIdx.x);
    const float ss = outside ? 0.0f : himeno_point(h, i * e.plane + j * e.row + k, e.plane, e.row);
    sums[t] = static_cast<double>(ss) * static_cast<double>(ss);
    for (int d = threads / 2; d > 0; d /= 2) {
      __syncthreads();
      if (t < d) sums[t] += sums[t + d];
    }
    if (t == 0) block_sum[(i * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x] = sums[0];
  }
}

__global__ void start_kernel(int which, std::int64_t elements, std::int64_t plane, std::int64_t first_plane,
                             std::int64_t mi, float* to) {
  const std::int64_t e = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (e < elements) to[e] = himeno_start(which, first_plane + e / plane, mi);
}

}  // namespace

// The planes 0 ... planes + 1 of a slab are the planes first - 1 ... first + planes of the grid.
struct HimenoOnDevices::Slab {
  int gpu;
  std::int64_t planes;
  Queue edge, inner;
  Event edge_done, inner_done, sent;
  std::vector<DeviceBuffer<float>> arrays;
  DeviceBuffer<double> block_sums;
  float* array(int which, std::int64_t from = 0) const {
    return arrays[static_cast<std::size_t>(which)].data() + HimenoLayout::lead + from;
  }
  HimenoPointers pointers(std::int64_t from) const {
    return {array(himeno_p, from),   array(himeno_next, from), array(himeno_a0, from), array(himeno_a1, from),
            array(himeno_a2, from),  array(himeno_a3, from),   array(himeno_b0, from), array(himeno_b1, from),
            array(himeno_b2, from),  array(himeno_c0, from),   array(himeno_c1, from), array(himeno_c2, from),
            array(himeno_bnd, from), array(himeno_wrk1, from)};
  }
};

HimenoOnDevices::HimenoOnDevices(const HimenoGrid& grid, const std::vector<int>& gpus)
    : grid_(grid), layout_(grid) {
  const std::int64_t interior = grid.mi - 3, plane = layout_.plane();
  const auto parts = static_cast<std::int64_t>(gpus.size());
  if (parts == 0 || interior < 2 * parts)
    throw InvalidArgument("gpus", std::to_string(parts) + " GPUs for " + std::to_string(interior) +
                                      " planes; each takes at least two");
  const unsigned blocks_j = static_cast<unsigned>((grid.mj - 3 + block_j - 1) / block_j);
  const unsigned blocks_k = static_cast<unsigned>((grid.mk - 3 + block_k - 1) / block_k);
  for (std::int64_t part = 0; part < parts; ++part) {
    const std::int64_t first = 1 + interior * part / parts, next = 1 + interior * (part + 1) / parts;
    const CurrentGpu here(gpus[static_cast<std::size_t>(part)]);
    slabs_.push_back(std::make_unique<Slab>());
    Slab& s = *slabs_.back();
    s.gpu = gpus[static_cast<std::size_t>(part)];
    s.planes = next - first;
    const std::int64_t elements = (s.planes + 2) * plane;
    for (int which = 0; which < himeno_arrays; ++which) {
      s.arrays.emplace_back(layout_.elements(s.planes + 2));
      start_kernel<<<static_cast<unsigned>((elements + threads - 1) / threads), threads, 0,
                     s.inner.stream()>>>(which, elements, plane, first - 1, grid.mi, s.array(which));
      EIGEN_G_LAUNCHED();
    }
    s.block_sums = DeviceBuffer<double>((s.planes + 1) * blocks_j * blocks_k);
    s.inner.wait();
  }
  for (std::size_t part = 0; part + 1 < slabs_.size(); ++part) {
    reach_peer(slabs_[part]->gpu, slabs_[part + 1]->gpu);
    reach_peer(slabs_[part + 1]->gpu, slabs_[part]->gpu);
  }
}

HimenoOnDevices::~HimenoOnDevices() = default;

void HimenoOnDevices::sweep_once(bool with_gosa) {
  const Extents e{layout_.plane(), layout_.row, grid_.mj - 3, grid_.mk - 3};
  const dim3 block(block_k, block_j);
  const auto launch = [&](const Slab& s, const Queue& queue, bool edges, std::int64_t first,
                          std::int64_t planes) {
    const std::int64_t layers = edges ? 2 : planes;
    if (layers <= 0) return;
    const dim3 blocks(static_cast<unsigned>((e.last_k + block_k - 1) / block_k),
                      static_cast<unsigned>((e.last_j + block_j - 1) / block_j),
                      static_cast<unsigned>(layers));
    auto* const kernel = edges ? (with_gosa ? himeno_kernel<true, true> : himeno_kernel<true, false>)
                               : (with_gosa ? himeno_kernel<false, true> : himeno_kernel<false, false>);
    kernel<<<blocks, block, 0, queue.stream()>>>(
        s.pointers((first - 1) * e.plane), e, planes,
        s.block_sums.data() + (first - 1) * std::int64_t{blocks.x} * blocks.y);
    EIGEN_G_LAUNCHED();
  };
  const bool alone = slabs_.size() == 1;
  for (std::size_t part = 0; part < slabs_.size(); ++part) {
    Slab& s = *slabs_[part];
    const CurrentGpu here(s.gpu);
    if (alone) {
      launch(s, s.inner, false, 1, s.planes);
      continue;
    }
    // In each sweep the edges need the inner planes and the neighbours' planes of the previous sweep; the inner planes need the edges.
    s.inner_done.hold(s.edge);
    if (part > 0) slabs_[part - 1]->sent.hold(s.edge);
    if (part + 1 < slabs_.size()) slabs_[part + 1]->sent.hold(s.edge);
    s.edge_done.hold(s.inner);
  }
  if (alone) return std::swap(slabs_[0]->arrays[himeno_p], slabs_[0]->arrays[himeno_next]);
  for (std::size_t part = 0; part < slabs_.size(); ++part) {
    Slab& s = *slabs_[part];
    const CurrentGpu here(s.gpu);
    launch(s, s.edge, true, 1, s.planes);
    s.edge_done.record(s.edge);
    launch(s, s.inner, false, 2, s.planes - 2);
    s.inner_done.record(s.inner);
    const auto send = [&](std::int64_t from, const Slab& to, std::int64_t at) {
      EIGEN_G_CUDA(cudaMemcpyPeerAsync(to.array(himeno_next) + at * e.plane, to.gpu,
                                       s.array(himeno_next) + from * e.plane, s.gpu,
                                       static_cast<std::size_t>(e.plane) * sizeof(float), s.edge.stream()));
    };
    if (part > 0) send(1, *slabs_[part - 1], slabs_[part - 1]->planes + 1);
    if (part + 1 < slabs_.size()) send(s.planes, *slabs_[part + 1], 0);
    s.sent.record(s.edge);
  }
  for (const auto& s : slabs_) std::swap(s->arrays[himeno_p], s->arrays[himeno_next]);
}

double HimenoOnDevices::sweep(int count) {
  const auto wait = [&] {
    for (const auto& s : slabs_) {
      const CurrentGpu here(s->gpu);
      s->edge.wait();
      s->inner.wait();
    }
  };
  wait();
  const auto start = std::chrono::steady_clock::now();
  for (int n = 1; n <= count; ++n) sweep_once(n == count);
  wait();
  seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  // The sums of the blocks are added in the order of the planes: the same bits for any number of slabs.
  double gosa = 0;
  for (const auto& s : slabs_) {
    const CurrentGpu here(s->gpu);
    const std::int64_t a_plane = s->block_sums.size() / (s->planes + 1);  // plane 0 has no sums
    std::vector<double> sums(static_cast<std::size_t>(a_plane * s->planes));
    EIGEN_G_CUDA(cudaMemcpy(sums.data(), s->block_sums.data() + a_plane, sums.size() * sizeof(double),
                            cudaMemcpyDeviceToHost));
    for (const double sum : sums) gosa += sum;
  }
  return gosa;
}

}  // namespace eigen_g::papers
