// The reduction of a matrix that fits into the registers and the shared memory of the whole GPU: the last columns of
// every reduction, all of a small one. Part of tridiagonalize.cu; tridiagonalize_panel.cuh documents the reflectors.
#pragma once

#include <cstdint>

#include "hybrid/matrix_view.hpp"
#include "hybrid/scalar.hpp"

namespace eigen_g {

class Queue;

// Largest order that fits on the current GPU when this many of its multiprocessors take part; 0: none does.
template <class T>
std::int64_t most_on_chip(int multiprocessors);

// Elements of workspace; 16-byte aligned.
template <class T>
std::int64_t on_chip_workspace(std::int64_t n);

// Arguments as tridiagonalize()'s, for n = a_dev.rows <= most_on_chip(multiprocessors), except: any lda, and of `a_dev`
// only rows j + 1 ... of column j are written.
//   negligible_dev  negligible_square_of() of the whole matrix; null: negligible_square
// Ordered on `queue`. Repeats bit for bit on the same GPU. Cost: a column about 1 us and its share of n^2 / 2 updates
// on the chip; from memory A is read once.
template <class T>
void tridiagonalize_on_chip(const Queue& queue, MatrixView<T> a_dev, real_t<same_t<T>>* d_dev,
                            real_t<same_t<T>>* e_dev, same_t<T>* tau_dev, same_t<T>* workspace_dev,
                            int multiprocessors, const real_t<same_t<T>>* negligible_dev = nullptr);

}  // namespace eigen_g
