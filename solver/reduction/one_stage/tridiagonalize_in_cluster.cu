#include "solver/reduction/one_stage/tridiagonalize_in_cluster.cuh"

#include <algorithm>
#include <complex>
#include <cstddef>
#include <map>
#include <mutex>
#include <type_traits>

#include "hybrid/cuda_check.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/stream/dependent_launch.cuh"
#include "hybrid/stream/dynamic_shared.cuh"
#include "hybrid/stream/queue.hpp"
#include "solver/devices/tuning.hpp"
#include "solver/reduction/one_stage/tridiagonalize.hpp"
#include "solver/reduction/one_stage/tridiagonalize_in_cluster.hpp"

namespace eigen_g {

namespace {

using in_cluster::Problem;
using in_cluster::Shared;

// A warp for each of a multiprocessor's schedulers, if the GPU has clusters of 16 blocks or the matrix is small; else eight warps, because four would
// not have the registers. Small matrices of float and complex<float> take less time with more warps. More rows of complex<double> would not fit.
template <class T>
inline constexpr int groups = sizeof(T) <= 8 ? 8 : 6;
template <class T>
using Wide = in_cluster::Shape<device_t<T>, groups<T>, 16, 4>;
template <class T>
using Large = in_cluster::Shape<device_t<T>, groups<T>, 8, 8>;
template <class T>
using Small = in_cluster::Shape<device_t<T>, 4, 8, 4>;
template <class T>
inline constexpr std::int64_t max_rows_in_small = std::is_same_v<real_t<T>, double> ? Small<T>::order : 0;

template <class S>
__global__ void __launch_bounds__(S::threads, 1)
    reduce_in_cluster_kernel(const __grid_constant__ Problem<typename S::T> p) {
  allow_next_kernel();
  wait_for_previous_kernels();
  in_cluster::reduce(p, *reinterpret_cast<Shared<S>*>(DynamicShared<double2>::memory()));
}

constexpr int portable_blocks = 8;  // a GPU with clusters has clusters of this size
template <class S>
constexpr std::size_t shared_bytes = sizeof(Shared<S>);

template <class S>
void launch(const Queue& queue, const Problem<typename S::T>& problem) {
  constexpr std::size_t shared_without_permission = 48 << 10;
  static_assert(shared_bytes<S> <= shared_without_permission);
  launch_dependent_cluster(queue, reduce_in_cluster_kernel<S>, S::blocks, S::blocks, S::threads,
                           shared_bytes<S>, problem);
}

// True if the current GPU can run a cluster of more than portable_blocks blocks. Also gives the kernel the permission that it needs. CUDA is asked once for each GPU.
template <class S>
bool runs_on_gpu() {
  static_assert(S::blocks > portable_blocks);
  static std::mutex mutex;
  static std::map<int, bool> known;  // by GPU
  const int gpu = current_gpu();
  const std::lock_guard lock(mutex);
  if (const auto found = known.find(gpu); found != known.end()) return found->second;
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {S::blocks, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(S::blocks);
  config.blockDim = dim3(S::threads);
  config.dynamicSmemBytes = shared_bytes<S>;
  config.attrs = &attribute;
  config.numAttrs = 1;
  const auto* const kernel = reinterpret_cast<const void*>(reduce_in_cluster_kernel<S>);
  int clusters = 0;
  const bool runs =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) == cudaSuccess &&
      cudaOccupancyMaxActiveClusters(&clusters, kernel, &config) == cudaSuccess && clusters > 0;
  if (!runs) cudaGetLastError();  // clears the refusal
  return known[gpu] = runs;
}

// A part of a GPU (Partition) need not have 16 multiprocessors that can form a cluster.
bool is_whole_gpu(const Queue& queue) {
  return queue.multiprocessors() == gpu_facts(current_gpu()).multiprocessors;
}

}  // namespace

template <class T>
std::int64_t max_in_cluster(int multiprocessors) {
  using S = Large<T>;
  if (multiprocessors < S::blocks || !dependent_launches()) return 0;
  constexpr std::size_t type = 2 * is_complex<T> + std::is_same_v<real_t<T>, double>;
  return std::min<std::int64_t>(solver_tuning().reduction_rows_in_cluster[type], S::order);
}

template <class T>
void tridiagonalize_in_cluster(const Queue& queue, MatrixView<T> a_dev, real_t<same_t<T>>* d_dev,
                               real_t<same_t<T>>* e_dev, same_t<T>* tau_dev, bool clears_upper,
                               const real_t<same_t<T>>* negligible_dev) {
  const Problem<device_t<T>> problem{on_device(a_dev.data),
                                     a_dev.lda,
                                     static_cast<int>(a_dev.cols),
                                     d_dev,
                                     e_dev,
                                     on_device(tau_dev),
                                     negligible_square<real_t<T>>,
                                     negligible_dev,
                                     clears_upper};
  if (a_dev.cols <= max_rows_in_small<T>)
    launch<Small<T>>(queue, problem);
  else if (is_whole_gpu(queue) && runs_on_gpu<Wide<T>>())
    launch<Wide<T>>(queue, problem);
  else
    launch<Large<T>>(queue, problem);
}

EIGEN_G_INSTANTIATE(all_types, max_in_cluster, tridiagonalize_in_cluster);

}  // namespace eigen_g
