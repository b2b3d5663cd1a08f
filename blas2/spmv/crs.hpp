// crs_multiply(): the product with a matrix in compressed rows (CSR), on the CPU and on a GPU.
//
//   Y := alpha A X + gamma X + beta Y
//
//   a   rows x cols, in; rows = cols unless gamma = 0
//   x   cols x k, row-major: x[i * k + j], in; k = 1 or 4
//   y   rows x k, row-major, in and out; not read if beta = 0; no overlap with x
//
// Every row is one sum. Its order depends only on rows, cols and nnz of the matrix; on the CPU it is the order of the entries.
// So results have the same bits in every run and for any number of threads.
// Throws InvalidArgument (k; x or y if a device block with k = 4 is not 16-byte aligned). Returns at once if rows = 0.
// Cost: 2 k nnz flops; (4 + sizeof T) nnz + 8 rows bytes of the matrix. X and Y are read or written once if X stays in the
// cache.
#pragma once

#include "blas2/spmv/sparse_matrix.hpp"
#include "hybrid/scalar.hpp"

namespace eigen_g {
class Queue;
}

namespace eigen_g::blas2 {

// Host memory. threads: 0 for loop_threads(). The ranges of rows that threads claim have the same number of entries + rows.
template <class T>
void crs_multiply(int k, same_t<T> alpha, const CrsView<T>& a, const same_t<T>* x, same_t<T> beta, T* y,
                  int threads = 0, same_t<T> gamma = 0);

// Device memory, ordered on `queue`. crs_group() threads, 1 to 32, compute a row; their sums are added in a tree.
template <class T>
void crs_multiply(const Queue& queue, int k, same_t<T> alpha, const CrsView<T>& a_dev, const same_t<T>* x_dev,
                  same_t<T> beta, T* y_dev, same_t<T> gamma = 0);
// As above, with `group` threads for each row: 1, 2, 4, 8, 16 or 32.
template <class T>
void crs_multiply_by(const Queue& queue, int group, int k, same_t<T> alpha, const CrsView<T>& a_dev,
                     const same_t<T>* x_dev, same_t<T> beta, T* y_dev, same_t<T> gamma = 0);
// Threads for each row, so that each thread has at least four entries on average.
int crs_group(std::int64_t rows, std::int64_t nnz, int k);

}  // namespace eigen_g::blas2
