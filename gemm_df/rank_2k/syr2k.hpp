// The symmetric rank-2k update with few columns, as the tridiagonalization needs it, by an own kernel.
#pragma once

#include <cstdint>

#include "hybrid/matrix_view.hpp"
#include "hybrid/scalar.hpp"

namespace eigen_g {

class Queue;

// C := alpha (A B^T + B A^T) + C on the lower triangle of C, of complex matrices alpha (A B^H + B A^H) + C, as syr2k_lower of
// gemm.hpp with beta = 1, whose arguments these are. Nothing above the diagonal is written; a Hermitian diagonal is real
// after it. Each element is one sum in the order of the columns.
// Returns false and does nothing where it is not meant for the case: T float or complex<float>, an alpha that is not real, more
// than 128 columns, a GPU without tensor cores for double (compute capability below 8.0), or, of double, rows of the same
// index not equally aligned (16 bytes) in the three matrices.
// Ordered on `queue`. Throws DeviceError. Repeats bit for bit. Cost: 2 n^2 k flops, C read and written once.
// Rates on an H200 with k = 64 columns, TFLOP/s (cuBLAS): n = 1000 8.6 (4.6), 2000 15.5 (10.6), 4000 22.6 (12.2),
// 10000 30.8, 20000 33.8 (14.8), 32768 34.7; of complex<double> 1000 18.9 (12.1), 2000 28.4 (18.8), 4000 34.0 (19.9), 10000 35.8
// (21.6), 20000 34.4 (21.6), with 8 n^2 k flops.
template <class T>
bool syr2k_lower_narrow(const Queue& queue, same_t<T> alpha, MatrixView<const same_t<T>> a_dev,
                        MatrixView<const same_t<T>> b_dev, MatrixView<T> c_dev);

// The product y := C x that syr2k_lower_and_product makes on its way.
template <class T>
struct ProductBeside {
  const T* x_dev;  // rows of C, in; its rows aligned like C's
  T* y_dev;        // rows of C, out
  T* dots_dev;     // out: their sum is x^T y
  int dots;        // at least 1
  T* scratch_dev;  // syr2k_product_scratch(rows of C) elements
};
// The same update, to the bit, and y := C x of the updated symmetric C without a further pass over C. y and the dots are
// summed in an order that depends on the sizes alone. Returns false and does nothing where syr2k_lower_narrow does, with
// fewer than 5000 rows, 49 columns or 223 KiB of shared memory a block, and where x is not aligned like C.
// Cost: 2 n^2 k + 2 n^2 flops, C read and written once, n^2 / 8 bytes of sums.
template <class T>
bool syr2k_lower_and_product(const Queue& queue, same_t<T> alpha, MatrixView<const same_t<T>> a_dev,
                             MatrixView<const same_t<T>> b_dev, MatrixView<T> c_dev,
                             const ProductBeside<same_t<T>>& product);
template <class T>
std::int64_t syr2k_product_scratch(std::int64_t rows);  // about rows^2 / 128; 0 below 5000 rows

}  // namespace eigen_g
