#include "gemm_df/tall_product.hpp"

#include <algorithm>
#include <vector>

#include "gemm_df/tall_kernels.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/team/loops.hpp"

namespace eigen_g {

namespace {

// Rows of a chunk. n alone determines the chunks, at most 256 of them; their sums are added in order.
std::int64_t rows_of_chunk(std::int64_t n) {
  return std::max<std::int64_t>(1024, (n + 255) / 256);
}
std::int64_t chunk_count(std::int64_t n) {
  return (n + rows_of_chunk(n) - 1) / rows_of_chunk(n);
}

// Rows that stay in a core's cache while all column blocks of V are read.
constexpr std::int64_t strip = 128;

template <class T>
void add_chunks(std::int64_t chunks, std::int64_t values, const std::vector<T>& partial, T* sum) {
  std::fill_n(sum, values, T(0));
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk)
    for (std::int64_t e = 0; e < values; ++e) sum[e] += partial[chunk * values + e];
}

}  // namespace

template <class T>
void tall_gram_on_cpu(std::int64_t n, std::int64_t p, const T* v, const T* w, T* c) {
  const auto gram = EIGEN_G_OF_WIDTH(gram_of_rows);
  const std::int64_t chunks = chunk_count(n), rows = rows_of_chunk(n);
  std::vector<T> partial(static_cast<std::size_t>(chunks * p * 16));
  for_each(chunks, threads_if(chunks > 1), [&](std::int64_t chunk) {
    const std::int64_t end = std::min(n, (chunk + 1) * rows);
    for (std::int64_t first = chunk * rows; first < end; first += strip)
      gram(std::min(end - first, strip), p, 4 * n, v + 4 * first, w + 4 * first,
           partial.data() + chunk * p * 16);
  });
  add_chunks(chunks, p * 16, partial, c);
}

template <class T>
void tall_subtract_on_cpu(std::int64_t n, std::int64_t p, const T* v, const T* c, T* w, T* g) {
  const auto gram = EIGEN_G_OF_WIDTH(gram_of_rows);
  const auto subtract = EIGEN_G_OF_WIDTH(subtract_of_rows);
  const std::int64_t chunks = chunk_count(n), rows = rows_of_chunk(n);
  std::vector<T> partial(static_cast<std::size_t>(chunks * 16));
  for_each(chunks, threads_if(chunks > 1), [&](std::int64_t chunk) {
    const std::int64_t end = std::min(n, (chunk + 1) * rows);
    for (std::int64_t first = chunk * rows; first < end; first += strip) {
      const std::int64_t last = std::min(end, first + strip);
      subtract(last - first, p, 4 * n, v + 4 * first, c, w + 4 * first);
      gram(last - first, 1, 0, w + 4 * first, w + 4 * first, partial.data() + chunk * 16);
    }
  });
  add_chunks(chunks, 16, partial, g);
}

template <class T>
void tall_times_on_cpu(std::int64_t n, T* w, const T* s) {
  const auto times = EIGEN_G_OF_WIDTH(times_of_rows);
  for_ranges(n, threads_if(n >= 2048),
             [&](std::int64_t first, std::int64_t last) { times(last - first, w + 4 * first, s); });
}

template <class T>
void tall_combine_on_cpu(std::int64_t n, std::int64_t p, const T* v, const T* q, std::int64_t q_blocks,
                         T* z) {
  const auto combine = EIGEN_G_OF_WIDTH(combine_of_rows);
  const std::int64_t strips = (n + strip - 1) / strip;
  for_each(strips, threads_if(n >= 2048), [&](std::int64_t part) {
    const std::int64_t first = part * strip, last = std::min(n, first + strip);
    for (std::int64_t to = 0; to < q_blocks; ++to)
      combine(last - first, p, 4 * n, v + 4 * first, q + 4 * to, 4 * q_blocks, z + to * 4 * n + 4 * first);
  });
}

EIGEN_G_INSTANTIATE(double_type, tall_gram_on_cpu, tall_subtract_on_cpu, tall_times_on_cpu,
                    tall_combine_on_cpu);

}  // namespace eigen_g
