#include <algorithm>
#include <complex>
#include <initializer_list>
#include <limits>
#include <vector>

#include "hybrid/c_info.hpp"
#include "solver/api/sparse.h"
#include "solver/api/sparse.hpp"
#include "solver/c/c_arguments.hpp"
#include "solver/verify/verify.hpp"

using namespace eigen_g;

namespace {

End end_of(char letter) {
  switch (c_arguments::one_of("LHNAB", letter, Argument::job)) {
    case 'L':
      return End::lowest;
    case 'H':
      return End::highest;
    case 'N':
      return End::nearest;
    case 'A':
      return End::above;
    default:
      return End::below;
  }
}

FewOptions few_options(char end, std::int64_t n, std::int64_t count, double sigma, double tolerance) {
  FewOptions options;
  options.end = end_of(end);
  if (count < 1 || count > std::max<std::int64_t>(1, n))
    throw InvalidArgument("count", "must be from 1 to n");
  options.count = count;
  options.target = sigma;
  options.tolerance = tolerance;
  return options;
}

// As c_info::of(); the error that there is no library to factorise with becomes -1003.
template <class Call>
std::int64_t with_factorisation(std::initializer_list<const char*> positions, const Call& call) {
  return c_info::of(positions, [&]() -> std::int64_t {
    try {
      return call();
    } catch (const InvalidArgument& error) {
      if (error.parameter() == "library") return c_info::device_failure;
      throw;
    }
  });
}

// Copies what was found in addition to the pairs, and returns info.
std::int64_t reported(const FewReport& few, double* bound, eigen_g_few_report* report) {
  for (std::int64_t i = 0; bound && i < few.m; ++i)
    bound[i] = few.error_bounds.empty() ? std::numeric_limits<double>::quiet_NaN() : few.error_bounds[i];
  const bool proven = few.proven || few.library == FactorLibrary::none;
  if (report)
    *report = {few.shift_wished,   few.shift_used,     few.low,     few.high,
               few.count_low,      few.count_high,     few.found,   few.proven,
               few.factorisations, few.factor_entries, few.products};
  return few.status != Status::converged ? 1 : proven ? 0 : 2;
}

// The operator of a C function with the values C*; without a function an empty one.
struct Stopped {};
template <class T, class C>
SparseOperator<T> operator_of(std::int64_t n, int (*multiply)(void*, const C*, C*), void* data) {
  if (!multiply) return {n, {}};
  return {n, [multiply, data](const T* x, T* y) {
            if (multiply(data, reinterpret_cast<const C*>(x), reinterpret_cast<C*>(y)) != 0) throw Stopped();
          }};
}

template <class T, class C>
std::int64_t few_by_products(char end, std::int64_t n, std::int64_t count, int (*a)(void*, const C*, C*),
                             int (*m)(void*, const C*, C*), int (*inverse)(void*, const C*, C*), void* data,
                             double sigma, double tolerance, double* w, C* z, std::int64_t ldz,
                             double* residuals) {
  return c_info::of(
      {"job", "n", "count", "a", "m", "inverse", "", "target", "tolerance", "w", "z", "ldz"},
      [&]() -> std::int64_t {
        const FewOptions options = few_options(end, n, count, sigma, tolerance);
        const bool by_inverse = options.end > End::highest;
        if (!a && !by_inverse) throw InvalidArgument("a", "is null");
        if (m && !by_inverse) throw InvalidArgument("m", "must be null for the lowest and highest pairs");
        if (!inverse == by_inverse)
          throw InvalidArgument("inverse",
                                by_inverse ? "is null" : "must be null for the lowest and highest pairs");
        try {
          const SparseOperator<T> of_a = operator_of<T>(n, a, data);
          T* const vectors = reinterpret_cast<T*>(z);
          const FewReport report = by_inverse
                                       ? solve_few(of_a, operator_of<T>(n, m, data),
                                                   operator_of<T>(n, inverse, data), w, vectors, ldz, options)
                                       : solve_few(of_a, w, vectors, ldz, options);
          if (residuals) std::copy(report.residuals.begin(), report.residuals.end(), residuals);
          return report.status != Status::converged;
        } catch (const Stopped&) {
          return 3;
        }
      });
}

}  // namespace

