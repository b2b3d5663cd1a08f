// The matrix of a few pairs, whoever holds it, as the two ways to solve it need it.
#pragma once

#include <functional>

#include "solver/api/sparse.hpp"
#include "solver/sparse/executor.hpp"

namespace eigen_g {

template <class T>
struct FewProblem {
  std::int64_t n = 0;
  double scale = 1;                       // about |A|
  PanelProduct<T> product;                // in host memory
  std::function<void(T* dense)> densify;  // n x n column-major, host; both triangles
};

// Throw InvalidArgument (a).
template <class T>
FewProblem<T> few_problem(const SparseRows<T>& a);  // checked: offsets, columns, values
template <class T>
FewProblem<T> few_problem(const SparseProduct<T>& a);

}  // namespace eigen_g
