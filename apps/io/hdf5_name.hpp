// A dataset of an HDF5 file as a path: FILE:/GROUP/NAME, or FILE:NAME.
#pragma once

#include <filesystem>
#include <string>

namespace eigen_g::io {

struct Hdf5Name {
  std::filesystem::path file;
  std::string dataset;  // "": none is named, and `file` may be any file
};

// A path that exists is a file. Else what precedes a colon is the file, where it exists or ends in .h5 or .hdf5; the first such colon
// counts. HDF5 itself is not asked.
Hdf5Name hdf5_name(const std::filesystem::path& path);

// Whether a file of this name is to be written as HDF5: .h5, .hdf5, with a dataset or without.
bool names_hdf5(const std::filesystem::path& path);

}  // namespace eigen_g::io
