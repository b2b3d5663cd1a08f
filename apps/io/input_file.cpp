#include "apps/io/input_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#ifdef EIGEN_G_HAVE_ZLIB
#include <zlib.h>
#endif

#include "hybrid/machine/cpu.hpp"

namespace eigen_g::io {

namespace {

using Bytes = std::vector<std::byte>;

void grow(Bytes& bytes, std::size_t size) {
  require_host_memory(size);
  bytes.resize(size);
}

std::shared_ptr<const MappedFile> in_memory(const std::filesystem::path& path, Bytes bytes) {
  auto owner = std::make_shared<const Bytes>(std::move(bytes));
  const std::byte* const data = owner->data();
  const auto size = static_cast<std::int64_t>(owner->size());
  return std::make_shared<const MappedFile>(path, std::move(owner), data, size);
}

Bytes standard_input() {
  Bytes bytes;
  std::size_t used = 0;
  for (;;) {
    if (used == bytes.size()) grow(bytes, std::max<std::size_t>(std::size_t{1} << 16, 2 * used));
    const ssize_t got = ::read(STDIN_FILENO, bytes.data() + used, bytes.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw FileError("-", 0, std::string("stdin cannot be read: ") + std::strerror(errno));
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
  }
  if (used == 0) throw FileError("-", 0, "stdin is empty");
  bytes.resize(used);
  return bytes;
}

#ifdef EIGEN_G_HAVE_ZLIB

struct Inflating {
  z_stream stream{};
  Inflating() {
    if (::inflateInit2(&stream, 15 + 16) != Z_OK) throw std::bad_alloc();  // 16: a gzip header
  }
  ~Inflating() { ::inflateEnd(&stream); }
  Inflating(const Inflating&) = delete;
  Inflating& operator=(const Inflating&) = delete;
};

Bytes unpacked(const MappedFile& file) {
  constexpr std::int64_t step = std::int64_t{1} << 30;  // zlib counts in 32 bits
  Bytes bytes;
  std::size_t used = 0;
  Inflating z;
  std::int64_t taken = 0;
  for (int outcome = Z_OK; taken < file.size() || outcome != Z_STREAM_END;) {
    if (used == bytes.size())
      grow(bytes, std::max(static_cast<std::size_t>(4 * file.size()), 2 * bytes.size()));
    const auto input = static_cast<uInt>(std::min(step, file.size() - taken));
    const auto room = static_cast<uInt>(std::min<std::size_t>(step, bytes.size() - used));
    z.stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(file.bytes() + taken));
    z.stream.avail_in = input;
    z.stream.next_out = reinterpret_cast<Bytef*>(bytes.data() + used);
    z.stream.avail_out = room;
    outcome = ::inflate(&z.stream, Z_NO_FLUSH);
    taken += input - z.stream.avail_in;
    used += room - z.stream.avail_out;
    if (outcome == Z_STREAM_END && taken < file.size()) {  // another member follows
      if (::inflateReset(&z.stream) != Z_OK) break;
    } else if (outcome != Z_OK && outcome != Z_STREAM_END) {
      throw FileError(file.path(), 0,
                      outcome == Z_BUF_ERROR ? "is a gzip-compressed file that ends too early"
                                             : "is a gzip-compressed file that is damaged");
    }
  }
  if (used == 0) throw FileError(file.path(), 0, "is a gzip-compressed file that holds nothing");
  bytes.resize(used);
  return bytes;
}

#endif

// Little-endian numbers of a zip archive, within its bounds.
class Zip {
 public:
  explicit Zip(const MappedFile& file) : file_(file) {}

  std::uint64_t number(std::uint64_t at, int bytes) const {
    require(at, static_cast<std::uint64_t>(bytes));
    std::uint64_t value = 0;
    for (int i = 0; i < bytes; ++i)
      value |= static_cast<std::uint64_t>(file_.bytes()[at + static_cast<std::uint64_t>(i)]) << (8 * i);
    return value;
  }
  std::string_view text(std::uint64_t at, std::uint64_t length) const {
    require(at, length);
    return file_.text().substr(at, length);
  }
  void require(std::uint64_t at, std::uint64_t length) const {
    const auto size = static_cast<std::uint64_t>(file_.size());
    if (at > size || length > size - at) refuse("is a zip archive that is damaged");
  }
  [[noreturn]] void refuse(const std::string& reason) const { throw FileError(file_.path(), 0, reason); }

