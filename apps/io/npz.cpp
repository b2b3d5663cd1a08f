// Reads sparse matrices of SciPy's save_npz: a zip archive of .npy files. Member `format` names the kind. csr and csc have members
// indptr, indices and data; coo has row, col and data; all have shape.
// Source: scipy.sparse.save_npz.
#include <algorithm>
#include <complex>
#include <cstring>
#include <limits>

#include "apps/io/npy.hpp"
#include "apps/io/npy_header.hpp"
#include "apps/io/stored_coordinates.hpp"
#include "apps/io/stored_matrix.hpp"
#include "apps/io/zip_archive.hpp"
#include "hybrid/instantiate.hpp"

namespace eigen_g::io {

namespace {

class Npz {
 public:
  explicit Npz(const MappedFile& file) : file_(file), members_(zip_members(file)) {}

  [[noreturn]] void refuse(const std::string& reason) const { throw FileError(file_.path(), 0, reason); }

  // A text array of 0 dimensions, '|S3' or '<U3'.
  std::string word(const char* name) const {
    const ZipContent content = unpacked(file_, member(name));
    NpyHeader header;
    std::size_t begin = 0;
    const std::string fault = read_npy_header(content.text, header, begin);
    if (!fault.empty()) refuse(std::string("member ") + name + " " + fault);
    if (header.descr.find_first_of("SU") == std::string::npos)
      refuse(std::string("member ") + name + " is not text");
    std::string text;
    for (const char c : content.text.substr(begin))
      if (c >= ' ' && c <= '~') text += c;
    return text.substr(0, 32);
  }

  NpyArray array(const char* name, std::size_t dimensions = 1) const {
    const ZipMember& found = member(name);
    const ZipContent content = unpacked(file_, found);
    NpyArray array = npy_array(file_.path().string() + "(" + found.name + ")", content.text, content.owner);
    if (array.shape.size() != dimensions)
      refuse(std::string("member ") + name + " has " + std::to_string(array.shape.size()) + " dimensions");
    return array;
  }

  NpyArray integers(const char* name) const {
    NpyArray numbers = array(name);
    if (numbers.kind != NpyKind::integer && numbers.kind != NpyKind::natural)
      refuse(std::string("member ") + name + " holds '" + numbers.descr + "', not integers");
    return numbers;
  }

 private:
  const ZipMember& member(const std::string& name) const {
    const auto found = std::find_if(members_.begin(), members_.end(),
                                    [&](const ZipMember& m) { return m.name == name + ".npy"; });
    if (found == members_.end())
      refuse("is an .npz file without " + name + ".npy; one of SciPy's save_npz is required");
    return *found;
  }
  const MappedFile& file_;
  std::vector<ZipMember> members_;
};

// Reads the elements of an array as Ts. Doubles hold every possible index exactly.
template <class T = double>
class Numbers {
 public:
  Numbers(const Npz& npz, const char* name, const NpyArray& array) : npz_(npz), name_(name), array_(array) {}
  T operator[](std::int64_t i) {
    if (i < first_ || i >= first_ + count_) {
      first_ = i;
      count_ = std::min<std::int64_t>(piece, array_.count - i);
      if (const std::int64_t unfit = array_.convert(first_, count_, buffer_); unfit >= 0) refuse(unfit);
    }
    return buffer_[i - first_];
  }

 private:
  [[noreturn]] void refuse(std::int64_t unfit) const {
    std::complex<double> element;
    array_.convert(unfit, 1, &element);
    npz_.refuse("element " + std::to_string(unfit + 1) + " of " + name_ + " " +
                misfit<T>(element.real(), element.imag()));
  }

