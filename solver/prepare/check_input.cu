// check_input() on a GPU.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>

#include "hybrid/cuda_check.hpp"
#include "hybrid/device_complex.cuh"
#include "hybrid/error.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/memory/pinned_address.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/prepare/queued_check.hpp"
#include "solver/prepare/scale.hpp"

namespace eigen_g {

namespace {

constexpr int threads = 256;

template <class R>
struct BitsOf;
template <>
struct BitsOf<double> {
  using Bits = unsigned long long;
  static __device__ Bits of(double x) { return static_cast<Bits>(__double_as_longlong(x)); }
  static __device__ double value(Bits x) { return __longlong_as_double(static_cast<long long>(x)); }
};
template <>
struct BitsOf<float> {
  using Bits = unsigned;
  static __device__ Bits of(float x) { return __float_as_uint(x); }
  static __device__ float value(Bits x) { return __uint_as_float(x); }
};

// The result of all blocks. All members are largest integers, so the order in which the blocks finish does not matter, and zeros are no findings. The
// bits of nonnegative floating-point numbers have the order of the numbers. Two members are complements, because the smallest is wanted.
template <class R>
struct Findings {
  using Bits = typename BitsOf<R>::Bits;
  Bits largest_bits;
  unsigned long long first_bad_complement;
  unsigned long long bandwidth;
  Bits smallest_diagonal_complement;
  R bad_value[2];  // real and imaginary part; set by scale_checked_kernel()

  // i + j n of the first entry that is not finite; all bits set: none.
  EIGEN_G_HOST_DEVICE unsigned long long first_bad() const { return ~first_bad_complement; }
  EIGEN_G_HOST_DEVICE Bits smallest_diagonal_bits() const { return ~smallest_diagonal_complement; }
};

template <class R>
__device__ R largest_part(R x) {
  return fabs(x);
}
// Not finite if one of the two parts is not.
template <class R>
__device__ R largest_part(DeviceComplex<R> x) {
  const R re = fabs(x.re), im = fabs(x.im);
  return !isfinite(re) ? re : !isfinite(im) ? im : fmax(re, im);
}

template <class T, class R>
__global__ void check_lower_kernel(std::int64_t n, std::int64_t width, const T* a, std::int64_t lda,
                                   Findings<R>* findings) {
  R largest = 0, smallest_diagonal = std::numeric_limits<R>::infinity();
  unsigned long long bad = ~0ull;
  std::int64_t apart = 0;
  for (std::int64_t j = blockIdx.x; j < n; j += gridDim.x)
    for (std::int64_t i = j + threadIdx.x; i < min(n, j + width + 1); i += threads) {
      const R value = largest_part(a[i + j * lda]);
      if (value != 0) apart = max(apart, i - j);
      if (i == j) smallest_diagonal = fmin(smallest_diagonal, value);  // in thread 0 only
      if (isfinite(value))
        largest = fmax(largest, value);
      else
        bad = min(bad, static_cast<unsigned long long>(i + j * n));
    }
  __shared__ R block_largest[threads];
  __shared__ unsigned long long block_bad[threads];
  __shared__ std::int64_t block_apart[threads];
  block_largest[threadIdx.x] = largest;
  block_bad[threadIdx.x] = bad;
  block_apart[threadIdx.x] = apart;
  for (int half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) {
      block_largest[threadIdx.x] = fmax(block_largest[threadIdx.x], block_largest[threadIdx.x + half]);
      block_bad[threadIdx.x] = min(block_bad[threadIdx.x], block_bad[threadIdx.x + half]);
      block_apart[threadIdx.x] = max(block_apart[threadIdx.x], block_apart[threadIdx.x + half]);
    }
  }
  if (threadIdx.x == 0) {
    atomicMax(&findings->largest_bits, BitsOf<R>::of(block_largest[0]));
    atomicMax(&findings->first_bad_complement, ~block_bad[0]);
    atomicMax(&findings->bandwidth, static_cast<unsigned long long>(block_apart[0]));
    atomicMax(&findings->smallest_diagonal_complement, ~BitsOf<R>::of(smallest_diagonal));
  }
}

template <class R>
__device__ R imaginary_part(R) {
  return 0;
}
template <class R>
__device__ R imaginary_part(DeviceComplex<R> x) {
  return x.im;
}

// A := 2^k A, and the findings to the host. If an entry is not finite, A is not scaled, and the first such entry goes to the host.
template <class T, class R>
__global__ void scale_checked_kernel(std::int64_t n, T* a, std::int64_t lda, const Findings<R>* findings,
                                     Findings<R>* on_host) {
  const unsigned long long bad = findings->first_bad();
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    Findings<R> all = *findings;
    if (bad != ~0ull) {
      const T value = a[bad % n + bad / n * lda];
      all.bad_value[0] = real_of(value);
      all.bad_value[1] = imaginary_part(value);
    }
    *on_host = all;
  }
  if (bad != ~0ull) return;
  const int k = scale_exponent(BitsOf<R>::value(findings->largest_bits));
  if (k == 0) return;
  for (std::int64_t j = blockIdx.x; j < n; j += gridDim.x)
    for (std::int64_t i = j + threadIdx.x; i < n; i += threads) a[i + j * lda] = scalbn(a[i + j * lda], k);
}