 private:
  const MappedFile& file_;
};

struct Entry {
  std::string name;
  std::uint64_t method = 0, packed = 0, bytes = 0, at = 0;
};

// Of the archive's directory; the 64-bit fields that NumPy writes stand in an extra field.
std::vector<Entry> directory(const Zip& zip, std::uint64_t size) {
  constexpr std::uint64_t end_bytes = 22, most_comment = 65535, elsewhere = 0xffffffff;
  if (size < end_bytes) zip.refuse("is a zip archive that is damaged");
  std::uint64_t end = size - end_bytes;
  const std::uint64_t least = end > most_comment ? end - most_comment : 0;
  while (zip.number(end, 4) != 0x06054b50) {
    if (end == least) zip.refuse("is a zip archive without a directory");
    --end;
  }
  std::uint64_t count = zip.number(end + 10, 2), at = zip.number(end + 16, 4);
  if (at == elsewhere && end >= 20 && zip.number(end - 20, 4) == 0x07064b50) {
    const std::uint64_t wide = zip.number(end - 12, 8);
    if (zip.number(wide, 4) != 0x06064b50) zip.refuse("is a zip archive that is damaged");
    count = zip.number(wide + 32, 8);
    at = zip.number(wide + 48, 8);
  }
  std::vector<Entry> entries;
  for (; count > 0; --count) {
    if (zip.number(at, 4) != 0x02014b50) zip.refuse("is a zip archive that is damaged");
    const std::uint64_t name = zip.number(at + 28, 2), extra = zip.number(at + 30, 2);
    Entry e{std::string(zip.text(at + 46, name)), zip.number(at + 10, 2), zip.number(at + 20, 4),
            zip.number(at + 24, 4), zip.number(at + 42, 4)};
    std::uint64_t field = at + 46 + name;
    for (const std::uint64_t stop = field + extra; field + 4 <= stop;) {
      const std::uint64_t length = zip.number(field + 2, 2);
      if (zip.number(field, 2) == 1) {
        std::uint64_t value = field + 4;
        for (std::uint64_t* wide : {&e.bytes, &e.packed, &e.at})
          if (*wide == elsewhere) {
            *wide = zip.number(value, 8);
            value += 8;
          }
      }
      field += 4 + length;
    }
    at += 46 + name + extra + zip.number(at + 32, 2);
    entries.push_back(std::move(e));
  }
  return entries;
}

std::shared_ptr<const MappedFile> npy_of(std::shared_ptr<const MappedFile> file) {
  const Zip zip(*file);
  std::vector<Entry> arrays;
  std::string names;
  for (Entry& entry : directory(zip, static_cast<std::uint64_t>(file->size()))) {
    if (!entry.name.ends_with(".npy")) continue;
    names += (names.empty() ? "" : ", ") + entry.name;
    arrays.push_back(std::move(entry));
  }
  if (arrays.empty()) zip.refuse("is a zip archive without a .npy in it");
  if (arrays.size() > 1) zip.refuse("is a zip archive with several arrays (" + names + "); one is required");
  const Entry& e = arrays.front();
  if (e.method != 0)
    zip.refuse("is a zip archive whose " + e.name + " is compressed; one that numpy.savez stores is read");
  if (zip.number(e.at, 4) != 0x04034b50 || e.packed != e.bytes)
    zip.refuse("is a zip archive that is damaged");
  const std::uint64_t begin = e.at + 30 + zip.number(e.at + 26, 2) + zip.number(e.at + 28, 2);
  zip.require(begin, e.bytes);
  const std::byte* const data = file->bytes() + begin;
  const std::filesystem::path path = file->path();
  return std::make_shared<const MappedFile>(path, std::move(file), data, static_cast<std::int64_t>(e.bytes));
}

}  // namespace

std::shared_ptr<const MappedFile> open_input(const std::filesystem::path& path) {
  if (path == "-") return in_memory(path, standard_input());
  auto file = std::make_shared<const MappedFile>(path);
  const std::string_view text = file->text();
#ifdef EIGEN_G_HAVE_ZLIB
  if (text.substr(0, 2) == "\x1f\x8b") return in_memory(path, unpacked(*file));
#endif
  if (text.substr(0, 4) == "PK\x03\x04") return npy_of(std::move(file));
  return file;
}

}  // namespace eigen_g::io
