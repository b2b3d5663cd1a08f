// Opens a matrix file for its reader. The result is the mapped file, or its content in memory:
//   -            stdin, read to its end
//   gzip         the unpacked content, in builds with zlib
//   zip (.npz)   the array that FILE:/NAME names, or the only one, mapped in place if it is not compressed; without a name SciPy's
//                sparse matrices stay an archive
//   HDF5         the dataset that FILE:/NAME names, or the only one of the wanted shape, as an .npy array (hdf5_file.hpp)
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "apps/io/hdf5_file.hpp"
#include "apps/io/mapped_file.hpp"
#include "apps/io/matrix_file.hpp"

namespace eigen_g::io {

// Throws FileError (also for a damaged or truncated archive) and OutOfMemory.
std::shared_ptr<const MappedFile> open_input(const std::filesystem::path& path,
                                             DatasetShape wanted = DatasetShape::square_matrix);

// Format of an open file. Never automatic: an array from a zip archive is npy. Throws FileError if nothing identifies the format.
Format format_of(const MappedFile& file, const ReadOptions& options);

// Throws FileError if the file's order n is not `given`. given == 0: no order was given, nothing is checked.
void require_order(const std::filesystem::path& path, std::int64_t n, std::int64_t given);

// read_matrix() for a file that is already open.
template <class T = double>
HermitianMatrix<T> read_matrix(std::shared_ptr<const MappedFile> file, const ReadOptions& options);

}  // namespace eigen_g::io
