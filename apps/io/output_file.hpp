// A result file that appears whole or not at all: it is written beside its target under a temporary name, random and its own,
// and renamed when complete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "apps/io/file_error.hpp"

namespace eigen_g::io {

// What becomes of a target that exists.
enum class Existing { keep, replace };

// The constructor creates the temporary file, so that a missing or unwritable folder shows before any work.
// An existing target is refused, then and by commit(), or with Existing::replace replaced by commit() if it is a regular file;
// a symbolic link is followed, and one to nothing refused.
// Everything throws FileError naming the target. At most 16 unfinished files at a time.
class OutputFile {
 public:
  explicit OutputFile(std::filesystem::path target, Existing existing = Existing::keep);
  ~OutputFile();  // without commit(): the temporary file is removed, the target stays as it was
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  const std::filesystem::path& target() const { return target_; }
  void write(std::string_view bytes);
  // The name under which it is written, for other processes that write into it.
  std::filesystem::path temporary() const;
  // Of that size, its disk space reserved: a full disk shows before the work. Not to be mixed with write().
  void reserve(std::uint64_t bytes);
  void truncate(std::uint64_t bytes);
  // The file as writable memory of that size, its disk space reserved; not to be mixed with write().
  std::byte* map(std::uint64_t bytes);
  void commit();  // to disk (fsync), then the new name; no call but the destructor may follow

 private:
  void release() noexcept;
  [[noreturn]] void fail(const char* action, int error) const;

  std::filesystem::path target_;  // as the caller named it
  std::filesystem::path final_;   // links resolved
  Existing existing_;
  int slot_ = -1;  // in the registry that remove_unfinished_outputs() walks
  int file_ = -1;
  std::byte* mapping_ = nullptr;
  std::uint64_t mapped_bytes_ = 0;
};

// Removes the temporary files of all unfinished outputs. Async-signal-safe; for a signal handler that ends
// the process right after.
void remove_unfinished_outputs() noexcept;

}  // namespace eigen_g::io
