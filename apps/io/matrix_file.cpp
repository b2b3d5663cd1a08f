#include "apps/io/matrix_file.hpp"

#include <complex>
#include <cstring>
#include <type_traits>
#include <utility>

#include "apps/io/input_file.hpp"
#include "apps/io/matrix_market_header.hpp"
#include "apps/io/npy.hpp"
#include "apps/io/number_table.hpp"
#include "apps/io/stored_coordinates.hpp"
#include "apps/io/stored_matrix.hpp"
#include "apps/io/symmetry.hpp"
#include "apps/io/text_number.hpp"
#include "hybrid/instantiate.hpp"

namespace eigen_g::io {

namespace {

bool begins_as_elsi(const MappedFile& file) {
  std::int32_t words[2];
  if (file.size() < static_cast<std::int64_t>(sizeof(words))) return false;
  std::memcpy(words, file.bytes(), sizeof(words));
  return words[0] == elsi_magic && (words[1] == 0 || words[1] == elsi_unused);
}

// True if the first line that is not a comment holds one integer and nothing else.
bool begins_as_tridiagonal(std::string_view text) {
  const char* p = text.data();
  const char* const end = p + text.size();
  for (; p != end; ++p) {
    p = skip_blanks(p, end);
    if (!at_line_end(p, end) && *p != '%' && *p != '#') break;
    while (!at_line_end(p, end)) ++p;
    if (p == end) return false;
  }
  std::int64_t n = 0;
  return p != end && parse_integer(p, end, n) == Parse::done && at_line_end(skip_blanks(p, end), end);
}

Format format_by_content(const MappedFile& file) {
  const std::string_view text = file.text();
  if (text.substr(0, 6) == "\x93NUMPY") return Format::npy;
  if (has_market_banner(text)) return Format::matrix_market;
  if (begins_as_elsi(file)) return Format::elsi_csc;
  const std::string_view foreign = foreign_kind(text);
  if (!foreign.empty()) throw FileError(file.path(), 0, std::string("is ").append(foreign));
  return Format::automatic;
}

Format format_by_ending(const std::filesystem::path& path) {
  const std::string ending = (path.extension() == ".gz" ? path.stem() : path)
                                 .extension()
                                 .string();  // for .gz: the ending of the unpacked file
  if (ending == ".mtx" || ending == ".mm") return Format::matrix_market;
  if (ending == ".npy") return Format::npy;
  if (ending == ".csc") return Format::elsi_csc;
  if (ending == ".dat") return Format::tridiagonal;
  if (ending == ".csv") return Format::text;
  if (ending == ".raw" || ending == ".bin") return Format::raw;
  return Format::automatic;
}

template <class T>
Stored<T> read_stored(std::shared_ptr<const MappedFile> file, const ReadOptions& options) {
  if (options.format == Format::automatic && begins_as_zip(file->text())) return read_npz_square<T>(*file);
  switch (format_of(*file, options)) {
    case Format::npy:
      return read_npy_square<T>(std::move(file), options);
    case Format::raw:
      return read_raw<T>(std::move(file), options);
    case Format::elsi_csc:
      return read_elsi_csc<T>(*file, options);
    case Format::tridiagonal:
      return read_tridiagonal<T>(*file, options);
    case Format::text:
      return read_text_square<T>(*file, options);
    default:
      return read_matrix_market<T>(*file, options);
  }
}

// False if the numbers of the file are floats already.
bool converts_to_float(const MappedFile& file, const ReadOptions& options) {
  const bool zip = options.format == Format::automatic && begins_as_zip(file.text());
  const bool raw = !zip && format_of(file, options) == Format::raw;
  return !raw && real_type(type_of(file, options)) == ScalarType::d;
}

template <class T>
using Wide = std::conditional_t<is_complex<T>, std::complex<double>, double>;

// Calls visit(i, j) for each entry of the triangle of a, until it returns true. Returns true then.
template <class T>
bool any_entry(const HermitianMatrix<T>& a, const auto& visit) {
  for (std::int64_t j = 0; j < a.n; ++j)
    for (std::int64_t i = a.uplo == Uplo::lower ? j : 0; i < (a.uplo == Uplo::lower ? a.n : j + 1); ++i)
      if (visit(i, j)) return true;
  return false;
}

// Refuses a matrix that float cannot hold, because all of its entries are below float's normal numbers and some lose digits.
template <class T>
void require_digits(const std::shared_ptr<const MappedFile>& file, ReadOptions options,
                    const HermitianMatrix<T>& a) {
  const auto entry_of = [](const auto& m, std::int64_t i, std::int64_t j) { return m.data[i + j * m.lda]; };
  if (any_entry(a, [&](auto i, auto j) { return !below_normal(entry_of(a, i, j)); })) return;
  options.progress = {};
  const HermitianMatrix<Wide<T>> wide = read_matrix<Wide<T>>(file, options);
  double largest = 0;
  std::int64_t row = 0, col = 0;
  bool loses = false;
  any_entry(wide, [&](auto i, auto j) {
    const Wide<T> x = entry_of(wide, i, j);
    loses = loses || x != Wide<T>(entry_of(a, i, j));
    if (std::abs(x) > largest)
      largest = std::abs(x), row = wide.transposed ? j : i, col = wide.transposed ? i : j;
    return false;
  });
  if (!loses) return;
  throw FileError(file->path(), 0,
                  "entry (" + std::to_string(row + 1) + ", " + std::to_string(col + 1) +
                      "), the largest one, is below the range of float");
}

}  // namespace

Format format_of(const MappedFile& file, const ReadOptions& options) {
  if (file.array()) {
    if (options.format == Format::automatic || options.format == Format::npy) return Format::npy;
    throw FileError(file.path(), 0,
                    "is " + file.array()->description + "; its format must be automatic or npy");
  }
  if (options.format != Format::automatic) return options.format;
  if (const Format format = format_by_content(file); format != Format::automatic) return format;
  if (options.n != 0) return Format::raw;  // an order is given for raw files only
  if (const Format format = format_by_ending(file.path()); format != Format::automatic) return format;
  if (begins_as_tridiagonal(file.text())) return Format::tridiagonal;
  if (numbers_on_first_line(file.text()) > 0 || file.path().extension() == ".txt")
    return Format::text;  // a .txt file of anything else gets the message for its first word
  throw FileError(file.path(), 0,
                  "is neither Matrix Market, .npy, .npz, HDF5, ELSI CSC, tridiagonal nor text; a raw file "
                  "needs --n or the "
                  "ending .raw");
}

ScalarType type_of(const MappedFile& file, const ReadOptions& options) {
  if (options.format == Format::automatic && begins_as_zip(file.text())) return type_of_npz(file);
  switch (format_of(file, options)) {
    case Format::npy:
      return type_of_npy(file);
    case Format::matrix_market:
      return read_market_header(file).field == MarketField::complex ? ScalarType::z : ScalarType::d;
    case Format::elsi_csc:
      return type_of_elsi(file);
    case Format::text:
      return type_of_text(file);
    default:
      return ScalarType::d;
  }
}

void require_order(const std::filesystem::path& path, std::int64_t n, std::int64_t given) {
  if (given != 0 && n != given)
    throw FileError(path, 0, "has order " + std::to_string(n) + "; --n says " + std::to_string(given));
}

template <class T>
HermitianMatrix<T> read_matrix(std::shared_ptr<const MappedFile> file, const ReadOptions& options) {
  const std::filesystem::path path = file->path();
  Stored<T> stored = read_stored<T>(file, options);
  require_order(path, stored.n, options.n);
  HermitianMatrix<T> a = settle_triangle(path, std::move(stored), options.triangle, options.threads);
  if (std::is_same_v<real_t<T>, float> && converts_to_float(*file, options)) require_digits(file, options, a);
  return a;
}

template <class T>
HermitianMatrix<T> read_matrix(const std::filesystem::path& path, const ReadOptions& options) {
  return read_matrix<T>(open_input(path), options);
}

EIGEN_G_INSTANTIATE_OVERLOAD(all_types, read_matrix,
                             HermitianMatrix<T>(std::shared_ptr<const MappedFile>, const ReadOptions&));
EIGEN_G_INSTANTIATE_OVERLOAD(all_types, read_matrix,
                             HermitianMatrix<T>(const std::filesystem::path&, const ReadOptions&));

}  // namespace eigen_g::io
