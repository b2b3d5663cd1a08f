#include "apps/io/stored_matrix.hpp"

#include <algorithm>
#include <complex>
#include <limits>
#include <utility>

#include "apps/io/text_chunks.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/machine/device.hpp"

namespace eigen_g::io {

template <class T>
std::shared_ptr<T> allocate_matrix(std::int64_t rows, std::int64_t cols) {
  constexpr std::int64_t most =
      std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(sizeof(T));
  if (rows > 0 && cols > most / rows)
    throw OutOfMemory(OutOfMemory::Where::host, "the host", std::numeric_limits<std::uint64_t>::max(),
                      host_memory_available());
  HostArray<T> memory = host_array<T>(rows * cols);
  return {memory.release(), FreeHost{}};
}

template <class T>
void set_zero(T* a, std::int64_t n, bool lower_only, int threads) {
#pragma omp parallel for schedule(dynamic, 64) num_threads(thread_count(threads)) if (n > 128)
  for (std::int64_t j = 0; j < n; ++j) std::fill(a + j * n + (lower_only ? j : 0), a + (j + 1) * n, T{});
}

template <class T>
void transpose(const T* in, std::int64_t rows, std::int64_t cols, T* out, int threads) {
  constexpr std::int64_t tile = 32;
#pragma omp parallel for num_threads(thread_count(threads)) if (cols > 128)
  for (std::int64_t j0 = 0; j0 < cols; j0 += tile)
    for (std::int64_t i0 = 0; i0 < rows; i0 += tile)
      for (std::int64_t i = i0; i < std::min(i0 + tile, rows); ++i)
        for (std::int64_t j = j0; j < std::min(j0 + tile, cols); ++j) out[j + i * cols] = in[i + j * rows];
}

template <class T>
void transpose_each(const T* in, std::int64_t rows, std::int64_t cols, std::int64_t count, T* out,
                    int threads) {
  const std::int64_t size = rows * cols;
  const bool small = size <= 128 * 128;
#pragma omp parallel for num_threads(thread_count(threads)) if (small && size * count > 128 * 128)
  for (std::int64_t k = 0; k < count; ++k)
    transpose(in + k * size, rows, cols, out + k * size, small ? 1 : threads);
}

template <class T>
Stored<T> stored_in(std::shared_ptr<T> memory, std::int64_t n, bool full, std::string format_name) {
  Stored<T> m;
  m.n = n;
  m.data = memory.get();
  m.owner = memory;
  m.writable = std::move(memory);
  m.full = full;
  m.format_name = std::move(format_name);
  return m;
}

EIGEN_G_INSTANTIATE(all_types, allocate_matrix, set_zero, transpose, transpose_each, stored_in);

}  // namespace eigen_g::io
