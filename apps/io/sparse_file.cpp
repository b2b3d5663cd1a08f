#include "apps/io/sparse_file.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "apps/io/input_file.hpp"
#include "apps/io/stored_coordinates.hpp"
#include "apps/io/stored_matrix.hpp"
#include "apps/io/symmetry.hpp"
#include "apps/io/text_chunks.hpp"
#include "apps/io/transposed.hpp"
#include "hybrid/instantiate.hpp"

namespace eigen_g::io {

namespace {

using blas2::CrsMatrix;
using blas2::CrsView;

enum class Sparse { none, market, elsi, npz };

Sparse kind_of(const MappedFile& file) {
  const std::string_view text = file.text();
  if (begins_as_zip(text)) return Sparse::npz;
  if (has_market_banner(text)) return Sparse::market;
  std::int32_t first = 0;
  if (file.size() >= 8) std::memcpy(&first, file.bytes(), sizeof first);
  return first == elsi_magic ? Sparse::elsi : Sparse::none;
}

struct Element {
  std::int32_t col;
  double value;
};

// Sorts a row by columns and adds up duplicates in their original order. Returns the number of elements left.
std::int64_t tidy(Element* row, std::int64_t count) {
  const auto before = [](const Element& p, const Element& q) { return p.col < q.col; };
  if (!std::is_sorted(row, row + count, before)) std::stable_sort(row, row + count, before);
  std::int64_t kept = 0;
  for (std::int64_t p = 0; p < count; ++p) {
    if (kept > 0 && row[kept - 1].col == row[p].col) {
      row[kept - 1].value += row[p].value;
    } else {
      row[kept++] = row[p];
    }
  }
  return kept;
}

CrsMatrix<double> sorted(StoredCoordinates<double> stored, int threads) {
  const std::int64_t n = stored.n;
  const HostArray<std::int64_t> begin = host_array<std::int64_t>(n + 1),
                                next = host_array<std::int64_t>(n + 1);
  std::fill_n(begin.get(), n + 1, 0);
  const auto mirrored = [&](const Coordinate& e) { return stored.symmetric && e.row != e.col; };
  for (const Coordinate& e : stored.entries) {
    ++begin[e.row + 1];
    if (mirrored(e)) ++begin[e.col + 1];
  }
  for (std::int64_t i = 0; i < n; ++i) begin[i + 1] += begin[i];
  std::copy_n(begin.get(), n + 1, next.get());
  const HostArray<Element> elements = host_array<Element>(begin[n]);
  for (const Coordinate& e : stored.entries) {
    elements[next[e.row]++] = {static_cast<std::int32_t>(e.col), e.value};
    if (mirrored(e)) elements[next[e.col]++] = {static_cast<std::int32_t>(e.row), e.value};
  }
  std::vector<Coordinate>().swap(stored.entries);
#pragma omp parallel for schedule(dynamic, 256) num_threads(thread_count(threads))
  for (std::int64_t i = 0; i < n; ++i) next[i] = tidy(elements.get() + begin[i], begin[i + 1] - begin[i]);
  std::int64_t nnz = 0;
  for (std::int64_t i = 0; i < n; ++i) nnz += next[i];
  CrsMatrix<double> a(n, n, nnz);
  for (std::int64_t i = 0; i < n; ++i) a.row_offsets[i + 1] = a.row_offsets[i] + next[i];
#pragma omp parallel for schedule(dynamic, 256) num_threads(thread_count(threads))
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t k = 0; k < next[i]; ++k) {
      a.col[a.row_offsets[i] + k] = elements[begin[i] + k].col;
      a.value[a.row_offsets[i] + k] = elements[begin[i] + k].value;
    }
  return a;
}

// The matrix of one triangle of A and its mirror image, or (A + A^T) / 2 (an entry that equals its mirror image keeps its bits). It is
// formed row by row from the rows of A and of its transpose.
CrsMatrix<double> symmetric(const CrsView<double>& a, Triangle triangle) {
  const CrsMatrix<double> t = transposed(a);
  // Calls put(col, value) for the entries of row i, in ascending order of the columns.
  const auto merge = [&](std::int64_t i, auto put) {
    std::int64_t p = a.row_offsets[i], q = t.row_offsets[i];
    const std::int64_t p_end = a.row_offsets[i + 1], q_end = t.row_offsets[i + 1];
    while (p < p_end || q < q_end) {
      const bool own = q == q_end || (p < p_end && a.col[p] <= t.col[q]);
      const bool mirror = p == p_end || (q < q_end && t.col[q] <= a.col[p]);
      const std::int32_t j = own ? a.col[p] : t.col[q];
      if (triangle == Triangle::symmetrize) {
        const double x = own ? a.value[p] : 0, y = mirror ? t.value[q] : 0;
        put(j, x == y ? x : 0.5 * x + 0.5 * y);
      } else {
        const bool from_own = (triangle == Triangle::lower) == (j < i) || j == i;
        if (from_own ? own : mirror) put(j, from_own ? a.value[p] : t.value[q]);
      }
      p += own;
      q += mirror;
    }
  };
  std::int64_t nnz = 0;
  for (std::int64_t i = 0; i < a.rows; ++i) merge(i, [&](std::int32_t, double) { ++nnz; });
  CrsMatrix<double> b(a.rows, a.cols, nnz);
  std::int64_t at = 0;
  for (std::int64_t i = 0; i < a.rows; ++i) {
    merge(i, [&](std::int32_t col, double value) {
      b.col[at] = col;
      b.value[at++] = value;
    });
    b.row_offsets[i + 1] = at;
  }
  return b;
}

template <class T>
StoredCoordinates<T> read_coordinates_of(const MappedFile& file, const ReadOptions& options) {
  switch (kind_of(file)) {
    case Sparse::market:
      return read_market_coordinates<T>(file, options);
    case Sparse::elsi:
      return read_elsi_coordinates<T>(file);
    case Sparse::npz:
      return read_npz_coordinates<T>(file);
    case Sparse::none:
      break;
  }
  throw FileError(file.path(), 0, "is neither Matrix Market, ELSI CSC nor an .npz of SciPy's save_npz");
}

}  // namespace

