// Options that describe the matrix to read, and the open matrix.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "apps/cli/report.hpp"
#include "apps/io/hdf5_file.hpp"
#include "apps/io/matrix_file.hpp"
#include "apps/support/progress.hpp"
#include "hybrid/error.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace eigen_g::apps {

// The matrix to read: MATRIX, --input-format, --n, --uplo, --symmetrize, --both-triangles, --type.
struct MatrixOptions {
  std::string file;
  std::string format = "auto";
  std::int64_t n = 0;
  std::string uplo;  // "": compare both triangles
  bool symmetrize = false;
  bool both_triangles = false;
  std::string type;  // "s", "d", "c", "z"; "": the file's type
};
// Returns the option MATRIX, which is required.
CLI::Option* add_matrix_options(CLI::App& command, MatrixOptions& options);
// The open file MATRIX, and the type in which it is read: that of --type, else the file's.
struct OpenMatrix {
  std::shared_ptr<const io::MappedFile> file;
  io::ScalarType type = io::ScalarType::d;
};
// square_matrices: the file may hold a stack of matrices.
OpenMatrix open_matrix(const MatrixOptions& options, Progress& progress,
                       io::DatasetShape wanted = io::DatasetShape::square_matrix);
template <class T>
io::HermitianMatrix<T> read(const MatrixOptions& options, const OpenMatrix& opened, int threads,
                            Progress& progress);
template <class T>
MatrixFacts facts_of(const MatrixOptions& options, const io::HermitianMatrix<T>& matrix);

// Refuses options that describe a file if `in_place` (--grid, --generate) names a matrix without a file. --input-format is always
// refused. --n, --uplo, --symmetrize and --both-triangles are allowed with has_b, because they also describe the file of --b. Throws UsageError.
void require_no_file(const MatrixOptions& options, const char* in_place, bool has_b = false);

// The error for an entry that is NaN or infinite. It names row and column as the file has them, not as the solver stores them.
template <class T>
io::FileError named_in_file(const NonFiniteEntry& entry, const MatrixOptions& options,
                            const io::HermitianMatrix<T>& matrix);
// Throws that error for the first entry of the triangle that is NaN or infinite.
template <class T>
void require_finite(const MatrixOptions& options, const io::HermitianMatrix<T>& matrix);

}  // namespace eigen_g::apps
