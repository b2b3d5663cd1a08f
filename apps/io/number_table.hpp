// Reads tables of numbers from plain text: eigenpairs and dense matrices.
//
// A line has numbers with blanks, commas or semicolons between them. A line that begins with % or # is a comment. A byte order mark of UTF-8 before the
// first line is passed, because spreadsheets write it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

#include "apps/io/mapped_file.hpp"
#include "apps/io/npy.hpp"

namespace eigen_g::io {

struct NumberTable {
  std::int64_t rows = 0, cols = 0;
  std::vector<double> values;  // row by row
};

// even: all lines must hold the same number of numbers. Throws FileError, also if there is no number.
NumberTable read_number_table(const MappedFile& file, bool even, int threads,
                              const std::function<void(double)>& progress = {});

// The text without a byte order mark.
std::string_view without_mark(std::string_view text);

// Number of numbers on the first line that has any; 0: that line is not of numbers alone.
std::int64_t numbers_on_first_line(std::string_view text);

// The table as a matrix of Ts. A complex number is two numbers of the table: real part, imaginary part. Throws FileError for an element
// that T cannot hold, and OutOfMemory.
template <class T>
Dense<T> dense_of(const std::filesystem::path& path, const NumberTable& table);

}  // namespace eigen_g::io