  static constexpr std::int64_t piece = 512;
  const Npz& npz_;
  const char* name_;
  const NpyArray& array_;
  std::int64_t first_ = 0, count_ = 0;
  T buffer_[piece];
};

void require_count(const Npz& npz, const char* name, const NpyArray& array, std::int64_t count) {
  if (array.count != count)
    npz.refuse(std::string("member ") + name + " has " + std::to_string(array.count) + " elements; " +
               std::to_string(count) + " are required");
}

std::uint32_t index_in(const Npz& npz, const char* name, std::int64_t at, double index, std::int64_t n) {
  if (!(index >= 0 && index < static_cast<double>(n)))
    npz.refuse(std::string("element ") + std::to_string(at + 1) + " of " + name + " is " +
               std::to_string(static_cast<std::int64_t>(index)) + ", outside 0.." + std::to_string(n - 1));
  return static_cast<std::uint32_t>(index);
}

template <class T>
void add_compressed(const Npz& npz, bool rows, StoredCoordinates<T>& stored) {
  const NpyArray starts = npz.integers("indptr"), indices = npz.integers("indices"), data = npz.array("data");
  require_count(npz, "indptr", starts, stored.n + 1);
  require_count(npz, "data", data, indices.count);
  reserve(stored, indices.count);
  Numbers start(npz, "indptr", starts), index(npz, "indices", indices);
  Numbers<T> value(npz, "data", data);
  if (start[0] != 0) npz.refuse("indptr does not begin with 0");
  for (std::int64_t i = 0; i < stored.n; ++i) {
    const double begin = start[i], end = start[i + 1];
    if (!(end >= begin && end <= static_cast<double>(indices.count)))
      npz.refuse("element " + std::to_string(i + 2) + " of indptr is " +
                 std::to_string(static_cast<std::int64_t>(end)) + ", outside " +
                 std::to_string(static_cast<std::int64_t>(begin)) + ".." + std::to_string(indices.count));
    for (auto p = static_cast<std::int64_t>(begin); p < static_cast<std::int64_t>(end); ++p) {
      const std::uint32_t own = static_cast<std::uint32_t>(i),
                          other = index_in(npz, "indices", p, index[p], stored.n);
      stored.entries.push_back({rows ? own : other, rows ? other : own, value[p]});
    }
  }
  if (start[stored.n] != static_cast<double>(indices.count))
    npz.refuse("indptr ends at " + std::to_string(static_cast<std::int64_t>(start[stored.n])) +
               "; indices has " + std::to_string(indices.count) + " elements");
}

template <class T>
void add_coordinates(const Npz& npz, StoredCoordinates<T>& stored) {
  const NpyArray rows = npz.integers("row"), cols = npz.integers("col"), data = npz.array("data");
  require_count(npz, "col", cols, rows.count);
  require_count(npz, "data", data, rows.count);
  reserve(stored, rows.count);
  Numbers row(npz, "row", rows), col(npz, "col", cols);
  Numbers<T> value(npz, "data", data);
  for (std::int64_t p = 0; p < rows.count; ++p)
    stored.entries.push_back(
        {index_in(npz, "row", p, row[p], stored.n), index_in(npz, "col", p, col[p], stored.n), value[p]});
}

}  // namespace

template <class T>
StoredCoordinates<T> read_npz_coordinates(const MappedFile& file) {
  const Npz npz(file);
  const std::string format = npz.word("format");
  if (format != "csr" && format != "csc" && format != "coo")
    npz.refuse("holds a sparse matrix in format '" + format + "'; csr, csc and coo are read");
  const NpyArray shape = npz.integers("shape");
  require_count(npz, "shape", shape, 2);
  double extents[2];
  shape.convert(0, 2, extents);
  if (extents[0] != extents[1])
    npz.refuse("the matrix is " + std::to_string(static_cast<std::int64_t>(extents[0])) + " x " +
               std::to_string(static_cast<std::int64_t>(extents[1])) + "; a square one is required");
  if (!(extents[0] >= 0 && extents[0] <= std::numeric_limits<std::int32_t>::max()))
    npz.refuse("the order, " + std::to_string(static_cast<std::int64_t>(extents[0])) + ", is out of range");
  StoredCoordinates<T> stored;
  stored.n = static_cast<std::int64_t>(extents[0]);
  stored.format_name = "SciPy .npz " + format;
  if (format == "coo") {
    add_coordinates(npz, stored);
  } else {
    add_compressed(npz, format == "csr", stored);
  }
  return stored;
}

template <class T>
Stored<T> read_npz_square(const MappedFile& file) {
  StoredCoordinates<T> stored = read_npz_coordinates<T>(file);
  const std::int64_t n = stored.n;
  std::shared_ptr<T> memory = allocate_matrix<T>(n, n);
  set_zero(memory.get(), n, false, 1);
  for (const CoordinateOf<T>& e : stored.entries) memory.get()[e.row + e.col * n] += e.value;
  return stored_in(std::move(memory), n, true, std::move(stored.format_name));
}

ScalarType type_of_npz(const MappedFile& file) {
  for (const ZipMember& member : zip_members(file))
    if (member.name == "data.npy") {
      constexpr std::int64_t longer_than_its_header = 4096;
      const ZipContent content = unpacked(file, member, longer_than_its_header);
      NpyHeader header;
      std::size_t begin = 0;
      const bool valid = read_npy_header(content.text, header, begin).empty();
      return valid && header.descr.find('c') != std::string::npos ? ScalarType::z : ScalarType::d;
    }
  return ScalarType::d;
}

EIGEN_G_INSTANTIATE(all_types, read_npz_coordinates, read_npz_square);

}  // namespace eigen_g::io
