// Hdf5Writer: writes datasets into a new HDF5 file. The caller fills in the elements through a mapping, as in npy.hpp.
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
  std::string name;  // "/group/H"; missing groups are created
  ScalarType type = ScalarType::d;
  std::vector<std::int64_t> shape;  // row by row, as in C
};

// Throws FileError in a build without HDF5.
void require_hdf5(const std::filesystem::path& path);

// Creates `path` with contiguous little-endian datasets. Complex numbers are the compound (r, i) that h5py writes. The disk space is
// reserved at once. The file is complete on disk only after commit(). An existing file is replaced as a whole; nothing is added to it.
// HDF5 is called in the constructor alone, by one thread at a time.
// Throws FileError: also for a full disk (before any element is computed) and in a build without HDF5.
class Hdf5Writer {
 public:
  Hdf5Writer(std::filesystem::path path, const std::vector<Hdf5Dataset>& datasets,
             Existing existing = Existing::keep);
  // Elements of dataset k in the order of the constructor's list, 64-byte aligned. T must be the dataset's type. Null: no elements.
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
