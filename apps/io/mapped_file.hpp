// A whole file as read-only memory, memory that stands for one, or an array in either that is described apart from it.
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

// The elements of an array of another format than .npy, and what an .npy file's header would say of them.
struct HeldArray {
  NpyHeader header;
  const std::byte* elements = nullptr;
  std::int64_t bytes = 0;
  bool in_file = false;     // elements are mapped; else memory
  std::string description;  // "HDF5 '<f8'"
};

class MappedFile {
 public:
  // Throws FileError: missing, unreadable, a folder or anything else that is not a regular file, empty.
  explicit MappedFile(const std::filesystem::path& path);
  // Memory that `owner` keeps, as if it were the file `path`.
  MappedFile(std::filesystem::path path, std::shared_ptr<const void> owner, const std::byte* data,
             std::int64_t size);
  // An array in what `owner` keeps; text() is an .npy file's magic alone.
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
  const HeldArray* array() const {
    return array_ ? &*array_ : nullptr;
  }                                                                      // null: the bytes tell what they are
  bool is_mapped() const { return array_ ? array_->in_file : !owner_; }  // else memory
  // The pages between, of a mapped file, need not stay in this process' memory; they are read again where they are used.
  void forget(const std::byte* begin, const std::byte* end) const;

 private:
  std::filesystem::path path_;
  const std::byte* data_ = nullptr;
  std::int64_t size_ = 0;
  std::shared_ptr<const void> owner_;  // null: mapped
  std::optional<HeldArray> array_;
};

// "a gzip-compressed file", "an HDF5 file", ... by its first bytes; empty for everything else.
std::string_view foreign_kind(std::string_view text);

}  // namespace eigen_g::io
