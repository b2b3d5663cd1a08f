// round_up(x, multiple): the smallest multiple of `multiple` that is at least x. x >= 0, multiple > 0.
#pragma once

#include <type_traits>

namespace eigen_g {

template <class T>
constexpr T round_up(T x, std::type_identity_t<T> multiple) {
  return (x + multiple - 1) / multiple * multiple;
}

}  // namespace eigen_g
