// A whole file as read-only memory.
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
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::byte* bytes() const { return data_; }
  std::int64_t size() const { return size_; }
  std::string_view text() const {
    return {reinterpret_cast<const char*>(data_), static_cast<std::size_t>(size_)};
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  const std::byte* data_ = nullptr;
  std::int64_t size_ = 0;
};

// "a gzip-compressed file", "an HDF5 file", ... by its first bytes; empty for everything else.
std::string_view foreign_kind(std::string_view text);

}  // namespace eigen_g::io
