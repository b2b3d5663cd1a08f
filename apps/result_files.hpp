// PREFIX.values.* and PREFIX.vectors.*: both appear or none.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "apps/io/npy.hpp"
#include "apps/io/text_output.hpp"
#include "hybrid/cpu.hpp"

namespace eigen_g::apps {

enum class ResultFormat { npy, mtx, txt };

// Memory for n values and, if wanted, n x n vectors (column-major, leading dimension n). With .npy files it
// is the files' own, mapped: the solver writes straight into them. The files exist under temporary names from
// the constructor to commit() and vanish without it.
class ResultFiles {
 public:
  // An empty prefix: memory only. Throws FileError, OutOfMemory.
  ResultFiles(const std::string& prefix, ResultFormat format, std::int64_t n, bool vectors);

  double* values() const { return values_; }
  double* vectors() const { return vectors_; }                       // null where not wanted
  const std::string& values_file() const { return values_file_; }    // "": none
  const std::string& vectors_file() const { return vectors_file_; }  // "": none
  void commit(int threads);  // throws FileError; then neither file is left

 private:
  ResultFormat format_;
  std::int64_t n_;
  std::string values_file_, vectors_file_;
  std::unique_ptr<io::NpyWriter> values_npy_, vectors_npy_;
  std::unique_ptr<io::OutputFile> values_text_, vectors_text_;
  HostArray<double> values_memory_, vectors_memory_;
  double* values_ = nullptr;
  double* vectors_ = nullptr;
};

}  // namespace eigen_g::apps
