// The choice of the backend on a GPU by the plan, and the objects of a GPU that all backends share.
#include <cstdint>
#include <memory>
#include <type_traits>

#include "gemm_df/load_products.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/team/gpu_lanes.hpp"
#include "solver/driver/backend.hpp"

namespace eigen_g {

template <class T>
WorkspaceBytes bytes_on_gpu(const Plan& plan, MatrixLayout layout) {
  if (plan.generalised) return generalised_bytes_on_gpu<T>(plan);
  if (plan.team) return team_bytes_on_gpu<T>(plan);
  return wants_mixed<T>(plan) ? mixed_bytes_on_gpu(plan) : standard_bytes_on_gpu<T>(plan, layout);
}

template <class T>
std::unique_ptr<Backend<T>> backend_on_gpu(const Plan& plan, Resources* resources) {
  require_gpu();
  if (plan.generalised) return generalised_on_gpu<T>(plan, *resources);
  if constexpr (std::is_same_v<T, double>)
    if (wants_mixed<T>(plan)) return mixed_on_gpu(plan, *resources);
  if (plan.team) return team_on_gpus<T>(plan, *resources);
  return standard_on_gpu<T>(plan, *resources);
}

std::shared_ptr<Resources> new_resources(const Allocator& allocator) {
  return std::make_shared<Resources>(allocator);
}
Resources* resources_of_this_thread() {
  return &Resources::of_this_thread();
}
void release(Resources* resources) {
  resources->release();
  GpuLanes::release();
  release_kept_memory();
}

void start_device() {
  const Queue queue;
  const WorkMemory memory(queue, sizeof(double) * loading_values + Arena::alignment);
  load_products<double>(queue, Arena(memory.data(), sizeof(double) * loading_values + Arena::alignment));
  queue.wait();
}

EIGEN_G_INSTANTIATE(all_types, bytes_on_gpu, backend_on_gpu);

}  // namespace eigen_g
