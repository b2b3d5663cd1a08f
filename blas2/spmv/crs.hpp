// The product with a matrix in compressed row storage (paper 3, CRS), on the CPU and on a GPU.
//
//   Y := alpha A X + gamma X + beta Y
//
//   a   rows x cols, in; gamma other than 0: rows = cols
//   x   cols x k, row-major: x[i * k + j], in; k = 1 or 4
//   y   rows x k, row-major, in and out; not read where beta = 0; does not overlap x
//
// Every row is one sum in an order that depends on the matrix' rows, cols and nnz alone (CPU: the order of its entries), so
// results repeat bit for bit, for any number of threads.
// Throws InvalidArgument (k; a device block of k = 4 that is not aligned to 16 bytes). Returns at once for rows = 0.
// Cost: 2 k nnz flops; (4 + sizeof T) nnz + 8 rows bytes of the matrix, X and Y once where X stays in the cache.
#pragma once

#include "blas2/spmv/sparse_matrix.hpp"
#include "hybrid/scalar.hpp"

namespace eigen_g {
class Queue;
}

namespace eigen_g::blas2 {

// Host memory; threads = 0: as many as OpenMP takes by itself. Each thread takes rows with an equal number of entries.
template <class T>
void crs_multiply(int k, same_t<T> alpha, const CrsView<T>& a, const same_t<T>* x, same_t<T> beta, T* y,
                  int threads = 0, same_t<T> gamma = 0);

// Device memory, ordered on `queue`. A group of 1 to 32 threads takes a row (crs_group), its sum ends in a tree.
template <class T>
void crs_multiply(const Queue& queue, int k, same_t<T> alpha, const CrsView<T>& a_dev, const same_t<T>* x_dev,
                  same_t<T> beta, T* y_dev, same_t<T> gamma = 0);
// The same with so many threads a row: 1, 2, 4, 8, 16 or 32.
template <class T>
void crs_multiply_by(const Queue& queue, int group, int k, same_t<T> alpha, const CrsView<T>& a_dev,
                     const same_t<T>* x_dev, same_t<T> beta, T* y_dev, same_t<T> gamma = 0);
int crs_group(std::int64_t rows, std::int64_t nnz, int k);

}  // namespace eigen_g::blas2
