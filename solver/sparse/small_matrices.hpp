// Operations on 4 x 4 matrices and random numbers for the orthogonalisation, with the same code on the CPU and on a GPU.
#pragma once

#include <cmath>
#include <cstdint>

#include "hybrid/host_device.hpp"

namespace eigen_g {

// Computes R of G = R^T R, G a 4 x 4 Gram matrix, row-major, and R's inverse. If a column's pivot is at most `least` times g_jj, or
// one of them is not finite, the column depends on the columns before it. Its row and its column of R and of the inverse are then 0.
template <class T>
EIGEN_G_HOST_DEVICE inline void factor_gram(const T* g, T least, T* r, T* inverse) {
  for (int e = 0; e < 16; ++e) r[e] = inverse[e] = T(0);
  for (int j = 0; j < 4; ++j) {
    T pivot = g[5 * j];
    for (int i = 0; i < j; ++i) {
      if (!(r[5 * i] > T(0))) continue;
      T sum = g[4 * i + j];
      for (int k = 0; k < i; ++k) sum -= r[4 * k + i] * r[4 * k + j];
      r[4 * i + j] = sum / r[5 * i];
      pivot -= r[4 * i + j] * r[4 * i + j];
    }
    if (pivot > least * g[5 * j] && pivot > T(0) && g[5 * j] < T(INFINITY)) {
      r[5 * j] = std::sqrt(pivot);
    } else {
      for (int i = 0; i < j; ++i) r[4 * i + j] = T(0);
    }
  }
  for (int j = 0; j < 4; ++j) {  // R X = I, column by column, from the last row up
    if (!(r[5 * j] > T(0))) continue;
    inverse[5 * j] = T(1) / r[5 * j];
    for (int i = j - 1; i >= 0; --i) {
      if (!(r[5 * i] > T(0))) continue;
      T sum = T(0);
      for (int k = i + 1; k <= j; ++k) sum += r[4 * i + k] * inverse[4 * k + j];
      inverse[4 * i + j] = -sum / r[5 * i];
    }
  }
}

// Returns a value in (-1, 1) for element `index` of the sequence `seed`: the finaliser of SplitMix64 (Steele, Lea, Flood, 2014).
template <class T>
EIGEN_G_HOST_DEVICE inline T random_value(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t x = seed * 0x9e3779b97f4a7c15u + (index + 1) * 0xd1342543de82ef95u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  x ^= x >> 31;
  return static_cast<T>(static_cast<double>(x >> 11) * 0x1p-52 - 1.0);
}

}  // namespace eigen_g
