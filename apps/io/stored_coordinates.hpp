// StoredCoordinates: a square matrix as the file lists it. Each format's reader returns one to read_sparse_matrix(), which sorts the
// entries, sums duplicates and treats the triangles.
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
  std::vector<Coordinate> entries;  // in the file's order; duplicates are summed in this order
  bool symmetric = false;           // true: row >= col, and each entry stands for its mirror image too
  std::string format_name;
};

void reserve(StoredCoordinates& stored, std::int64_t entries);  // throws OutOfMemory

// Readers of the formats. They throw FileError and OutOfMemory, with the messages of the format's dense reader if it has one.
StoredCoordinates read_market_coordinates(const MappedFile& file, const ReadOptions& options);
StoredCoordinates read_elsi_coordinates(const MappedFile& file);
StoredCoordinates read_npz_coordinates(const MappedFile& file);

// True if the file holds coordinates, in the format that options.format names, or in any format if it is automatic.
bool holds_coordinates(const MappedFile& file, const ReadOptions& options);
// The order of the matrix in such a file. A Matrix Market file is not parsed for it.
std::int64_t order_of_coordinates(const MappedFile& file, const ReadOptions& options);
// Calls begin() with a head without entries, then accept() with the entries, piece by piece in the file's order, from the calling
// thread. A Matrix Market file is parsed piece by piece. For the other formats all entries are in memory at once.
void read_coordinates(const MappedFile& file, const ReadOptions& options,
                      const std::function<void(const StoredCoordinates& head)>& begin,
                      const std::function<void(std::span<const Coordinate>)>& accept);
// The Matrix Market part of read_coordinates(), for any type of entries.
template <class T>
void read_market_coordinates(
    const MappedFile& file, const ReadOptions& options,
    const std::function<void(const StoredCoordinates& head, std::int64_t entries)>& begin,
    const std::function<void(std::span<const CoordinateOf<T>>)>& accept);

}  // namespace eigen_g::io
