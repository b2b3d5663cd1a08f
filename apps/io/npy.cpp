#include "apps/io/npy.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <complex>
#include <cstring>
#include <limits>
#include <utility>

#include "apps/io/mapped_file.hpp"
#include "apps/io/npy_header.hpp"
#include "apps/io/stored_matrix.hpp"
#include "apps/io/text_chunks.hpp"
#include "hybrid/instantiate.hpp"

namespace eigen_g::io {

namespace {

static_assert(std::endian::native == std::endian::little || std::endian::native == std::endian::big);

// descr is a byte order (< > = or |) followed by a type: f4 f8 c8 c16 i1 to i8 u1 to u8 b1.
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
      array.kind = NpyKind::complex;
      if (type == "c8" || type == "c16") array.element_bytes = type == "c8" ? 8 : 16;
      break;
    default:
      break;
  }
  if (array.element_bytes == 0) refuse("; f4, f8, c8, c16, i1 to i8, u1 to u8 and b1 are read");
  constexpr char foreign = std::endian::native == std::endian::little ? '>' : '<';
  array.swapped = descr[0] == foreign && array.element_bytes > 1;
}

template <class Part>
double part_at(const std::byte* from, std::int64_t i, bool swapped) {
  std::array<std::byte, sizeof(Part)> bytes;
  std::memcpy(bytes.data(), from + i * static_cast<std::int64_t>(sizeof(Part)), sizeof(Part));
  if (swapped) std::reverse(bytes.begin(), bytes.end());
  return static_cast<double>(std::bit_cast<Part>(bytes));
}

// Converts `count` elements of `parts` numbers of type Part each: 1 for real, 2 for complex elements.
template <class Part, int parts, class T>
std::int64_t convert_elements(const std::byte* from, std::int64_t count, bool swapped, T* out) {
  std::int64_t unfit = -1;
  for (std::int64_t i = count - 1; i >= 0; --i) {
    const double re = part_at<Part>(from, parts * i, swapped),
                 im = parts == 2 ? part_at<Part>(from, parts * i + parts - 1, swapped) : 0;
    if (*misfit<T>(re, im) != 0) unfit = i;
    out[i] = scalar_of<T>(re, im);
  }
  return unfit;
}

// Name of element k for a message: "entry (row, column)", counted from 1.
std::string place_text(const NpyArray& array, std::int64_t k) {
  if (array.shape.size() != 2) return "element " + std::to_string(k + 1);
  const std::int64_t along = array.shape[array.fortran_order ? 0 : 1], x = k % along + 1, y = k / along + 1;
  return "entry (" + std::to_string(array.fortran_order ? x : y) + ", " +
         std::to_string(array.fortran_order ? y : x) + ")";
}

template <class T>
[[noreturn]] void refuse_element(const std::filesystem::path& path, const NpyArray& array, std::int64_t k) {
  std::complex<double> element;
  array.convert(k, 1, &element);
  throw FileError(path, 0, place_text(array, k) + " " + misfit<T>(element.real(), element.imag()));
}

// Array whose elements are the `found` bytes from `bytes` on.
NpyArray array_of(const std::filesystem::path& path, NpyHeader header, const std::byte* bytes,
                  std::int64_t found, std::shared_ptr<const void> owner) {
  const auto refuse = [&](const std::string& reason) { throw FileError(path, 0, reason); };
  NpyArray array;
  read_type(path, header.descr, array);
  array.fortran_order = header.fortran_order;
  array.shape = std::move(header.shape);

  const std::string what = "shape " + shape_text(array.shape) + " of type '" + array.descr + "'";
  array.count = 1;
  for (const std::int64_t extent : array.shape) {
    if (extent > 0 && array.count > std::numeric_limits<std::int64_t>::max() / 16 / extent)
      refuse(what + " is too large for any memory");
    array.count *= extent;
  }
  const std::int64_t required = array.count * array.element_bytes;
  if (found != required)
    refuse(what + " needs " + std::to_string(required) + " bytes of elements; the file has " +
           std::to_string(found));
  array.bytes = bytes;
  array.owner = std::move(owner);
  return array;
}

