// A real or complex number in host code: its conjugate, and its real and imaginary part in memory.
#pragma once

#include <complex>

#include "hybrid/scalar.hpp"

namespace eigen_g {

template <class T>
T conjugate(T x) {
  if constexpr (is_complex<T>)
    return std::conj(x);
  else
    return x;
}

// The number whose real part is p[0] and, if T is complex, whose imaginary part is p[1].
template <class T>
T from_parts(const real_t<T>* p) {
  if constexpr (is_complex<T>)
    return {p[0], p[1]};
  else
    return p[0];
}
// The inverse of from_parts().
template <class T>
void to_parts(T x, real_t<T>* p) {
  p[0] = std::real(x);
  if constexpr (is_complex<T>) p[1] = std::imag(x);
}

}  // namespace eigen_g
