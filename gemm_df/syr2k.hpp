// The symmetric rank-2k update with few columns, as the tridiagonalization needs it, by an own kernel.
#pragma once

#include "hybrid/matrix_view.hpp"

namespace eigen_g {

class Queue;

// C := alpha (A B^T + B A^T) + C on the lower triangle of C, as syr2k_lower of gemm.hpp with beta = 1, whose
// arguments these are. Nothing above the diagonal is written. Each element is one sum in the order of the columns.
// Returns false and does nothing where it is not meant for the case: a GPU without tensor cores for double (compute
// capability below 8.0), or data of which rows with the same index are not equally aligned (16 bytes) in the three.
bool syr2k_lower_narrow(const Queue& queue, double alpha, MatrixView<const double> a_dev,
                        MatrixView<const double> b_dev, MatrixView<double> c_dev);

}  // namespace eigen_g
