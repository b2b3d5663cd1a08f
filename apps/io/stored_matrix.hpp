// A square matrix as a file stores it: what each format's reader hands to read_matrix(), which settles the triangle.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "apps/io/mapped_file.hpp"
#include "apps/io/matrix_file.hpp"

namespace eigen_g::io {

// Element (i, j) is data[i + j * n]. T here and below: float, double or std::complex of one.
template <class T>
struct Stored {
  std::int64_t n = 0;
  const T* data = nullptr;
  std::shared_ptr<T> writable;        // owns data where it is memory; null: mapped
  std::shared_ptr<const void> owner;  // of data
  bool full = true;                   // both triangles; else the lower one only
  bool transposed =
      false;  // the file is row by row; never of complex entries, whose transpose is another matrix
  std::string format_name;
};

// rows x cols entries, not initialised. Throws OutOfMemory, also for a product beyond 2^63 bytes.
template <class T = double>
std::shared_ptr<T> allocate_matrix(std::int64_t rows, std::int64_t cols);

// Zeroes a matrix of order n, of which the upper triangle may be left out.
template <class T>
void set_zero(T* a, std::int64_t n, bool lower_only, int threads);

// out (cols x rows, column by column) := the transpose of in (rows x cols, column by column).
template <class T>
void transpose(const T* in, std::int64_t rows, std::int64_t cols, T* out, int threads);

// A matrix in memory of its own.
template <class T>
Stored<T> stored_in(std::shared_ptr<T> memory, std::int64_t n, bool full, std::string format_name);

// The first words of an ELSI CSC file, and what it writes into words that nobody set.
inline constexpr std::int32_t elsi_magic = 170915;
inline constexpr std::int32_t elsi_unused = -910910;

// How a zip archive begins, which an .npz file is.
inline bool begins_as_zip(std::string_view text) {
  return text.substr(0, 4) == "PK\x03\x04";
}

// The readers. `file` is open and its format known; each throws FileError and OutOfMemory. A raw file has no type of its own: its
// entries are Ts. The others' are converted, and refused where T does not hold them.
template <class T>
Stored<T> read_matrix_market(const MappedFile& file, const ReadOptions& options);
template <class T>
Stored<T> read_npy_square(std::shared_ptr<const MappedFile> file, const ReadOptions& options);
template <class T>
Stored<T> read_raw(std::shared_ptr<const MappedFile> file, const ReadOptions& options);
template <class T>
Stored<T> read_elsi_csc(const MappedFile& file, const ReadOptions& options);
template <class T>
Stored<T> read_npz_square(const MappedFile& file);
template <class T>
Stored<T> read_tridiagonal(const MappedFile& file, const ReadOptions& options);

}  // namespace eigen_g::io
