// Sparse symmetric matrices made at the size a benchmark needs; both triangles, host memory. Each entry depends on its place and
// the seed alone. Off-diagonal entries are negative, the diagonal is one thousandth above the sum of its row's sizes: definite.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "blas2/spmv/sparse_matrix.hpp"

namespace eigen_g::generate {

// 7 points on an edge^3 grid; `unknowns` a point of an edge^3 grid, coupled with those of its 27 neighbours.
blas2::CrsMatrix<double> seven_points(std::int64_t edge);
blas2::CrsMatrix<double> coupled_27_points(std::int64_t edge, int unknowns);

// A graph of 2^scale vertices by R-MAT (0.57, 0.19, 0.19, 0.05), numbered at random: row lengths by a power law.
// Source: Chakrabarti, Zhan, Faloutsos 2004; the probabilities are Graph500's.
blas2::CrsMatrix<double> power_law(int scale, std::int64_t edges, std::uint64_t seed = 1);

// A graph of 2^scale vertices, each end of an edge the v-th vertex with probability ~ v^-exponent, numbered at random.
// Source: Chung, Lu 2002, expected degrees.
blas2::CrsMatrix<double> expected_degrees(int scale, std::int64_t edges, double exponent,
                                          std::uint64_t seed = 1);

// n rows with about nnz entries in a band around the diagonal and two beside it, as a mesh's numbering leaves them.
blas2::CrsMatrix<double> banded(std::int64_t n, std::int64_t nnz, std::uint64_t seed = 1);

// Rows and entries of the ten matrices of paper 3, which stand for them here.
struct RowCounts {
  std::string name;
  std::int64_t n, nnz;
};
std::vector<RowCounts> paper_row_counts();

}  // namespace eigen_g::generate