extern "C" std::int64_t eigen_g_dsfew(char end, std::int64_t n, std::int64_t count,
                                      const std::int64_t* row_offsets, const std::int32_t* column_indices,
                                      const double* values, double tolerance, double* w, double* z,
                                      std::int64_t ldz, double* residuals) {
  return c_info::of({Argument::job, Argument::n, Argument::m, Argument::a, Argument::x, Argument::y,
                     Argument::other, Argument::w, Argument::z, Argument::ldz},
                    [&] {
                      const char letter = c_arguments::one_of("LH", end, Argument::job);
                      if (count < 1 || count > std::max<std::int64_t>(1, n))
                        throw InvalidArgument(Argument::m, "must be from 1 to n");
                      FewOptions options;
                      options.count = count;
                      options.end = letter == 'H' ? End::highest : End::lowest;
                      if (tolerance != 0) options.tolerance = tolerance;
                      const CsrMatrix<double> a{n, row_offsets, column_indices, values};
                      const FewReport report = solve_few(a, w, z, ldz, options);
                      if (residuals) std::copy(report.residuals.begin(), report.residuals.end(), residuals);
                      return std::int64_t{report.status != Status::converged};
                    });
}

extern "C" std::int64_t eigen_g_dsfew_verify(std::int64_t n, std::int64_t count,
                                             const std::int64_t* row_offsets,
                                             const std::int32_t* column_indices, const double* values,
                                             const double* w, const double* z, std::int64_t ldz,
                                             double* residual, double* orthogonality) {
  return c_info::of({Argument::n, Argument::m, Argument::a, Argument::x, Argument::y, Argument::w,
                     Argument::z, Argument::ldz},
                    [&] {
                      const CsrMatrix<double> a{n, row_offsets, column_indices, values};
                      const Verification v = verify(a, count, w, z, ldz);
                      if (residual) *residual = v.lapack_residual;
                      if (orthogonality) *orthogonality = v.lapack_orthogonality;
                      return std::int64_t{!passed(v)};
                    });
}

namespace {

// K and M of the C functions; the arrays of values have C's own complex type.
template <class T>
struct PencilArguments {
  CsrMatrix<T> k;
  SparseMass<T> m;
  PencilArguments(std::int64_t n, const std::int64_t* k_row_offsets, const std::int32_t* k_column_indices,
                  const void* k_values, const std::int64_t* m_row_offsets,
                  const std::int32_t* m_column_indices, const void* m_values, const real_t<T>* m_diagonal)
      : k{n, k_row_offsets, k_column_indices, static_cast<const T*>(k_values)},
        m{m_row_offsets ? CsrMatrix<T>{n, m_row_offsets, m_column_indices, static_cast<const T*>(m_values)}
                        : CsrMatrix<T>(),
          m_diagonal} {}
};

template <class T>
std::int64_t few_pairs(char end, std::int64_t count, const PencilArguments<T>& a, double sigma,
                       double tolerance, real_t<T>* w, T* z, std::int64_t ldz, double* bound,
                       eigen_g_few_report* report) {
  return with_factorisation(
      {"job", "n", "count", "a", "", "", "m", "", "", "", "target", "tolerance", "w", "z", "ldz"}, [&] {
        const FewOptions options = few_options(end, a.k.n, count, sigma, tolerance);
        return reported(a.m.matrix.row_offsets || a.m.diagonal ? solve_few(a.k, a.m, w, z, ldz, options)
                                                               : solve_few(a.k, w, z, ldz, options),
                        bound, report);
      });
}

template <class T>
std::int64_t interval_pairs(const PencilArguments<T>& pencil, double a, double b, std::int64_t max_pairs,
                            std::int64_t* found, real_t<T>* w, T* z, std::int64_t ldz, double* bound,
                            eigen_g_few_report* report) {
  return with_factorisation(
      {"n", "a", "", "", "m", "", "", "", "interval", "b", "max_pairs", "found", "w", "z", "ldz"},
      [&]() -> std::int64_t {
        const std::int64_t n = pencil.k.n;
        if (!(a < b)) throw InvalidArgument("b", "must be more than a");
        if (max_pairs < 1) throw InvalidArgument("max_pairs", "must be at least 1");
        if (!found) throw InvalidArgument("found", "is null");
        if (!w) throw InvalidArgument("w", "is null");
        if (ldz < std::max<std::int64_t>(1, n)) throw InvalidArgument("ldz", "must be at least max(1, n)");
        SparseSolver<T> solver(pencil.k, pencil.m);
        std::vector<real_t<T>> values;
        std::vector<T> vectors;
        try {
          const IntervalReport few = solver.interval(a, b, max_pairs, values, z ? &vectors : nullptr);
          *found = few.m;
          std::copy(values.begin(), values.end(), w);
          for (std::int64_t j = 0; z && j < few.m; ++j) std::copy_n(vectors.data() + j * n, n, z + j * ldz);
          return reported(few, bound, report);
        } catch (const InvalidArgument& error) {
          if (error.parameter() == "max_pairs") *found = solver.count(b).below - solver.count(a).below;
          throw;
        }
      });
}

template <class T>
std::int64_t count_below(const PencilArguments<T>& pencil, double s, double* at, std::int64_t* below) {
  return with_factorisation({"n", "a", "", "", "m", "", "", "", "s", "at", "below"}, [&]() -> std::int64_t {
    if (!below) throw InvalidArgument("below", "is null");
    SparseSolver<T> solver(pencil.k, pencil.m);
    const EigenvalueCount count = solver.count(s);
    *below = count.below;
    if (at) *at = count.at;
    return 0;
  });
}

}  // namespace

