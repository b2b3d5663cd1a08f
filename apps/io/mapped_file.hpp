// MappedFile: a whole file as read-only memory, memory that is presented as a file, or an array with its own description.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "apps/io/file_error.hpp"
#include "apps/io/npy_header.hpp"

namespace eigen_g::io {

// Throws for a failed mmap() of `bytes` bytes of a file: OutOfMemory if there is too little memory, and FileError for every other error.
[[noreturn]] void throw_not_mapped(const std::filesystem::path& path, std::uint64_t bytes, int error);

// An array from a format other than .npy: its elements, and the header that an .npy file would have.
struct HeldArray {
  NpyHeader header;
  const std::byte* elements = nullptr;
  std::int64_t bytes = 0;
  bool in_file = false;     // true: the elements are mapped; false: in memory
  std::string description;  // "HDF5 '<f8'"
};

class MappedFile {
 public:
  // Throws FileError if the path is missing, unreadable, a folder or anything else that is not a regular file, or empty.
  explicit MappedFile(const std::filesystem::path& path);
  // Memory that `owner` owns, presented as the file `path`.
  MappedFile(std::filesystem::path path, std::shared_ptr<const void> owner, const std::byte* data,
             std::int64_t size);
  // An array in memory that `owner` owns. text() is only the magic string of an .npy file.
  MappedFile(std::filesystem::path path, std::shared_ptr<const void> owner, HeldArray array);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::byte* bytes() const { return data_; }
  std::int64_t size() const { return size_; }
  std::string_view text() const {
    return {reinterpret_cast<const char*>(data_), static_cast<std::size_t>(size_)};
  }
  const std::filesystem::path& path() const { return path_; }
  // Null: no array is described; the bytes themselves identify the format.
  const HeldArray* array() const { return array_ ? &*array_ : nullptr; }
  bool is_mapped() const { return array_ ? array_->in_file : !owner_; }  // false: memory
  // Releases the pages between begin and end of a mapped file from this process's memory. A later access reads them again.
  void forget(const std::byte* begin, const std::byte* end) const;

 private:
  std::filesystem::path path_;
  const std::byte* data_ = nullptr;
  std::int64_t size_ = 0;
  std::shared_ptr<const void> owner_;  // null: the file is mapped
  std::optional<HeldArray> array_;
};

// Names a format that is not read here, by the file's first bytes: "a gzip-compressed file; ...". Empty for all other files.
std::string_view foreign_kind(std::string_view text);

}  // namespace eigen_g::io
