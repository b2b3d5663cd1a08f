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

namespace eigen_g::io {

class MappedFile;

enum class NpyKind { real, integer, natural, boolean };

// A mapped file; its elements are f4, f8, i1..i8, u1..u8 or bool in either byte order.
struct NpyArray {
  std::vector<std::int64_t> shape;
  bool fortran_order = false;
  std::string descr;  // "<f8"
  NpyKind kind = NpyKind::real;
  int element_bytes = 8;
  bool swapped = false;              // the file's byte order is not this machine's
  std::int64_t count = 0;            // product of the shape
  const std::byte* bytes = nullptr;  // the elements, in the file's order
  std::shared_ptr<const void> owner;

  // The elements in place, where they are this machine's doubles on their natural boundary; else null.
  const double* doubles() const;
  // Elements first ... first + number - 1, in the file's order, as doubles.
  void convert(std::int64_t first, std::int64_t number, double* out) const;
};

// Throws FileError: objects, structured and complex types, a bad header, missing or trailing bytes.
NpyArray map_npy(const std::filesystem::path& path);
NpyArray map_npy(std::shared_ptr<const MappedFile> file);
// The same of a file in memory, which `owner` keeps; `path` names it in messages.
NpyArray npy_array(const std::filesystem::path& path, std::string_view text,
                   std::shared_ptr<const void> owner);

std::string format_name(const NpyArray& array);  // ".npy '<f8' in C order"
// Throws FileError but for shape (n, n).
void require_square(const std::filesystem::path& path, const NpyArray& array);

// rows x cols, element (i, j) is data[i + j * ld].
struct DenseMatrix {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t ld = 1;
  const double* data = nullptr;
  std::shared_ptr<const void> owner;
};

std::vector<double> read_npy_vector(const std::filesystem::path& path);  // shape (n,), (n, 1) or (1, n)
// Shape (n, m), or (n,) as one column. Mapped where the file is in Fortran order and holds native doubles,
// else converted: rows * cols doubles of memory. Throws FileError, OutOfMemory.
DenseMatrix read_npy_matrix(const std::filesystem::path& path, int threads = 0);

// Creates `path` with room for its elements, which the caller fills in place, in Fortran order; whole on disk
// only after commit(). '<f8', version 1, elements on a 64-byte boundary. Throws FileError (disk full
// included) from the constructor, before the elements are computed.
class NpyWriter {
 public:
  NpyWriter(std::filesystem::path path, const std::vector<std::int64_t>& shape,
            Existing existing = Existing::keep);
  double* data() const { return data_; }
  void commit() { file_.commit(); }

 private:
  OutputFile file_;
  double* data_ = nullptr;
};

}  // namespace eigen_g::io
