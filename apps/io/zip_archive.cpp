#include "apps/io/zip_archive.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "hybrid/machine/cpu.hpp"

#ifdef EIGEN_G_HAVE_ZLIB
#include <zlib.h>
#endif

namespace eigen_g::io {

namespace {

// Reads little-endian numbers of an archive; checks each against the archive's end.
class ZipBytes {
 public:
  explicit ZipBytes(const MappedFile& file) : file_(file) {}
  [[noreturn]] void refuse(const std::string& reason) const { throw FileError(file_.path(), 0, reason); }
  std::uint64_t number(std::int64_t at, int bytes) const {
    if (at < 0 || at > file_.size() - bytes) refuse("is a zip archive with an offset beyond its end");
    std::uint64_t value = 0;
    for (int i = bytes - 1; i >= 0; --i)
      value = value << 8 | std::to_integer<std::uint64_t>(file_.bytes()[at + i]);
    return value;
  }
  std::int64_t offset(std::int64_t at, int bytes) const {
    const std::uint64_t value = number(at, bytes);
    if (value > static_cast<std::uint64_t>(file_.size()))
      refuse("is a zip archive with an offset beyond its end");
    return static_cast<std::int64_t>(value);
  }
  std::string text(std::int64_t at, std::int64_t bytes) const {
    if (at < 0 || bytes > file_.size() - at) refuse("is a zip archive with a name beyond its end");
    return std::string(file_.text().substr(static_cast<std::size_t>(at), static_cast<std::size_t>(bytes)));
  }

 private:
  const MappedFile& file_;
};

constexpr std::uint32_t local_header = 0x04034b50, directory_entry = 0x02014b50, directory_end = 0x06054b50,
                        directory_end_64 = 0x06064b50, locator_64 = 0x07064b50;
// The number does not fit into 32 bits; it is in the zip64 extra field.
constexpr std::uint64_t in_extra_field = 0xffffffff;
constexpr std::int64_t end_bytes = 22, locator_bytes = 20, entry_bytes = 46, local_bytes = 30;

std::int64_t find_directory_end(const MappedFile& file, const ZipBytes& bytes) {
  // A comment of up to 65535 bytes may follow the directory's end.
  const std::int64_t farthest = std::max<std::int64_t>(0, file.size() - end_bytes - 65535);
  for (std::int64_t at = file.size() - end_bytes; at >= farthest; --at)
    if (bytes.number(at, 4) == directory_end) return at;
  bytes.refuse("is a truncated zip archive: its directory is missing");
}

// Reads the zip64 extra field: sizes and header offset, in this order, only the values that did not fit into 32 bits.
void read_extra_field(const ZipBytes& bytes, std::int64_t at, std::int64_t end,
                      std::array<std::uint64_t*, 3> numbers) {
  while (at + 4 <= end) {
    const std::uint64_t id = bytes.number(at, 2);
    const auto length = static_cast<std::int64_t>(bytes.number(at + 2, 2));
    if (id == 1) {
      std::int64_t from = at + 4;
      for (std::uint64_t* number : numbers)
        if (*number == in_extra_field) {
          if (from + 8 > at + 4 + length) bytes.refuse("is a zip archive with a truncated zip64 field");
          *number = bytes.number(from, 8);
          from += 8;
        }
      return;
    }
    at += 4 + length;
  }
}

#ifdef EIGEN_G_HAVE_ZLIB
// Unpacks the first `size` bytes of a member.
void inflate_into(const ZipBytes& bytes, const ZipMember& member, const std::byte* packed, std::byte* out,
                  std::int64_t size) {
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
    bytes.refuse("member " + member.name + ": zlib cannot begin");
  constexpr std::int64_t piece = std::int64_t{1} << 30;  // zlib counts bytes in 32 bits
  std::int64_t taken = 0, given = 0;
  int status = Z_OK;
  while (status == Z_OK && (given < size || size == member.size)) {
    const std::int64_t in = std::min(piece, member.packed - taken), room = std::min(piece, size - given);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed + taken));
    stream.avail_in = static_cast<uInt>(in);
    stream.next_out = reinterpret_cast<Bytef*>(out + given);
    stream.avail_out = static_cast<uInt>(room);
    status = inflate(&stream, Z_NO_FLUSH);
    taken += in - stream.avail_in;
    given += room - stream.avail_out;
  }
  inflateEnd(&stream);
  if ((status != Z_STREAM_END && size == member.size) || given != size)
    bytes.refuse("member " + member.name + " is damaged: it unpacks to " + std::to_string(given) + " of " +
                 std::to_string(member.size) + " bytes");
}

void check_sum(const ZipBytes& bytes, const ZipMember& member, const std::byte* data) {
  uLong crc = crc32_z(0, reinterpret_cast<const Bytef*>(data), static_cast<z_size_t>(member.size));
  if (crc != member.crc) bytes.refuse("member " + member.name + " is damaged: its checksum differs");
}
#endif

}  // namespace

