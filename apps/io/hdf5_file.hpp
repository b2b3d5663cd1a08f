// Opens a dataset of an HDF5 file (1.8 or later, MATLAB v7.3) as an array like that of an .npy file. If the elements are contiguous
// and of a type that this project reads, they are mapped in place. HDF5 reads and converts all others into memory: chunked,
// compressed and unusual datasets.
//
// HDF5 often crashed on damaged files in the past, and is not thread safe. So it reads in a child process (isolated.hpp).
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apps/io/mapped_file.hpp"

namespace eigen_g::io {

// The shape that the caller needs. If the file's name names no dataset, the only dataset of this shape is opened. square_matrices: a
// square matrix or a stack (..., n, n). array: any shape; the name must name the dataset if there are several.
enum class DatasetShape { square_matrix, matrix, vector, square_matrices, array };

// Version of the HDF5 library, as "1.10.8"; "" in a build without HDF5.
std::string hdf5_version();

// The HDF5 signature, at the beginning or after a user block (MATLAB writes one).
bool begins_as_hdf5(std::string_view text);

// Element types: floats of 4 and 8 bytes (other sizes are converted), integers, enumerations of integers, and complex numbers as
// compounds (r, i), (re, im) or (real, imag). Rank 1 or 2; for
// square_matrices and array up to 8. A dataset is row by row, as C and h5py write it. A dataset that MATLAB
// wrote is column by column; its attribute MATLAB_class marks it.
// Throws FileError: a build without HDF5; no such dataset (the message lists the datasets); none or several to choose from; elements
// that are not numbers; a virtual dataset, or one with external raw storage; damage, or the form of a newer HDF5, with HDF5's own
// message. Throws OutOfMemory. A dataset behind soft and external links, also through groups, is read from the file in which it lies.
std::shared_ptr<const MappedFile> open_hdf5(std::shared_ptr<const MappedFile> file,
                                            const std::string& dataset, DatasetShape wanted);

// The files that external links lead to and from on the way to the dataset; empty if `dataset` is empty. Throws FileError.
std::vector<std::filesystem::path> hdf5_files(const MappedFile& file, const std::string& dataset);

}  // namespace eigen_g::io
