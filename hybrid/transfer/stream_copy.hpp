// Copies past the caches: for memory that is written and not read soon. A line of the target is not read first, which an
// ordinary store does.
#pragma once

#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace eigen_g {

// to[i] := from[i]. They do not overlap. Without SSE2: std::memcpy.
inline void stream_copy(const double* from, double* to, std::int64_t count) {
  std::int64_t i = 0;
#ifdef __SSE2__
  constexpr std::int64_t line = 8;  // elements
  for (; i < count && reinterpret_cast<std::uintptr_t>(to + i) % (line * sizeof(double)) != 0; ++i)
    to[i] = from[i];
  for (; i + line <= count; i += line) {
    const __m128d a = _mm_loadu_pd(from + i), b = _mm_loadu_pd(from + i + 2), c = _mm_loadu_pd(from + i + 4),
                  d = _mm_loadu_pd(from + i + 6);
    _mm_stream_pd(to + i, a);
    _mm_stream_pd(to + i + 2, b);
    _mm_stream_pd(to + i + 4, c);
    _mm_stream_pd(to + i + 6, d);
  }
  _mm_sfence();  // orders these stores before what the thread does next
#endif
  if (i < count) std::memcpy(to + i, from + i, sizeof(double) * static_cast<std::size_t>(count - i));
}

}  // namespace eigen_g
