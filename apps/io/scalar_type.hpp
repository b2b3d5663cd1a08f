// ScalarType: the element type of a matrix as a run-time value, by LAPACK's letters; with_type() dispatches on it.
#pragma once

#include <complex>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>

#include "hybrid/scalar.hpp"

namespace eigen_g::io {

enum class ScalarType : char { s = 's', d = 'd', c = 'c', z = 'z' };

// "float", "double", "complex float", "complex double".
constexpr const char* name(ScalarType type) {
  switch (type) {
    case ScalarType::s:
      return "float";
    case ScalarType::d:
      return "double";
    case ScalarType::c:
      return "complex float";
    case ScalarType::z:
      break;
  }
  return "complex double";
}

// Type of the eigenvalues of a matrix of this type.
constexpr ScalarType real_type(ScalarType type) {
  return type == ScalarType::s || type == ScalarType::c ? ScalarType::s : ScalarType::d;
}

// The smallest type that holds the numbers of both types.
constexpr ScalarType common_type(ScalarType x, ScalarType y) {
  const auto complex = [](ScalarType type) { return type == ScalarType::c || type == ScalarType::z; };
  const bool wide = real_type(x) == ScalarType::d || real_type(y) == ScalarType::d;
  if (complex(x) || complex(y)) return wide ? ScalarType::z : ScalarType::c;
  return wide ? ScalarType::d : ScalarType::s;
}

// "s", "d", "c", "z".
constexpr std::optional<ScalarType> scalar_type_of(std::string_view letter) {
  if (letter.size() != 1 || std::string_view("sdcz").find(letter[0]) == std::string_view::npos)
    return std::nullopt;
  return static_cast<ScalarType>(letter[0]);
}

template <class T>
inline constexpr ScalarType scalar_type = std::is_same_v<real_t<T>, float>
                                              ? (is_complex<T> ? ScalarType::c : ScalarType::s)
                                              : (is_complex<T> ? ScalarType::z : ScalarType::d);

// Calls call(T{}) with the type T that `type` names.
template <class Call>
decltype(auto) with_type(ScalarType type, Call&& call) {
  switch (type) {
    case ScalarType::s:
      return call(float{});
    case ScalarType::d:
      return call(double{});
    case ScalarType::c:
      return call(std::complex<float>{});
    case ScalarType::z:
      break;
  }
  return call(std::complex<double>{});
}

// Reason why T cannot hold the number re + im i, or "". T holds NaN and infinity.
template <class T>
constexpr const char* misfit(double re, double im) {
  if (!is_complex<T> && im != 0) return "has an imaginary part; a real matrix is required";
  constexpr double most = std::numeric_limits<real_t<T>>::max(),
                   infinite = std::numeric_limits<double>::infinity();
  for (const double part : {re, im}) {
    const double size = part < 0 ? -part : part;
    if (size > most && size < infinite) return "is beyond the range of float";
  }
  return "";
}

// True if the largest part of x is below the normal numbers of T. A matrix of such numbers loses digits when they become Ts. Next to
// larger entries the loss is below the roundoff.
template <class T>
constexpr bool below_normal(T x) {
  constexpr real_t<T> least = std::numeric_limits<real_t<T>>::min();
  const auto small = [](real_t<T> part) { return part > -least && part < least; };
  if constexpr (is_complex<T>)
    return small(x.real()) && small(x.imag());
  else
    return small(x);
}

template <class T>
constexpr T scalar_of(double re, double im = 0) {
  using R = real_t<T>;
  if constexpr (is_complex<T>)
    return T(static_cast<R>(re), static_cast<R>(im));
  else
    return static_cast<R>(re);
}

// The entry that mirrors x in the other triangle: its conjugate.
template <class T>
constexpr T mirrored(T x) {
  if constexpr (is_complex<T>)
    return T(x.real(), -x.imag());
  else
    return x;
}

}  // namespace eigen_g::io
