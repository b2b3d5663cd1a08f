// Reads a stack: matrices of one shape in one array (..., rows, cols), from an .npy file, an .npz or an HDF5 dataset. The order of the
// matrices is that of NumPy: the last of the leading dimensions runs fastest.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "apps/io/matrix_file.hpp"

namespace eigen_g::io {

// True if the open file holds an array of three or more dimensions. Throws the FileErrors of read_matrix().
bool is_stack(const std::shared_ptr<const MappedFile>& file, const ReadOptions& options);

// "FILE[3]", "FILE[1, 3]": the name of matrix k of a stack in messages, with NumPy's index.
std::string name_in_stack(const std::filesystem::path& path, const std::vector<std::int64_t>& leading,
                          std::int64_t k);

// Element (i, j) of matrix k is data[i + j * rows + k * rows * cols]. T is float, double, std::complex<float> or std::complex<double>.
template <class T>
struct DenseStack {
  std::vector<std::int64_t> leading;  // the dimensions before the last two
  std::int64_t count = 0, rows = 0, cols = 0;
  const T* data = nullptr;
  std::shared_ptr<T> writable;        // owns `data` if it is memory; null: mapped
  std::shared_ptr<const void> owner;  // keeps `data` alive
  bool transposed = false;            // data has the transposes of the file's matrices
  std::string format_name;
};
// values: the array is (..., rows) and each matrix one column. Throws FileError (also for an element that T cannot hold) and OutOfMemory.
template <class T>
DenseStack<T> read_dense_stack(const std::filesystem::path& path, bool values, int threads);

// Symmetric or Hermitian matrices of order n. Element (i, j) of matrix k is data[i + j * n + k * n * n]; only the triangle `uplo` is valid.
template <class T>
struct HermitianStack {
  std::vector<std::int64_t> leading;
  std::int64_t count = 0, n = 0;
  Uplo uplo = Uplo::lower;
  const T* data = nullptr;
  std::shared_ptr<const void> owner;
  double asymmetry = 0;  // the largest of HermitianMatrix::asymmetry
  std::string format_name;
};
// read_matrix() for a stack. A real array in C order that holds Ts is used in place. A matrix with a NaN or an infinity keeps it in the
// triangle `uplo`. Throws FileError, which names the matrix, and OutOfMemory.
template <class T>
HermitianStack<T> read_stack(const std::shared_ptr<const MappedFile>& file, const ReadOptions& options);

}  // namespace eigen_g::io