NpyArray array_in(const MappedFile& file, std::shared_ptr<const void> owner) {
  const HeldArray* const held = file.array();
  if (!held) return npy_array(file.path(), file.text(), std::move(owner));
  NpyArray array = array_of(file.path(), held->header, held->elements, held->bytes, std::move(owner));
  array.description = held->description;
  return array;
}

}  // namespace

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(shape[i]);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

template <class T>
std::shared_ptr<T> converted(const std::filesystem::path& path, const NpyArray& array, int threads) {
  std::shared_ptr<T> memory = allocate_matrix<T>(array.count, 1);
  constexpr std::int64_t piece = 1 << 16;
  const std::int64_t pieces = (array.count + piece - 1) / piece;
  std::int64_t unfit = array.count;
#pragma omp parallel for num_threads(thread_count(threads)) if (pieces > 1) reduction(min : unfit)
  for (std::int64_t p = 0; p < pieces; ++p) {
    const std::int64_t found =
        array.convert(p * piece, std::min(piece, array.count - p * piece), memory.get() + p * piece);
    if (found >= 0) unfit = std::min(unfit, found);
  }
  if (unfit < array.count) refuse_element<T>(path, array, unfit);
  return memory;
}

template <class T>
const T* NpyArray::in_place() const {
  const bool native =
      kind == (is_complex<T> ? NpyKind::complex : NpyKind::real) && element_bytes == sizeof(T) && !swapped;
  // NumPy aligns the elements to 16 or 64 bytes, but other writers need not.
  const bool aligned = reinterpret_cast<std::uintptr_t>(bytes) % alignof(T) == 0;
  return native && aligned ? reinterpret_cast<const T*>(bytes) : nullptr;
}

