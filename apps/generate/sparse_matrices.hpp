// Sparse symmetric matrices of any size for benchmarks; both triangles, host memory. Each entry depends only on its position and the
// seed. Off-diagonal entries are negative. The diagonal is 0.1 % larger than the sum of the row's absolute values, plus 0.001, so the
// matrices are positive definite.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "blas2/spmv/sparse_matrix.hpp"

namespace eigen_g::generate {

// seven_points: the 7-point stencil on an edge^3 grid. coupled_27_points: `unknowns` unknowns at each point of an edge^3 grid, coupled
// with all unknowns of the point and its neighbours (27 points).
blas2::CrsMatrix<double> seven_points(std::int64_t edge);
blas2::CrsMatrix<double> coupled_27_points(std::int64_t edge, int unknowns);

// A graph of 2^scale vertices by R-MAT (0.57, 0.19, 0.19, 0.05), with vertices numbered at random. Row lengths follow a power law.
// Source: Chakrabarti, Zhan, Faloutsos 2004; the probabilities are Graph500's.
blas2::CrsMatrix<double> power_law(int scale, std::int64_t edges, std::uint64_t seed = 1);

// A graph of 2^scale vertices, numbered at random. Each end of an edge is vertex v with a probability proportional to v^-exponent.
// Source: Chung, Lu 2002, expected degrees.
blas2::CrsMatrix<double> expected_degrees(int scale, std::int64_t edges, double exponent,
                                          std::uint64_t seed = 1);

// n rows with about nnz entries in a band around the diagonal and two more bands on each side, as mesh numberings produce.
blas2::CrsMatrix<double> banded(std::int64_t n, std::int64_t nnz, std::uint64_t seed = 1);

// Rows and entries of the ten matrices of paper 3. Benchmarks use generated matrices with these numbers.
struct RowCounts {
  std::string name;
  std::int64_t n, nnz;
};
std::vector<RowCounts> paper_row_counts();

}  // namespace eigen_g::generate
