// FileError: a file cannot be read, has invalid content, or cannot be written.
// Message: "path:line: reason". Line 0 means no line (binary files, or the file as a whole): "path: reason".
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include "hybrid/error.hpp"

namespace eigen_g::io {

class FileError : public Error {
 public:
  FileError(std::filesystem::path path, std::int64_t line, std::string reason)
      : Error(message(path, line, reason)), path_(std::move(path)), line_(line), reason_(std::move(reason)) {}
  const std::filesystem::path& path() const { return path_; }
  std::int64_t line() const { return line_; }  // from 1; 0: no line
  const std::string& reason() const { return reason_; }

 private:
  static std::string message(const std::filesystem::path& path, std::int64_t line,
                             const std::string& reason) {
    std::string text = path.string();
    if (line > 0) text.append(1, ':').append(std::to_string(line));
    return text.append(": ").append(reason);
  }
  std::filesystem::path path_;
  std::int64_t line_;
  std::string reason_;
};

}  // namespace eigen_g::io
