// Loads with cache hints for each kind of data: of 16 bytes at once, or of single elements in words of their alignment.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace eigen_g::blas2 {

// V elements that are loaded together.
template <class T, int V>
struct Pack {
  T value[V];
};

// Loads the matrix without a copy in L1. In L2 a line is either kept as long as possible, because it is read again soon, or it
// is the first to be evicted.
class MatrixLoader {
 public:
  __device__ void keep_in_l2([[maybe_unused]] bool keep) {
#if __CUDA_ARCH__ >= 800
    std::uint64_t first, last;
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(first));
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(last));
    policy_ = keep ? last : first;
#endif
  }

  // `from` must be 16-byte aligned. The asm is volatile, so the compiler does not move the load down to its use.
  template <class P>
  __device__ P load_16_bytes(const void* from) const {
    static_assert(sizeof(P) == 16);
    double v[2];
#if __CUDA_ARCH__ >= 800
    asm volatile("ld.global.nc.L1::no_allocate.L2::cache_hint.v2.f64 {%0, %1}, [%2], %3;"
                 : "=d"(v[0]), "=d"(v[1])
                 : "l"(from), "l"(policy_));
#else
    asm volatile("ld.global.nc.v2.f64 {%0, %1}, [%2];" : "=d"(v[0]), "=d"(v[1]) : "l"(from));
#endif
    P pack;
    std::memcpy(&pack, v, 16);
    return pack;
  }

  template <class T>
  __device__ T load(const T* from) const {
    T value;
    if constexpr (alignof(T) >= 8) {
      constexpr int words = sizeof(T) / 8;
      double v[words];
#pragma unroll
      for (int i = 0; i < words; ++i) v[i] = word(reinterpret_cast<const double*>(from) + i);
      std::memcpy(&value, v, sizeof(T));
    } else {
      constexpr int words = sizeof(T) / 4;
      float v[words];
#pragma unroll
      for (int i = 0; i < words; ++i) v[i] = word(reinterpret_cast<const float*>(from) + i);
      std::memcpy(&value, v, sizeof(T));
    }
    return value;
  }

 private:
  __device__ double word(const double* from) const {
    double v;
#if __CUDA_ARCH__ >= 800
    asm volatile("ld.global.nc.L1::no_allocate.L2::cache_hint.f64 %0, [%1], %2;"
                 : "=d"(v)
                 : "l"(from), "l"(policy_));
#else
    asm volatile("ld.global.nc.f64 %0, [%1];" : "=d"(v) : "l"(from));
#endif
    return v;
  }
  __device__ float word(const float* from) const {
    float v;
#if __CUDA_ARCH__ >= 800
    asm volatile("ld.global.nc.L1::no_allocate.L2::cache_hint.f32 %0, [%1], %2;"
                 : "=f"(v)
                 : "l"(from), "l"(policy_));
#else
    asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(v) : "l"(from));
#endif
    return v;
  }

  std::uint64_t policy_ = 0;
};

// Loads from L2, for data that other blocks of the same kernel may have written.
template <class T>
__device__ T load_from_l2(const T* from) {
  static_assert(alignof(T) == 4 || alignof(T) == 8 || alignof(T) == 16);
  using Word =
      std::conditional_t<alignof(T) == 16, double2, std::conditional_t<alignof(T) == 8, double, float>>;
  constexpr int words = sizeof(T) / sizeof(Word);
  Word v[words];
#pragma unroll
  for (int i = 0; i < words; ++i) v[i] = __ldcg(reinterpret_cast<const Word*>(from) + i);
  T value;
  std::memcpy(&value, v, sizeof(T));
  return value;
}

}  // namespace eigen_g::blas2
