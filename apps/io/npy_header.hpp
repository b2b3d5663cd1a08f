// Reads and writes the header of an .npy file: a Python dict literal with the keys descr, fortran_order and shape, in any order.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace eigen_g::io {

inline constexpr std::string_view npy_magic = "\x93NUMPY";

struct NpyHeader {
  std::string descr;
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
};

// Parses the dict literal. Returns the reason of a refusal, or an empty text.
std::string parse_npy_header(std::string_view literal, NpyHeader& header);

// Reads the header at the beginning of a file's text; `begin` becomes the offset of the elements. Returns the reason of a refusal or
// an empty text. Reasons: no magic string, an unknown version, a truncated header, and the reasons of parse_npy_header().
std::string read_npy_header(std::string_view text, NpyHeader& header, std::size_t& begin);

// Header of a version 1 file, with magic string and length, padded so that the elements begin at a multiple of 64 bytes.
std::string format_npy_header(const std::vector<std::int64_t>& shape, std::string_view descr,
                              bool fortran_order = true);

}  // namespace eigen_g::io
