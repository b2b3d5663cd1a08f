// A matrix file as its reader sees it: the file itself, mapped, or what it stands for, in memory:
//   -            stdin, to its end
//   gzip         what it holds, in builds with zlib
//   zip (.npz)   the one .npy in it, mapped in place where it is not compressed; a sparse matrix of SciPy's as it is
//   HDF5         the dataset that FILE:/NAME names, or the only one of the wanted shape, as an .npy array (hdf5_file.hpp)
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "apps/io/hdf5_file.hpp"
#include "apps/io/mapped_file.hpp"
#include "apps/io/matrix_file.hpp"

namespace eigen_g::io {

// Throws FileError, also for a damaged or truncated archive; OutOfMemory.
std::shared_ptr<const MappedFile> open_input(const std::filesystem::path& path,
                                             Wanted wanted = Wanted::square_matrix);

// The format of what is open, never automatic but for a zip archive's array, whose format is npy. Throws FileError where nothing tells
// it.
Format format_of(const MappedFile& file, const ReadOptions& options);

// Throws FileError where the file's order is not the one that was given; 0: none was.
void require_order(const std::filesystem::path& path, std::int64_t n, std::int64_t given);

// read_matrix() of what is open already.
template <class T = double>
HermitianMatrix<T> read_matrix(std::shared_ptr<const MappedFile> file, const ReadOptions& options);

}  // namespace eigen_g::io
