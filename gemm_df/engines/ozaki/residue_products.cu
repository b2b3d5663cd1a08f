#include "gemm_df/engines/ozaki/residue_products.hpp"

#include <algorithm>
#include <string>
#include <type_traits>

#include "gemm_df/engines/ozaki/product_kernel.cuh"
#include "gemm_df/tuning.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/machine/driver_call.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/stream/shared_memory.hpp"

namespace eigen_g::ozaki {

namespace {

using Encode = decltype(&cuTensorMapEncodeTiled);
Encode encode() {
  static const auto function = driver_call<Encode>("cuTensorMapEncodeTiled");
  return function;
}

TileMap map_of(int planes, const OperandView& x, std::int64_t terms) {
  const cuuint64_t sizes[] = {static_cast<cuuint64_t>(terms), static_cast<cuuint64_t>(x.lines),
                              static_cast<cuuint64_t>(planes)};
  const cuuint64_t steps[] = {static_cast<cuuint64_t>(x.residues.stride),
                              static_cast<cuuint64_t>(x.residues.step)};
  const cuuint32_t box[] = {slot_terms, map_lines, 1}, every[] = {1, 1, 1};
  TileMap map;
  const CUresult result = encode()(&map, CU_TENSOR_MAP_DATA_TYPE_UINT8, 3, x.residues.data, sizes, steps, box,
                                   every, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                   CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS)
    throw DeviceError("cuTensorMapEncodeTiled failed with error " + std::to_string(result));
  return map;
}

template <int cluster, bool floats>
void launch(const Queue& queue, const TileMap& a, const TileMap& b, const ProductWork& work) {
  allow_shared_memory(product_kernel<cluster, floats>, product_shared_bytes);
  const int clusters = static_cast<int>(
      std::min<std::int64_t>(std::max(queue.multiprocessors() / cluster, 1), tiles_of(work.tiles)));
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {cluster, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(clusters * cluster));
  config.blockDim = dim3(product_threads);
  config.dynamicSmemBytes = product_shared_bytes;
  config.stream = queue.stream();
  config.attrs = &attribute;
  config.numAttrs = 1;
  EIGEN_G_CUDA(cudaLaunchKernelEx(&config, product_kernel<cluster, floats>, a, b, work, clusters));
}

}  // namespace

bool residue_products_run() {
  const Device& gpu = gpu_facts(current_gpu());
  return gpu.compute_major == 9 && gpu.compute_minor == 0 && product_tuning().ozaki_own_products != 0 &&
         encode() != nullptr;
}

void multiply_to_planes(const Queue& queue, int moduli, const OperandView& a, const OperandView& b,
                        const Planes& out, std::int64_t diagonal) {
  const int planes = planes_of(moduli);
  const TileMap of_a = map_of(planes, a, b.terms), of_b = map_of(planes, b, b.terms);
  const auto work = [&](int cluster) {
    return product_work(moduli, out, a.lines, b.lines, b.terms, cluster, diagonal);
  };
  // Rounds in which the multiprocessors compute all tiles. Clusters of two read less memory, but may have a half of a tile too much.
  const auto rounds = [&](int cluster) {
    return whole(tiles_of(work(cluster).tiles), std::max(queue.multiprocessors() / cluster, 1));
  };
  const bool triangle = diagonal > -b.lines;
  const bool two = triangle || 10 * rounds(2) <= 11 * rounds(1);
  const auto run = [&](auto floats) {
    constexpr bool of_floats = decltype(floats)::value;
    if (two)
      launch<2, of_floats>(queue, of_a, of_b, work(2));
    else
      launch<1, of_floats>(queue, of_a, of_b, work(1));
  };
  if (has_floats(moduli))
    run(std::true_type{});
  else
    run(std::false_type{});
}

}  // namespace eigen_g::ozaki
