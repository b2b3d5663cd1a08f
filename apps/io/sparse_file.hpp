// Reads a symmetric sparse matrix from a file into compressed rows, never dense. Formats: Matrix Market coordinate, ELSI CSC,
// SciPy's save_npz (csr, csc, coo).
#pragma once

#include <filesystem>
#include <string>
#include <variant>

#include "apps/io/mapped_file.hpp"
#include "apps/io/matrix_file.hpp"
#include "blas2/spmv/sparse_matrix.hpp"

namespace eigen_g::io {

struct SparseMatrix {
  blas2::CrsMatrix<double> a;  // both triangles
  double asymmetry = 0;        // max |a_ij - a_ji|, if the file stores both triangles and they were compared
  std::string format_name;     // "Matrix Market coordinate real symmetric", "SciPy .npz csr", ...
};

// True if the file begins as a sparse format. Throws FileError: missing, unreadable, empty.
bool is_sparse_file(const std::filesystem::path& path);

// Accepts and refuses the same input as the dense readers (matrix_market.hpp), with the same messages and line numbers. Duplicate
// entries are summed in the file's order. options.triangle works as in read_matrix(): if both triangles differ by at most n eps max|a|,
// the lower one is taken. NaN and infinity are accepted. Memory: 16 bytes an entry of the file, and 24 bytes an entry of the matrix.
// Throws FileError (also for a format that is not sparse) and OutOfMemory.
SparseMatrix read_sparse_matrix(const std::filesystem::path& path, const ReadOptions& options = {});
SparseMatrix read_sparse_matrix(const MappedFile& file, const ReadOptions& options = {});  // an open file

// Reads a sparse file into rows and any other file into a dense matrix. options.format, if given, decides instead of the content.
// Throws what the two readers throw.
std::variant<SparseMatrix, SymmetricMatrix> read_sparse_or_dense(const std::filesystem::path& path,
                                                                 const ReadOptions& options = {});

}  // namespace eigen_g::io
