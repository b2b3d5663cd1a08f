// Reads the first lines of a Matrix Market file: banner, comments, size line.
// Source: math.nist.gov/MatrixMarket/formats.html.
#pragma once

#include <cstdint>
#include <string>

#include "apps/io/mapped_file.hpp"

namespace eigen_g::io {

enum class MarketField { real, integer, pattern, complex };

struct MarketHeader {
  bool coordinate = false;  // false: array
  MarketField field = MarketField::real;
  bool symmetric = false;  // one triangle is stored; false: general
  bool hermitian = false;  // `symmetric` is true too, and mirror images are conjugates
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t entries = 0;    // lines of the body
  std::int64_t size_line = 0;  // line number of the size line, from 1
  const char* body = nullptr;  // first byte after the size line
  std::string description;     // "Matrix Market coordinate real symmetric"
};

// True for "%%MatrixMarket" with one or two %, in upper or lower case, after any blanks.
bool has_market_banner(std::string_view text);

// Throws FileError: no banner; unknown words; a matrix that cannot be symmetric or Hermitian (skew-symmetric; symmetric but not
// square; hermitian but not complex); an invalid size line; a body that is too short for the announced entries.
// With both_triangles a symmetric or Hermitian file is read as a general one.
MarketHeader read_market_header(const MappedFile& file, bool both_triangles = false);

}  // namespace eigen_g::io
