// The members of a zip archive, stored or deflated, also beyond 4 GiB (zip64).
// Source: PKWARE, APPNOTE 6.3.10, sections 4.3 and 4.5.3.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apps/io/mapped_file.hpp"

namespace eigen_g::io {

struct ZipMember {
  std::string name;
  int method = 0;  // 0: stored, 8: deflated
  std::uint32_t crc = 0;
  std::int64_t packed = 0, size = 0;  // bytes in the file, and unpacked
  std::int64_t header_at = 0;         // of the local header
};

// From the directory at the archive's end. Throws FileError: none, cut, several volumes, an offset beyond the file.
std::vector<ZipMember> zip_members(const MappedFile& file);

// A member's bytes, in place where it is stored. Throws FileError: encrypted, another method than deflate, a checksum or a
// length that does not fit, a deflated one in a build without zlib; OutOfMemory.
struct ZipContent {
  std::string_view text;
  std::shared_ptr<const void> owner;  // null: the mapped file
};
ZipContent unpacked(const MappedFile& file, const ZipMember& member);

}  // namespace eigen_g::io
