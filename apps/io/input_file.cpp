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

#include "apps/io/hdf5_name.hpp"
#include "apps/io/stored_matrix.hpp"
#include "apps/io/zip_archive.hpp"
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

Bytes inflated(const MappedFile& file) {
  constexpr std::int64_t step = std::int64_t{1} << 30;  // zlib counts bytes in 32 bits
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
    if (outcome == Z_STREAM_END && taken < file.size()) {  // another gzip member follows
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

// The array `name` in an archive of NumPy's savez, or the only one if `name` is empty. Then an archive of SciPy's save_npz is returned
// as it is; it has its own reader.
std::shared_ptr<const MappedFile> npy_of(std::shared_ptr<const MappedFile> file, std::string name) {
  const auto refuse = [&](const std::string& reason) { throw FileError(file->path(), 0, reason); };
  std::vector<ZipMember> arrays;
  std::string names;
  constexpr std::string_view ending = ".npy";
  bool sparse = false;
  if (name.starts_with('/')) name.erase(0, 1);
  for (ZipMember& member : zip_members(*file)) {
    if (!member.name.ends_with(ending)) continue;
    sparse = sparse || member.name == "format.npy" || member.name == "shape.npy";
    names += (names.empty() ? "" : ", ") + member.name.substr(0, member.name.size() - ending.size());
    if (name.empty() || member.name == std::string(name).append(ending)) arrays.push_back(std::move(member));
  }
  if (names.empty()) refuse("is a zip archive without a .npy in it");
  if (arrays.empty()) refuse("has no array " + name + "; FILE:/NAME names one: " + names);
  if (name.empty() && sparse && arrays.size() > 1) return file;
  if (arrays.size() > 1) refuse("holds several arrays; FILE:/NAME names one: " + names);
  ZipContent content = unpacked(*file, arrays.front());
  const std::filesystem::path path = file->path().native() + (name.empty() ? "" : ":/" + name);
  return std::make_shared<const MappedFile>(
      path, content.owner ? std::move(content.owner) : std::shared_ptr<const void>(std::move(file)),
      reinterpret_cast<const std::byte*>(content.text.data()),
      static_cast<std::int64_t>(content.text.size()));
}

}  // namespace

std::shared_ptr<const MappedFile> open_input(const std::filesystem::path& path, DatasetShape wanted) {
  if (path == "-") return in_memory(path, standard_input());
  const Hdf5Name name = hdf5_name(path);
  auto file = std::make_shared<const MappedFile>(name.file);
  const std::string_view text = file->text();
  if (begins_as_hdf5(text)) return open_hdf5(std::move(file), name.dataset, wanted);
  if (begins_as_zip(text)) return npy_of(std::move(file), name.dataset);
  if (!name.dataset.empty())
    throw FileError(name.file, 0,
                    "is neither an HDF5 file nor an .npz; there is no dataset " + name.dataset + " in it");
#ifdef EIGEN_G_HAVE_ZLIB
  if (text.substr(0, 2) == "\x1f\x8b") return in_memory(path, inflated(*file));
#endif
  return file;
}

}  // namespace eigen_g::io
