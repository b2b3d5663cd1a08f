// The symmetric rank-2k update with few columns, by an own kernel, for the tridiagonalization.
#pragma once

#include <cstdint>

#include "hybrid/matrix_view.hpp"
#include "hybrid/scalar.hpp"

namespace eigen_g {

class Queue;

// C := alpha (A B^T + B A^T) + C on the lower triangle of C; complex: alpha (A B^H + B A^H) + C. It is syr2k_lower() of
// gemm.hpp with beta = 1 and has the same arguments. Nothing above the diagonal is written, and a Hermitian diagonal becomes
// real. Each element is one sum in the order of the columns.
// Returns false and does nothing in these cases:
//   T is float or complex<float>; alpha is not real; more than 128 columns
//   the GPU has no tensor core for double (compute capability below 8.0)
//   double: rows of the same index have different alignments (16 bytes) in the three matrices
// Ordered on `queue`. Throws DeviceError. Every run gives the same bits. Cost: 2 n^2 k flops, complex 8 n^2 k; C is read and
// written once. Rates: data/perf/DECISIONS.md, "Rank-2k update".
template <class T>
bool syr2k_lower_narrow(const Queue& queue, same_t<T> alpha, MatrixView<const same_t<T>> a_dev,
                        MatrixView<const same_t<T>> b_dev, MatrixView<T> c_dev);

// The operands and results of the product y := C x of syr2k_lower_and_product().
template <class T>
struct ProductBeside {
  const T* x_dev;  // rows of C values, in; aligned like a column of C
  T* y_dev;        // rows of C values, out
  T* dots_dev;     // out: `dots` values, whose sum is x^T y
  int dots;        // number of values in dots_dev, at least 1
  T* scratch_dev;  // syr2k_product_scratch(rows of C) values
};
// As syr2k_lower_narrow(), with the same bits in C, and y := C x of the updated symmetric C without another pass over C. The
// order of the sums of y and of the dots depends only on the sizes.
// Returns false and does nothing in the cases of syr2k_lower_narrow() and in these:
//   C has fewer than 5000 rows; A has fewer than 49 columns; x is not aligned like C
//   a thread block can have less than 223 KiB of shared memory
// Cost: 2 n^2 k + 2 n^2 flops; C is read and written once; n^2 / 8 bytes of sums.
template <class T>
bool syr2k_lower_and_product(const Queue& queue, same_t<T> alpha, MatrixView<const same_t<T>> a_dev,
                             MatrixView<const same_t<T>> b_dev, MatrixView<T> c_dev,
                             const ProductBeside<same_t<T>>& product);
template <class T>
std::int64_t syr2k_product_scratch(std::int64_t rows);  // values; about rows^2 / 128; 0 below 5000 rows

}  // namespace eigen_g
