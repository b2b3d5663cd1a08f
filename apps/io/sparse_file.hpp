// A symmetric sparse matrix from a file, in compressed rows, never dense: Matrix Market coordinate, ELSI CSC, SciPy's save_npz
// (csr, csc, coo).
#pragma once

#include <filesystem>
#include <string>
#include <variant>

#include "apps/io/matrix_file.hpp"
#include "blas2/spmv/sparse_matrix.hpp"

namespace eigen_g::io {

struct SparseMatrix {
  blas2::CrsMatrix<double> a;  // both triangles
  double asymmetry = 0;     // max |a_ij - a_ji|, where the file stores both triangles and they were compared
  std::string format_name;  // "Matrix Market coordinate real symmetric", "SciPy .npz csr", ...
};

// Whether the file's first bytes are those of a sparse format. Throws FileError: missing, unreadable, empty.
bool is_sparse_file(const std::filesystem::path& path);

// The dense readers' leniency and refusals (matrix_market.hpp), with the same words and line numbers. Entries of one place are
// summed in the file's order. options.triangle is followed as by read_matrix(): where both triangles differ by no more than n
// eps max|a|, the lower one is taken. NaN and infinity pass. Memory: 16 bytes an entry of the file, and 24 of the matrix.
// Throws FileError (also for a format that is not sparse), OutOfMemory.
SparseMatrix read_sparse_matrix(const std::filesystem::path& path, const ReadOptions& options = {});

// A sparse file in rows, any other one dense; a file whose format is given (options.format) is of that format. Throws as the two do.
std::variant<SparseMatrix, SymmetricMatrix> read_sparse_or_dense(const std::filesystem::path& path,
                                                                 const ReadOptions& options = {});

}  // namespace eigen_g::io
