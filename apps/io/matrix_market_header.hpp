// The first lines of a Matrix Market file: banner, comments, size line.
// Source: math.nist.gov/MatrixMarket/formats.html.
#pragma once

#include <cstdint>
#include <string>

#include "apps/io/mapped_file.hpp"

namespace eigen_g::io {

enum class MarketField { real, integer, pattern, complex };

struct MarketHeader {
  bool coordinate = false;  // else array
  MarketField field = MarketField::real;
  bool symmetric = false;  // one triangle is stored; else general
  bool hermitian = false;  // whose mirror image is conjugated
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t entries = 0;    // lines of the body
  std::int64_t size_line = 0;  // number of the size line
  const char* body = nullptr;  // behind it
  std::string description;     // "Matrix Market coordinate real symmetric"
};

// "%%MatrixMarket", also with one %, in any case, after blanks.
bool has_market_banner(std::string_view text);

// Throws FileError: no banner, unknown words, a matrix that cannot be symmetric or Hermitian (skew-symmetric, symmetric and not
// square, hermitian and not complex), a bad size line, a body too short for its entries.
MarketHeader read_market_header(const MappedFile& file);

}  // namespace eigen_g::io
