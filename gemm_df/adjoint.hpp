// adjoint<T>: the Op with which a product uses A^H of a matrix of T.
#pragma once

#include "gemm_df/gemm.hpp"
#include "hybrid/scalar.hpp"

namespace eigen_g {

template <class T>
inline constexpr Op adjoint = is_complex<T> ? Op::conjugate_transpose : Op::transpose;

}  // namespace eigen_g
