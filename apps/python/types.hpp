// The table of the element types that the library solves in, by NumPy's names. All calls from Python use it.
#pragma once

#include <nanobind/nanobind.h>

#include <complex>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

namespace eigen_g::python {

template <class T>
struct Type {
  const char* name;
};
inline constexpr std::tuple types{Type<double>{"float64"}, Type<float>{"float32"},
                                  Type<std::complex<double>>{"complex128"},
                                  Type<std::complex<float>>{"complex64"}};
inline constexpr auto generalised_types = types;
inline constexpr std::tuple stage_types{Type<double>{"float64"}};  // types of the single stages

// Returns work.operator()<T>() for the T with this name. Throws TypeError for any other name.
template <class Work, class Types = decltype(types)>
auto with_type(std::string_view name, const Work& work, const Types& solved = types) {
  std::optional<decltype(work.template operator()<double>())> result;
  const auto is_it = [&]<class T>(Type<T> type) {
    if (name != type.name) return false;
    result.emplace(work.template operator()<T>());
    return true;
  };
  if (!std::apply([&](auto... type) { return (is_it(type) || ...); }, solved))
    throw nanobind::type_error(("arrays of " + std::string(name) + " are not supported").c_str());
  return std::move(*result);
}

}  // namespace eigen_g::python
