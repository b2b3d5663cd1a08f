// himeno_point: one point of a sweep (himeno.hpp), on the CPU and on a GPU; the arrays and their values at the start.
#pragma once

#include <cstdint>

#include "hybrid/host_device.hpp"

namespace eigen_g::papers {

enum HimenoArray {
  himeno_p,
  himeno_next,
  himeno_a0,
  himeno_a1,
  himeno_a2,
  himeno_a3,
  himeno_b0,
  himeno_b1,
  himeno_b2,
  himeno_c0,
  himeno_c1,
  himeno_c2,
  himeno_bnd,
  himeno_wrk1,
  himeno_arrays
};

struct HimenoPointers {
  const float* p;
  float* next;
  const float *a0, *a1, *a2, *a3, *b0, *b1, *b2, *c0, *c1, *c2, *bnd, *wrk1;
};

// A value that a sweep reads once. On a GPU the load does not displace p from the caches.
EIGEN_G_HOST_DEVICE inline float read_once(const float* from) {
#ifdef __CUDA_ARCH__
  return __ldcs(from);
#else
  return *from;
#endif
}

// next(at) := p(at) + 0.8 ss; returns ss. plane, row: distances to the next i and j, in elements.
EIGEN_G_HOST_DEVICE inline float himeno_point(const HimenoPointers& h, std::int64_t at, std::int64_t plane,
                                              std::int64_t row) {
  const float* const p = h.p + at;
  const auto of = [at](const float* array) { return read_once(array + at); };
  const float s = of(h.a0) * p[plane] + of(h.a1) * p[row] + of(h.a2) * p[1] +
                  of(h.b0) * (p[plane + row] - p[plane - row] - p[row - plane] + p[-plane - row]) +
                  of(h.b1) * (p[row + 1] - p[1 - row] - p[row - 1] + p[-row - 1]) +
                  of(h.b2) * (p[plane + 1] - p[1 - plane] - p[plane - 1] + p[-plane - 1]) +
                  of(h.c0) * p[-plane] + of(h.c1) * p[-row] + of(h.c2) * p[-1] + of(h.wrk1);
  const float ss = (s * of(h.a3) - p[0]) * of(h.bnd);
  h.next[at] = p[0] + 0.8f * ss;
  return ss;
}

// The value of the array `which` at the start, in plane i of mi.
EIGEN_G_HOST_DEVICE inline float himeno_start(int which, std::int64_t i, std::int64_t mi) {
  if (which == himeno_p || which == himeno_next)
    return static_cast<float>(i * i) / static_cast<float>((mi - 2) * (mi - 2));
  if (which == himeno_a3) return 1.0f / 6.0f;
  return which >= himeno_b0 && which <= himeno_b2 ? 0.0f : which == himeno_wrk1 ? 0.0f : 1.0f;
}

}  // namespace eigen_g::papers
