// The part that the CPU handler and the GPU handler of eigen_g.jax.eigh share.
#pragma once

#include <xla/ffi/api/ffi.h>

#include <complex>
#include <cstdint>
#include <exception>
#include <string>
#include <type_traits>

#include <eigen_g/types.hpp>

namespace eigen_g::python {

namespace ffi = xla::ffi;

// Calls solve(n, count, a, w, v) with pointers of the matrices' type T. Turns exceptions into XLA's errors.
//   a  `count` Hermitian matrices n x n, row by row, in
//   w  n values for each matrix, out
//   v  eigenvectors of the transposed matrices, column by column, out
template <class Solve>
ffi::Error solved(const ffi::AnyBuffer& a, ffi::Result<ffi::AnyBuffer>& w, ffi::Result<ffi::AnyBuffer>& v,
                  const Solve& solve) {
  if (a.element_count() == 0) return ffi::Error::Success();
  const std::int64_t n = a.dimensions().back();
  const auto of = [&]<class T>(std::type_identity<T>) -> ffi::Error {
    return solve(n, static_cast<std::int64_t>(a.element_count()) / (n * n),
                 static_cast<const T*>(a.untyped_data()), static_cast<real_t<T>*>(w->untyped_data()),
                 static_cast<T*>(v->untyped_data()));
  };
  try {
    if (a.element_type() == ffi::F64) return of(std::type_identity<double>());
    if (a.element_type() == ffi::F32) return of(std::type_identity<float>());
    if (a.element_type() == ffi::C128) return of(std::type_identity<std::complex<double>>());
    if (a.element_type() == ffi::C64) return of(std::type_identity<std::complex<float>>());
    return ffi::Error::InvalidArgument(
        "eigen_g: the element type must be float32, float64, complex64 or complex128");
  } catch (const std::exception& error) {
    return ffi::Error::Internal(std::string("eigen_g: ") + error.what());
  }
}

}  // namespace eigen_g::python
