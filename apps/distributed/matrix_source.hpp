// A real symmetric or complex Hermitian matrix on its way from a file, or a formula, to the processes that hold it in blocks:
//
//   .npy, raw, HDF5 datasets in one piece
//                     each process reads its own blocks by their offsets
//   sparse formats    rank 0 reads, and sends the entries in pieces; Matrix Market is parsed as it goes
//   a formula         each process makes its own entries
//   every other one   rank 0 reads it whole, as the plain command does, and sends columns
#pragma once

#include <mpi.h>

#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "apps/cli/common_options.hpp"
#include "apps/generate/formula.hpp"
#include "apps/io/input_file.hpp"
#include "apps/io/npy.hpp"
#include "solver/distributed/grid.hpp"

namespace eigen_g::apps {

class MatrixSource {
 public:
  // Collective. `spec` null: the file that the options name, of which only as much is read as tells its order. Throws AgreedFailure.
  MatrixSource(MPI_Comm comm, const MatrixOptions& options, const generate::Spec* spec, int threads,
               Progress& progress);

  std::int64_t n() const { return head_.n; }
  io::ScalarType type() const {
    return head_.type;
  }  // --type's, else the file's; of a formula double, or complex double
  bool is_in_place() const { return head_.kind == Kind::blocks; }  // the file's elements are the matrix
  // Collective over processes of the constructor's, its rank 0 the first of them. May be called again. a, n x n, gets at least the
  // triangle that the facts name. T is float, double or std::complex of one, and holds type()'s numbers. Throws AgreedFailure, also
  // for triangles that differ.
  template <class T>
  MatrixFacts fill(MPI_Comm comm, const distributed::LocalView<T>& a);
  // Of an entry in the rows and columns of `a`, in those of the file.
  io::FileError not_finite(std::int64_t row, std::int64_t col, double value) const;

 private:
  enum class Kind : std::int32_t { blocks, entries, whole, formula };
  struct Head {
    std::int64_t n = 0;
    Kind kind = Kind::formula;
    io::Format format = io::Format::automatic;
    io::ScalarType type = io::ScalarType::d;
    bool full = false;        // both triangles are stored
    bool transposed = false;  // `a` is A^H as the file has it
    Uplo uplo = Uplo::lower;  // of a matrix that is not full
    double asymmetry = 0;
  };
  void look();  // on rank 0
  io::NpyArray array_of(std::shared_ptr<const io::MappedFile> file) const;
  template <class T>
  void read_blocks(MPI_Comm comm, const distributed::LocalView<T>& a);
  template <class T>
  void receive_entries(MPI_Comm comm, const distributed::LocalView<T>& a);
  template <class T>
  void receive_columns(MPI_Comm comm, const distributed::LocalView<T>& a);
  template <class T>
  void make_entries(const distributed::LocalView<T>& a) const;
  template <class T>
  void settle(MPI_Comm comm, const distributed::LocalView<T>& a, MatrixFacts& facts) const;

  const MatrixOptions& options_;
  int threads_;
  Progress& progress_;
  Head head_;
  std::string format_name_;
  std::optional<generate::Formula> formula_;
  std::optional<generate::HermitianFormula> hermitian_;  // in place of formula_ where the type is complex
  io::ReadOptions how_;
  std::shared_ptr<const io::MappedFile> file_;  // on rank 0
  std::variant<io::HermitianMatrix<double>, io::HermitianMatrix<float>,
               io::HermitianMatrix<std::complex<double>>, io::HermitianMatrix<std::complex<float>>>
      matrix_;  // on rank 0, of Kind::whole
};

}  // namespace eigen_g::apps
