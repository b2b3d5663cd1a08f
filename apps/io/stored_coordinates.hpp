// StoredCoordinates: a square matrix as the file lists it. Each format's reader returns one; read_sparse_matrix() sorts the entries,
// sums duplicates and treats the triangles. T is float, double, std::complex<float> or std::complex<double>.
#pragma once

#include <complex>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "apps/io/mapped_file.hpp"
#include "apps/io/matrix_file.hpp"
#include "apps/io/matrix_market.hpp"

namespace eigen_g::io {

struct CoordinatesHead {
  std::int64_t n = 0;
  bool symmetric = false;  // true: row >= col, and each entry stands for its mirror image too
  std::string format_name;
};
template <class T>
struct StoredCoordinates : CoordinatesHead {
  std::vector<CoordinateOf<T>> entries;  // in the file's order; duplicates are summed in this order
};

template <class T>
void reserve(StoredCoordinates<T>& stored, std::int64_t entries);  // throws OutOfMemory

// Entry (row, col), counted from 0, of the file as a T. Throws FileError if T cannot hold it.
template <class T>
T entry_as(const std::filesystem::path& path, std::int64_t row, std::int64_t col, std::complex<double> value);

// Readers of the formats. They throw FileError and OutOfMemory, with the messages of the format's dense reader if it has one.
template <class T>
StoredCoordinates<T> read_market_coordinates(const MappedFile& file, const ReadOptions& options);
template <class T>
StoredCoordinates<T> read_elsi_coordinates(const MappedFile& file);
template <class T>
StoredCoordinates<T> read_npz_coordinates(const MappedFile& file);
// Double or complex double. An invalid file counts as double; its reader reports the error.
ScalarType type_of_elsi(const MappedFile& file);
ScalarType type_of_npz(const MappedFile& file);

// True if the file holds coordinates, in the format that options.format names, or in any format if it is automatic.
bool holds_coordinates(const MappedFile& file, const ReadOptions& options);
// The order of the matrix in such a file. A Matrix Market file is not parsed for it.
std::int64_t order_of_coordinates(const MappedFile& file, const ReadOptions& options);
// Calls begin(), then accept() with the entries, piece by piece in the file's order, from the calling
// thread. A Matrix Market file is parsed piece by piece. For the other formats all entries are in memory at once.
template <class T>
void read_coordinates(const MappedFile& file, const ReadOptions& options,
                      const std::function<void(const CoordinatesHead& head)>& begin,
                      const std::function<void(std::span<const CoordinateOf<T>>)>& accept);
// The Matrix Market part of read_coordinates().
template <class T>
void read_market_coordinates(
    const MappedFile& file, const ReadOptions& options,
    const std::function<void(const CoordinatesHead& head, std::int64_t entries)>& begin,
    const std::function<void(std::span<const CoordinateOf<T>>)>& accept);

}  // namespace eigen_g::io
