#include <cmath>
#include <cstdint>
#include <cstring>

#include "hybrid/cuda_check.hpp"
#include "hybrid/error.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/prepare/check_input.hpp"

namespace eigen_g {

namespace {

constexpr int threads = 256;

// Both results are extremes of integers, so the order in which blocks arrive does not matter: bits of a nonnegative
// double order as the double does.
struct Findings {
  unsigned long long largest_bits;
  unsigned long long first_bad;  // i + j n of the first entry that is not finite
};

__global__ void check_lower_kernel(std::int64_t n, const double* a, std::int64_t lda, Findings* findings) {
  double largest = 0;
  unsigned long long bad = ~0ull;
  for (std::int64_t j = blockIdx.x; j < n; j += gridDim.x)
    for (std::int64_t i = j + threadIdx.x; i < n; i += threads) {
      const double value = fabs(a[i + j * lda]);
      if (isfinite(value))
        largest = fmax(largest, value);
      else
        bad = min(bad, static_cast<unsigned long long>(i + j * n));
    }
  __shared__ double block_largest[threads];
  __shared__ unsigned long long block_bad[threads];
  block_largest[threadIdx.x] = largest;
  block_bad[threadIdx.x] = bad;
  for (int half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) {
      block_largest[threadIdx.x] = fmax(block_largest[threadIdx.x], block_largest[threadIdx.x + half]);
      block_bad[threadIdx.x] = min(block_bad[threadIdx.x], block_bad[threadIdx.x + half]);
    }
  }
  if (threadIdx.x == 0) {
    atomicMax(&findings->largest_bits,
              static_cast<unsigned long long>(__double_as_longlong(block_largest[0])));
    atomicMin(&findings->first_bad, block_bad[0]);
  }
}

}  // namespace

template <>
double check_input<double>(const Queue& queue, Uplo given, MatrixView<const double> a_dev,
                           Arena scratch_dev) {
  const std::int64_t n = a_dev.rows;
  if (n == 0) return 0;
  static_assert(sizeof(Findings) <= check_input_bytes);
  Findings* const findings = scratch_dev.take<Findings>(1);
  Findings host{0, ~0ull};
  EIGEN_G_CUDA(cudaMemcpyAsync(findings, &host, sizeof host, cudaMemcpyHostToDevice, queue.stream()));
  const std::int64_t blocks = std::min<std::int64_t>(n, 16 * queue.multiprocessors());
  check_lower_kernel<<<static_cast<unsigned>(blocks), threads, 0, queue.stream()>>>(n, a_dev.data, a_dev.lda,
                                                                                    findings);
  EIGEN_G_LAUNCHED();
  EIGEN_G_CUDA(cudaMemcpyAsync(&host, findings, sizeof host, cudaMemcpyDeviceToHost, queue.stream()));
  queue.wait();
  if (host.first_bad != ~0ull) {
    std::int64_t i = static_cast<std::int64_t>(host.first_bad) % n;
    std::int64_t j = static_cast<std::int64_t>(host.first_bad) / n;
    double value = 0;
    EIGEN_G_CUDA(cudaMemcpy(&value, &a_dev(i, j), sizeof value, cudaMemcpyDeviceToHost));
    if (given == Uplo::upper) std::swap(i, j);
    throw NonFiniteEntry(i, j, value);
  }
  double largest = 0;
  std::memcpy(&largest, &host.largest_bits, sizeof largest);
  return largest;
}

}  // namespace eigen_g
