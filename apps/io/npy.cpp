#include "apps/io/npy.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "apps/io/mapped_file.hpp"
#include "apps/io/npy_header.hpp"
#include "apps/io/stored_matrix.hpp"
#include "apps/io/text_chunks.hpp"

namespace eigen_g::io {

namespace {

static_assert(std::endian::native == std::endian::little || std::endian::native == std::endian::big);

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(shape[i]);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

// descr is a byte order (< > = or |) and a type: f4 f8 i1..i8 u1..u8 b1.
void read_type(const std::filesystem::path& path, const std::string& descr, NpyArray& array) {
  const auto refuse = [&](const char* reason) {
    throw FileError(path, 0, "holds elements of type '" + descr.substr(0, 32) + "'" + reason);
  };
  const std::string_view type = std::string_view(descr).substr(std::min<std::size_t>(1, descr.size()));
  if (type.empty() || std::string_view("<>=|").find(descr[0]) == std::string_view::npos)
    refuse(", which is unknown");
  array.descr = descr;
  array.element_bytes = 0;
  switch (type[0]) {
    case 'f':
      array.kind = NpyKind::real;
      if (type == "f4" || type == "f8") array.element_bytes = type[1] - '0';
      break;
    case 'i':
    case 'u':
      array.kind = type[0] == 'i' ? NpyKind::integer : NpyKind::natural;
      for (const char* size : {"1", "2", "4", "8"})
        if (type.substr(1) == size) array.element_bytes = size[0] - '0';
      break;
    case 'b':
      array.kind = NpyKind::boolean;
      if (type == "b1") array.element_bytes = 1;
      break;
    case 'O':
      refuse(", Python objects; numbers are required");
      break;
    case 'c':
      refuse(", complex numbers; real ones are required");
      break;
    default:
      break;
  }
  if (array.element_bytes == 0) refuse("; f4, f8, i1 to i8, u1 to u8 and b1 are read");
  constexpr char foreign = std::endian::native == std::endian::little ? '>' : '<';
  array.swapped = descr[0] == foreign && array.element_bytes > 1;
}

template <class T>
void convert_elements(const std::byte* from, std::int64_t count, bool swapped, double* out) {
  for (std::int64_t i = 0; i < count; ++i) {
    std::array<std::byte, sizeof(T)> bytes;
    std::memcpy(bytes.data(), from + i * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
    if (swapped) std::reverse(bytes.begin(), bytes.end());
    out[i] = static_cast<double>(std::bit_cast<T>(bytes));
  }
}

// All elements in the file's order, by all threads.
std::shared_ptr<double> converted(const NpyArray& array, std::int64_t rows, std::int64_t cols, int threads) {
  std::shared_ptr<double> memory = allocate_matrix(rows, cols);
  constexpr std::int64_t piece = 1 << 16;
  const std::int64_t pieces = (array.count + piece - 1) / piece;
#pragma omp parallel for num_threads(thread_count(threads)) if (pieces > 1)
  for (std::int64_t p = 0; p < pieces; ++p)
    array.convert(p * piece, std::min(piece, array.count - p * piece), memory.get() + p * piece);
  return memory;
}

}  // namespace

const double* NpyArray::doubles() const {
  const bool native = kind == NpyKind::real && element_bytes == 8 && !swapped;
  // Writers align the elements to 16 or 64 bytes; a file need not.
  const bool aligned = reinterpret_cast<std::uintptr_t>(bytes) % alignof(double) == 0;
  return native && aligned ? reinterpret_cast<const double*>(bytes) : nullptr;
}

void NpyArray::convert(std::int64_t first, std::int64_t number, double* out) const {
  const std::byte* const from = bytes + first * element_bytes;
  const auto as = [&]<class T>(T) { convert_elements<T>(from, number, swapped, out); };
  if (kind == NpyKind::boolean) {
    std::transform(from, from + number, out, [](std::byte b) { return b != std::byte{0} ? 1.0 : 0.0; });
  } else if (kind == NpyKind::real) {
    element_bytes == 8 ? as(double{}) : as(float{});
  } else if (kind == NpyKind::integer) {
    element_bytes == 8   ? as(std::int64_t{})
    : element_bytes == 4 ? as(std::int32_t{})
    : element_bytes == 2 ? as(std::int16_t{})
                         : as(std::int8_t{});
  } else {
    element_bytes == 8   ? as(std::uint64_t{})
    : element_bytes == 4 ? as(std::uint32_t{})
    : element_bytes == 2 ? as(std::uint16_t{})
                         : as(std::uint8_t{});
  }
}

NpyArray map_npy(const std::filesystem::path& path) {
  return map_npy(std::make_shared<const MappedFile>(path));
}

NpyArray map_npy(std::shared_ptr<const MappedFile> file) {
  const std::filesystem::path path = file->path();
  const std::string_view text = file->text();
  return npy_array(path, text, std::move(file));
}

NpyArray npy_array(const std::filesystem::path& path, std::string_view text,
                   std::shared_ptr<const void> owner) {
  const auto refuse = [&](const std::string& reason) { throw FileError(path, 0, reason); };
  NpyHeader header;
  std::size_t begin = 0;
  const std::string fault = read_npy_header(text, header, begin);
  if (!fault.empty()) refuse(fault);
  NpyArray array;
  read_type(path, header.descr, array);
  array.fortran_order = header.fortran_order;
  array.shape = std::move(header.shape);

  const std::string what = "shape " + shape_text(array.shape) + " of type '" + array.descr + "'";
  array.count = 1;
  for (const std::int64_t extent : array.shape) {
    if (extent > 0 && array.count > std::numeric_limits<std::int64_t>::max() / 8 / extent)
      refuse(what + " is too large for any memory");
    array.count *= extent;
  }
  const std::int64_t required = array.count * array.element_bytes;
  const auto found = static_cast<std::int64_t>(text.size() - begin);
  if (found != required)
    refuse(what + " needs " + std::to_string(required) + " bytes of elements; the file has " +
           std::to_string(found));
  array.bytes = reinterpret_cast<const std::byte*>(text.data()) + begin;
  array.owner = std::move(owner);
  return array;
}

std::vector<double> read_npy_vector(const std::filesystem::path& path) {
  const NpyArray array = map_npy(path);
  const std::vector<std::int64_t>& s = array.shape;
  if (!(s.size() == 1 || (s.size() == 2 && (s[0] == 1 || s[1] == 1))))
    throw FileError(path, 0, "has shape " + shape_text(s) + "; a vector is required");
  std::vector<double> values(static_cast<std::size_t>(array.count));
  array.convert(0, array.count, values.data());
  return values;
}

DenseMatrix read_npy_matrix(const std::filesystem::path& path, int threads) {
  NpyArray array = map_npy(path);
  if (array.shape.size() == 1) array.shape.push_back(1);
  if (array.shape.size() != 2)
    throw FileError(path, 0, "has shape " + shape_text(array.shape) + "; a matrix is required");
  DenseMatrix m;
  m.rows = array.shape[0];
  m.cols = array.shape[1];
  m.ld = std::max<std::int64_t>(1, m.rows);
  m.data = array.doubles();
  m.owner = array.owner;
  const auto keep = [&m](std::shared_ptr<double> memory) {
    m.data = memory.get();
    m.owner = std::move(memory);
  };
  if (!m.data) keep(converted(array, m.rows, m.cols, threads));
  if (!array.fortran_order && m.rows > 1 && m.cols > 1) {
    std::shared_ptr<double> turned = allocate_matrix(m.rows, m.cols);
    transpose(m.data, m.cols, m.rows, turned.get(), threads);
    keep(std::move(turned));
  }
  return m;
}

std::string format_name(const NpyArray& array) {
  return ".npy '" + array.descr + (array.fortran_order ? "' in Fortran order" : "' in C order");
}

void require_square(const std::filesystem::path& path, const NpyArray& array) {
  if (array.shape.size() != 2 || array.shape[0] != array.shape[1])
    throw FileError(path, 0, "has shape " + shape_text(array.shape) + "; a square matrix is required");
}

StoredMatrix read_npy_square(std::shared_ptr<const MappedFile> file, const ReadOptions& options) {
  const std::filesystem::path path = file->path();
  const NpyArray array = map_npy(std::move(file));
  require_square(path, array);
  const std::int64_t n = array.shape[0];
  StoredMatrix m;
  if (const double* in_place = array.doubles()) {
    m.n = n;
    m.data = in_place;
    m.owner = array.owner;
  } else {
    m = stored_in(converted(array, n, n, options.threads), n, true, {});
  }
  m.transposed = !array.fortran_order;
  m.format_name = format_name(array);
  return m;
}

NpyWriter::NpyWriter(std::filesystem::path path, const std::vector<std::int64_t>& shape, Existing existing)
    : file_(std::move(path), existing) {
  static_assert(std::endian::native == std::endian::little, "'<f8' is written as it stands in memory");
  std::uint64_t count = 1;
  for (const std::int64_t extent : shape) {
    const auto size = static_cast<std::uint64_t>(extent);
    if (size > 0 && count > std::numeric_limits<std::uint64_t>::max() / 16 / size)
      throw FileError(file_.target(), 0, "cannot be written: shape " + shape_text(shape) + " is too large");
    count *= size;
  }
  const std::string header = format_npy_header(shape);
  std::byte* bytes = file_.map(header.size() + count * sizeof(double));
  std::memcpy(bytes, header.data(), header.size());
  data_ = reinterpret_cast<double*>(bytes + header.size());
}

}  // namespace eigen_g::io
