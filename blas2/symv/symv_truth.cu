#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "blas2/symv/double_double.hpp"
#include "blas2/symv/symv_truth.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/warp_sum.cuh"

namespace eigen_g::blas2 {

// warp_sum() finds it by the type of its argument, so it does not stand in the unnamed namespace.
static __device__ DoubleDouble __shfl_xor_sync(unsigned lanes, DoubleDouble value, int mask) {
  return DoubleDouble(::__shfl_xor_sync(lanes, value.hi, mask), ::__shfl_xor_sync(lanes, value.lo, mask));
}

namespace {

constexpr int threads = 256;
constexpr int warp = 32;

// The reals that make up an element of T: their type, their number (1, or 2 if complex), and the unit roundoff u of T.
template <class T>
struct Parts;
template <>
struct Parts<float> {
  using Real = float;
  static constexpr int count = 1;
  static double unit() { return std::ldexp(1.0, -24); }
};
template <>
struct Parts<double> {
  using Real = double;
  static constexpr int count = 1;
  static double unit() { return std::ldexp(1.0, -53); }
};
template <class R>
struct Parts<std::complex<R>> {
  using Real = R;
  static constexpr int count = 2;
  static double unit() { return 2 * std::sqrt(2.0) * Parts<R>::unit(); }
};
template <>
struct Parts<DoubleDouble> {
  using Real = DoubleDouble;
  static constexpr int count = 1;
  static double unit() { return std::ldexp(1.0, -104); }
};

// Counter-based random bits: the finaliser of SplitMix64 (Steele, Lea, Flood 2014) applied to seed and counter.
__device__ std::uint64_t hash(std::uint64_t seed, std::uint64_t k) {
  std::uint64_t z = seed + (k + 1) * 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}
__device__ double uniform(std::uint64_t bits) {  // odd multiples of 2^-52: in (-1, 1) and never 0
  return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-51 - 1;
}
__device__ void set_random(float& out, std::uint64_t bits) {  // odd multiples of 2^-23
  out = (static_cast<float>(bits >> 41) + 0.5f) * 0x1p-22f - 1;
}
__device__ void set_random(double& out, std::uint64_t bits) {
  out = uniform(bits);
}
__device__ void set_random(DoubleDouble& out, std::uint64_t bits) {
  const double hi = uniform(bits);
  out = fast_two_sum(hi, uniform(hash(bits, 1)) * fabs(hi) * 0x1p-54);
}

template <class Real>
__global__ void fill_kernel(Real* data, std::int64_t count, std::uint64_t seed) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t k = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; k < count;
       k += step)
    set_random(data[k], hash(seed, static_cast<std::uint64_t>(k)));
}

__device__ DoubleDouble wide(float value) {
  return DoubleDouble(value);
}
__device__ DoubleDouble wide(double value) {
  return DoubleDouble(value);
}
__device__ DoubleDouble wide(const DoubleDouble& value) {
  return value;
}

// t_i = sum_j a_ij x_j and s_i = sum_j |a_ij| |x_j|. One warp computes row i; lane l adds the terms j = l, l + 32, ...
template <class Real, int parts>
__global__ void truth_kernel(bool lower, std::int64_t n, const Real* a, std::int64_t lda, const Real* x,
                             double* t, double* s) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * (blockDim.x / warp) + threadIdx.x / warp;
  const int lane = threadIdx.x % warp;
  if (i >= n) return;
  DoubleDouble re, im, sum;
  for (std::int64_t j = lane; j < n; j += warp) {
    const bool stored = lower ? j <= i : j >= i;
    const Real* element = a + parts * (stored ? i + j * lda : j + i * lda);
    const DoubleDouble ar = wide(element[0]), xr = wide(x[parts * j]);
    re = re + ar * xr;
    if (parts == 2) {
      const DoubleDouble stored_im = i == j ? DoubleDouble(0.0) : wide(element[parts - 1]);
      const DoubleDouble ai = stored ? stored_im : -stored_im;
      const DoubleDouble xi = wide(x[parts * j + parts - 1]);
      re = re - ai * xi;
      im = im + ar * xi + ai * xr;
      sum = sum + DoubleDouble(hypot(ar.hi, ai.hi)) * DoubleDouble(hypot(xr.hi, xi.hi));
    } else {
      sum = sum + DoubleDouble(fabs(ar.hi)) * DoubleDouble(fabs(xr.hi));
    }
  }
  re = warp_sum(re);
  im = warp_sum(im);
  sum = warp_sum(sum);
  if (lane != 0) return;
  t[2 * parts * i] = re.hi;
  t[2 * parts * i + 1] = re.lo;
  if (parts == 2) {
    t[2 * parts * i + 2] = im.hi;
    t[2 * parts * i + 3] = im.lo;
  }
  s[i] = sum.hi;
}

