// EIGEN_G_INSTANTIATE: explicit instantiations of templates, a line for each template instead of one for each type.
//
//   EIGEN_G_INSTANTIATE(all_types, back_transform, back_transform_bytes);   function templates
//   EIGEN_G_INSTANTIATE_OVERLOAD(real_types, scale, void(const Queue&, std::int64_t, T, T*));
//   EIGEN_G_INSTANTIATE_CLASS(complex_types, Basis, Restart);
//   EIGEN_G_FOR_EACH(all_types, INSTANTIATE)   a macro INSTANTIATE(T) of the source, for example for member templates
//
// The first argument is the list of types T:
//
//   real_types      float, double
//   double_type     double
//   complex_types   std::complex<float>, std::complex<double>
//   all_types       all four
//
// EIGEN_G_INSTANTIATE takes f<T> from its declaration, so that no signature is written twice. If another function template has the
// same name, f<T> is ambiguous: EIGEN_G_INSTANTIATE_OVERLOAD names the function's type. In that type T stands for the type.
// A line takes at most eight names. The lines belong to the namespace of the templates, below their definitions.
#pragma once

#include <complex>

#define EIGEN_G_FOR_EACH_OF_real_types(do_with, ...) do_with(float, __VA_ARGS__) do_with(double, __VA_ARGS__)
#define EIGEN_G_FOR_EACH_OF_double_type(do_with, ...) do_with(double, __VA_ARGS__)
#define EIGEN_G_FOR_EACH_OF_complex_types(do_with, ...) \
  do_with(std::complex<float>, __VA_ARGS__) do_with(std::complex<double>, __VA_ARGS__)
#define EIGEN_G_FOR_EACH_OF_all_types(do_with, ...) \
  EIGEN_G_FOR_EACH_OF_real_types(do_with, __VA_ARGS__) EIGEN_G_FOR_EACH_OF_complex_types(do_with, __VA_ARGS__)

#define EIGEN_G_FOR_EACH(types, do_with) EIGEN_G_FOR_EACH_OF_##types(EIGEN_G_WITH_TYPE, do_with)
#define EIGEN_G_WITH_TYPE(T, do_with) do_with(T)

#define EIGEN_G_INSTANTIATE(types, ...) \
  EIGEN_G_FOR_EACH_OF_##types(EIGEN_G_FUNCTIONS_1, __VA_ARGS__) static_assert(true)
#define EIGEN_G_INSTANTIATE_CLASS(types, ...) \
  EIGEN_G_FOR_EACH_OF_##types(EIGEN_G_CLASSES_1, __VA_ARGS__) static_assert(true)
#define EIGEN_G_INSTANTIATE_OVERLOAD(types, f, ...) \
  EIGEN_G_OVERLOAD(types, f, __COUNTER__, __VA_ARGS__) static_assert(true)

// EIGEN_G_FUNCTIONS_i and EIGEN_G_CLASSES_i instantiate the first name of a list and leave the other names to i + 1.
#define EIGEN_G_FUNCTION(T, f) template decltype(f<T>) f<T>;
#define EIGEN_G_FUNCTIONS_1(T, f, ...) EIGEN_G_FUNCTION(T, f) __VA_OPT__(EIGEN_G_FUNCTIONS_2(T, __VA_ARGS__))
#define EIGEN_G_FUNCTIONS_2(T, f, ...) EIGEN_G_FUNCTION(T, f) __VA_OPT__(EIGEN_G_FUNCTIONS_3(T, __VA_ARGS__))
#define EIGEN_G_FUNCTIONS_3(T, f, ...) EIGEN_G_FUNCTION(T, f) __VA_OPT__(EIGEN_G_FUNCTIONS_4(T, __VA_ARGS__))
#define EIGEN_G_FUNCTIONS_4(T, f, ...) EIGEN_G_FUNCTION(T, f) __VA_OPT__(EIGEN_G_FUNCTIONS_5(T, __VA_ARGS__))
#define EIGEN_G_FUNCTIONS_5(T, f, ...) EIGEN_G_FUNCTION(T, f) __VA_OPT__(EIGEN_G_FUNCTIONS_6(T, __VA_ARGS__))
#define EIGEN_G_FUNCTIONS_6(T, f, ...) EIGEN_G_FUNCTION(T, f) __VA_OPT__(EIGEN_G_FUNCTIONS_7(T, __VA_ARGS__))
#define EIGEN_G_FUNCTIONS_7(T, f, ...) EIGEN_G_FUNCTION(T, f) __VA_OPT__(EIGEN_G_FUNCTION(T, __VA_ARGS__))
#define EIGEN_G_CLASSES_1(T, C, ...) \
  template class C<T>;               \
  __VA_OPT__(EIGEN_G_CLASSES_2(T, __VA_ARGS__))
#define EIGEN_G_CLASSES_2(T, C, ...) \
  template class C<T>;               \
  __VA_OPT__(EIGEN_G_CLASSES_3(T, __VA_ARGS__))
#define EIGEN_G_CLASSES_3(T, C, ...) \
  template class C<T>;               \
  __VA_OPT__(EIGEN_G_CLASSES_4(T, __VA_ARGS__))
#define EIGEN_G_CLASSES_4(T, C) template class C<T>;

// The function's type as an alias template of T. The counter keeps the alias's name apart from others in the same namespace; one
// macro more lets __COUNTER__ become a number before ## takes it.
#define EIGEN_G_OVERLOAD(types, f, counter, ...) EIGEN_G_OVERLOAD_NAMED(types, f, counter, __VA_ARGS__)
#define EIGEN_G_OVERLOAD_NAMED(types, f, counter, ...) \
  EIGEN_G_OVERLOAD_AS(types, f, eigen_g_type_##counter, __VA_ARGS__)
#define EIGEN_G_OVERLOAD_AS(types, f, Type, ...) \
  template <class T>                             \
  using Type = __VA_ARGS__;                      \
  EIGEN_G_FOR_EACH_OF_##types(EIGEN_G_FUNCTION_AS, f, Type)
#define EIGEN_G_FUNCTION_AS(T, f, Type) template Type<T> f<T>;