std::vector<ZipMember> zip_members(const MappedFile& file) {
  const ZipBytes bytes(file);
  if (file.size() < end_bytes) bytes.refuse("is a truncated zip archive: its directory is missing");
  const std::int64_t end = find_directory_end(file, bytes);
  if (bytes.number(end + 4, 2) != 0) bytes.refuse("is a zip archive of several volumes");
  std::uint64_t count = bytes.number(end + 10, 2), at = bytes.number(end + 16, 4);
  if ((count == 0xffff || at == in_extra_field) && end >= locator_bytes &&
      bytes.number(end - locator_bytes, 4) == locator_64) {
    const std::int64_t end_64 = bytes.offset(end - locator_bytes + 8, 8);
    if (bytes.number(end_64, 4) != directory_end_64)
      bytes.refuse("is a zip archive without its zip64 directory");
    count = bytes.number(end_64 + 32, 8);
    at = bytes.number(end_64 + 48, 8);
  }
  std::vector<ZipMember> members;
  std::int64_t p = at > static_cast<std::uint64_t>(end) ? -1 : static_cast<std::int64_t>(at);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (bytes.number(p, 4) != directory_entry) bytes.refuse("is a zip archive with a damaged directory");
    ZipMember member;
    if (bytes.number(p + 8, 2) & 1) bytes.refuse("is an encrypted zip archive");
    member.method = static_cast<int>(bytes.number(p + 10, 2));
    member.crc = static_cast<std::uint32_t>(bytes.number(p + 16, 4));
    std::uint64_t packed = bytes.number(p + 20, 4), size = bytes.number(p + 24, 4),
                  header = bytes.number(p + 42, 4);
    const auto name = static_cast<std::int64_t>(bytes.number(p + 28, 2));
    const auto extra = static_cast<std::int64_t>(bytes.number(p + 30, 2));
    const auto comment = static_cast<std::int64_t>(bytes.number(p + 32, 2));
    member.name = bytes.text(p + entry_bytes, name);
    read_extra_field(bytes, p + entry_bytes + name, p + entry_bytes + name + extra,
                     {&size, &packed, &header});
    const auto length = static_cast<std::uint64_t>(file.size());
    if (packed > length || header > length) bytes.refuse("is a zip archive with an offset beyond its end");
    // Deflate compresses at most by a factor of 1032; a larger size is an attack or damage.
    if (size / 1100 > packed)
      bytes.refuse("member " + member.name + " cannot unpack to " + std::to_string(size) + " bytes");
    member.packed = static_cast<std::int64_t>(packed);
    member.size = static_cast<std::int64_t>(size);
    member.header_at = static_cast<std::int64_t>(header);
    members.push_back(std::move(member));
    p += entry_bytes + name + extra + comment;
  }
  return members;
}

ZipContent unpacked(const MappedFile& file, const ZipMember& member, std::int64_t most) {
  const ZipBytes bytes(file);
  if (bytes.number(member.header_at, 4) != local_header)
    bytes.refuse("is a zip archive with a damaged directory");
  const auto name = static_cast<std::int64_t>(bytes.number(member.header_at + 26, 2));
  const auto extra = static_cast<std::int64_t>(bytes.number(member.header_at + 28, 2));
  const std::int64_t begin = member.header_at + local_bytes + name + extra;
  if (begin > file.size() || member.packed > file.size() - begin)
    bytes.refuse("member " + member.name + " ends beyond the archive, which is truncated");
  const std::byte* data = file.bytes() + begin;
  const auto size = static_cast<std::size_t>(std::min(most, member.size));
  if (member.method == 0) {
    if (member.packed != member.size) bytes.refuse("member " + member.name + " has two different lengths");
#ifdef EIGEN_G_HAVE_ZLIB
    if (member.size <= most) check_sum(bytes, member, data);
#endif
    return {{reinterpret_cast<const char*>(data), size}, nullptr};
  }
  if (member.method != 8)
    bytes.refuse("member " + member.name + " is packed by method " + std::to_string(member.method) +
                 "; deflate is read");
#ifdef EIGEN_G_HAVE_ZLIB
  std::shared_ptr<std::byte> memory(host_array<std::byte>(static_cast<std::int64_t>(size)).release(),
                                    FreeHost{});
  inflate_into(bytes, member, data, memory.get(), static_cast<std::int64_t>(size));
  if (member.size <= most) check_sum(bytes, member, memory.get());
  return {{reinterpret_cast<const char*>(memory.get()), size}, memory};
#else
  bytes.refuse(
      "is compressed, and this program is built without zlib; write it with save_npz(..., compressed=False)");
#endif
}

}  // namespace eigen_g::io
