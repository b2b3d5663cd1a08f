// Matrices between float and double, and columns in another order, on a GPU. CUDA builds only.
// Device memory; ordered on `queue`; throw DeviceError. Cost: one read and one write of what is named.
#pragma once

#include <cstdint>

#include "hybrid/matrix_view.hpp"

namespace eigen_g {

class Queue;

// to := from, rounded; of one shape.
void convert(const Queue& queue, MatrixView<const double> from_dev, MatrixView<float> to_dev);
void convert(const Queue& queue, MatrixView<const float> from_dev, MatrixView<double> to_dev);

// X := X diag(d); X := X + P, of one shape.
void scale_columns(const Queue& queue, const double* d_dev, MatrixView<double> x_dev);
void add(const Queue& queue, MatrixView<const float> p_dev, MatrixView<double> x_dev);

// to(:, j) := from(:, order[j]).
void gather_columns(const Queue& queue, const std::int64_t* order_dev, MatrixView<const double> from_dev,
                    MatrixView<double> to_dev);

// Symmetric blocks on the diagonal, each m x m of its own: packed at packed_dev + at[k], of the lower triangle of `from` the block
// from row first[k] to row first[k] + size[k] - 1, whole.
//   first, size, at   count of them, device, in
void pack_diagonal_blocks(const Queue& queue, std::int64_t count, const std::int64_t* first_dev,
                          const std::int64_t* size_dev, const std::int64_t* at_dev,
                          MatrixView<const double> from_dev, double* packed_dev);

}  // namespace eigen_g
