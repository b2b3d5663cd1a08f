// A whole file as read-only memory, or memory that stands for one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>

#include "apps/io/file_error.hpp"

namespace eigen_g::io {

class MappedFile {
 public:
  // Throws FileError: missing, unreadable, a folder or anything else that is not a regular file, empty.
  explicit MappedFile(const std::filesystem::path& path);
  // Memory that `owner` keeps, as if it were the file `path`.
  MappedFile(std::filesystem::path path, std::shared_ptr<const void> owner, const std::byte* data,
             std::int64_t size);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::byte* bytes() const { return data_; }
  std::int64_t size() const { return size_; }
  std::string_view text() const {
    return {reinterpret_cast<const char*>(data_), static_cast<std::size_t>(size_)};
  }
  const std::filesystem::path& path() const { return path_; }
  bool is_file() const { return !owner_; }  // mapped; else memory
  // The file's pages from byte `begin` to `end` need not stay in this process' memory; they are read again where they are used.
  void forget(std::int64_t begin, std::int64_t end) const;

 private:
  std::filesystem::path path_;
  const std::byte* data_ = nullptr;
  std::int64_t size_ = 0;
  std::shared_ptr<const void> owner_;  // null: mapped
};

// "a gzip-compressed file", "an HDF5 file", ... by its first bytes; empty for everything else.
std::string_view foreign_kind(std::string_view text);

}  // namespace eigen_g::io
