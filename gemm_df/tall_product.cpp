#include "gemm_df/tall_product.hpp"

#include <algorithm>
#include <vector>

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

// C += V^T W, over rows [first, last), for one column block of V.
template <class T>
void add_gram(std::int64_t first, std::int64_t last, const T* v, const T* w, T* c) {
  T sums[16] = {};
  for (std::int64_t row = first; row < last; ++row)
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) sums[4 * i + j] += v[4 * row + i] * w[4 * row + j];
  for (int e = 0; e < 16; ++e) c[e] += sums[e];
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
  const std::int64_t chunks = chunk_count(n), rows = rows_of_chunk(n);
  std::vector<T> partial(static_cast<std::size_t>(chunks * p * 16));
  for_each(chunks, threads_if(chunks > 1), [&](std::int64_t chunk) {
    const std::int64_t end = std::min(n, (chunk + 1) * rows);
    for (std::int64_t first = chunk * rows; first < end; first += strip)
      for (std::int64_t block = 0; block < p; ++block)
        add_gram(first, std::min(end, first + strip), v + block * 4 * n, w,
                 partial.data() + (chunk * p + block) * 16);
  });
  add_chunks(chunks, p * 16, partial, c);
}

template <class T>
void tall_subtract_on_cpu(std::int64_t n, std::int64_t p, const T* v, const T* c, T* w, T* g) {
  const std::int64_t chunks = chunk_count(n), rows = rows_of_chunk(n);
  std::vector<T> partial(static_cast<std::size_t>(chunks * 16));
  for_each(chunks, threads_if(chunks > 1), [&](std::int64_t chunk) {
    const std::int64_t end = std::min(n, (chunk + 1) * rows);
    for (std::int64_t first = chunk * rows; first < end; first += strip) {
      const std::int64_t last = std::min(end, first + strip);
      for (std::int64_t block = 0; block < p; ++block) {
        const T* const from = v + block * 4 * n;
        T s[16];
        std::copy_n(c + block * 16, 16, s);
        for (std::int64_t row = first; row < last; ++row)
          for (int j = 0; j < 4; ++j) {
            T sum = 0;
            for (int i = 0; i < 4; ++i) sum += from[4 * row + i] * s[4 * i + j];
            w[4 * row + j] -= sum;
          }
      }
      add_gram(first, last, w, w, partial.data() + chunk * 16);
    }
  });
  add_chunks(chunks, 16, partial, g);
}

template <class T>
void tall_times_on_cpu(std::int64_t n, T* w, const T* s) {
  for_each(n, threads_if(n >= 2048), [&](std::int64_t row) {
    T result[4] = {};
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) result[j] += w[4 * row + i] * s[4 * i + j];
    std::copy_n(result, 4, w + 4 * row);
  });
}

template <class T>
void tall_combine_on_cpu(std::int64_t n, std::int64_t p, const T* v, const T* q, std::int64_t q_blocks,
                         T* z) {
  const std::int64_t strips = (n + strip - 1) / strip;
  for_each(strips, threads_if(n >= 2048), [&](std::int64_t part) {
    const std::int64_t first = part * strip, last = std::min(n, first + strip);
    for (std::int64_t to = 0; to < q_blocks; ++to) {
      T* const out = z + to * 4 * n;
      std::fill(out + 4 * first, out + 4 * last, T(0));
      for (std::int64_t block = 0; block < p; ++block) {
        const T* const from = v + block * 4 * n;
        T s[16];
        for (int i = 0; i < 4; ++i) std::copy_n(q + (block * 4 + i) * 4 * q_blocks + 4 * to, 4, s + 4 * i);
        for (std::int64_t row = first; row < last; ++row)
          for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j) out[4 * row + j] += from[4 * row + i] * s[4 * i + j];
      }
    }
  });
}

EIGEN_G_INSTANTIATE(double_type, tall_gram_on_cpu, tall_subtract_on_cpu, tall_times_on_cpu,
                    tall_combine_on_cpu);

}  // namespace eigen_g
