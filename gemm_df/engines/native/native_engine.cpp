// The table row of the engine native.
#include "gemm_df/engines/native/native_engine.hpp"

#ifdef EIGEN_G_HAVE_CUDA
#include <algorithm>

#include "hybrid/cuda_check.hpp"
#include "hybrid/stream/queue.hpp"
#endif

namespace eigen_g {

namespace {

#ifdef EIGEN_G_HAVE_CUDA

// An estimate from the clock rate and the ratio of float's rate to double's.
EngineRate native_estimated_rate(const Queue& queue) {
  int device = 0, ratio = 0, major = 0;
  EIGEN_G_CUDA(cudaGetDevice(&device));
  EIGEN_G_CUDA(cudaDeviceGetAttribute(&ratio, cudaDevAttrSingleToDoublePrecisionPerfRatio, device));
  EIGEN_G_CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  const double tensor_cores = ratio <= 2 && major >= 8 ? 2 : 1;  // they double the rate in double
  EngineRate rate;
  rate.flops_per_second = 2 * float_rate(queue) * tensor_cores / std::max(ratio, 1);
  return rate;
}

template <class T>
std::unique_ptr<EngineProducts<T>> make(const Queue& queue, std::uint64_t) {
  return std::make_unique<NativeEngine<T>>(queue);
}
constexpr EngineOnGpu native_on_gpu{
    native_estimated_rate,
    {make<double>, make<float>, make<std::complex<double>>, make<std::complex<float>>}};

#else
constexpr EngineOnGpu native_on_gpu{};
#endif

}  // namespace

EngineRow native_engine() {
  return {"a build with CUDA", true, seconds_by_rate, native_on_gpu};
}

}  // namespace eigen_g
