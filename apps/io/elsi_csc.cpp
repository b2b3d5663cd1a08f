// Reads ELSI's compressed sparse columns: a header of 16 integers, n column starts, the row indices as 32-bit integers, the values.
// Indices count from 1; both triangles are stored. A complex value is two doubles. Header and column starts are 64-bit integers, or 32-bit ones in an older variant.
// The second 32-bit word of the file is 0 in the 64-bit variant (the upper half of the magic number).
// Source: ELSI, rw_mat (elsi_rw.f90).
#include <complex>
#include <cstring>
#include <limits>

#include "apps/io/stored_coordinates.hpp"
#include "apps/io/stored_matrix.hpp"
#include "hybrid/instantiate.hpp"

namespace eigen_g::io {

namespace {

constexpr std::int64_t header_words = 16;

template <class T>
std::int64_t word_at(const std::byte* from, std::int64_t index) {
  T word;
  std::memcpy(&word, from + index * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
  return word;
}

// Word is the type of the header and the column starts. Calls begin_matrix(n, nonzeros) after the header is checked, then
// add(row, col, value) with the entries in the file's order; row and col count from 0.
template <class Word, class Begin, class Add>
void entries_of_variant(const MappedFile& file, Begin begin_matrix, Add add) {
  const auto refuse = [&](const std::string& reason) { throw FileError(file.path(), 0, reason); };
  constexpr std::int64_t word_bytes = sizeof(Word);
  if (file.size() < header_words * word_bytes) refuse("ends within the ELSI CSC header");
  const std::byte* const header = file.bytes();
  const std::int64_t type = word_at<Word>(header, 2);
  const std::int64_t n = word_at<Word>(header, 3);
  const std::int64_t nonzeros = word_at<Word>(header, 5);
  if (type != 0 && type != 1)
    refuse("the ELSI CSC header's type is " + std::to_string(type) + "; 0 (real) or 1 (complex) is required");
  const std::int64_t value_bytes = type == 1 ? 16 : 8;
  if (n < 0 || n > INT32_MAX)
    refuse("the ELSI CSC header's order, " + std::to_string(n) + ", is out of range");
  if (nonzeros < 0 || nonzeros > std::numeric_limits<std::int64_t>::max() / 32)
    refuse("the ELSI CSC header's number of nonzeros, " + std::to_string(nonzeros) + ", is out of range");
  const std::int64_t required = word_bytes * (header_words + n) + nonzeros * (4 + value_bytes);
  if (file.size() != required)
    refuse("order " + std::to_string(n) + " with " + std::to_string(nonzeros) + " nonzeros needs " +
           std::to_string(required) + " bytes; the file has " + std::to_string(file.size()));

  const std::byte* const starts = header + header_words * word_bytes;
  const std::byte* const rows = starts + n * word_bytes;
  const std::byte* const values = rows + nonzeros * 4;
  // The file has no start after the last column: that column ends with the file.
  const auto start_of = [&](std::int64_t j) { return j < n ? word_at<Word>(starts, j) - 1 : nonzeros; };
  for (std::int64_t j = 0; j < n; ++j) {
    const std::int64_t least = j == 0 ? 0 : start_of(j - 1);
    const std::int64_t most = j == 0 ? 0 : nonzeros;
    if (start_of(j) < least || start_of(j) > most)
      refuse("column " + std::to_string(j + 1) + " starts at entry " + std::to_string(start_of(j) + 1) +
             ", outside " + std::to_string(least + 1) + ".." + std::to_string(most + 1));
  }

  begin_matrix(n, nonzeros);
  for (std::int64_t j = 0; j < n; ++j) {
    const std::int64_t begin = start_of(j), end = start_of(j + 1);
    for (std::int64_t k = begin; k < end; ++k) {
      const std::int64_t row = word_at<std::int32_t>(rows, k);
      if (row < 1 || row > n)
        refuse("entry " + std::to_string(k + 1) + " in column " + std::to_string(j + 1) + " has row index " +
               std::to_string(row) + ", outside 1.." + std::to_string(n));
      double parts[2] = {};
      std::memcpy(parts, values + k * value_bytes, sizeof *parts);
      if (type == 1) std::memcpy(parts + 1, values + k * value_bytes + 8, sizeof *parts);
      add(row - 1, j, std::complex<double>(parts[0], parts[1]));
    }
  }
}

bool begins_with(const MappedFile& file) {
  return file.size() >= 8 && word_at<std::int32_t>(file.bytes(), 0) == elsi_magic;
}

// Reads the entries of either variant. Returns the variant's name.
template <class Begin, class Add>
std::string for_each_entry(const MappedFile& file, Begin begin_matrix, Add add) {
  if (!begins_with(file)) throw FileError(file.path(), 0, "does not begin as an ELSI CSC file");
  if (word_at<std::int32_t>(file.bytes(), 1) == 0) {
    entries_of_variant<std::int64_t>(file, begin_matrix, add);
    return "ELSI CSC";
  }
  entries_of_variant<std::int32_t>(file, begin_matrix, add);
  return "ELSI CSC with 32-bit header";
}

}  // namespace

template <class T>
Stored<T> read_elsi_csc(const MappedFile& file, const ReadOptions&) {
  std::shared_ptr<T> memory;
  std::int64_t n = 0;
  std::string name = for_each_entry(
      file,
      [&](std::int64_t order, std::int64_t) {
        n = order;
        memory = allocate_matrix<T>(n, n);
        set_zero(memory.get(), n, false, 1);
      },
      [&](std::int64_t i, std::int64_t j, std::complex<double> value) {
        memory.get()[i + j * n] += entry_as<T>(file.path(), i, j, value);
      });
  return stored_in(std::move(memory), n, true, std::move(name));
}

template <class T>
StoredCoordinates<T> read_elsi_coordinates(const MappedFile& file) {
  StoredCoordinates<T> stored;
  stored.format_name = for_each_entry(
      file,
      [&](std::int64_t order, std::int64_t nonzeros) {
        stored.n = order;
        reserve(stored, nonzeros);
      },
      [&](std::int64_t i, std::int64_t j, std::complex<double> value) {
        stored.entries.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j),
                                  entry_as<T>(file.path(), i, j, value)});
      });
  return stored;
}

ScalarType type_of_elsi(const MappedFile& file) {
  const bool narrow = begins_with(file) && word_at<std::int32_t>(file.bytes(), 1) != 0;
  const std::int64_t word_bytes = narrow ? 4 : 8;
  if (file.size() < header_words * word_bytes) return ScalarType::d;
  const std::int64_t type =
      narrow ? word_at<std::int32_t>(file.bytes(), 2) : word_at<std::int64_t>(file.bytes(), 2);
  return type == 1 ? ScalarType::z : ScalarType::d;
}

EIGEN_G_INSTANTIATE(all_types, read_elsi_csc, read_elsi_coordinates);

}  // namespace eigen_g::io
