// Reads the matrices of the commands for few pairs: the matrix MATRIX in compressed rows, and M of --b as a matrix or as its diagonal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/cli/generalised.hpp"
#include "apps/cli/matrix_options.hpp"
#include "blas2/spmv/sparse_matrix.hpp"
#include "solver/api/sparse.hpp"

namespace eigen_g::apps {

struct FileInRows {
  blas2::CrsMatrix<double> a;
  std::string format;

  CsrMatrix<double> rows() const { return {a.rows, a.row_offsets.get(), a.col.get(), a.value.get()}; }
};
// Reads a file of any format into compressed rows; a sparse file never becomes dense. Throws FileError for NaN and infinity, as a
// dense solve does.
FileInRows read_rows(const MatrixOptions& options, int threads, Progress& progress);

// M of a pencil K - w M. Without a file the problem is a standard one.
struct MassInRows {
  FileInRows matrix;
  std::vector<double> diagonal;  // not empty: the file holds a vector, which is the diagonal of M
  bool given = false;

  SparseMass<double> mass() const {
    return diagonal.empty() ? SparseMass<double>{matrix.rows(), nullptr}
                            : SparseMass<double>{{}, diagonal.data()};
  }
};
// True if --b is not given, or its file is one that read_mass() reads without a dense matrix: sparse and real, or a vector.
bool is_real_in_rows(const GeneralisedOptions& b, const MatrixOptions& options, Progress& progress);
// Reads the file of --b, if there is one, with the options of MATRIX except the format. A vector (an .npy file of one dimension, or a
// Matrix Market array of one column) is a diagonal. Throws FileError, also if the order is not n.
MassInRows read_mass(const GeneralisedOptions& b, const MatrixOptions& options, std::int64_t n, int threads,
                     Progress& progress);

}  // namespace eigen_g::apps
