// stream_copy(): copies past the caches, for memory that is written but not read soon. An ordinary store first reads the cache
// line that it writes to; these stores do not.
#pragma once

#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace eigen_g {

// to[i] := from[i], 0 <= i < count. The arrays must not overlap. Without SSE2 it is std::memcpy.
template <class T>
void stream_copy(const T* from, T* to, std::int64_t count) {
  std::int64_t i = 0;
#ifdef __SSE2__
  constexpr std::int64_t line = 64 / sizeof(T);  // elements
  for (; i < count && reinterpret_cast<std::uintptr_t>(to + i) % 64 != 0; ++i) to[i] = from[i];
  for (; i + line <= count; i += line) {
    const auto* const source = reinterpret_cast<const __m128i*>(from + i);
    auto* const target = reinterpret_cast<__m128i*>(to + i);
    const __m128i a = _mm_loadu_si128(source), b = _mm_loadu_si128(source + 1),
                  c = _mm_loadu_si128(source + 2), d = _mm_loadu_si128(source + 3);
    _mm_stream_si128(target, a);
    _mm_stream_si128(target + 1, b);
    _mm_stream_si128(target + 2, c);
    _mm_stream_si128(target + 3, d);
  }
  _mm_sfence();  // orders these stores before the thread's next ones
#endif
  if (i < count) std::memcpy(to + i, from + i, sizeof(T) * static_cast<std::size_t>(count - i));
}

}  // namespace eigen_g
