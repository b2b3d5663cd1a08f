#include "apps/distributed/matrix_source.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "apps/cli/matrix_input.hpp"
#include "apps/distributed/collective.hpp"
#include "apps/io/matrix_market_header.hpp"
#include "apps/io/stored_coordinates.hpp"
#include "apps/io/stored_matrix.hpp"
#include "apps/io/symmetry.hpp"
#include "solver/distributed/panels.hpp"

namespace eigen_g::apps {

namespace {

using distributed::Deal;
using distributed::LocalView;

// Where global index g is held locally; -1: by another process.
std::int64_t held(const Deal& deal, std::int64_t g) {
  return g / deal.block % deal.parts == deal.part ? deal.below(g) : -1;
}

void add(const LocalView& a, std::int64_t i, std::int64_t j, double value) {
  const std::int64_t k = held(a.layout.rows, i), l = held(a.layout.cols, j);
  if (k >= 0 && l >= 0) a(k, l) += value;
}

// Of finite pairs: the largest |a_ij - a_ji| / 2 and |a_ij|.
struct Differences {
  double largest = 0, largest_entry = 0;
  std::array<int, 2> finite{1, 1};  // of the lower triangle and of the upper one
};

}  // namespace

MatrixSource::MatrixSource(MPI_Comm comm, const MatrixOptions& options, const generate::Spec* spec,
                           int threads, Progress& progress)
    : options_(options), threads_(threads), progress_(progress) {
  agree(comm, [&] {
    how_ = read_options(options_, threads_, progress_);
    if (spec) {
      formula_.emplace(generate::formula_of(*spec));
      head_.n = spec->n;
      format_name_ = "made by a formula";
    } else if (rank_in(comm) == 0) {
      look();
    }
    if (head_.n > std::numeric_limits<int>::max())
      throw UsageError("n = " + std::to_string(head_.n) + " is beyond the 32-bit integers of the engines");
  });
  MPI_Bcast(&head_, sizeof head_, MPI_BYTE, 0, comm);
  broadcast(comm, format_name_);
}

void MatrixSource::look() {
  progress_.at("read");
  file_ = io::open_input(options_.file);
  if (io::holds_coordinates(*file_, how_)) {
    head_.kind = Kind::entries;
    const auto keep = [this](const io::StoredCoordinates& head) {
      head_.n = head.n;
      head_.full = !head.symmetric;
      format_name_ = head.format_name;
    };
    if (!io::has_market_banner(file_->text())) return io::read_coordinates(*file_, how_, keep, [](auto) {});
    const io::MarketHeader header = io::read_market_header(*file_);
    return keep({header.rows, {}, header.symmetric, header.description});
  }
  if (const io::ScalarType type = io::type_of(*file_, how_);
      type == io::ScalarType::c || type == io::ScalarType::z)
    throw io::FileError(file_->path(), 0, "is complex; several processes solve real matrices");
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
  matrix_ = io::read_matrix<double>(file_, how_);
  head_.kind = Kind::whole;
  head_.n = matrix_.n;
  head_.transposed = matrix_.transposed;
  head_.uplo = matrix_.uplo;
  head_.asymmetry = matrix_.asymmetry;
  format_name_ = matrix_.format_name;
}

io::NpyArray MatrixSource::array_of(std::shared_ptr<const io::MappedFile> file) const {
  const std::filesystem::path path = file->path();
  if (head_.format == io::Format::npy) {
    io::NpyArray array = io::map_npy(file);
    io::require_square(path, array.shape);
    return array;
  }
  const io::Stored<double> stored = io::read_raw<double>(std::move(file), how_);
  io::NpyArray array;
  array.shape = {stored.n, stored.n};
  array.fortran_order = true;
  array.descr = stored.format_name;
  array.count = stored.n * stored.n;
  array.bytes = reinterpret_cast<const std::byte*>(stored.data);
  array.owner = stored.owner;
  return array;
}

MatrixFacts MatrixSource::fill(MPI_Comm comm, const LocalView& a) {
  progress_.at("read");
  for (std::int64_t l = 0; l < a.layout.cols.count(); ++l) std::fill_n(&a(0, l), a.layout.rows.count(), 0.0);
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
  MatrixFacts facts{options_.file, format_name_, head_.n, head_.uplo, options_.symmetrize, head_.asymmetry};
  if (head_.full) settle(comm, a, facts);
  return facts;
}

void MatrixSource::read_blocks(MPI_Comm comm, const LocalView& a) {
  agree(comm, [&] {
    const auto file = file_ ? file_ : io::open_input(options_.file);
    const io::NpyArray array = array_of(file);
    const std::int64_t n = array.shape[0], block = a.layout.rows.block;
    if (n != head_.n)
      throw io::FileError(
          options_.file, 0,
          "has order " + std::to_string(n) + " here, and " + std::to_string(head_.n) + " on rank 0");
    const std::int64_t cols = a.layout.cols.count(), rows = a.layout.rows.count();
    for (std::int64_t l = 0; l < cols; ++l) {
      const std::int64_t j = a.layout.cols.global(l);
      for (std::int64_t k = 0; k < rows; k += block)
        array.convert(j * n + a.layout.rows.global(k), std::min(block, rows - k), &a(k, l));
      file->forget(array.bytes + j * n * array.element_bytes,
                   array.bytes + (j + 1) * n * array.element_bytes);
      if (l % block == 0) progress_.at("read", static_cast<double>(l) / static_cast<double>(cols));
    }
  });
}

void MatrixSource::receive_entries(MPI_Comm comm, const LocalView& a) {
  constexpr std::int64_t most = 1 << 16;  // entries a piece
  constexpr std::int64_t no_more = -1;
  const auto take = [&](std::span<const io::Coordinate> entries) {
    for (const io::Coordinate& e : entries) {
      add(a, e.row, e.col, e.value);
      if (!head_.full && e.row != e.col) add(a, e.col, e.row, e.value);
    }
  };
  const auto send = [&](const io::Coordinate* entries, std::int64_t count) {
    MPI_Bcast(&count, 1, MPI_INT64_T, 0, comm);
    if (count > 0)
      MPI_Bcast(const_cast<io::Coordinate*>(entries), static_cast<int>(count * sizeof(io::Coordinate)),
                MPI_BYTE, 0, comm);
  };
  std::exception_ptr failed;
  if (rank_in(comm) == 0) {
    try {
      io::read_coordinates(
          *file_, how_, [](const io::StoredCoordinates&) {},
          [&](std::span<const io::Coordinate> entries) {
            for (std::size_t at = 0; at < entries.size(); at += most) {
              const auto piece = entries.subspan(at, std::min<std::size_t>(most, entries.size() - at));
              send(piece.data(), static_cast<std::int64_t>(piece.size()));
              take(piece);
            }
          });
    } catch (...) {
      failed = std::current_exception();
    }
    send(nullptr, no_more);
  } else {
    std::vector<io::Coordinate> piece;
    for (;;) {
      std::int64_t count = 0;
      MPI_Bcast(&count, 1, MPI_INT64_T, 0, comm);
      if (count == no_more) break;
      piece.resize(static_cast<std::size_t>(count));
      MPI_Bcast(piece.data(), static_cast<int>(count * sizeof(io::Coordinate)), MPI_BYTE, 0, comm);
      take(piece);
    }
  }
  agree(comm, [&] {
    if (failed) std::rethrow_exception(failed);
  });
}

void MatrixSource::receive_columns(MPI_Comm comm, const LocalView& a) {
  const std::int64_t n = head_.n,
                     most = std::max<std::int64_t>(1, (std::int64_t{1} << 20) / std::max<std::int64_t>(1, n));
  std::vector<double> columns(static_cast<std::size_t>(n * std::min(n, most)));
  for (std::int64_t j0 = 0; j0 < n; j0 += most) {
    const std::int64_t count = std::min(most, n - j0);
    if (rank_in(comm) == 0)
      for (std::int64_t j = 0; j < count; ++j)
        std::copy_n(matrix_.data + (j0 + j) * matrix_.lda, n, columns.data() + j * n);
    MPI_Bcast(columns.data(), static_cast<int>(n * count), MPI_DOUBLE, 0, comm);
    for (std::int64_t l = a.layout.cols.below(j0); l < a.layout.cols.below(j0 + count); ++l)
      for (std::int64_t k = 0; k < a.layout.rows.count(); ++k)
        a(k, l) =
            columns[static_cast<std::size_t>((a.layout.cols.global(l) - j0) * n + a.layout.rows.global(k))];
  }
}

void MatrixSource::make_entries(const LocalView& a) const {
  const std::int64_t block = a.layout.rows.block, rows = a.layout.rows.count(), cols = a.layout.cols.count();
#pragma omp parallel for
  for (std::int64_t l = 0; l < cols; ++l)
    for (std::int64_t k = 0; k < rows; k += block)
      formula_->column(a.layout.cols.global(l), a.layout.rows.global(k), std::min(block, rows - k), &a(k, l));
}

// The rule of io::Triangle for a matrix of which both are stored.
void MatrixSource::settle(MPI_Comm comm, const LocalView& a, MatrixFacts& facts) const {
  const io::Triangle triangle = how_.triangle;
  if (triangle == io::Triangle::lower || triangle == io::Triangle::upper) {
    facts.triangle = (triangle == io::Triangle::lower) != head_.transposed ? Uplo::lower : Uplo::upper;
    return;
  }
  Differences found;
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  std::int64_t place = none;
  std::array<double, 2> pair{};
  const auto compare = [&](std::int64_t i, std::int64_t j, const double& lower, double upper) {
    if (i < j) return;
    const double half = std::fabs(0.5 * lower - 0.5 * upper);
    if (!std::isfinite(half)) {
      if (!std::isfinite(lower)) found.finite[0] = 0;
      if (i != j && !std::isfinite(upper)) found.finite[1] = 0;
      return;
    }
    found.largest_entry = std::max({found.largest_entry, std::fabs(lower), std::fabs(upper)});
    const std::int64_t here = j * head_.n + i;
    if (half > found.largest || (half == found.largest && half > 0 && here < place)) {
      found.largest = half;
      place = here;
      pair = {lower, upper};
    }
  };
  for_mirrored(a,
               [&](std::int64_t i, std::int64_t j, double& a_ij, double a_ji) { compare(i, j, a_ij, a_ji); });
  const double own = found.largest;
  MPI_Allreduce(MPI_IN_PLACE, &found.largest, 2, MPI_DOUBLE, MPI_MAX, comm);
  MPI_Allreduce(MPI_IN_PLACE, found.finite.data(), 2, MPI_INT, MPI_MIN, comm);
  const std::int64_t mine = own == found.largest ? place : none;
  MPI_Allreduce(&mine, &place, 1, MPI_INT64_T, MPI_MIN, comm);
  facts.asymmetry = 2 * found.largest;
  if (triangle == io::Triangle::symmetrize) {
    for_mirrored(a, [](std::int64_t i, std::int64_t j, double& a_ij, double a_ji) {
      if (i >= j && a_ij != a_ji) a_ij = 0.5 * a_ij + 0.5 * a_ji;
    });
    return;
  }
  const double limit =
      static_cast<double>(head_.n) * std::numeric_limits<double>::epsilon() * found.largest_entry;
  if (facts.asymmetry > limit) {
    if (mine != place) pair = {};
    MPI_Allreduce(MPI_IN_PLACE, pair.data(), 2, MPI_DOUBLE, MPI_SUM, comm);
    if (head_.transposed) std::swap(pair[0], pair[1]);
    agree(comm, [&] {
      throw io::not_symmetric(options_.file, place % head_.n, place / head_.n, pair[0], pair[1], limit);
    });
  }
  facts.triangle = found.finite[0] && !found.finite[1] ? Uplo::upper : Uplo::lower;
}

io::FileError MatrixSource::not_finite(std::int64_t row, std::int64_t col, double value) const {
  return not_finite_in_file(options_.file, head_.transposed ? col : row, head_.transposed ? row : col, value);
}

}  // namespace eigen_g::apps
