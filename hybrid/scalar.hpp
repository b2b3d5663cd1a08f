// Scalar types: float, double and their complex companions.
#pragma once

#include <complex>
#include <type_traits>

namespace eigen_g {

template <class T>
struct ScalarOf {
  using Real = T;
  static constexpr bool is_complex = false;
};
template <class R>
struct ScalarOf<std::complex<R>> {
  using Real = R;
  static constexpr bool is_complex = true;
};

// The type of norms and eigenvalues: float or double. Of a `const T` as of a T.
template <class T>
using real_t = typename ScalarOf<std::remove_cv_t<T>>::Real;
template <class T>
inline constexpr bool is_complex = ScalarOf<std::remove_cv_t<T>>::is_complex;

// As a parameter's type: T, which the other arguments say (so that 1 may stand for 1.0, a view for one of constants).
template <class T>
using same_t = std::type_identity_t<T>;

}  // namespace eigen_g