template <class T>
std::int64_t NpyArray::convert(std::int64_t first, std::int64_t number, T* out) const {
  const std::byte* const from = bytes + first * element_bytes;
  const auto as = [&]<class Part>(Part) { return convert_elements<Part, 1>(from, number, swapped, out); };
  std::int64_t unfit = -1;
  if (kind == NpyKind::boolean) {
    std::transform(from, from + number, out,
                   [](std::byte b) { return scalar_of<T>(b != std::byte{0} ? 1 : 0); });
  } else if (kind == NpyKind::complex) {
    unfit = element_bytes == 16 ? convert_elements<double, 2>(from, number, swapped, out)
                                : convert_elements<float, 2>(from, number, swapped, out);
  } else if (kind == NpyKind::real) {
    unfit = element_bytes == 8 ? as(double{}) : as(float{});
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
  return unfit < 0 ? -1 : first + unfit;
}

NpyArray map_npy(const std::shared_ptr<const MappedFile>& file) {
  return array_in(*file, file);
}

NpyArray npy_array(const std::filesystem::path& path, std::string_view text,
                   std::shared_ptr<const void> owner) {
  NpyHeader header;
  std::size_t begin = 0;
  const std::string fault = read_npy_header(text, header, begin);
  if (!fault.empty()) throw FileError(path, 0, fault);
  return array_of(path, std::move(header), reinterpret_cast<const std::byte*>(text.data()) + begin,
                  static_cast<std::int64_t>(text.size() - begin), std::move(owner));
}

template <class T>
std::vector<T> read_npy_vector(const std::shared_ptr<const MappedFile>& file) {
  const std::filesystem::path& path = file->path();
  const NpyArray array = map_npy(file);
  const std::vector<std::int64_t>& s = array.shape;
  if (!(s.size() == 1 || (s.size() == 2 && (s[0] == 1 || s[1] == 1))))
    throw FileError(path, 0, "has shape " + shape_text(s) + "; a vector is required");
  std::vector<T> values(static_cast<std::size_t>(array.count));
  if (const std::int64_t unfit = array.convert(0, array.count, values.data()); unfit >= 0)
    refuse_element<T>(path, array, unfit);
  return values;
}

template <class T>
Dense<T> read_npy_matrix(const std::shared_ptr<const MappedFile>& file, int threads) {
  const std::filesystem::path& path = file->path();
  NpyArray array = map_npy(file);
  if (array.shape.size() == 1) array.shape.push_back(1);
  if (array.shape.size() != 2)
    throw FileError(path, 0, "has shape " + shape_text(array.shape) + "; a matrix is required");
  Dense<T> m;
  m.rows = array.shape[0];
  m.cols = array.shape[1];
  m.ld = std::max<std::int64_t>(1, m.rows);
  m.data = array.in_place<T>();
  m.owner = array.owner;
  const auto keep = [&m](std::shared_ptr<T> memory) {
    m.data = memory.get();
    m.owner = std::move(memory);
  };
  if (!m.data) keep(converted<T>(path, array, threads));
  if (!array.fortran_order && m.rows > 1 && m.cols > 1) {
    std::shared_ptr<T> turned = allocate_matrix<T>(m.rows, m.cols);
    transpose(m.data, m.cols, m.rows, turned.get(), threads);
    keep(std::move(turned));
  }
  return m;
}

ScalarType type_of_npy(const MappedFile& file) {
  const NpyArray array = array_in(file, nullptr);
  if (array.kind == NpyKind::complex) return array.element_bytes == 8 ? ScalarType::c : ScalarType::z;
  return array.kind == NpyKind::real && array.element_bytes == 4 ? ScalarType::s : ScalarType::d;
}

std::string format_name(const NpyArray& array) {
  return (array.description.empty() ? ".npy '" + array.descr + "'" : array.description) +
         (array.fortran_order ? " in Fortran order" : " in C order");
}

void require_square(const std::filesystem::path& path, const std::vector<std::int64_t>& shape) {
  if (shape.size() != 2 || shape[0] != shape[1])
    throw FileError(path, 0, "has shape " + shape_text(shape) + "; a square matrix is required");
}

template <class T>
Stored<T> read_npy_square(std::shared_ptr<const MappedFile> file, const ReadOptions& options) {
  const std::filesystem::path& path = file->path();
  const NpyArray array = map_npy(file);
  require_square(path, array.shape);
  const std::int64_t n = array.shape[0];
  Stored<T> m;
  if (const T* const in_place = array.in_place<T>()) {
    m.n = n;
    m.data = in_place;
    m.owner = array.owner;
  } else {
    m = stored_in(converted<T>(path, array, options.threads), n, true, {});
  }
  if (is_complex<T> &&
      !array
           .fortran_order) {  // a complex Hermitian matrix is transposed, because its transpose is its conjugate
    std::shared_ptr<T> turned = allocate_matrix<T>(n, n);
    transpose(m.data, n, n, turned.get(), options.threads);
    m = stored_in(std::move(turned), n, true, {});
  }
  m.transposed = !is_complex<T> && !array.fortran_order;
  m.format_name = format_name(array);
  return m;
}

template <class T>
NpyWriterOf<T>::NpyWriterOf(std::filesystem::path path, const std::vector<std::int64_t>& shape,
                            Existing existing, NpyOrder order)
    : file_(std::move(path), existing) {
  static_assert(std::endian::native == std::endian::little,
                "elements are written as they are in memory, '<'");
  std::uint64_t count = 1;
  for (const std::int64_t extent : shape) {
    const auto size = static_cast<std::uint64_t>(extent);
    if (size > 0 && count > std::numeric_limits<std::uint64_t>::max() / (2 * sizeof(T)) / size)
      throw FileError(file_.target(), 0, "cannot be written: shape " + shape_text(shape) + " is too large");
    count *= size;
  }
  const std::string descr = std::string(is_complex<T> ? "<c" : "<f") + std::to_string(sizeof(T));
  const std::string header = format_npy_header(shape, descr, order == NpyOrder::fortran);
  std::byte* bytes = file_.map(header.size() + count * sizeof(T));
  std::memcpy(bytes, header.data(), header.size());
  data_ = reinterpret_cast<T*>(bytes + header.size());
}

EIGEN_G_INSTANTIATE(all_types, converted, read_npy_vector, read_npy_matrix, read_npy_square);
EIGEN_G_INSTANTIATE_CLASS(all_types, NpyWriterOf);
#define EIGEN_G_NPY_ARRAY(T)                    \
  template const T* NpyArray::in_place() const; \
  template std::int64_t NpyArray::convert(std::int64_t, std::int64_t, T*) const;
EIGEN_G_FOR_EACH(all_types, EIGEN_G_NPY_ARRAY)
#undef EIGEN_G_NPY_ARRAY

}  // namespace eigen_g::io