SparseMatrix read_sparse_matrix(const MappedFile& file, const ReadOptions& options) {
  StoredCoordinates<double> stored = read_coordinates_of<double>(file, options);
  require_order(file.path(), stored.n, options.n);
  SparseMatrix m;
  m.format_name = stored.format_name;
  const bool full = !stored.symmetric;
  m.a = sorted(std::move(stored), options.threads);
  if (!full) return m;
  if (options.triangle != Triangle::automatic) {
    if (options.triangle == Triangle::symmetrize)
      m.asymmetry = blas2::asymmetry(m.a.view(), options.threads).largest;
    m.a = symmetric(m.a.view(), options.triangle);
    return m;
  }
  const blas2::CrsAsymmetry found = blas2::asymmetry(m.a.view(), options.threads);
  const double limit =
      static_cast<double>(m.a.rows) * std::numeric_limits<double>::epsilon() * found.largest_entry;
  if (found.largest > limit)
    throw not_symmetric(file.path(), found.row, found.col, found.below, found.above, limit);
  m.asymmetry = found.largest;
  const bool finite =
      std::all_of(m.a.value.get(), m.a.value.get() + m.a.nnz, [](double v) { return std::isfinite(v); });
  if (m.asymmetry > 0 && finite) m.a = symmetric(m.a.view(), Triangle::lower);
  return m;
}

bool holds_coordinates(const MappedFile& file, const ReadOptions& options) {
  const Format format = options.format;
  switch (kind_of(file)) {
    case Sparse::market:
      return (format == Format::automatic || format == Format::matrix_market) &&
             read_market_header(file).coordinate;
    case Sparse::elsi:
      return format == Format::automatic || format == Format::elsi_csc;
    case Sparse::npz:
      return format == Format::automatic;
    case Sparse::none:
      break;
  }
  return false;
}

std::int64_t order_of_coordinates(const MappedFile& file, const ReadOptions& options) {
  return kind_of(file) == Sparse::market ? read_market_header(file).rows
                                         : read_coordinates_of<double>(file, options).n;
}

template <class T>
void read_coordinates(const MappedFile& file, const ReadOptions& options,
                      const std::function<void(const CoordinatesHead& head)>& begin,
                      const std::function<void(std::span<const CoordinateOf<T>>)>& accept) {
  if (kind_of(file) == Sparse::market)
    return read_market_coordinates<T>(
        file, options, [&](const CoordinatesHead& head, std::int64_t) { begin(head); }, accept);
  const StoredCoordinates<T> stored = read_coordinates_of<T>(file, options);
  begin(stored);
  accept(stored.entries);
}

template <class T>
void reserve(StoredCoordinates<T>& stored, std::int64_t entries) {
  require_host_memory(static_cast<std::uint64_t>(entries) * sizeof(CoordinateOf<T>));
  stored.entries.reserve(static_cast<std::size_t>(entries));
}

template <class T>
T entry_as(const std::filesystem::path& path, std::int64_t row, std::int64_t col,
           std::complex<double> value) {
  if (const char* const fault = misfit<T>(value.real(), value.imag()); *fault != 0)
    throw FileError(path, 0,
                    "entry (" + std::to_string(row + 1) + ", " + std::to_string(col + 1) + ") " + fault);
  return scalar_of<T>(value.real(), value.imag());
}

bool is_sparse_file(const std::filesystem::path& path) {
  return holds_coordinates(*open_input(path), {});
}

SparseMatrix read_sparse_matrix(const std::filesystem::path& path, const ReadOptions& options) {
  return read_sparse_matrix(*open_input(path), options);
}

std::variant<SparseMatrix, SymmetricMatrix> read_sparse_or_dense(const std::filesystem::path& path,
                                                                 const ReadOptions& options) {
  std::shared_ptr<const MappedFile> file = open_input(path);
  if (holds_coordinates(*file, options)) return read_sparse_matrix(*file, options);
  return read_matrix(std::move(file), options);
}

EIGEN_G_INSTANTIATE(all_types, reserve, entry_as);
EIGEN_G_INSTANTIATE_OVERLOAD(all_types, read_coordinates,
                             void(const MappedFile&, const ReadOptions&,
                                  const std::function<void(const CoordinatesHead&)>&,
                                  const std::function<void(std::span<const CoordinateOf<T>>)>&));

}  // namespace eigen_g::io
