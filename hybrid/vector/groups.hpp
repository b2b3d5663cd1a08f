// Groups of numbers in memory, as the kernels with packets expect them (packet.hpp).
#pragma once

#include "hybrid/scalar.hpp"

namespace eigen_g {

// Numbers of a group: the real parts, and also the imaginary parts, fill a cache line.
template <class T>
inline constexpr int group_size = 64 / static_cast<int>(sizeof(real_t<T>));
template <class T>
inline constexpr int planes = is_complex<T> ? 2 : 1;
// Values of real_t<T> in a group.
template <class T>
inline constexpr int group_values = group_size<T>* planes<T>;

}  // namespace eigen_g
