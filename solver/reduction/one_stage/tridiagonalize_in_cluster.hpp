// tridiagonalize_in_cluster(): the reduction of a matrix that fits into the registers of one cluster of thread blocks. tridiagonalize.cu uses it
// for small matrices. The algorithm is documented in tridiagonalize_in_cluster.cuh.
#pragma once

#include <cstdint>

#include "hybrid/matrix_view.hpp"
#include "hybrid/scalar.hpp"

namespace eigen_g {

class Queue;

// Largest order that is reduced in a cluster if this number of multiprocessors of the current GPU takes part; 0: none, as on every GPU without
// clusters. At most SolverTuning::reduction_rows_in_cluster.
template <class T>
std::int64_t max_in_cluster(int multiprocessors);

// Arguments as in tridiagonalize(), for 1 <= n = a_dev.rows <= max_in_cluster(multiprocessors), except:
//   a_dev           any lda
//   clears_upper    column j is written with zeros in rows 0 ... j; else only rows j + 1 ... are written
//   negligible_dev  negligible_square_of() of the whole matrix; null: negligible_square
// One launch, ordered on `queue`. Repeated runs give the same bits.
template <class T>
void tridiagonalize_in_cluster(const Queue& queue, MatrixView<T> a_dev, real_t<same_t<T>>* d_dev,
                               real_t<same_t<T>>* e_dev, same_t<T>* tau_dev, bool clears_upper,
                               const real_t<same_t<T>>* negligible_dev = nullptr);

}  // namespace eigen_g
