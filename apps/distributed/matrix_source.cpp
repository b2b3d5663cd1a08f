#include "apps/distributed/matrix_source.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "apps/cli/generate_options.hpp"
#include "apps/cli/matrix_input.hpp"
#include "apps/distributed/collective.hpp"
#include "apps/io/matrix_market_header.hpp"
#include "apps/io/stored_coordinates.hpp"
#include "apps/io/stored_matrix.hpp"
#include "apps/io/symmetry.hpp"
#include "hybrid/instantiate.hpp"
#include "solver/distributed/panels.hpp"
#include "solver/distributed/scalapack_calls.hpp"

namespace eigen_g::apps {

namespace {

using distributed::Deal;
using distributed::LocalView;

// The local index of global index g; -1: another process holds it.
std::int64_t held(const Deal& deal, std::int64_t g) {
  return g / deal.block % deal.parts == deal.part ? deal.below(g) : -1;
}

template <class T>
void add(const LocalView<T>& a, std::int64_t i, std::int64_t j, same_t<T> value) {
  const std::int64_t k = held(a.layout.rows, i), l = held(a.layout.cols, j);
  if (k >= 0 && l >= 0) a(k, l) += value;
}

template <class T>
bool is_finite(T x) {
  return std::isfinite(std::real(x)) && std::isfinite(std::imag(x));
}

// Over the pairs of finite entries: the largest |a_ij - conj(a_ji)| / 2 and the largest |a_ij|.
struct Differences {
  double largest = 0, largest_entry = 0;
  std::array<int, 2> finite{1, 1};  // 1: the lower, the upper triangle has no NaN or infinity
};

}  // namespace

MatrixSource::MatrixSource(MPI_Comm comm, const MatrixOptions& options, const generate::Spec* spec,
                           int threads, Progress& progress)
    : options_(options), threads_(threads), progress_(progress) {
  agree(comm, [&] {
    how_ = read_options(options_, threads_, progress_);
    if (spec) {
      head_.type = type_of(named_kind(spec->kind), options_.type);
      if (head_.type == io::ScalarType::c || head_.type == io::ScalarType::z)
        hermitian_.emplace(*spec);
      else
        formula_.emplace(generate::formula_of(*spec));
      head_.n = spec->n;
      format_name_ = "made by a formula";
    } else if (rank_in(comm) == 0) {
      look();
      io::require_order(options_.file, head_.n, how_.n);
    }
    if (head_.n > std::numeric_limits<int>::max())
      throw UsageError("n = " + std::to_string(head_.n) +
                       " is too large: the libraries have 32-bit integers");
  });
  MPI_Bcast(&head_, sizeof head_, MPI_BYTE, 0, comm);
  broadcast(comm, format_name_);
}

void MatrixSource::look() {
  progress_.at("read");
  OpenMatrix opened = open_matrix(options_, progress_);
  file_ = std::move(opened.file);
  head_.type = opened.type;
  if (io::holds_coordinates(*file_, how_)) {
    head_.kind = Kind::entries;
    const auto keep = [this](const io::CoordinatesHead& head) {
      head_.n = head.n;
      head_.full = !head.symmetric;
      format_name_ = head.format_name;
    };
    if (!io::has_market_banner(file_->text()))
      return io::read_coordinates<std::complex<double>>(*file_, how_, keep, [](auto) {});
    const io::MarketHeader header = io::read_market_header(*file_, how_.both_triangles);
    return keep({header.rows, header.symmetric, header.description});
  }
  head_.format = io::format_of(*file_, how_);
  if (file_->is_mapped() && (head_.format == io::Format::npy || head_.format == io::Format::raw)) {
    const io::NpyArray array = array_of(file_);
    head_.kind = Kind::blocks;
    head_.n = array.shape[0];
    head_.full = true;
    head_.transposed = !array.fortran_order;
    format_name_ = head_.format == io::Format::npy ? io::format_name(array) : array.descr;
    return;
  }
  io::with_type(head_.type, [&]<class T>(T) {
    const auto& read = matrix_.emplace<io::HermitianMatrix<T>>(io::read_matrix<T>(file_, how_));
    head_.n = read.n;
    head_.transposed = read.transposed;
    head_.uplo = read.uplo;
    head_.asymmetry = read.asymmetry;
    format_name_ = read.format_name;
  });
  head_.kind = Kind::whole;
}

io::NpyArray MatrixSource::array_of(std::shared_ptr<const io::MappedFile> file) const {
  const std::filesystem::path path = file->path();
  if (head_.format == io::Format::npy) {
    io::NpyArray array = io::map_npy(file);
    io::require_square(path, array.shape);
    return array;
  }
  return io::with_type(head_.type, [&]<class T>(T) {
    const io::Stored<T> stored = io::read_raw<T>(std::move(file), how_);
    io::NpyArray array;
    array.shape = {stored.n, stored.n};
    array.fortran_order = true;
    array.descr = stored.format_name;
    array.kind = is_complex<T> ? io::NpyKind::complex : io::NpyKind::real;
    array.element_bytes = sizeof(T);
    array.count = stored.n * stored.n;
    array.bytes = reinterpret_cast<const std::byte*>(stored.data);
    array.owner = stored.owner;
    return array;
  });
}

template <class T>
MatrixFacts MatrixSource::fill(MPI_Comm comm, const LocalView<T>& a) {
  progress_.at("read");
  for (std::int64_t l = 0; l < a.layout.cols.count(); ++l) std::fill_n(&a(0, l), a.layout.rows.count(), T{});
  switch (head_.kind) {
    case Kind::blocks:
      read_blocks(comm, a);
      break;
    case Kind::entries:
      receive_entries(comm, a);
      break;
    case Kind::whole:
      receive_columns(comm, a);
      break;
    case Kind::formula:
      make_entries(a);
      break;
  }
  MatrixFacts facts{options_.file,       format_name_,    head_.n,           head_.uplo,
                    options_.symmetrize, head_.asymmetry, io::scalar_type<T>};
  if (head_.full) settle(comm, a, facts);
  if (head_.kind == Kind::blocks || head_.kind == Kind::entries) require_digits(comm, a);
  return facts;
}

// If all entries are below float's normal numbers, rank 0 reads the whole file as one process does, which refuses lost digits.
template <class T>
void MatrixSource::require_digits(MPI_Comm comm, const LocalView<T>& a) {
  if constexpr (std::is_same_v<real_t<T>, float>) {
    int small = 1;
    for (std::int64_t l = 0; l < a.layout.cols.count() && small; ++l)
      small = std::all_of(&a(0, l), &a(0, l) + a.layout.rows.count(), io::below_normal<T>);
    MPI_Allreduce(MPI_IN_PLACE, &small, 1, MPI_INT, MPI_MIN, comm);
    agree(comm, [&] {
      if (small && rank_in(comm) == 0) (void)io::read_matrix<T>(file_, how_);
    });
  }
}

template <class T>
void MatrixSource::read_blocks(MPI_Comm comm, const LocalView<T>& a) {
  agree(comm, [&] {
    const auto file = file_ ? file_ : io::open_input(options_.file);
    const io::NpyArray array = array_of(file);
    const std::int64_t n = array.shape[0], block = a.layout.rows.block;
    if (n != head_.n)
      throw io::FileError(options_.file, 0,
                          "has order " + std::to_string(n) + " on this process, but " +
                              std::to_string(head_.n) + " on rank 0");
    const std::int64_t cols = a.layout.cols.count(), rows = a.layout.rows.count();
    for (std::int64_t l = 0; l < cols; ++l) {
      const std::int64_t j = a.layout.cols.global(l);
      for (std::int64_t k = 0; k < rows; k += block) {
        const std::int64_t i = a.layout.rows.global(k), count = std::min(block, rows - k);
        if (const std::int64_t unfit = array.convert(j * n + i, count, &a(k, l)); unfit >= 0) {
          std::complex<double> element;
          array.convert(unfit, 1, &element);
          io::entry_as<T>(options_.file, head_.transposed ? j : unfit % n, head_.transposed ? unfit % n : j,
                          element);
        }
        if (head_.transposed) std::transform(&a(k, l), &a(k, l) + count, &a(k, l), io::mirrored<T>);
      }
      file->forget(array.bytes + j * n * array.element_bytes,
                   array.bytes + (j + 1) * n * array.element_bytes);
      if (l % block == 0) progress_.at("read", static_cast<double>(l) / static_cast<double>(cols));
    }
  });
}

template <class T>
void MatrixSource::receive_entries(MPI_Comm comm, const LocalView<T>& a) {
  constexpr std::int64_t most = 1 << 16;  // maximum of entries in a piece
  constexpr std::int64_t no_more = -1;
  using Entry = io::CoordinateOf<T>;
  const auto take = [&](std::span<const Entry> entries) {
    for (const Entry& e : entries) {
      add(a, e.row, e.col, e.value);
      if (!head_.full && e.row != e.col) add(a, e.col, e.row, io::mirrored(e.value));
    }
  };
  const auto send = [&](const Entry* entries, std::int64_t count) {
    MPI_Bcast(&count, 1, MPI_INT64_T, 0, comm);
    if (count > 0)
      MPI_Bcast(const_cast<Entry*>(entries), static_cast<int>(count * sizeof(Entry)), MPI_BYTE, 0, comm);
  };
  const auto send_all = [&](std::span<const Entry> entries) {
    for (std::size_t at = 0; at < entries.size(); at += most) {
      const auto piece = entries.subspan(at, std::min<std::size_t>(most, entries.size() - at));
      send(piece.data(), static_cast<std::int64_t>(piece.size()));
      take(piece);
    }
  };
  std::exception_ptr failed;
  if (rank_in(comm) == 0) {
    try {
      io::read_coordinates<T>(
          *file_, how_, [](const io::CoordinatesHead&) {}, send_all);
    } catch (...) {
      failed = std::current_exception();
    }
    send(nullptr, no_more);
  } else {
    std::vector<Entry> piece;
    for (;;) {
      std::int64_t count = 0;
      MPI_Bcast(&count, 1, MPI_INT64_T, 0, comm);
      if (count == no_more) break;
      piece.resize(static_cast<std::size_t>(count));
      MPI_Bcast(piece.data(), static_cast<int>(count * sizeof(Entry)), MPI_BYTE, 0, comm);
      take(piece);
    }
  }
  agree(comm, [&] {
    if (failed) std::rethrow_exception(failed);
  });
}

template <class T>
void MatrixSource::receive_columns(MPI_Comm comm, const LocalView<T>& a) {
  const std::int64_t n = head_.n,
                     most = std::max<std::int64_t>(1, (std::int64_t{1} << 20) / std::max<std::int64_t>(1, n));
  std::vector<T> columns(static_cast<std::size_t>(n * std::min(n, most)));
  for (std::int64_t j0 = 0; j0 < n; j0 += most) {
    const std::int64_t count = std::min(most, n - j0);
    if (rank_in(comm) == 0)
      std::visit(
          [&](const auto& matrix) {
            for (std::int64_t j = 0; j < count; ++j)
              std::transform(matrix.data + (j0 + j) * matrix.lda, matrix.data + (j0 + j) * matrix.lda + n,
                             columns.data() + j * n,
                             [](auto x) { return io::scalar_of<T>(std::real(x), std::imag(x)); });
          },
          matrix_);
    MPI_Bcast(columns.data(), static_cast<int>(n * count), distributed::mpi_type<T>(), 0, comm);
    for (std::int64_t l = a.layout.cols.below(j0); l < a.layout.cols.below(j0 + count); ++l)
      for (std::int64_t k = 0; k < a.layout.rows.count(); ++k)
        a(k, l) =
            columns[static_cast<std::size_t>((a.layout.cols.global(l) - j0) * n + a.layout.rows.global(k))];
  }
}

template <class T>
void MatrixSource::make_entries(const LocalView<T>& a) const {
  const std::int64_t block = a.layout.rows.block, rows = a.layout.rows.count(), cols = a.layout.cols.count();
  using W = std::conditional_t<is_complex<T>, std::complex<double>, double>;
#pragma omp parallel for
  for (std::int64_t l = 0; l < cols; ++l) {
    std::vector<W> entries(static_cast<std::size_t>(block));
    for (std::int64_t k = 0; k < rows; k += block) {
      const std::int64_t j = a.layout.cols.global(l), i = a.layout.rows.global(k),
                         count = std::min(block, rows - k);
      if constexpr (is_complex<T>)
        hermitian_->column(j, i, count, entries.data());
      else
        formula_->column(j, i, count, entries.data());
      std::transform(entries.begin(), entries.begin() + count, &a(k, l),
                     [](W x) { return static_cast<T>(x); });
    }
  }
}

// Applies the rule of io::Triangle to a matrix whose two triangles are both stored.
template <class T>
void MatrixSource::settle(MPI_Comm comm, const LocalView<T>& a, MatrixFacts& facts) const {
  const io::Triangle triangle = how_.triangle;
  if (triangle == io::Triangle::lower || triangle == io::Triangle::upper) {
    facts.triangle = (triangle == io::Triangle::lower) != head_.transposed ? Uplo::lower : Uplo::upper;
    return;
  }
  Differences found;
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  std::int64_t place = none;
  std::array<T, 2> pair{};
  constexpr real_t<T> half_of = real_t<T>(0.5);
  const auto compare = [&](std::int64_t i, std::int64_t j, T lower, T upper) {
    if (i < j) return;
    const double half = std::abs(half_of * lower - half_of * upper);
    if (!std::isfinite(half)) {
      if (!is_finite(lower)) found.finite[0] = 0;
      if (i != j && !is_finite(upper)) found.finite[1] = 0;
      return;
    }
    found.largest_entry = std::max(
        {found.largest_entry, static_cast<double>(std::abs(lower)), static_cast<double>(std::abs(upper))});
    const std::int64_t here = j * head_.n + i;
    if (half > found.largest || (half == found.largest && half > 0 && here < place)) {
      found.largest = half;
      place = here;
      pair = {lower, io::mirrored(upper)};
    }
  };
  for_mirrored(a, [&](std::int64_t i, std::int64_t j, T& a_ij, T a_ji) { compare(i, j, a_ij, a_ji); });
  const double own = found.largest;
  MPI_Allreduce(MPI_IN_PLACE, &found.largest, 2, MPI_DOUBLE, MPI_MAX, comm);
  MPI_Allreduce(MPI_IN_PLACE, found.finite.data(), 2, MPI_INT, MPI_MIN, comm);
  const std::int64_t mine = own == found.largest ? place : none;
  MPI_Allreduce(&mine, &place, 1, MPI_INT64_T, MPI_MIN, comm);
  facts.asymmetry = 2 * found.largest;
  if (triangle == io::Triangle::symmetrize) {
    for_mirrored(a, [=](std::int64_t i, std::int64_t j, T& a_ij, T a_ji) {
      if (i >= j && a_ij != a_ji) a_ij = half_of * a_ij + half_of * a_ji;
    });
    return;
  }
  const double limit =
      static_cast<double>(head_.n) * std::numeric_limits<real_t<T>>::epsilon() * found.largest_entry;
  if (facts.asymmetry > limit) {
    if (mine != place) pair = {};
    MPI_Allreduce(MPI_IN_PLACE, pair.data(), 2, distributed::mpi_type<T>(), MPI_SUM, comm);
    if (head_.transposed) pair = {io::mirrored(pair[1]), io::mirrored(pair[0])};
    agree(comm, [&] {
      throw io::not_symmetric(options_.file, place % head_.n, place / head_.n, pair[0], pair[1], limit);
    });
  }
  facts.triangle = found.finite[0] && !found.finite[1] ? Uplo::upper : Uplo::lower;
}

io::FileError MatrixSource::not_finite(std::int64_t row, std::int64_t col, double value) const {
  return not_finite_in_file(options_.file, head_.transposed ? col : row, head_.transposed ? row : col, value);
}

#define EIGEN_G_FILL(T) template MatrixFacts MatrixSource::fill(MPI_Comm, const LocalView<T>&);
EIGEN_G_FOR_EACH(all_types, EIGEN_G_FILL)
#undef EIGEN_G_FILL

}  // namespace eigen_g::apps
