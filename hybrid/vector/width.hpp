// VectorWidth: the vector instructions for which a source of kernels is compiled, and the choice among them at run time.
//
// CMake's eigen_g_vector_sources() (scripts/cmake/own_target.cmake) compiles such a source once for each width. Everything in it belongs to
// namespace eigen_g::EIGEN_G_WIDTH, which is eigen_g::generic, eigen_g::avx2 or eigen_g::avx512. On processors other than x86-64 there
// is `generic` alone. A kernel and its callers look like this:
//
//   the header     namespace eigen_g { EIGEN_G_BY_WIDTH(template <class T> T dot(std::int64_t n, const T* x, const T* y);) }
//   the source     namespace eigen_g::EIGEN_G_WIDTH { template <class T> T dot(...) {...}  EIGEN_G_INSTANTIATE(real_types, dot); }
//   the callers    EIGEN_G_OF_WIDTH(dot<double>)(n, x, y)
//
// The linker keeps one copy of an inline function or template that has the same name in several objects. If that copy came from the
// object for AVX-512, older processors could not run it. So a source of kernels uses no inline function and no template from outside its
// namespace: no std algorithm, no container, no std::complex operator, no std::min. Plain pointers, builtins and hybrid/vector/lanes.hpp,
// which is in the source's namespace, are allowed. tests/hybrid/vector/test_objects.sh checks the objects.
//
// Results are the same on every run, but they have other bits for each width.
#pragma once

#include <string>

namespace eigen_g {

enum class VectorWidth { generic, avx2, avx512 };

// Returns the widest that the processor has. The environment variable EIGEN_G_VECTOR_WIDTH (generic, avx2, avx512) asks for a
// narrower one, for tests. Read once.
VectorWidth vector_width();
// The choice for a value of that variable. A value that is none of the three asks for nothing.
VectorWidth vector_width_for(const std::string& value);

}  // namespace eigen_g

// A function that is inlined everywhere, so that no object has a copy for the linker. A header for kernels and their callers may define it.
#define EIGEN_G_INLINE inline __attribute__((always_inline))

#if defined(__x86_64__)
#define EIGEN_G_BY_WIDTH(...) \
  namespace generic {         \
  __VA_ARGS__                 \
  }                           \
  namespace avx2 {            \
  __VA_ARGS__                 \
  }                           \
  namespace avx512 {          \
  __VA_ARGS__                 \
  }                           \
  static_assert(true)
#define EIGEN_G_OF_WIDTH(...)                                                        \
  (::eigen_g::vector_width() == ::eigen_g::VectorWidth::avx512 ? avx512::__VA_ARGS__ \
   : ::eigen_g::vector_width() == ::eigen_g::VectorWidth::avx2 ? avx2::__VA_ARGS__   \
                                                               : generic::__VA_ARGS__)
#else
#define EIGEN_G_BY_WIDTH(...) \
  namespace generic {         \
  __VA_ARGS__                 \
  }                           \
  static_assert(true)
#define EIGEN_G_OF_WIDTH(...) (generic::__VA_ARGS__)
#endif
