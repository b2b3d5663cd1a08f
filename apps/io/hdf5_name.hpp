// Hdf5Name: the path of a dataset in an HDF5 file, FILE:/GROUP/NAME or FILE:NAME. An array in an .npz file has the same form of name.
#pragma once

#include <filesystem>
#include <string>

namespace eigen_g::io {

struct Hdf5Name {
  std::filesystem::path file;
  std::string dataset;  // "": the path names no dataset, and `file` may have any format
};

// A path that exists is a file. Otherwise the path is split at its first colon after an existing file, or after a name that ends in
// .h5 or .hdf5. HDF5 itself is not called.
Hdf5Name hdf5_name(const std::filesystem::path& path);

// True if a file of this name is written as HDF5: .h5 or .hdf5, with or without a dataset.
bool names_hdf5(const std::filesystem::path& path);

}  // namespace eigen_g::io
