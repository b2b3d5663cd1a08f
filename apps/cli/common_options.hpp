// Options that several subcommands share, and the objects that these options describe: open matrix, device, report.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <string>

#include "apps/cli/progress.hpp"
#include "apps/cli/report.hpp"
#include "apps/io/matrix_file.hpp"
#include "apps/io/output_file.hpp"
#include "solver/api/eigen_g.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace eigen_g::apps {

// The matrix to read: MATRIX, --input-format, --n, --uplo, --symmetrize, --type.
struct MatrixOptions {
  std::string file;
  std::string format = "auto";
  std::int64_t n = 0;
  std::string uplo;  // "": compare both triangles
  bool symmetrize = false;
  std::string type;  // "s", "d", "c", "z"; "": the file's type
};
// Returns the option MATRIX, which is required.
CLI::Option* add_matrix_options(CLI::App& command, MatrixOptions& options);
// The open file MATRIX, and the type in which it is read: that of --type, else the file's.
struct OpenMatrix {
  std::shared_ptr<const io::MappedFile> file;
  io::ScalarType type = io::ScalarType::d;
};
OpenMatrix open_matrix(const MatrixOptions& options, Progress& progress);
template <class T>
io::HermitianMatrix<T> read(const MatrixOptions& options, const OpenMatrix& opened, int threads,
                            Progress& progress);
template <class T>
MatrixFacts facts_of(const MatrixOptions& options, const io::HermitianMatrix<T>& matrix);

// Refuses options that describe a file if `in_place` (--grid, --generate) names a matrix without a file. --input-format is always
// refused. --n, --uplo and --symmetrize are allowed with has_b, because they also describe the file of --b. Throws UsageError.
void require_no_file(const MatrixOptions& options, const char* in_place, bool has_b = false);

// The error for an entry that is NaN or infinite. It names row and column as the file has them, not as the solver stores them.
template <class T>
io::FileError named_in_file(const NonFiniteEntry& entry, const MatrixOptions& options,
                            const io::HermitianMatrix<T>& matrix);
// Throws that error for the first entry of the triangle that is NaN or infinite.
template <class T>
void require_finite(const MatrixOptions& options, const io::HermitianMatrix<T>& matrix);

// Options of a run: --device, --threads, --json, --force, --quiet.
struct RunOptions {
  std::string device = "auto";
  int threads = 0;
  std::string json;  // "": no JSON; "-": stdout
  bool force = false;
  bool quiet = false;
};
void add_run_options(CLI::App& command, RunOptions& options);
void add_report_options(CLI::App& command, RunOptions& options);  // --json, --force and --quiet only
void add_quiet_option(CLI::App& command, bool& quiet);
void add_force_option(CLI::App& command, bool& force);
io::Existing existing_files(bool force);
// The option names a file to write. "", "-" and a name that ends in / are refused as wrong usage.
CLI::Option* named_output(CLI::Option* option);
// The option's text must not be empty: "" does not mean that the option is absent.
CLI::Option* not_empty(CLI::Option* option);
void add_threads_option(CLI::App& command, int& threads);

DeviceChoice device_of(const RunOptions& options);
// With --device auto: says once on stderr which devices the solve used. Prints nothing with --quiet.
void report_device(const RunOptions& options, const std::string& taken);
int threads_used(const RunOptions& options);  // reports on stderr if fewer threads are used than requested

// Prints one line on stderr: "eigen_g: ...".
void warn(const std::string& message);

// Prints the report of a run. Without --json: the table on stdout. With --json FILE: the table on stdout, the JSON in FILE. With
// --json -: the JSON on stdout, the table on stderr (not printed with --quiet).
class ReportSink {
 public:
  // Opens FILE, so that a file that cannot be written is an error before the work.
  explicit ReportSink(const RunOptions& options);
  ~ReportSink();
  void put(const std::string& table, const std::string& json);
  void tell(const std::string& table);  // prints to the table's stream, before the report

 private:
  RunOptions options_;
  std::unique_ptr<io::OutputFile> file_;
};

}  // namespace eigen_g::apps
