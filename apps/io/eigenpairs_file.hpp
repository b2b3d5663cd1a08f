// Reads eigenvalues and eigenvectors from files that this command or another program wrote: .npy, HDF5 datasets, Matrix Market
// arrays, plain text. open_input() opens them; the content decides the format.
#pragma once

#include <filesystem>
#include <vector>

#include "apps/io/npy.hpp"

namespace eigen_g::io {

// T is float or double. Plain text: numbers separated by blanks or line ends; a line that begins with % or # is a comment. If the
// file's name ends in .eig, the first number is the count of the values that follow. Throws FileError, also for a value beyond the range
// of T, and for values that are all below the normal numbers of T.
template <class T = double>
std::vector<T> read_values(const std::filesystem::path& path);

// Plain text: one matrix row a line. A complex number is two numbers: real part, imaginary part.
// Throws FileError (also for an element that T cannot hold) and OutOfMemory.
template <class T = double>
Dense<T> read_vectors(const std::filesystem::path& path, int threads = 0);

}  // namespace eigen_g::io
