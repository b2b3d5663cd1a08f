// The header of a .npy file: a Python dict literal with the keys descr, fortran_order and shape, in any order.
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

// Parses the literal. Returns the reason of a refusal, empty where there is none.
std::string parse_npy_header(std::string_view literal, NpyHeader& header);

// The header at the beginning of a file's text; `begin`: where the elements follow. Returns the reason of a refusal: no magic, an
// unknown version, a header that is cut or that parse_npy_header() refuses.
std::string read_npy_header(std::string_view text, NpyHeader& header, std::size_t& begin);

// The header of a version 1 file with its magic and length, padded so that the elements begin on a multiple of 64.
std::string format_npy_header(const std::vector<std::int64_t>& shape, std::string_view descr);

}  // namespace eigen_g::io
