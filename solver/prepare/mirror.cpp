// Copies of a triangle on the CPU.
#include "solver/prepare/mirror.hpp"

#include <algorithm>
#include <cstring>

#include "hybrid/instantiate.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/parts.hpp"
#include "hybrid/team/loops.hpp"

namespace eigen_g {

template <class T>
void copy_triangle(Uplo uplo, MatrixView<const T> from, MatrixView<T> to) {
  const std::int64_t n = from.rows;
  for_each(n, threads_if(n >= smallest_parallel_order), [&](std::int64_t j) {
    const std::int64_t first = uplo == Uplo::lower ? j : 0, last = uplo == Uplo::lower ? n : j + 1;
    std::memcpy(&to(first, j), &from(first, j), sizeof(T) * static_cast<std::size_t>(last - first));
  });
}

// In squares that fit into the cache.
template <class T>
void mirror_lower(MatrixView<T> a) {
  constexpr std::int64_t square = 64;
  const std::int64_t n = a.rows;
  for_each((n + square - 1) / square, threads_if(n >= smallest_parallel_order), [&](std::int64_t strip) {
    const std::int64_t j0 = strip * square;
    for (std::int64_t i0 = j0; i0 < n; i0 += square)
      for (std::int64_t j = j0; j < std::min(n, j0 + square); ++j)
        for (std::int64_t i = std::max(i0, j + 1); i < std::min(n, i0 + square); ++i)
          a(j, i) = conjugate(a(i, j));
  });
}

EIGEN_G_INSTANTIATE(all_types, copy_triangle, mirror_lower);

}  // namespace eigen_g
