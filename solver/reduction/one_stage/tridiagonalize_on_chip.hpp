// tridiagonalize_on_chip(): the reduction of a matrix that fits into the registers and the shared memory of the whole GPU.
// tridiagonalize.cu uses it for the last columns of every reduction and for all columns of a small matrix.
// The reflectors are documented in tridiagonalize_panel.cuh.
#pragma once

#include <cstdint>

#include "hybrid/matrix_view.hpp"
#include "hybrid/scalar.hpp"

namespace eigen_g {

class Queue;

// Largest order that fits if this number of multiprocessors of the current GPU takes part; 0: not even order 1 fits.
template <class T>
std::int64_t max_on_chip(int multiprocessors);

// Number of elements of workspace_dev, which must be 16-byte aligned.
template <class T>
std::int64_t on_chip_workspace(std::int64_t n);

// Arguments as in tridiagonalize(), for n = a_dev.rows <= max_on_chip(multiprocessors), except:
//   a_dev           any lda; only rows j + 1 ... of column j are written
//   workspace_dev   on_chip_workspace<T>(n) elements of device memory
//   negligible_dev  negligible_square_of() of the whole matrix; null: negligible_square
//   left            less than n. The last columns, which are not reduced: their part of the lower triangle of a_dev receives the matrix that is
//                   left. The first n - left values of d, e and tau are written
// Ordered on `queue`. Repeated runs on the same GPU give the same bits.
// Cost: about 1 us per column, plus the update of n^2 / 2 elements in registers and shared memory. A is read once from device memory.
template <class T>
void tridiagonalize_on_chip(const Queue& queue, MatrixView<T> a_dev, real_t<same_t<T>>* d_dev,
                            real_t<same_t<T>>* e_dev, same_t<T>* tau_dev, same_t<T>* workspace_dev,
                            int multiprocessors, const real_t<same_t<T>>* negligible_dev = nullptr,
                            std::int64_t left = 0);

}  // namespace eigen_g
