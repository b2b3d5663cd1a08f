#include "apps/cli/sparse_input.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <variant>

#include "apps/cli/matrix_input.hpp"
#include "apps/io/eigenpairs_file.hpp"
#include "apps/io/input_file.hpp"
#include "apps/io/matrix_market_header.hpp"
#include "apps/io/npy.hpp"
#include "apps/io/number_table.hpp"
#include "apps/io/sparse_file.hpp"
#include "apps/io/stored_coordinates.hpp"
#include "apps/support/text.hpp"

namespace eigen_g::apps {

namespace {

// The dense matrix in compressed rows, without its zeros.
blas2::CrsMatrix<double> rows_of(const io::SymmetricMatrix& matrix) {
  const std::int64_t n = matrix.n;
  const auto at = [&](std::int64_t i, std::int64_t j) {
    const bool stored = matrix.uplo == Uplo::lower ? i >= j : i <= j;
    return stored ? matrix.data[i + j * matrix.lda] : matrix.data[j + i * matrix.lda];
  };
  std::int64_t nnz = 0;
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) nnz += at(i, j) != 0;
  blas2::CrsMatrix<double> rows(n, n, nnz);
  std::int64_t p = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      if (at(i, j) == 0) continue;
      rows.col[p] = static_cast<std::int32_t>(j);
      rows.value[p++] = at(i, j);
    }
    rows.row_offsets[i + 1] = p;
  }
  return rows;
}

// True if the file holds a vector of more than one element.
bool holds_vector(const std::shared_ptr<const io::MappedFile>& file) {
  if (io::has_market_banner(file->text())) {
    const io::MarketHeader header = io::read_market_header(*file);
    return !header.coordinate && header.cols == 1 && header.rows > 1;
  }
  if (file->path().extension() == ".txt" || file->path().extension() == ".csv") {
    try {
      const io::NumberTable table = io::read_number_table(*file, true, 1);
      return table.cols == 1 && table.rows > 1;
    } catch (const io::FileError&) {
      return false;  // reading it as a matrix gives the message
    }
  }
  if (!file->text().starts_with(io::npy_magic)) return false;
  const std::vector<std::int64_t> shape = io::map_npy(file).shape;
  return shape.size() == 1 || (shape.size() == 2 && shape[0] != shape[1] && (shape[0] == 1 || shape[1] == 1));
}

}  // namespace

FileInRows read_rows(const MatrixOptions& options, int threads, Progress& progress) {
  progress.at("read");
  const auto reading = [&] {
    try {
      return io::read_sparse_or_dense(options.file, read_options(options, threads, progress));
    } catch (const io::FileError& error) {
      if (error.reason().find("a real matrix is required") == std::string::npos) throw;
      throw io::FileError(error.path(), error.line(),
                          error.reason() + "; --lowest, --highest and --near solve real matrices only");
    }
  };
  auto read = reading();
  if (const auto* const dense = std::get_if<io::SymmetricMatrix>(&read)) {
    require_finite(options, *dense);
    return {rows_of(*dense), dense->format_name};
  }
  auto& sparse = std::get<io::SparseMatrix>(read);
  require_finite(options, sparse);
  return {std::move(sparse.a), std::move(sparse.format_name)};
}

bool is_real_in_rows(const GeneralisedOptions& b, const MatrixOptions& options, Progress& progress) {
  if (!b.wanted()) return true;
  MatrixOptions of_b = options;
  of_b.file = b.file;
  of_b.format = "auto";
  const auto file = io::open_input(b.file);
  const io::ReadOptions reading = read_options(of_b, 1, progress);
  return holds_vector(file) ||
         (io::holds_coordinates(*file, reading) && io::type_of(*file, reading) == io::ScalarType::d);
}

MassInRows read_mass(const GeneralisedOptions& b, const MatrixOptions& options, std::int64_t n, int threads,
                     Progress& progress) {
  MassInRows mass;
  if (!b.wanted()) return mass;
  mass.given = true;
  progress.at("read");
  if (holds_vector(io::open_input(b.file))) {
    mass.diagonal = io::read_values(b.file);
    const auto wrong = std::find_if_not(mass.diagonal.begin(), mass.diagonal.end(),
                                        [](double x) { return std::isfinite(x); });
    if (wrong != mass.diagonal.end())
      throw not_finite_in_file(b.file, wrong - mass.diagonal.begin(), 0, *wrong);
  } else {
    MatrixOptions of_b = options;
    of_b.file = b.file;
    of_b.format = "auto";  // the content of the file decides its format
    mass.matrix = read_rows(of_b, threads, progress);
  }
  const std::int64_t order =
      mass.diagonal.empty() ? mass.matrix.a.rows : static_cast<std::int64_t>(mass.diagonal.size());
  if (order != n)
    throw io::FileError(b.file, 0,
                        print("B has order %lld, but A has order %lld", static_cast<long long>(order),
                              static_cast<long long>(n)));
  return mass;
}

}  // namespace eigen_g::apps
