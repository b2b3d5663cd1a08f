// MatrixSource: distributes a real symmetric or complex Hermitian matrix, from a file or a formula, over the processes that hold its
// blocks:
//
//   .npy, raw, contiguous HDF5 datasets   each process reads its own blocks by their offsets
//   sparse formats                        rank 0 reads and sends the entries in pieces; Matrix Market is parsed piece by piece
//   a formula                             each process computes its own entries
//   other formats                         rank 0 reads the whole matrix, as eigen_g does, and sends columns
#pragma once

#include <mpi.h>

#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "apps/cli/matrix_options.hpp"
#include "apps/generate/formula.hpp"
#include "apps/io/input_file.hpp"
#include "apps/io/npy.hpp"
#include "solver/distributed/grid.hpp"

namespace eigen_g::apps {

class MatrixSource {
 public:
  // Collective. spec null: the file that the options name; only the part that gives its order is read. Throws AgreedFailure.
  MatrixSource(MPI_Comm comm, const MatrixOptions& options, const generate::Spec* spec, int threads,
               Progress& progress);

  std::int64_t n() const { return head_.n; }
  // The type of --type, else the file's; for a formula double, or complex double for a Hermitian kind.
  io::ScalarType type() const { return head_.type; }
  // True if each process reads its blocks directly from the file's elements.
  bool is_in_place() const { return head_.kind == Kind::blocks; }
  // Collective over `comm`, whose processes are among the constructor's and whose rank 0 is the constructor's rank 0. May be called
  // again. Sets at least the triangle of a (n x n) that the returned facts name. T is float, double, std::complex<float> or
  // std::complex<double>, and holds the numbers of type(). Throws AgreedFailure, also if the two triangles differ.
  template <class T>
  MatrixFacts fill(MPI_Comm comm, const distributed::LocalView<T>& a);
  // Returns the error for an entry that is NaN or infinite. row and col count in `a`; the message has the row and column of the file.
  io::FileError not_finite(std::int64_t row, std::int64_t col, double value) const;

 private:
  enum class Kind : std::int32_t { blocks, entries, whole, formula };
  struct Head {
    std::int64_t n = 0;
    Kind kind = Kind::formula;
    io::Format format = io::Format::automatic;
    io::ScalarType type = io::ScalarType::d;
    bool full = false;        // both triangles are stored
    bool transposed = false;  // `a` is the adjoint of the file's matrix
    Uplo uplo = Uplo::lower;  // triangle of a matrix that is not full
    double asymmetry = 0;
  };
  void look();  // on rank 0
  io::NpyArray array_of(std::shared_ptr<const io::MappedFile> file) const;
  template <class T>
  void require_digits(MPI_Comm comm, const distributed::LocalView<T>& a);
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
  std::optional<generate::HermitianFormula> hermitian_;  // used instead of formula_ if the type is complex
  io::ReadOptions how_;
  std::shared_ptr<const io::MappedFile> file_;  // on rank 0 only
  std::variant<io::HermitianMatrix<double>, io::HermitianMatrix<float>,
               io::HermitianMatrix<std::complex<double>>, io::HermitianMatrix<std::complex<float>>>
      matrix_;  // on rank 0 only, for Kind::whole
};

}  // namespace eigen_g::apps
