// Y = X^H W for a panel with hardly any reflectors.
#pragma once

#include "hybrid/matrix_view.hpp"

namespace eigen_g {

class Queue;

inline constexpr int few_reflectors = 4;

// Y(:, c) := X^H W(:, c) for every c with tau(c) != 0, where these are from 1 to few_reflectors; else nothing is written.
// A panel of that kind is a matrix's with many equal entries (or of low rank): the terms of a sum are equal there, and so are the
// errors of a chain of additions, which grow with its length: a product in one chain costs two blocks of equal entries a residual
// ratio of 2.5 at n = 1537. Here each of 32 partial sums is right to a unit (a compensated dot product).
//   x_dev  rows x k     w_dev  rows x b     y_dev  k x b     tau_dev  b     device
// Ordered on `queue`. Repeats bit for bit. Cost: one launch; where there are few reflectors X is read once.
template <class T>
void adjoint_product_of_few(const Queue& queue, MatrixView<const T> x_dev, const T* tau_dev,
                            MatrixView<const T> w_dev, MatrixView<T> y_dev);

}  // namespace eigen_g
