// Traits of the scalar types float, double, std::complex<float> and std::complex<double>.
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

// Type of the norms and eigenvalues of a matrix of T: float or double. T may be const.
template <class T>
using real_t = typename ScalarOf<std::remove_cv_t<T>>::Real;
template <class T>
inline constexpr bool is_complex = ScalarOf<std::remove_cv_t<T>>::is_complex;

// T as the type of a parameter from which T is not deduced. A call can then pass 1 for 1.0, or a MatrixView<T> for a
// MatrixView<const T>.
template <class T>
using same_t = std::type_identity_t<T>;

}  // namespace eigen_g
