// SYMV's tuning tables as text files, and the tables that are compiled into the library. An example:
//
//   eigen_g symv table 1
//   device NVIDIA H200
//   compute 9.0
//   multiprocessors 132
//   eigen_g 0.1.0
//   date 2026-11-21
//   # type uplo n_from n_to config
//   d L 0 1200 r8x1-l1-c8-b2-k
//   d L 1200 inf r4x2-l2-c8-b2-k
//
// The first line names the format and its version. Header lines follow, one for each key, in any order; all keys above are
// required. Then come the rows. A row holds for n_from <= n < n_to, and `inf` means no end. The rows of one type and triangle
// are consecutive and cover 0 to inf without a gap. A type and triangle without rows has the default configuration. Blank lines
// and lines that begin with # are allowed anywhere below the first line.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "blas2/symv/symv.hpp"
#include "hybrid/error.hpp"
#include "hybrid/machine/device.hpp"

namespace eigen_g::blas2 {

struct SymvTableFile {
  std::string device;  // CUDA's name of the GPU
  int compute_major = 0, compute_minor = 0;
  int multiprocessors = 0;
  std::string version;  // version of eigen_g that measured the table
  std::string date;     // date of the measurement, YYYY-MM-DD
  SymvTable table;
};

// A table file with an error. The message is "name:line: reason".
class SymvTableError : public Error {
 public:
  SymvTableError(const std::string& name, int line, const std::string& reason)
      : Error(name + ":" + std::to_string(line) + ": " + reason), line_(line), reason_(reason) {}
  int line() const { return line_; }  // from 1; one past the last line if something is missing at the end
  const std::string& reason() const { return reason_; }

 private:
  int line_;
  std::string reason_;
};

// Reads a table. `name` is used in messages. Throws SymvTableError for an error in the text, or for a configuration that this
// version does not have.
SymvTableFile parse_symv_table(std::string_view text, const std::string& name);
std::string to_text(const SymvTableFile& file);  // the inverse of parse_symv_table()

// True if the table is for this model of GPU: same name, compute capability and number of multiprocessors. A MIG slice is
// another model.
bool is_for(const SymvTableFile& file, const Device& device);

// "symv_nvidia_h200.txt": the device's name in lower case; each run of other characters than letters and digits becomes one
// underscore.
std::string symv_table_file_name(const std::string& device_name);

// The table for this GPU that is compiled into the library (data/perf/symv_*.txt at build time), if there is one.
std::optional<SymvTableFile> shipped_symv_table(const Device& device);

}  // namespace eigen_g::blas2
