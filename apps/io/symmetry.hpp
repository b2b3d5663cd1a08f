// Which triangle of a fully stored matrix the solver is to read.
#pragma once

#include "apps/io/stored_matrix.hpp"

namespace eigen_g::io {

// max|a_ij - conj(a_ji)| over the pairs of finite members, and where; of complex entries the diagonal is a pair with itself.
struct Asymmetry {
  double largest = 0;
  std::int64_t row = 0, col = 0;  // of the worst pair in data's order, from 0, row > col
  double largest_entry = 0;       // max|a_ij| over the finite entries
  bool lower_finite = true;       // no NaN or infinity there; the diagonal counts to the lower triangle
  bool upper_finite = true;
};

// One pass over a (n x n, leading dimension n), by square tiles. The worst pair is the first of its size in
// column order, so it does not depend on the threads.
template <class T>
Asymmetry compare_triangles(const T* a, std::int64_t n, int threads);

// out := (A + A^H) / 2, its lower triangle; out (leading dimension n) may be a. An entry that equals its mirror
// image is kept to the bit.
template <class T>
void symmetrize(const T* a, std::int64_t n, T* out, int threads);

// The refusal of a file whose entries (row, col) and (col, row), counted from 0, hold these two.
template <class T>
FileError not_symmetric(const std::filesystem::path& path, std::int64_t row, std::int64_t col, T below,
                        T above, double limit);

// Applies `triangle` to what a reader found; see Triangle. Throws FileError, OutOfMemory.
template <class T>
HermitianMatrix<T> settle_triangle(const std::filesystem::path& path, Stored<T> stored, Triangle triangle,
                                   int threads);

}  // namespace eigen_g::io
