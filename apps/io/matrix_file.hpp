// A symmetric matrix from a file of any format, ready for the solver.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "apps/io/file_error.hpp"
#include "hybrid/uplo.hpp"

namespace eigen_g::io {

// automatic: by the file's first bytes, then by its name's ending (.mtx, .npy, .raw or .bin, .csc, .dat); a
// file that neither identifies is raw when ReadOptions::n is given.
enum class Format { automatic, matrix_market, npy, raw, elsi_csc, tridiagonal };

// What becomes of a file that stores both triangles (Matrix Market general, .npy, raw, ELSI CSC).
//   automatic      both are compared; refused when max|a_ij - a_ji| > n eps max|a|, eps = 2^-52
//   lower, upper   that triangle is taken, the other one is not looked at
//   symmetrize     (A + A^T) / 2
// A file that stores one triangle is taken as it is.
enum class Triangle { automatic, lower, upper, symmetrize };

struct ReadOptions {
  Format format = Format::automatic;
  Triangle triangle = Triangle::automatic;
  std::int64_t n = 0;                                // raw: the order; 0: from the file's size
  int threads = 0;                                   // 0: as many as OpenMP takes by itself
  std::function<void(double fraction)> progress;     // called from the calling thread; may throw to abandon
  std::int64_t chunk_bytes = std::int64_t{1} << 20;  // text is parsed in pieces of about this size
};

// Element (i, j) is data[i + j * lda], valid in the triangle `uplo`; the other triangle may hold anything.
struct SymmetricMatrix {
  std::int64_t n = 0;
  std::int64_t lda = 1;
  Uplo uplo = Uplo::lower;
  const double* data = nullptr;
  std::shared_ptr<const void> owner;  // of data: memory or the mapped file
  double asymmetry = 0;  // max|a_ij - a_ji| over the finite pairs, where both triangles were compared
  bool transposed =
      false;  // data is A^T as the file has it: swap row and column to name an entry of the file
  std::string format_name;  // "Matrix Market coordinate real symmetric", ".npy '<f8'", ...
};

// Memory: a mapped .npy file of native doubles or raw file is used in place (n^2 doubles more with
// symmetrize); every other one takes n^2 doubles, asked for before the body is read. Text is parsed by all
// threads; the result does not depend on their number: duplicates are summed in the file's order. NaN and
// infinity pass; a pair with such a member is not compared, and `uplo` names a triangle that holds it. Throws
// FileError (also for a folder, an empty, a compressed, a truncated file), OutOfMemory.
SymmetricMatrix read_matrix(const std::filesystem::path& path, const ReadOptions& options = {});

}  // namespace eigen_g::io