template <class T>
void launch_check(const Queue& queue, MatrixView<const T> a_dev, std::int64_t width,
                  Findings<real_t<T>>* findings) {
  EIGEN_G_CUDA(cudaMemsetAsync(findings, 0, sizeof *findings, queue.stream()));
  const std::int64_t n = a_dev.rows, blocks = std::min<std::int64_t>(n, 16 * queue.multiprocessors());
  check_lower_kernel<<<static_cast<unsigned>(blocks), threads, 0, queue.stream()>>>(
      n, std::min(width, n), on_device(a_dev.data), a_dev.lda, findings);
  EIGEN_G_LAUNCHED();
}

template <class R>
InputFacts<R> facts_of(const Findings<R>& findings) {
  R largest = 0, smallest_diagonal = 0;
  std::memcpy(&largest, &findings.largest_bits, sizeof largest);
  const auto smallest_bits = findings.smallest_diagonal_bits();
  std::memcpy(&smallest_diagonal, &smallest_bits, sizeof smallest_diagonal);
  return {largest, static_cast<std::int64_t>(findings.bandwidth), smallest_diagonal};
}

// Throws if an entry is not finite. value_of(i, j) returns it.
template <class R, class Value>
void require_finite(const Findings<R>& findings, std::int64_t n, Uplo given, Argument name,
                    const Value& value_of) {
  if (findings.first_bad() == ~0ull) return;
  std::int64_t i = static_cast<std::int64_t>(findings.first_bad()) % n;
  std::int64_t j = static_cast<std::int64_t>(findings.first_bad()) / n;
  const auto value = value_of(i, j);
  if (given == Uplo::upper) std::swap(i, j);
  throw NonFiniteEntry(i, j, std::isfinite(std::real(value)) ? std::imag(value) : std::real(value),
                       eigen_g::name(name));
}

}  // namespace

template <class T>
InputFacts<real_t<T>> check_input(const Queue& queue, Uplo given, MatrixView<const T> a_dev,
                                  Arena scratch_dev, std::int64_t width, Argument name) {
  using R = real_t<T>;
  const std::int64_t n = a_dev.rows;
  if (n == 0) return {};
  static_assert(sizeof(Findings<R>) <= check_input_bytes);
  Findings<R>* const findings = scratch_dev.take<Findings<R>>(1);
  Findings<R> host;
  launch_check<T>(queue, a_dev, width, findings);
  EIGEN_G_CUDA(cudaMemcpyAsync(&host, findings, sizeof host, cudaMemcpyDeviceToHost, queue.stream()));
  queue.wait();
  require_finite(host, n, given, name, [&](std::int64_t i, std::int64_t j) {
    T value = 0;
    EIGEN_G_CUDA(cudaMemcpy(&value, &a_dev(i, j), sizeof value, cudaMemcpyDeviceToHost));
    return value;
  });
  return facts_of(host);
}

template <class T>
QueuedCheck<T>::QueuedCheck(const Queue& queue, Uplo given, MatrixView<T> a_dev, Arena scratch_dev)
    : queue_(queue),
      given_(given),
      a_(a_dev),
      findings_(scratch_dev.take<Findings<real_t<T>>>(1)),
      on_host_(queue.resources().pinned(sizeof(Findings<real_t<T>>) / sizeof(double) + 1)),
      ready_(queue.resources()) {}

template <class T>
void QueuedCheck<T>::queue_check() {
  using F = Findings<real_t<T>>;
  if (a_.rows == 0) return;
  launch_check<T>(queue_, a_, a_.rows, static_cast<F*>(findings_));
}

template <class T>
void QueuedCheck<T>::queue_scale() {
  using F = Findings<real_t<T>>;
  if (a_.rows == 0) return;
  const std::int64_t blocks = std::min<std::int64_t>(a_.cols, queue_.multiprocessors());
  scale_checked_kernel<<<static_cast<unsigned>(blocks), threads, 0, queue_.stream()>>>(
      a_.rows, on_device(a_.data), a_.lda, static_cast<F*>(findings_), in_kernels(static_cast<F*>(on_host_)));
  EIGEN_G_LAUNCHED();
  ready_.record(queue_);
}

template <class T>
InputFacts<real_t<T>> QueuedCheck<T>::facts() {
  if (a_.rows == 0) return {};
  ready_.wait();
  const auto& found = *static_cast<const Findings<real_t<T>>*>(on_host_);
  require_finite(found, a_.rows, given_, Argument::a, [&](std::int64_t, std::int64_t) {
    if constexpr (is_complex<T>)
      return T(found.bad_value[0], found.bad_value[1]);
    else
      return found.bad_value[0];
  });
  return facts_of(found);
}

EIGEN_G_INSTANTIATE_CLASS(all_types, QueuedCheck);
EIGEN_G_INSTANTIATE_OVERLOAD(all_types, check_input,
                             InputFacts<real_t<T>>(const Queue&, Uplo, MatrixView<const T>, Arena,
                                                   std::int64_t, Argument));

}  // namespace eigen_g
