// A symmetric or Hermitian matrix into a file, its format by the name's ending:
//   .mtx         Matrix Market real symmetric or complex hermitian: coordinate where less than a quarter of the triangle is
//   nonzero,
//                else array
//   .npy         its type ('<f8', '<f4', '<c16', '<c8'), Fortran order, both triangles
//   .raw, .bin   its numbers, column by column, both triangles
//   .h5, .hdf5   its type, row by row, both triangles, as dataset NAME of FILE:NAME, else /A; a new file (hdf5_output.hpp)
#pragma once

#include <cstdint>
#include <filesystem>

#include "apps/io/output_file.hpp"
#include "hybrid/uplo.hpp"

namespace eigen_g::io {

// Throws FileError for an ending that names none of these, or HDF5 in a build without it, before any work; for FileError while writing see
// OutputFile.
void require_matrix_ending(const std::filesystem::path& path);

// a: n x n, lda >= max(1, n), host; only the triangle `uplo` is read. Throws FileError.
template <class T>
void write_matrix(const std::filesystem::path& path, std::int64_t n, const T* a, std::int64_t lda, Uplo uplo,
                  int threads = 0, Existing existing = Existing::keep);

}  // namespace eigen_g::io
