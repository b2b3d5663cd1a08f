// Reads and writes NumPy's .npy files through mappings.
// Format: "\x93NUMPY", version, header length, a Python dict with descr, fortran_order and shape, then the elements.
// Source: NumPy enhancement proposal 1 and numpy.lib.format (versions 1, 2, 3).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apps/io/file_error.hpp"
#include "apps/io/output_file.hpp"
#include "apps/io/scalar_type.hpp"

namespace eigen_g::io {

class MappedFile;

enum class NpyKind { real, integer, natural, boolean, complex };

// A mapped array. Element types: f4, f8, c8, c16, i1 to i8, u1 to u8, bool, in either byte order.
struct NpyArray {
  std::vector<std::int64_t> shape;
  bool fortran_order = false;
  std::string descr;        // "<f8"
  std::string description;  // description of a format other than .npy; "": an .npy file
  NpyKind kind = NpyKind::real;
  int element_bytes = 8;
  bool swapped = false;              // the file's byte order is not this machine's
  std::int64_t count = 0;            // product of the shape
  const std::byte* bytes = nullptr;  // the elements, in the file's order
  std::shared_ptr<const void> owner;

  // The elements in place, if they are Ts in this machine's byte order and aligned to alignof(T). Otherwise null.
  // Here and below T is float, double, std::complex<float> or std::complex<double>.
  template <class T>
  const T* in_place() const;
  // out[k] := element first + k in the file's order, 0 <= k < number, as T. Returns the first element that T cannot hold (an
  // imaginary part, or beyond the range of float), or -1.
  template <class T>
  std::int64_t convert(std::int64_t first, std::int64_t number, T* out) const;
};

// Throws FileError: Python objects, structured types, an invalid header, missing or extra bytes.
NpyArray map_npy(const std::shared_ptr<const MappedFile>& file);
// map_npy() for a file in memory that `owner` owns. Messages call it `path`.
NpyArray npy_array(const std::filesystem::path& path, std::string_view text,
                   std::shared_ptr<const void> owner);

std::string format_name(const NpyArray& array);                  // ".npy '<f8' in C order"
std::string shape_text(const std::vector<std::int64_t>& shape);  // "(3, 4)", "(3,)"
// All elements as Ts, in the file's order. Throws FileError for an element that T cannot hold, and OutOfMemory.
template <class T>
std::shared_ptr<T> converted(const std::filesystem::path& path, const NpyArray& array, int threads);
// Throws FileError unless the shape is (n, n).
void require_square(const std::filesystem::path& path, const std::vector<std::int64_t>& shape);

// rows x cols matrix; element (i, j) is data[i + j * ld].
template <class T>
struct Dense {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t ld = 1;
  const T* data = nullptr;
  std::shared_ptr<const void> owner;
};
using DenseMatrix = Dense<double>;

// The readers take an open file.
template <class T = double>
std::vector<T> read_npy_vector(
    const std::shared_ptr<const MappedFile>& file);  // shape (n,), (n, 1) or (1, n)
// Shape (n, m), or (n,) as one column. Mapped if the file is in Fortran order and holds native Ts. Otherwise the elements are
// converted into rows * cols entries of memory. Throws FileError (also for an element that T cannot hold) and OutOfMemory.
template <class T = double>
Dense<T> read_npy_matrix(const std::shared_ptr<const MappedFile>& file, int threads = 0);
// Element type of a matrix in an .npy file; integers and booleans count as double. Throws FileError.
ScalarType type_of_npy(const MappedFile& file);

// Creates `path` with room for its elements; the caller fills them in place, in this order. The file is complete on disk only
// after commit(). Written as '<f8', '<f4', '<c16' or '<c8', version 1, elements 64-byte aligned. The constructor throws FileError, also
// for a full disk: the disk space is reserved before any element is computed.
enum class NpyOrder { fortran, c };
template <class T>
class NpyWriterOf {
 public:
  NpyWriterOf(std::filesystem::path path, const std::vector<std::int64_t>& shape,
              Existing existing = Existing::keep, NpyOrder order = NpyOrder::fortran);
  T* data() const { return data_; }
  void commit() { file_.commit(); }

 private:
  OutputFile file_;
  T* data_ = nullptr;
};
using NpyWriter = NpyWriterOf<double>;

}  // namespace eigen_g::io
