// Stored: a square matrix as a file stores it. Each format's reader returns one to read_matrix(), which treats the triangles.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "apps/io/mapped_file.hpp"
#include "apps/io/matrix_file.hpp"

namespace eigen_g::io {

// Element (i, j) is data[i + j * n]. Here and below T is float, double, std::complex<float> or std::complex<double>.
template <class T>
struct Stored {
  std::int64_t n = 0;
  const T* data = nullptr;
  std::shared_ptr<T> writable;        // owns `data` if it is memory; null: mapped
  std::shared_ptr<const void> owner;  // keeps `data` alive
  bool full = true;                   // both triangles are stored; false: the lower one only
  // True: the file is row by row. Always false for complex entries, because the transpose of a Hermitian matrix is another matrix.
  bool transposed = false;
  std::string format_name;
};

// rows x cols entries, not initialised. Throws OutOfMemory, also for more than 2^63 bytes.
template <class T = double>
std::shared_ptr<T> allocate_matrix(std::int64_t rows, std::int64_t cols);

// a := 0, a matrix of order n; with lower_only the strict upper triangle is not written.
template <class T>
void set_zero(T* a, std::int64_t n, bool lower_only, int threads);

// out := in^T. in is rows x cols, out is cols x rows, both column by column.
template <class T>
void transpose(const T* in, std::int64_t rows, std::int64_t cols, T* out, int threads);

// transpose() for `count` matrices, which follow each other without a gap.
template <class T>
void transpose_each(const T* in, std::int64_t rows, std::int64_t cols, std::int64_t count, T* out,
                    int threads);

// Stored for a matrix in its own memory.
template <class T>
Stored<T> stored_in(std::shared_ptr<T> memory, std::int64_t n, bool full, std::string format_name);

// First words of an ELSI CSC file: its magic number, and the value that ELSI writes into unused words.
inline constexpr std::int32_t elsi_magic = 170915;
inline constexpr std::int32_t elsi_unused = -910910;

// True if the text begins as a zip archive. An .npz file is one.
inline bool begins_as_zip(std::string_view text) {
  return text.substr(0, 4) == "PK\x03\x04";
}

// Readers of the formats. `file` is open and its format known. They throw FileError and OutOfMemory. A raw file has no type of its
// own: its entries are read as Ts. Entries of the other formats are converted, and refused if T cannot hold them.
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
template <class T>
Stored<T> read_text_square(const MappedFile& file, const ReadOptions& options);
// Type of the numbers of a text matrix: complex double, if its first line has two numbers for each line; else double.
ScalarType type_of_text(const MappedFile& file);

}  // namespace eigen_g::io
