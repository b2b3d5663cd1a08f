// Eigenvalues and eigenvectors back from files that this command or another program wrote: .npy, HDF5 datasets, Matrix
// Market array, plain text, as open_input() has them; the format is taken from the content.
#pragma once

#include <filesystem>
#include <vector>

#include "apps/io/npy.hpp"

namespace eigen_g::io {

// T is float or double. Plain text: numbers separated by blanks or line ends; lines that begin with % or # are comments. A file
// whose name ends in .eig begins with the number of values. Throws FileError.
template <class T = double>
std::vector<T> read_values(const std::filesystem::path& path);

// Plain text: a row of the matrix a line; of complex T a number is two, real and imaginary part. Throws FileError, also for an element
// that T does not hold, OutOfMemory.
template <class T = double>
Dense<T> read_vectors(const std::filesystem::path& path, int threads = 0);

}  // namespace eigen_g::io
