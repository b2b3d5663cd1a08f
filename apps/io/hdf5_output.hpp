// Datasets into a new HDF5 file, their elements filled in by mapping, as those of an .npy file (npy.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "apps/io/output_file.hpp"
#include "apps/io/scalar_type.hpp"

namespace eigen_g::io {

struct Hdf5Dataset {
  std::string name;  // "/group/H"; groups on the way are made
  ScalarType type = ScalarType::d;
  std::vector<std::int64_t> shape;  // row by row, as C has it
};

// Throws FileError in a build without HDF5.
void require_hdf5(const std::filesystem::path& path);

// Creates `path` with contiguous datasets, little-endian, of complex numbers the compound (r, i) that h5py writes; their room on the
// disk is taken at once. Whole on disk only after commit(); a file that exists is replaced whole, not added to. HDF5 is called in the
// constructor alone, from one thread at a time. Throws FileError (disk full included, before the elements are computed; built without
// HDF5).
class Hdf5Writer {
 public:
  Hdf5Writer(std::filesystem::path path, const std::vector<Hdf5Dataset>& datasets,
             Existing existing = Existing::keep);
  // Of dataset k in the order given, on a 64-byte boundary; its type is T. Null where it has no elements.
  template <class T>
  T* data(std::size_t k) const {
    return reinterpret_cast<T*>(places_[k]);
  }
  void commit() { file_.commit(); }

 private:
  OutputFile file_;
  std::vector<std::byte*> places_;
};

}  // namespace eigen_g::io
