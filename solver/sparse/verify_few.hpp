// Measures the residuals and the orthogonality of a few eigenpairs. The residuals come from products with A itself, not with a filter.
#pragma once

#include <cstdint>
#include <vector>

#include "solver/sparse/executor.hpp"

namespace eigen_g {

template <class T>
struct FewMeasures {
  std::vector<T> values;     // z^T s A z
  std::vector<T> residuals;  // |s A z - z (z^T s A z)|, 2-norm
};

// Measures the columns of `blocks` blocks of Z, which have 2-norm 1, for s = `sign`. `work` is one block; `small` has room for 32 values a
// block. Cost: one product a block.
template <class T>
FewMeasures<T> measure(Executor<T>& on, double sign, std::int64_t blocks, const T* z, T* work, T* small);

// max |Z^T Z - I| over all columns. `small` has room for 16 blocks^2 values.
template <class T>
T orthogonality(Executor<T>& on, std::int64_t blocks, const T* z, T* small);

}  // namespace eigen_g
