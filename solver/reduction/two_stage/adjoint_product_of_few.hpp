// Accurate products for a panel with at most few_reflectors reflectors: adjoint_product_of_few(), Y = X^H W; product_with_few(), Y = W^H X.
#pragma once

#include "hybrid/matrix_view.hpp"

namespace eigen_g {

class Queue;

inline constexpr int few_reflectors = 4;

// Y(:, c) := X^H W(:, c) for every column c with tau(c) != 0. Writes nothing if there are no such columns or more than few_reflectors.
//   x_dev    rows x k, in
//   tau_dev  b values, in
//   w_dev    rows x b, in
//   y_dev    k x b, out                 all in device memory
// Ordered on `queue`. Repeated runs give the same bits. Cost: one launch. With few reflectors X is read once.
//
// Reason: a panel has so few reflectors if its matrix has many equal entries or low rank. If the terms of a sum are equal, the rounding
// errors of a chain of additions have the same sign. They then grow with the length of the chain. Here every sum consists of 32 partial
// sums, each correct to one unit in the last place (compensated dot products). Measured: data/perf/DECISIONS.md, "Full to band".
template <class T>
void adjoint_product_of_few(const Queue& queue, MatrixView<const T> x_dev, const T* tau_dev,
                            MatrixView<const T> w_dev, MatrixView<T> y_dev);

// Y(c, :) := W(:, c)^H X for the same columns c. y_dev: b x k, out; everything else as above. Its values are the conjugates of adjoint_product_of_few()'s values.
template <class T>
void product_with_few(const Queue& queue, MatrixView<const T> w_dev, const T* tau_dev,
                      MatrixView<const T> x_dev, MatrixView<T> y_dev);

}  // namespace eigen_g
