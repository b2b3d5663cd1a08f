// Checks of a CsrMatrix of a caller. Errors name the argument `name`.
#pragma once

#include <cstdint>

#include "blas2/spmv/sparse_matrix.hpp"
#include "solver/api/sparse.hpp"
#include "solver/driver/arguments.hpp"

namespace eigen_g {

// Throws InvalidArgument if an array that A needs is null, or is not in host memory. Returns the number of entries.
template <class T>
std::int64_t require_csr_arrays(const CsrMatrix<T>& a, ArgumentName name) {
  require(a.n == 0 || a.row_offsets, name, "row_offsets is null, must not be null for n > 0");
  const std::int64_t entries = a.n > 0 ? a.row_offsets[a.n] - a.row_offsets[0] : 0;
  require(entries == 0 || (a.column_indices && a.values), name,
          "column_indices or values is null, must not be null if there are entries");
  require_on_host({{name, a.values}});
  return entries;
}

// Calls blas2::check_crs(), whose errors name `a`.
inline void require_csr_rows(const blas2::CrsView<double>& a, const char* name) {
  try {
    blas2::check_crs(a);
  } catch (const InvalidArgument& e) {
    throw InvalidArgument(name, e.reason());
  }
}

}  // namespace eigen_g
