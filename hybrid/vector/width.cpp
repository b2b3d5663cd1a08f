#include "hybrid/vector/width.hpp"

#include <algorithm>
#include <cstdlib>

#include "hybrid/machine/fork.hpp"

namespace eigen_g {

namespace {

VectorWidth widest() {
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl");
  return !avx2 ? VectorWidth::generic : avx512 ? VectorWidth::avx512 : VectorWidth::avx2;
#else
  return VectorWidth::generic;
#endif
}

}  // namespace

VectorWidth vector_width_for(const std::string& value) {
  return std::min(widest(), value == "generic" ? VectorWidth::generic
                            : value == "avx2"  ? VectorWidth::avx2
                                               : VectorWidth::avx512);
}

VectorWidth vector_width() {
  static constinit MadeOnce<const VectorWidth> width;
  return width.get([] {
    const char* const value = std::getenv("EIGEN_G_VECTOR_WIDTH");
    return vector_width_for(value ? value : "");
  });
}

}  // namespace eigen_g
