// Conversions between float and double, and operations on columns of matrices, on a GPU. CUDA builds only.
// All arrays are in device memory. Ordered on `queue`. Throw DeviceError. Cost: one read and one write of each array.
#pragma once

#include <cstdint>

#include "hybrid/matrix_view.hpp"

namespace eigen_g {

class Queue;

// to := from, rounded; both have the same shape.
void convert(const Queue& queue, MatrixView<const double> from_dev, MatrixView<float> to_dev);
void convert(const Queue& queue, MatrixView<const float> from_dev, MatrixView<double> to_dev);

// X := X diag(d), and X := X + P, where P has the shape of X.
void scale_columns(const Queue& queue, const double* d_dev, MatrixView<double> x_dev);
void add(const Queue& queue, MatrixView<const float> p_dev, MatrixView<double> x_dev);

// to(:, j) := from(:, order[j]).
void gather_columns(const Queue& queue, const std::int64_t* order_dev, MatrixView<const double> from_dev,
                    MatrixView<double> to_dev);

// Copies `count` symmetric diagonal blocks of `from_dev`. Block k has rows and columns first[k] ... first[k] + size[k] - 1. Its lower
// triangle is read, and all of it is stored at packed_dev + at[k], size[k] x size[k], contiguous.
//   first_dev, size_dev, at_dev   count values each, device, in
void pack_diagonal_blocks(const Queue& queue, std::int64_t count, const std::int64_t* first_dev,
                          const std::int64_t* size_dev, const std::int64_t* at_dev,
                          MatrixView<const double> from_dev, double* packed_dev);

}  // namespace eigen_g
