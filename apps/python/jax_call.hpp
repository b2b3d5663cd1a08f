// What both handlers of eigen_g.jax.eigh have in common.
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

// solve(n, count, a, w, v) for matrices in one of the four types; exceptions as XLA's errors.
//   a  `count` matrices n x n, by rows, Hermitian, in     w  n values each, out
//   v  the vectors of their transposes, by columns, out
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
    return ffi::Error::InvalidArgument("eigen_g: an element type that is not solved");
  } catch (const std::exception& error) {
    return ffi::Error::Internal(std::string("eigen_g: ") + error.what());
  }
}

}  // namespace eigen_g::python