#define EIGEN_G_PENCIL(name, C, T, R)                                                                        \
  extern "C" std::int64_t eigen_g_##name##few(                                                               \
      char end, std::int64_t n, std::int64_t count, const std::int64_t* k_row_offsets,                       \
      const std::int32_t* k_column_indices, const C* k_values, const std::int64_t* m_row_offsets,            \
      const std::int32_t* m_column_indices, const C* m_values, const R* m_diagonal, double sigma,            \
      double tolerance, R* w, C* z, std::int64_t ldz, double* bound, eigen_g_few_report* report) {           \
    return few_pairs<T>(end, count,                                                                          \
                        {n, k_row_offsets, k_column_indices, k_values, m_row_offsets, m_column_indices,      \
                         m_values, m_diagonal},                                                              \
                        sigma, tolerance, w, reinterpret_cast<T*>(z), ldz, bound, report);                   \
  }                                                                                                          \
  extern "C" std::int64_t eigen_g_##name##interval(                                                          \
      std::int64_t n, const std::int64_t* k_row_offsets, const std::int32_t* k_column_indices,               \
      const C* k_values, const std::int64_t* m_row_offsets, const std::int32_t* m_column_indices,            \
      const C* m_values, const R* m_diagonal, double a, double b, std::int64_t max_pairs,                    \
      std::int64_t* found, R* w, C* z, std::int64_t ldz, double* bound, eigen_g_few_report* report) {        \
    return interval_pairs<T>({n, k_row_offsets, k_column_indices, k_values, m_row_offsets, m_column_indices, \
                              m_values, m_diagonal},                                                         \
                             a, b, max_pairs, found, w, reinterpret_cast<T*>(z), ldz, bound, report);        \
  }                                                                                                          \
  extern "C" std::int64_t eigen_g_##name##count(                                                             \
      std::int64_t n, const std::int64_t* k_row_offsets, const std::int32_t* k_column_indices,               \
      const C* k_values, const std::int64_t* m_row_offsets, const std::int32_t* m_column_indices,            \
      const C* m_values, const R* m_diagonal, double s, double* at, std::int64_t* below) {                   \
    return count_below<T>({n, k_row_offsets, k_column_indices, k_values, m_row_offsets, m_column_indices,    \
                           m_values, m_diagonal},                                                            \
                          s, at, below);                                                                     \
  }
EIGEN_G_PENCIL(dsg, double, double, double)
EIGEN_G_PENCIL(ssg, float, float, float)
EIGEN_G_PENCIL(zhg, eigen_g_double_complex, std::complex<double>, double)
EIGEN_G_PENCIL(chg, eigen_g_complex, std::complex<float>, float)

extern "C" std::int64_t eigen_g_dsopfew(char end, std::int64_t n, std::int64_t count, eigen_g_multiply a,
                                        eigen_g_multiply m, eigen_g_multiply inverse, void* data,
                                        double sigma, double tolerance, double* w, double* z,
                                        std::int64_t ldz, double* residuals) {
  return few_by_products<double>(end, n, count, a, m, inverse, data, sigma, tolerance, w, z, ldz, residuals);
}
extern "C" std::int64_t eigen_g_zhopfew(char end, std::int64_t n, std::int64_t count,
                                        eigen_g_complex_multiply a, eigen_g_complex_multiply m,
                                        eigen_g_complex_multiply inverse, void* data, double sigma,
                                        double tolerance, double* w, eigen_g_double_complex* z,
                                        std::int64_t ldz, double* residuals) {
  return few_by_products<std::complex<double>>(end, n, count, a, m, inverse, data, sigma, tolerance, w, z,
                                               ldz, residuals);
}
