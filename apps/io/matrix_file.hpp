// read_matrix(): reads a symmetric or Hermitian matrix from a file of any format, ready for the solver.
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

// automatic decides in this order: the file's first bytes; raw, if ReadOptions::n is given; the ending of the name (.mtx or .mm, .npy,
// .csc, .dat, .csv, .raw or .bin); tridiagonal, if the first line that is not a comment holds one integer alone; text, if it holds
// numbers alone. text: one matrix row a line (number_table.hpp).
enum class Format { automatic, matrix_market, npy, raw, elsi_csc, tridiagonal, text };

// Treatment of a file that stores both triangles (Matrix Market general, .npy, raw, ELSI CSC, text).
//   automatic      compares both; refuses the file if max|a_ij - conj(a_ji)| > n eps max|a|, eps = 2^-52 (float: 2^-23)
//   lower, upper   takes that triangle and does not read the other one
//   symmetrize     takes (A + A^H) / 2
// If a file stores one triangle, that triangle is taken.
enum class Triangle { automatic, lower, upper, symmetrize };

struct ReadOptions {
  Format format = Format::automatic;
  Triangle triangle = Triangle::automatic;
  bool both_triangles =
      false;  // a symmetric or Hermitian Matrix Market file stores both triangles, as a general one does
  std::int64_t n = 0;  // raw: the order, 0: from the file's size. Other formats: 0, or the file's order
  int threads = 0;     // 0: loop_threads()
  std::function<void(double fraction)> progress;     // called from the calling thread; may throw to stop
  std::int64_t chunk_bytes = std::int64_t{1} << 20;  // approximate size of the pieces in which text is parsed
};

// Element (i, j) is data[i + j * lda]. Only the triangle `uplo` is valid; the other one may hold anything. T is float, double,
// std::complex<float> or std::complex<double>; the matrix is symmetric or Hermitian.
template <class T>
struct HermitianMatrix {
  std::int64_t n = 0;
  std::int64_t lda = 1;
  Uplo uplo = Uplo::lower;
  const T* data = nullptr;
  std::shared_ptr<const void> owner;  // keeps `data` alive: memory or the mapped file
  double asymmetry = 0;  // max|a_ij - conj(a_ji)| over finite pairs, if both triangles were compared
  // True: data is the transpose of the file's matrix. To name an entry of the file, swap its row and column.
  bool transposed = false;
  std::string format_name;  // "Matrix Market coordinate real symmetric", ".npy '<f8'", ...
};

using SymmetricMatrix = HermitianMatrix<double>;

// Type of the file's numbers. .npy, Matrix Market, ELSI CSC and save_npz's files say it (integers and patterns count as double, and
// the real or complex numbers of the last three as double or complex double); others are double.
// Throws the FileErrors of read_matrix().
ScalarType type_of(const MappedFile& file, const ReadOptions& options = {});

// Entries of another type than T are converted. An entry that T cannot hold (an imaginary part, or beyond the range of float) is
// refused, and so is a matrix whose largest entry is below the normal numbers of float. The entries of a raw file are of type T. A
// Hermitian Matrix Market file must have a diagonal that is real up to rounding.
// Memory: a raw file, or an .npy file of native Ts (complex: in Fortran order), is used in place; symmetrize needs n^2 entries then.
// All other files need n^2 entries, which are allocated before the body is read.
// All threads parse text. The result does not depend on their number: duplicates are summed in the file's order.
// NaN and infinity are accepted. A pair with one of them is not compared; then `uplo` names a triangle that holds it.
// Throws FileError (also for a folder and an empty, compressed or truncated file) and OutOfMemory.
template <class T = double>
HermitianMatrix<T> read_matrix(const std::filesystem::path& path, const ReadOptions& options = {});

}  // namespace eigen_g::io
