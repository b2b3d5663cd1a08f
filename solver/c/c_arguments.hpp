// LAPACK's letters as options, and its info, for the entries from C. An internal header.
#pragma once

#include <complex>
#include <cstdint>

#include "hybrid/c_complex.h"
#include "hybrid/c_info.hpp"
#include "solver/api/types.hpp"

namespace eigen_g {

// For c_info::of() with positions of type Argument.
inline bool is_of(const InvalidArgument& error, Argument argument) {
  return error.argument() == argument;
}
inline bool is_of_options(Argument argument) {
  return argument == Argument::options;
}

}  // namespace eigen_g

namespace eigen_g::c_arguments {

inline bool vectors_of(char jobz) {
  if (c_info::upper(jobz) != 'N' && c_info::upper(jobz) != 'V')
    throw InvalidArgument(Argument::job, "must be 'N' or 'V'");
  return c_info::upper(jobz) == 'V';
}

inline Subset subset_of(char range, double vl, double vu, std::int64_t il, std::int64_t iu) {
  switch (c_info::upper(range)) {
    case 'A':
      return {};
    case 'V':
      return Subset::by_value(vl, vu);
    case 'I':
      return Subset::by_index(il, iu);
    default:
      throw InvalidArgument(Argument::range, "must be 'A', 'V' or 'I'");
  }
}

inline Options options_of(char jobz, char uplo, const Subset& subset = {}) {
  Options options;
  options.vectors = vectors_of(jobz);
  options.uplo = c_info::uplo_of(uplo);
  options.subset = subset;
  return options;
}

// LAPACK's info of a solve.
inline std::int64_t info_of(const Report& report) {
  return report.status == Status::converged ? 0 : report.info;
}

// C's complex numbers are std::complex's.
template <class R>
R* of_c(R* x) {
  return x;
}
inline std::complex<double>* of_c(eigen_g_double_complex* x) {
  return reinterpret_cast<std::complex<double>*>(x);
}
inline std::complex<float>* of_c(eigen_g_complex* x) {
  return reinterpret_cast<std::complex<float>*>(x);
}

}  // namespace eigen_g::c_arguments
