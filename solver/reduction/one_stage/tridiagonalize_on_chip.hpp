// The reduction of a matrix that fits into the registers and the shared memory of the whole GPU: the last columns of
// every reduction, all of a small one. Part of tridiagonalize.cu; tridiagonalize_panel.cuh documents the reflectors.
#pragma once

#include <cstdint>

#include "hybrid/matrix_view.hpp"

namespace eigen_g {

class Queue;

// Largest order that fits on the current GPU when this many of its multiprocessors take part; 0: none does.
std::int64_t most_on_chip(int multiprocessors);

// Doubles of workspace; 16-byte aligned.
std::int64_t on_chip_workspace(std::int64_t n);

// Arguments as tridiagonalize()'s, for n = a_dev.rows <= most_on_chip(multiprocessors), except: any lda, and of `a_dev`
// only rows j + 1 ... of column j are written.
// Ordered on `queue`. Repeats bit for bit on the same GPU. Cost: a column about 1 us and its share of n^2 / 2 updates
// on the chip; from memory A is read once.
void tridiagonalize_on_chip(const Queue& queue, MatrixView<double> a_dev, double* d_dev, double* e_dev,
                            double* tau_dev, double* workspace_dev, int multiprocessors);

}  // namespace eigen_g
