#include "blas2/symv/symv_workspace.hpp"

#include <cuda_runtime.h>

#include "blas2/symv/symv_table.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/stream/grid_barrier.hpp"

namespace eigen_g::blas2 {

void SymvWorkspace::Impl::bind() {
  int current = 0;
  EIGEN_G_CUDA(cudaGetDevice(&current));
  if (device == current) return;
  if (device >= 0)
    throw InvalidArgument("workspace", "belongs to GPU " + std::to_string(device) +
                                           ", must belong to the current one, GPU " +
                                           std::to_string(current));
  int l2 = 0;
  EIGEN_G_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, current));
  EIGEN_G_CUDA(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, current));
  l2_bytes = static_cast<std::uint64_t>(l2);
  if (const auto file = shipped_symv_table(gpu_device(current))) shipped = file->table;
  device = current;
}

SymvConfig SymvWorkspace::Impl::choose(const SymvTable& table, SymvType type, Uplo uplo,
                                       std::int64_t n) const {
  if (const auto config = table.find(type, uplo, n)) return *config;
  if (const auto config = shipped.find(type, uplo, n)) return *config;
  return default_symv_config(type, uplo, n, multiprocessors);
}

void SymvWorkspace::Impl::grow(std::uint64_t bytes, std::int64_t strips) {
  const std::int64_t counters = grid_barrier_words + strips;
  if (bytes <= partials.bytes() && counters <= arrived.size()) return;
  EIGEN_G_CUDA(cudaDeviceSynchronize());  // a product may still use the old memory
  if (bytes > partials.bytes()) {
    partials = {};
    partials = DeviceBuffer<char>(static_cast<std::int64_t>(bytes));
  }
  if (counters > arrived.size()) {
    arrived = DeviceBuffer<unsigned>(counters);
    EIGEN_G_CUDA(cudaMemset(arrived.data(), 0, arrived.bytes()));
    EIGEN_G_CUDA(cudaDeviceSynchronize());
  }
}

SymvWorkspace::SymvWorkspace() : impl_(std::make_unique<Impl>()) {}
SymvWorkspace::~SymvWorkspace() = default;
SymvWorkspace::SymvWorkspace(SymvWorkspace&&) noexcept = default;
SymvWorkspace& SymvWorkspace::operator=(SymvWorkspace&&) noexcept = default;

void SymvWorkspace::reserve(SymvType type, std::int64_t n) {
  impl_->bind();
  for (const Uplo uplo : {Uplo::lower, Uplo::upper}) reserve(type, n, impl_->choose(table, type, uplo, n));
}

void SymvWorkspace::reserve(SymvType type, std::int64_t n, const SymvConfig& config) {
  impl_->bind();
  const std::int64_t rows = rows_per_strip(type, config);
  impl_->grow(symv_workspace_bytes(type, n, config, impl_->multiprocessors),
              n > 0 ? (n + rows - 1) / rows : 0);
}

std::uint64_t SymvWorkspace::bytes() const {
  return impl_->partials.bytes() + impl_->arrived.bytes();
}

}  // namespace eigen_g::blas2
