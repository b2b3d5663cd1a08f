// Reads the members of a zip archive, stored or deflated, also beyond 4 GiB (zip64).
// Source: PKWARE, APPNOTE 6.3.10, sections 4.3 and 4.5.3.
#pragma once

#include <cstdint>
#include <limits>
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
  std::int64_t packed = 0, size = 0;  // bytes in the archive; bytes unpacked
  std::int64_t header_at = 0;         // offset of the local header
};

// Reads the directory at the archive's end. Throws FileError: no directory, a truncated one, several volumes, an offset beyond the
// file.
std::vector<ZipMember> zip_members(const MappedFile& file);

// The bytes of a member, in place if it is stored; the first `most` bytes only, if it has more. The checksum is compared if all bytes
// are unpacked. Throws FileError: encrypted, a method other than deflate, a wrong checksum or
// length, a deflated member in a build without zlib. Throws OutOfMemory.
struct ZipContent {
  std::string_view text;
  std::shared_ptr<const void> owner;  // null: the text is in the mapped file
};
ZipContent unpacked(const MappedFile& file, const ZipMember& member,
                    std::int64_t most = std::numeric_limits<std::int64_t>::max());

}  // namespace eigen_g::io
