// Copies host vectors of double or complex double to device memory of type T and back.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "hybrid/cuda_check.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/scalar.hpp"

namespace support {

template <class T>
constexpr double ulp_of = std::numeric_limits<eigen_g::real_t<T>>::epsilon();

// The host's type for a T.
template <class T>
using wide_t = std::conditional_t<eigen_g::is_complex<T>, std::complex<double>, double>;

// Copies `bytes` from pageable host memory. Returns when the copy has ended: cudaMemcpy itself may return before, and a stream of the
// library does not wait for it.
inline void upload(void* to, const void* from, std::size_t bytes) {
  EIGEN_G_CUDA(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
  EIGEN_G_CUDA(cudaStreamSynchronize(nullptr));
}

template <class T>
void upload_as(const std::vector<wide_t<T>>& from, const eigen_g::DeviceBuffer<T>& to) {
  const std::vector<T> rounded(from.begin(), from.end());
  if (rounded.empty()) return;
  upload(to.data(), rounded.data(), sizeof(T) * rounded.size());
}

// The first `count` numbers.
template <class T>
std::vector<wide_t<T>> download_from(const eigen_g::DeviceBuffer<T>& from, std::int64_t count) {
  std::vector<T> found(static_cast<std::size_t>(count < 0 ? 0 : count));
  if (!found.empty())
    EIGEN_G_CUDA(cudaMemcpy(found.data(), from.data(), sizeof(T) * found.size(), cudaMemcpyDeviceToHost));
  return {found.begin(), found.end()};
}

}  // namespace support
