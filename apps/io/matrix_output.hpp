// Writes a symmetric or Hermitian matrix to a file. The ending of the name chooses the format:
//   .mtx         Matrix Market, real symmetric or complex hermitian: coordinate if less than a quarter of the triangle is nonzero,
//                else array
//   .npy         the matrix's type ('<f8', '<f4', '<c16', '<c8'), Fortran order, both triangles
//   .raw, .bin   the bare numbers, column by column, both triangles
//   .csv, .txt   one row a line, separated by commas or blanks, both triangles; a complex number is two numbers
//   .h5, .hdf5   the matrix's type, row by row, both triangles; dataset NAME of FILE:NAME, else /A; a new file (hdf5_output.hpp)
#pragma once

#include <cstdint>
#include <filesystem>

#include "apps/io/output_file.hpp"
#include "hybrid/uplo.hpp"

namespace eigen_g::io {

// Throws FileError, before any work, for an ending that names none of these formats, or for HDF5 in a build without it.
// OutputFile documents the errors that occur while writing.
void require_matrix_ending(const std::filesystem::path& path);

// a: n x n in host memory, lda >= max(1, n); only the triangle `uplo` is read. Throws FileError.
template <class T>
void write_matrix(const std::filesystem::path& path, std::int64_t n, const T* a, std::int64_t lda, Uplo uplo,
                  int threads = 0, Existing existing = Existing::keep);

}  // namespace eigen_g::io
