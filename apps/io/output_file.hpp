// OutputFile: a result file that appears as a whole or not at all. It is written in the target's folder under a random temporary
// name, and renamed when it is complete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "apps/io/file_error.hpp"

namespace eigen_g::io {

// Treatment of a target that already exists.
enum class Existing { keep, replace };

// The constructor creates the temporary file, so that a missing or read-only folder is an error before any work.
// If the target exists, the constructor and commit() refuse it; with Existing::replace commit() replaces it if it is a regular file.
// A symbolic link is followed; a link to nothing is refused.
// All functions throw FileError with the target's name. At most 16 unfinished files at a time.
class OutputFile {
 public:
  explicit OutputFile(std::filesystem::path target, Existing existing = Existing::keep);
  ~OutputFile();  // without commit(): removes the temporary file; the target stays as it was
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  const std::filesystem::path& target() const { return target_; }
  void write(std::string_view bytes);
  // The temporary name, for other processes that write into the file.
  std::filesystem::path temporary() const;
  // Sets the file's size and reserves its disk space, so that a full disk is an error before the work. Not to be mixed with write().
  void reserve(std::uint64_t bytes);
  void truncate(std::uint64_t bytes);
  // Maps the file as writable memory of this size, with its disk space reserved. Not to be mixed with write().
  std::byte* map(std::uint64_t bytes);
  void commit();  // writes to disk (fsync), then renames; only the destructor may follow

 private:
  void release() noexcept;
  [[noreturn]] void fail(const char* action, int error) const;

  std::filesystem::path target_;  // name that the caller gave
  std::filesystem::path final_;   // with symbolic links resolved
  Existing existing_;
  int slot_ = -1;  // index in the list of unfinished files that remove_unfinished_outputs() reads
  int file_ = -1;
  std::byte* mapping_ = nullptr;
  std::uint64_t mapped_bytes_ = 0;
};

// Removes the temporary files of all unfinished outputs. Async-signal-safe: a signal handler calls it and then ends the process.
void remove_unfinished_outputs() noexcept;

}  // namespace eigen_g::io
