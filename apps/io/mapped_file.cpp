#include "apps/io/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "apps/io/text_number.hpp"
#include "hybrid/error.hpp"
#include "hybrid/machine/device.hpp"

namespace eigen_g::io {

void throw_not_mapped(const std::filesystem::path& path, std::uint64_t bytes, int error) {
  if (error == ENOMEM)
    throw OutOfMemory(OutOfMemory::Where::host, "the host", bytes, host_memory_available());
  throw FileError(path, 0, std::string("cannot be mapped: ") + std::strerror(error));
}

MappedFile::MappedFile(const std::filesystem::path& path) : path_(path) {
  // O_NONBLOCK: open() must not wait for a writer if the path is a named pipe.
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) throw FileError(path, 0, std::string("cannot be opened: ") + std::strerror(errno));
  struct stat status {};
  const bool known = ::fstat(file, &status) == 0;
  std::string refusal;
  if (!known)
    refusal = std::string("cannot be examined: ") + std::strerror(errno);
  else if (S_ISDIR(status.st_mode))
    refusal = "is a folder, not a file";
  else if (!S_ISREG(status.st_mode))
    refusal = "is not a regular file; input is mapped, so a pipe or device must be saved to a file first";
  else if (status.st_size == 0)
    refusal = "is empty";
  void* p = MAP_FAILED;
  int error = 0;
  if (refusal.empty()) {
    p = ::mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_PRIVATE, file, 0);
    if (p == MAP_FAILED) error = errno;
  }
  ::close(file);
  if (!refusal.empty()) throw FileError(path, 0, refusal);
  if (error != 0) throw_not_mapped(path, static_cast<std::uint64_t>(status.st_size), error);
  data_ = static_cast<const std::byte*>(p);
  size_ = status.st_size;
  ::madvise(p, static_cast<std::size_t>(size_), MADV_WILLNEED);
}

MappedFile::MappedFile(std::filesystem::path path, std::shared_ptr<const void> owner, const std::byte* data,
                       std::int64_t size)
    : path_(std::move(path)), data_(data), size_(size), owner_(std::move(owner)) {}

MappedFile::MappedFile(std::filesystem::path path, std::shared_ptr<const void> owner, HeldArray array)
    : path_(std::move(path)), owner_(std::move(owner)), array_(std::move(array)) {
  data_ = reinterpret_cast<const std::byte*>(npy_magic.data());
  size_ = static_cast<std::int64_t>(npy_magic.size());
}

MappedFile::~MappedFile() {
  if (!owner_) ::munmap(const_cast<std::byte*>(data_), static_cast<std::size_t>(size_));
}

void MappedFile::forget(const std::byte* begin, const std::byte* end) const {
  if (!is_mapped()) return;
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const std::byte* const first = begin + (page - reinterpret_cast<std::uintptr_t>(begin) % page) % page;
  const std::byte* const last = end - reinterpret_cast<std::uintptr_t>(end) % page;
  if (first < last)
    ::madvise(const_cast<std::byte*>(first), static_cast<std::size_t>(last - first), MADV_DONTNEED);
}

namespace {

// True if the text begins as a Harwell-Boeing or Rutherford-Boeing file: a title; four or five numbers; a type
// such as RSA, and numbers; formats of Fortran.
bool begins_as_harwell_boeing(std::string_view text) {
  constexpr std::size_t longest = 512;
  std::array<std::string_view, 4> lines;
  for (std::string_view& line : lines) {
    const std::size_t end = text.substr(0, longest).find('\n');
    if (end == std::string_view::npos) return false;
    line = trimmed(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  const auto numbers = [](std::string_view line) {
    return !line.empty() && line.find_first_not_of("0123456789 ") == std::string_view::npos;
  };
  const auto letter = [&](std::size_t at, std::string_view known) {
    return known.find(lines[2][at]) != std::string_view::npos;
  };
  return numbers(lines[1]) && lines[2].size() > 3 && letter(0, "RCPIQrcpiq") && letter(1, "SUHZRsuhzr") &&
         letter(2, "AEae") && numbers(lines[2].substr(3)) && lines[3].starts_with('(');
}

}  // namespace

std::string_view foreign_kind(std::string_view text) {
  using namespace std::string_view_literals;
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kinds{{
      {"\x1f\x8b"sv, "a gzip-compressed file; unpack it first"},
      {"BZh"sv, "a bzip2-compressed file; unpack it first"},
      {"\xfd\x37zXZ\0"sv, "an xz-compressed file; unpack it first"},
      {"\x28\xb5\x2f\xfd"sv, "a zstd-compressed file; unpack it first"},
      {"PK\x03\x04"sv, "a zip archive (an .npz file is one); unpack it first"},
      {"\x89HDF\r\n\x1a\n"sv,
       "an HDF5 file; HDF5 is read from an uncompressed file only, not from stdin or an archive"},
      {"MATLAB 7.3 MAT-file"sv,
       "a MATLAB 7.3 (HDF5) file; HDF5 is read from an uncompressed file only, not from stdin or an archive"},
      {"MATLAB 5.0 MAT-file"sv,
       "a MATLAB 5 file; save it in MATLAB with -v7.3, or read it by scipy.io.loadmat() and write the matrix "
       "by "
       "numpy.save() or scipy.sparse.save_npz()"},
      {"\x7f"
       "ELF"sv,
       "a program, not a matrix"},
  }};
  for (const auto& [magic, kind] : kinds)
    if (text.substr(0, magic.size()) == magic) return kind;
  if (begins_as_harwell_boeing(text))
    return "a Harwell-Boeing file; replace its type, as RSA in line 3, by RUA, read it by "
           "scipy.io.hb_read(), and "
           "write it by scipy.io.mmwrite(..., symmetry='symmetric')";
  return {};
}

}  // namespace eigen_g::io
