// The library's calls for a few pairs of sparse matrices and pencils, as functions and classes of eigen_g._core.
#pragma once

#include <nanobind/nanobind.h>

namespace eigen_g::python {

void bind_sparse(nanobind::module_& m);

}  // namespace eigen_g::python
