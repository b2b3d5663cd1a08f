// NumPy's .npy files, read and written by mapping.
// Format: "\x93NUMPY", version, header length, a Python dict with descr, fortran_order, shape, then the
// elements. Source: NumPy enhancement proposal 1 and numpy.lib.format (versions 1, 2, 3).
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

// A mapped file; its elements are f4, f8, c8, c16, i1..i8, u1..u8 or bool in either byte order.
struct NpyArray {
  std::vector<std::int64_t> shape;
  bool fortran_order = false;
  std::string descr;        // "<f8"
  std::string description;  // of another format; "": an .npy file
  NpyKind kind = NpyKind::real;
  int element_bytes = 8;
  bool swapped = false;              // the file's byte order is not this machine's
  std::int64_t count = 0;            // product of the shape
  const std::byte* bytes = nullptr;  // the elements, in the file's order
  std::shared_ptr<const void> owner;

  // The elements in place, where they are this machine's Ts on their natural boundary; else null. T here and below: float, double
  // or std::complex of one.
  template <class T>
  const T* in_place() const;
  // Elements first ... first + number - 1, in the file's order, as Ts. Returns the first of them that T does not hold (an imaginary
  // part, beyond the range of float), -1: there is none.
  template <class T>
  std::int64_t convert(std::int64_t first, std::int64_t number, T* out) const;
};

// Throws FileError: objects and structured types, a bad header, missing or trailing bytes.
NpyArray map_npy(const std::shared_ptr<const MappedFile>& file);
// The same of a file in memory, which `owner` keeps; `path` names it in messages.
NpyArray npy_array(const std::filesystem::path& path, std::string_view text,
                   std::shared_ptr<const void> owner);

std::string format_name(const NpyArray& array);  // ".npy '<f8' in C order"
// Throws FileError but for shape (n, n).
void require_square(const std::filesystem::path& path, const std::vector<std::int64_t>& shape);

// rows x cols, element (i, j) is data[i + j * ld].
template <class T>
struct Dense {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t ld = 1;
  const T* data = nullptr;
  std::shared_ptr<const void> owner;
};
using DenseMatrix = Dense<double>;

// Of a file that is open.
template <class T = double>
std::vector<T> read_npy_vector(
    const std::shared_ptr<const MappedFile>& file);  // shape (n,), (n, 1) or (1, n)
// Shape (n, m), or (n,) as one column. Mapped where the file is in Fortran order and holds native Ts, else converted: rows * cols
// entries of memory. Throws FileError, also for an element that T does not hold, OutOfMemory.
template <class T = double>
Dense<T> read_npy_matrix(const std::shared_ptr<const MappedFile>& file, int threads = 0);
// Of a matrix' file; integers and booleans are double. Throws FileError.
ScalarType type_of_npy(const MappedFile& file);

// Creates `path` with room for its elements, which the caller fills in place, in Fortran order; whole on disk
// only after commit(). '<f8', '<f4', '<c16' or '<c8', version 1, elements on a 64-byte boundary. Throws FileError (disk full
// included) from the constructor, before the elements are computed.
template <class T>
class NpyWriterOf {
 public:
  NpyWriterOf(std::filesystem::path path, const std::vector<std::int64_t>& shape,
              Existing existing = Existing::keep);
  T* data() const { return data_; }
  void commit() { file_.commit(); }

 private:
  OutputFile file_;
  T* data_ = nullptr;
};
using NpyWriter = NpyWriterOf<double>;

}  // namespace eigen_g::io