// e_i = |y_i - t_i| / s_i
template <class Real, int parts>
__global__ void error_kernel(std::int64_t n, const Real* y, const double* t, const double* s, double* e) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double miss[2] = {0, 0};
  for (int p = 0; p < parts; ++p) {
    const double* row = t + 2 * parts * i + 2 * p;
    miss[p] = (wide(y[parts * i + p]) - DoubleDouble(row[0], row[1])).hi;
  }
  e[i] = hypot(miss[0], miss[1]) / s[i];
}

unsigned blocks_for(std::int64_t count, int a_block) {
  return static_cast<unsigned>((count + a_block - 1) / a_block);
}

template <class T>
const typename Parts<T>::Real* reals(const T* data) {
  return reinterpret_cast<const typename Parts<T>::Real*>(data);
}

}  // namespace

template <class T>
void fill_random(const Queue& queue, T* data, std::int64_t count, std::uint64_t seed) {
  if (count <= 0) return;
  const std::int64_t scalars = count * Parts<T>::count;
  const unsigned blocks =
      std::min(blocks_for(scalars, threads), 64u * static_cast<unsigned>(queue.multiprocessors()));
  fill_kernel<<<blocks, threads, 0, queue.stream()>>>(reinterpret_cast<typename Parts<T>::Real*>(data),
                                                      scalars, seed);
  EIGEN_G_LAUNCHED();
}

template <class T>
SymvTruth<T>::SymvTruth(const Queue& queue, Uplo uplo, std::int64_t n, const T* a, std::int64_t lda,
                        const T* x)
    : n_(n), t_(2 * Parts<T>::count * n), s_(n) {
  if (n <= 0) return;
  constexpr int parts = Parts<T>::count;
  truth_kernel<typename Parts<T>::Real, parts><<<blocks_for(n, threads / warp), threads, 0, queue.stream()>>>(
      uplo == Uplo::lower, n, reals(a), lda, reals(x), t_.data(), s_.data());
  EIGEN_G_LAUNCHED();
}

template <class T>
double SymvTruth<T>::error(const Queue& queue, const T* y) const {
  if (n_ <= 0) return 0;
  constexpr int parts = Parts<T>::count;
  DeviceBuffer<double> e_dev(n_);
  error_kernel<typename Parts<T>::Real, parts><<<blocks_for(n_, threads), threads, 0, queue.stream()>>>(
      n_, reals(y), t_.data(), s_.data(), e_dev.data());
  EIGEN_G_LAUNCHED();
  std::vector<double> e(static_cast<std::size_t>(n_));
  EIGEN_G_CUDA(
      cudaMemcpyAsync(e.data(), e_dev.data(), e_dev.bytes(), cudaMemcpyDeviceToHost, queue.stream()));
  queue.wait();
  double worst = 0;
  for (const double value : e)
    worst = std::isnan(value) ? std::numeric_limits<double>::infinity() : std::max(worst, value);
  return worst / (Parts<T>::unit() * std::sqrt(static_cast<double>(n_) + 2));
}

EIGEN_G_INSTANTIATE(all_types, fill_random);
EIGEN_G_INSTANTIATE_CLASS(all_types, SymvTruth);
template void fill_random(const Queue&, DoubleDouble*, std::int64_t, std::uint64_t);
template class SymvTruth<DoubleDouble>;

}  // namespace eigen_g::blas2
