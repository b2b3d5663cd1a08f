#include "solver/reduction/one_stage/tridiagonalize_in_cluster.cuh"

#include <algorithm>
#include <complex>
#include <cstddef>
#include <type_traits>

#include "hybrid/cuda_check.hpp"
#include "hybrid/instantiate.hpp"
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

// A small matrix has few rows in a warp, and one warp for each of a multiprocessor's schedulers. A larger one needs the registers of eight warps. More
// rows of complex<double> would not fit.
template <class T>
using SmallShape = in_cluster::Shape<device_t<T>, 4, 8, 4>;
template <class T>
using LargeShape = in_cluster::Shape<device_t<T>, sizeof(T) <= 8 ? 8 : 6, 8, 8>;

template <class S>
__global__ void __launch_bounds__(S::threads, 1)
    reduce_in_cluster_kernel(const __grid_constant__ Problem<typename S::T> p) {
  allow_next_kernel();
  wait_for_previous_kernels();
  in_cluster::reduce(p, *reinterpret_cast<Shared<S>*>(DynamicShared<double2>::memory()));
}

template <class S>
void launch(const Queue& queue, const Problem<typename S::T>& problem) {
  constexpr std::size_t shared_without_permission = 48 << 10;  // of any kernel
  static_assert(sizeof(Shared<S>) <= shared_without_permission);
  launch_dependent_cluster(queue, reduce_in_cluster_kernel<S>, S::blocks, S::blocks, S::threads,
                           sizeof(Shared<S>), problem);
}

}  // namespace

template <class T>
std::int64_t max_in_cluster(int multiprocessors) {
  using S = LargeShape<T>;
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
  if (a_dev.cols <= SmallShape<T>::order)
    launch<SmallShape<T>>(queue, problem);
  else
    launch<LargeShape<T>>(queue, problem);
}

EIGEN_G_INSTANTIATE(all_types, max_in_cluster, tridiagonalize_in_cluster);

}  // namespace eigen_g
