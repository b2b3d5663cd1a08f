// What a few pairs are worth, by products with A itself.
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

// Of the columns of so many panels of Z, which have 2-norm 1. `work` is a panel, `small` has room for 32 values a panel.
// Cost: a product a panel.
template <class T>
FewMeasures<T> measure(Executor<T>& on, double sign, std::int64_t panels, const T* z, T* work, T* small);

// max |Z^T Z - I| over all columns. `small` has room for 16 panels^2 values.
template <class T>
T orthogonality(Executor<T>& on, std::int64_t panels, const T* z, T* small);

}  // namespace eigen_g
