// A symmetric or Hermitian matrix from a file of any format, ready for the solver.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "apps/io/file_error.hpp"
#include "apps/io/scalar_type.hpp"
#include "hybrid/uplo.hpp"

namespace eigen_g::io {

class MappedFile;

// automatic: by the file's first bytes, then by its name's ending (.mtx, .npy, .raw or .bin, .csc, .dat); a
// file that neither identifies is raw when ReadOptions::n is given.
enum class Format { automatic, matrix_market, npy, raw, elsi_csc, tridiagonal };

// What becomes of a file that stores both triangles (Matrix Market general, .npy, raw, ELSI CSC).
//   automatic      both are compared; refused when max|a_ij - conj(a_ji)| > n eps max|a|, eps = 2^-52, of float 2^-23
//   lower, upper   that triangle is taken, the other one is not looked at
//   symmetrize     (A + A^H) / 2
// A file that stores one triangle is taken as it is.
enum class Triangle { automatic, lower, upper, symmetrize };

struct ReadOptions {
  Format format = Format::automatic;
  Triangle triangle = Triangle::automatic;
  std::int64_t n = 0;  // raw: the order; 0: from the file's size. Of another file: 0, or its order
  int threads = 0;     // 0: as many as OpenMP takes by itself
  std::function<void(double fraction)> progress;     // called from the calling thread; may throw to abandon
  std::int64_t chunk_bytes = std::int64_t{1} << 20;  // text is parsed in pieces of about this size
};

// Element (i, j) is data[i + j * lda], valid in the triangle `uplo`; the other triangle may hold anything. T is float, double or
// std::complex of one; symmetric or Hermitian.
template <class T>
struct HermitianMatrix {
  std::int64_t n = 0;
  std::int64_t lda = 1;
  Uplo uplo = Uplo::lower;
  const T* data = nullptr;
  std::shared_ptr<const void> owner;  // of data: memory or the mapped file
  double asymmetry = 0;  // max|a_ij - conj(a_ji)| over the finite pairs, where both triangles were compared
  bool transposed =
      false;  // data is A^T as the file has it: swap row and column to name an entry of the file
  std::string format_name;  // "Matrix Market coordinate real symmetric", ".npy '<f8'", ...
};

using SymmetricMatrix = HermitianMatrix<double>;

// The type that the file's numbers have: of .npy and Matrix Market files as they say (integers and patterns are double), of others
// double. Throws FileError as read_matrix().
ScalarType type_of(const MappedFile& file, const ReadOptions& options = {});

// Entries that are of another type than T are converted; one that T does not hold (an imaginary part, beyond the range of float) is
// refused. A raw file's are Ts. On the diagonal of a Hermitian Matrix Market file imaginary parts are refused.
// Memory: a mapped .npy file of native Ts (of complex ones in Fortran order) or raw file is used in place (n^2 entries more with
// symmetrize); every other one takes n^2 entries, asked for before the body is read. Text is parsed by all threads; the result does not depend on their number: duplicates are summed in the file's order. NaN and
// infinity pass; a pair with such a member is not compared, and `uplo` names a triangle that holds it. Throws
// FileError (also for a folder, an empty, a compressed, a truncated file), OutOfMemory.
template <class T = double>
HermitianMatrix<T> read_matrix(const std::filesystem::path& path, const ReadOptions& options = {});

}  // namespace eigen_g::io
