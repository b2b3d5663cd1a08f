// Chooses the triangle of a fully stored matrix that the solver reads.
#pragma once

#include "apps/io/stored_matrix.hpp"

namespace eigen_g::io {

// max|a_ij - conj(a_ji)| over the pairs of finite entries, and its position. In a complex matrix each diagonal entry is a pair with
// itself.
struct Asymmetry {
  double largest = 0;
  std::int64_t row = 0, col = 0;  // position of the largest difference in data, from 0, row > col
  double largest_entry = 0;       // max|a_ij| over the finite entries
  bool lower_finite = true;       // the triangle has no NaN or infinity; the diagonal counts as lower
  bool upper_finite = true;
};

// Compares the triangles of a (n x n, leading dimension n) in one pass by square tiles. Among equal differences the first one in
// column order is reported, so the result does not depend on the number of threads.
template <class T>
Asymmetry compare_triangles(const T* a, std::int64_t n, int threads);

// out := (A + A^H) / 2, lower triangle only; out (leading dimension n) may be a. An entry that equals its mirror image keeps its bits.
template <class T>
void symmetrize(const T* a, std::int64_t n, T* out, int threads);

// The error for a file whose entries (row, col) and (col, row), counted from 0, are `below` and `above`.
template <class T>
FileError not_symmetric(const std::filesystem::path& path, std::int64_t row, std::int64_t col, T below,
                        T above, double limit);

// Applies `triangle` to a reader's result; see Triangle. Throws FileError and OutOfMemory.
template <class T>
HermitianMatrix<T> settle_triangle(const std::filesystem::path& path, Stored<T> stored, Triangle triangle,
                                   int threads);

}  // namespace eigen_g::io
