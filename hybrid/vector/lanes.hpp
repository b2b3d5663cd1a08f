// Vector<T>: a vector register of float or double, on the vector extensions of GCC and Clang.
//
// The header is for sources of kernels, which are compiled once for each width (width.hpp). Everything here is in the namespace of the
// width. +, -, *, / and the comparisons work lane by lane; a * b + c becomes one fused operation where the processor has one.
//
//   width     bytes   lanes of double, float   registers   tile of accumulators that fits, in vectors x columns
//   avx512    64      8, 16                    32          2 x 8 (24 with operands), 3 x 8
//   avx2      32      4, 8                     16          2 x 4 (12 with operands), 3 x 4
//   generic   32      4, 8                     16 or 32    each vector is two registers, so that tiles are spilled
//
// A kernel takes `lanes<T>` and `tile_columns` from here instead of fixed numbers.
#pragma once

#include <cstdint>

#include "hybrid/vector/width.hpp"

// A source outside of eigen_g_vector_sources(), for example a test, has vectors of one register.
#if !defined(EIGEN_G_WIDTH)
#define EIGEN_G_WIDTH generic
#define EIGEN_G_VECTOR_BYTES 16
#endif

namespace eigen_g::EIGEN_G_WIDTH {

inline constexpr int vector_bytes = EIGEN_G_VECTOR_BYTES;
inline constexpr int tile_columns = vector_bytes == 64 ? 8 : 4;
#if defined(__AVX512F__)
inline constexpr int registers = 32;  // vectors that the processor holds
#elif defined(__AVX2__)
inline constexpr int registers = 16;
#else
inline constexpr int registers = 8;
#endif
template <class T>
inline constexpr int lanes = vector_bytes / static_cast<int>(sizeof(T));

template <class T>
struct VectorOf;
template <>
struct VectorOf<double> {
  typedef double Type __attribute__((vector_size(vector_bytes)));
  typedef std::int64_t Index __attribute__((vector_size(vector_bytes)));
};
template <>
struct VectorOf<float> {
  typedef float Type __attribute__((vector_size(vector_bytes)));
  typedef std::int32_t Index __attribute__((vector_size(vector_bytes)));
};
template <class T>
using Vector = typename VectorOf<T>::Type;
// The result of a comparison: all bits of a lane are 1 or 0. `mask ? a : b` selects lane by lane.
template <class T>
using Mask = typename VectorOf<T>::Index;

// Any address; an aligned one is as fast as an aligned load.
template <class T>
EIGEN_G_INLINE Vector<T> load(const T* p) {
  Vector<T> x;
  __builtin_memcpy(&x, p, sizeof x);
  return x;
}
template <class T>
EIGEN_G_INLINE void store(T* p, typename VectorOf<T>::Type x) {
  __builtin_memcpy(p, &x, sizeof x);
}
template <class T>
EIGEN_G_INLINE Vector<T> broadcast(T x) {
  return x - Vector<T>{};  // not +: -0 stays -0, so the subtraction is no operation
}

// x as a value in a register. Without it GCC loads a number that is used twice from memory twice.
template <class T>
EIGEN_G_INLINE Vector<T> in_register(typename VectorOf<T>::Type x) {
#if defined(__AVX512F__)
  asm("" : "+v"(x));
#elif defined(__AVX2__)
  asm("" : "+x"(x));
#endif
  return x;
}

// The lanes k of a and b, one after the other: 0 ... lanes - 1 are a's.
template <class T, int... k>
EIGEN_G_INLINE Vector<T> shuffle(Vector<T> a, Vector<T> b) {
#if defined(__clang__)
  return __builtin_shufflevector(a, b, k...);
#else
  return __builtin_shuffle(a, b, Mask<T>{k...});
#endif
}

// Numbers 0 ... n - 1 as a pack, without std::integer_sequence.
template <int... k>
struct Numbers {};
template <int n, int... k>
struct NumbersTo : NumbersTo<n - 1, n - 1, k...> {};
template <int... k>
struct NumbersTo<0, k...> {
  using Type = Numbers<k...>;
};

// Adds neighbouring groups of `group` lanes. The result has a's sums in its even groups and b's sums in its odd groups.
template <class T, int group, int... k>
EIGEN_G_INLINE Vector<T> add_groups(Vector<T> a, Vector<T> b, Numbers<k...>) {
  // Lane k of the first operand: in an even group that group of a, in an odd group the even group before it of b.
  return shuffle<T, (k / group % 2 == 0 ? k : k - group + lanes<T>)...>(a, b) +
         shuffle<T, (k / group % 2 == 0 ? k + group : k + lanes<T>)...>(a, b);
}

// Lane c of the result is the sum of the lanes of a[c], c = 0 ... lanes - 1. Overwrites a.
template <class T, int group = 1>
EIGEN_G_INLINE Vector<T> sums(Vector<T>* a) {
  if constexpr (group == lanes<T>) {
    return a[0];
  } else {
    constexpr int count = lanes<T> / group;
#pragma GCC unroll 16
    for (int c = 0; c < count; c += 2)
      a[c / 2] = add_groups<T, group>(a[c], a[c + 1], typename NumbersTo<lanes<T>>::Type());
    return sums<T, 2 * group>(a);
  }
}

// Adds the sum of the lanes of a[c] to to[c], for c = 0 ... count - 1; count is a power of two. Overwrites a.
template <class T, int count>
EIGEN_G_INLINE void add_sums(Vector<T>* a, T* to) {
  if constexpr (count >= lanes<T>) {
#pragma GCC unroll 16
    for (int c = 0; c < count; c += lanes<T>) store(to + c, load(to + c) + sums<T>(a + c));
  } else {
    Vector<T> padded[lanes<T>] = {};
#pragma GCC unroll 16
    for (int c = 0; c < count; ++c) padded[c] = a[c];
    T part[lanes<T>];
    store(part, sums<T>(padded));
    for (int c = 0; c < count; ++c) to[c] += part[c];
  }
}

// The sum of the lanes, by halves: the order of the additions is fixed.
template <class T>
EIGEN_G_INLINE T sum(typename VectorOf<T>::Type x) {
  T part[lanes<T>];
  store(part, x);
  for (int half = lanes<T> / 2; half > 0; half /= 2)
    for (int k = 0; k < half; ++k) part[k] += part[k + half];
  return part[0];
}

// Calls for other threads' data in advance.
EIGEN_G_INLINE void prefetch(const void* p) {
  __builtin_prefetch(p);
}

}  // namespace eigen_g::EIGEN_G_WIDTH
