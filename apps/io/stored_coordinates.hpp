// A square matrix as a file lists it: what each format's sparse reader hands to read_sparse_matrix(), which sorts and settles it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
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

// Whether the file holds coordinates, in a format that the options leave open, or name.
bool holds_coordinates(const MappedFile& file, const ReadOptions& options);
// Calls begin() with a head without entries, then accept() with the entries piece by piece in the file's order, from the calling
// thread. Matrix Market is parsed as it goes; of the other formats all entries are held.
void read_coordinates(const MappedFile& file, const ReadOptions& options,
                      const std::function<void(const StoredCoordinates& head)>& begin,
                      const std::function<void(std::span<const Coordinate>)>& accept);
// Matrix Market's part of it, of any type of entries.
template <class T>
void read_market_coordinates(
    const MappedFile& file, const ReadOptions& options,
    const std::function<void(const StoredCoordinates& head, std::int64_t entries)>& begin,
    const std::function<void(std::span<const CoordinateOf<T>>)>& accept);

}  // namespace eigen_g::io
