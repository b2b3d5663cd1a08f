// A square matrix as a file lists it: what each format's sparse reader hands to read_sparse_matrix(), which sorts and settles it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/io/mapped_file.hpp"
#include "apps/io/matrix_file.hpp"
#include "apps/io/matrix_market.hpp"

namespace eigen_g::io {

struct StoredCoordinates {
  std::int64_t n = 0;
  std::vector<Coordinate> entries;  // in the file's order; those of one place are summed in it
  bool symmetric = false;           // row >= col, and the mirror images are meant too
  std::string format_name;
};

void reserve(StoredCoordinates& stored, std::int64_t entries);  // throws OutOfMemory

// The readers; each throws FileError and OutOfMemory, with the messages of the dense one where there is one.
StoredCoordinates read_market_coordinates(const MappedFile& file, const ReadOptions& options);
StoredCoordinates read_elsi_coordinates(const MappedFile& file);
StoredCoordinates read_npz_coordinates(const MappedFile& file);

}  // namespace eigen_g::io
