// A dataset of an HDF5 file (1.8 and later, MATLAB v7.3) as an array like an .npy file's. Elements that stand in one piece as this
// project reads them are mapped in place; chunked, compressed and unusual ones are read into memory, converted by HDF5.
//
// HDF5 has a history of crashes on damaged files, and is not thread safe: it reads in a child process (isolated.hpp).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "apps/io/mapped_file.hpp"

namespace eigen_g::io {

// What a file is opened for, which chooses among its datasets where none is named: the only one of that shape.
enum class Wanted { square_matrix, matrix, vector };

// The library's version, as "1.10.8"; "": built without.
std::string hdf5_version();

// The signature, at the beginning or behind a user block as MATLAB's.
bool begins_as_hdf5(std::string_view text);

// Floats (4 and 8 bytes; others converted), integers, enumerations of them, complex numbers as compounds (r, i), (re, im),
// (real, imag); rank 1 or 2. Row by row, as C and h5py have them; of a dataset that MATLAB wrote, which says so, column by column.
// Throws FileError: built without HDF5; no such dataset (and those that there are), none or several to choose from; elements that are
// no numbers, or lie in other files; damage, named by HDF5's own words. OutOfMemory.
std::shared_ptr<const MappedFile> open_hdf5(std::shared_ptr<const MappedFile> file,
                                            const std::string& dataset, Wanted wanted);

}  // namespace eigen_g::io
