// SYMV's tuning tables as text, and the ones that the library carries. A file:
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
// The first line is the format with its version. Then one header line a key, each once, in any order (those
// above are all required). Then the rows: n_from is in, n_to is not, inf has no end; the rows of one type and
// triangle follow each other, from 0 to inf without a gap. Types and triangles may be missing: the default
// stands for them. Blank lines and lines that begin with # may stand anywhere below the first line.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "blas2/symv/symv.hpp"
#include "hybrid/error.hpp"
#include "hybrid/machine/device.hpp"

namespace eigen_g::blas2 {

struct SymvTableFile {
  std::string device;  // CUDA's name of it
  int compute_major = 0, compute_minor = 0;
  int multiprocessors = 0;
  std::string version;  // of eigen_g that measured it
  std::string date;     // of the measurement, YYYY-MM-DD
  SymvTable table;
};

// A table file that is not one: "name:line: reason".
class SymvTableError : public Error {
 public:
  SymvTableError(const std::string& name, int line, const std::string& reason)
      : Error(name + ":" + std::to_string(line) + ": " + reason), line_(line), reason_(reason) {}
  int line() const { return line_; }  // from 1; one past the last where something is missing at the end
  const std::string& reason() const { return reason_; }

 private:
  int line_;
  std::string reason_;
};

// `name` is for messages. Throws SymvTableError, for a configuration that this version does not have as well.
SymvTableFile parse_symv_table(std::string_view text, const std::string& name);
std::string to_text(const SymvTableFile& file);  // parse_symv_table gives the same back

// The same model of GPU: name, compute capability and multiprocessors (a MIG slice is another machine).
bool is_for(const SymvTableFile& file, const Device& device);

// "symv_nvidia_h200.txt": the device's name in lower case, what is not a letter or a digit as one underscore.
std::string symv_table_file_name(const std::string& device_name);

// The table that came with the library for this GPU (data/perf/symv_*.txt at build time); nothing where there
// is none.
std::optional<SymvTableFile> shipped_symv_table(const Device& device);

}  // namespace eigen_g::blas2
