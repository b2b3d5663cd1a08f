#include "apps/cli/matrix_options.hpp"
#include "apps/support/run_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <iostream>
#include <utility>

#include "apps/cli/matrix_input.hpp"
#include "apps/io/input_file.hpp"
#include "apps/support/exit_codes.hpp"
#include "apps/support/help.hpp"
#include "apps/support/text.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/machine/device.hpp"
#include "solver/prepare/check_input.hpp"

namespace eigen_g::apps {

namespace {

constexpr std::array<std::pair<const char*, io::Format>, 8> formats{{{"auto", io::Format::automatic},
                                                                     {"mtx", io::Format::matrix_market},
                                                                     {"npy", io::Format::npy},
                                                                     {"raw", io::Format::raw},
                                                                     {"elsi", io::Format::elsi_csc},
                                                                     {"dat", io::Format::tridiagonal},
                                                                     {"csv", io::Format::text},
                                                                     {"txt", io::Format::text}}};

io::Format format_named(const std::string& name) {
  for (const auto& [known, format] : formats)
    if (name == known) return format;
  throw UsageError("--input-format: unknown format " + name);
}

// The error names the entry below the diagonal if that one is not finite, as the dense solver does; otherwise its mirror image.
io::FileError named_in_file(const NonFiniteEntry& entry, const std::string& file,
                            const blas2::CrsView<double>& a) {
  const auto at = [&](std::int64_t i, std::int64_t j) {
    const std::int32_t* const end = a.col + a.row_offsets[i + 1];
    const std::int32_t* const found = std::lower_bound(a.col + a.row_offsets[i], end, j);
    return found != end && *found == j ? a.value[found - a.col] : 0.0;
  };
  const std::int64_t low = std::max(entry.row(), entry.col()), high = std::min(entry.row(), entry.col());
  const bool below = !std::isfinite(at(low, high));
  return not_finite_in_file(file, below ? low : high, below ? high : low,
                            below ? at(low, high) : at(high, low));
}

}  // namespace

io::FileError not_finite_in_file(const std::string& file, std::int64_t row, std::int64_t col, double value) {
  return io::FileError(file, 0,
                       print("entry (%lld, %lld) is %s", static_cast<long long>(row) + 1,
                             static_cast<long long>(col) + 1, std::isnan(value) ? "NaN" : "infinite"));
}

CLI::Option* add_matrix_options(CLI::App& command, MatrixOptions& options) {
  std::vector<std::string> names;
  for (const auto& [name, format] : formats) names.emplace_back(name);
  begin_group(command, "Matrix");
  CLI::Option* const file =
      command
          .add_option("MATRIX", options.file,
                      "Matrix Market, .npy, HDF5 (FILE:/NAME names a dataset), CSV, plain "
                      "text, raw doubles, ELSI CSC or tridiagonal .dat file")
          ->required()
          ->option_text("FILE");
  command.add_option("--input-format", options.format, "auto (default), mtx, npy, csv, txt, raw, elsi, dat")
      ->check(CLI::IsMember(names))
      ->option_text("FORMAT");
  command
      .add_option("--n", options.n,
                  "Order of a raw matrix (default: from the file's size); for other formats it must be the "
                  "file's order")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}))
      ->option_text("N");
  CLI::Option* uplo = command
                          .add_option("--uplo", options.uplo,
                                      "Read this triangle and ignore the other one (default: compare both)")
                          ->transform(CLI::IsMember({"L", "U"}, CLI::ignore_case))
                          ->option_text("L|U");
  command
      .add_flag("--symmetrize", options.symmetrize,
                "Use (A + A^H) / 2 of an unsymmetric matrix; not with --uplo")
      ->excludes(uplo);
  command.add_flag(
      "--both-triangles", options.both_triangles,
      "A symmetric or Hermitian Matrix Market file stores both triangles: read it as a general one");
  command
      .add_option("--type", options.type,
                  "s, d, c, z: float, double, complex float, complex double (default: the file's type); the "
                  "type of the numbers of a raw file")
      ->check(CLI::IsMember({"s", "d", "c", "z"}))
      ->option_text("TYPE");
  return file;
}

io::ReadOptions read_options(const MatrixOptions& options, int threads, Progress& progress) {
  io::ReadOptions how;
  how.format = format_named(options.format);
  how.triangle = options.symmetrize    ? io::Triangle::symmetrize
                 : options.uplo == "L" ? io::Triangle::lower
                 : options.uplo == "U" ? io::Triangle::upper
                                       : io::Triangle::automatic;
  how.both_triangles = options.both_triangles;
  how.n = options.n;
  how.threads = threads;
  how.progress = [&progress](double fraction) { progress.at("read", fraction); };
  return how;
}

void require_no_file(const MatrixOptions& options, const char* in_place, bool has_b) {
  const std::pair<bool, const char*> others[] = {{options.format != MatrixOptions().format, "--input-format"},
                                                 {options.n != 0 && !has_b, "--n"},
                                                 {!options.uplo.empty() && !has_b, "--uplo"},
                                                 {options.symmetrize && !has_b, "--symmetrize"},
                                                 {options.both_triangles && !has_b, "--both-triangles"}};
  for (const auto& [given, option] : others)
    if (given) throw UsageError(std::string(option) + " does not apply to " + in_place);
}

OpenMatrix open_matrix(const MatrixOptions& options, Progress& progress, io::DatasetShape wanted) {
  progress.at("read");
  OpenMatrix opened{io::open_input(options.file, wanted), {}};
  const io::ScalarType of_file = io::type_of(*opened.file, read_options(options, 1, progress));
  opened.type = io::scalar_type_of(options.type).value_or(of_file);
  return opened;
}

template <class T>
io::HermitianMatrix<T> read(const MatrixOptions& options, const OpenMatrix& opened, int threads,
                            Progress& progress) {
  progress.at("read");
  return io::read_matrix<T>(opened.file, read_options(options, threads, progress));
}

template <class T>
MatrixFacts facts_of(const MatrixOptions& options, const io::HermitianMatrix<T>& matrix) {
  return {options.file,       matrix.format_name, matrix.n,          matrix.uplo,
          options.symmetrize, matrix.asymmetry,   io::scalar_type<T>};
}

template <class T>
io::FileError named_in_file(const NonFiniteEntry& entry, const MatrixOptions& options,
                            const io::HermitianMatrix<T>& matrix) {
  const T found = matrix.data[entry.row() + entry.col() * matrix.lda];
  const double value = std::isfinite(std::real(found)) ? std::imag(found) : std::real(found);
  const auto row = matrix.transposed ? entry.col() : entry.row();
  const auto col = matrix.transposed ? entry.row() : entry.col();
  return not_finite_in_file(options.file, row, col, value);
}

template <class T>
void require_finite(const MatrixOptions& options, const io::HermitianMatrix<T>& matrix) {
  try {
    check_input(matrix.uplo, MatrixView<const T>{matrix.data, matrix.n, matrix.n, matrix.lda});
  } catch (const NonFiniteEntry& entry) {
    throw named_in_file(entry, options, matrix);
  }
}

void require_finite(const MatrixOptions& options, const io::SparseMatrix& matrix) {
  try {
    blas2::check_crs(matrix.a.view());
  } catch (const NonFiniteEntry& entry) {
    throw named_in_file(entry, options.file, matrix.a.view());
  }
}

EIGEN_G_INSTANTIATE(all_types, read, facts_of, named_in_file);
EIGEN_G_INSTANTIATE_OVERLOAD(all_types, require_finite,
                             void(const MatrixOptions&, const io::HermitianMatrix<T>&));

}  // namespace eigen_g::apps
