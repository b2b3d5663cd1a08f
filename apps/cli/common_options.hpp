// Options that several subcommands share, and what follows from them.
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
  std::string type;  // "s", "d", "c", "z"; "": as the file has it
};
CLI::Option* add_matrix_options(CLI::App& command, MatrixOptions& options);  // of MATRIX, which is required
// MATRIX open, and the type in which it is taken: --type's, else the file's.
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

// Refuses what tells how a file is read where `in_place` (--grid, --generate) names a matrix without one: MATRIX' format, and without
// --b's file, which they are of too, the order and the triangle. Throws UsageError.
void require_no_file(const MatrixOptions& options, const char* in_place, bool has_b = false);

// The solver counts rows and columns in its own storage; the message counts as the file does.
template <class T>
io::FileError named_in_file(const NonFiniteEntry& entry, const MatrixOptions& options,
                            const io::HermitianMatrix<T>& matrix);
// Throws it for the first entry of the triangle that is not finite.
template <class T>
void require_finite(const MatrixOptions& options, const io::HermitianMatrix<T>& matrix);

// The run: --device, --threads, --json, --force, --quiet.
struct RunOptions {
  std::string device = "auto";
  int threads = 0;
  std::string json;  // "": none, "-": stdout
  bool force = false;
  bool quiet = false;
};
void add_run_options(CLI::App& command, RunOptions& options);
void add_report_options(CLI::App& command, RunOptions& options);  // --json, --force and --quiet alone
void add_quiet_option(CLI::App& command, bool& quiet);
void add_force_option(CLI::App& command, bool& force);
io::Existing existing_files(bool force);
// The option names files to write, so neither - (for stdout) nor nothing nor a folder will do: refused as wrong usage.
CLI::Option* named_output(CLI::Option* option);
// The option's text must not be empty: "" is not as if it were absent.
CLI::Option* not_empty(CLI::Option* option);
void add_threads_option(CLI::App& command, int& threads);

Place place_of(const RunOptions& options);
// With --device auto, once, when it is known: on stderr what was taken.
void tell_device(const RunOptions& options, const std::string& taken);
int threads_used(const RunOptions& options);  // says on stderr where they are fewer than wanted

// One line on stderr, "eigen_g: ...".
void complain(const std::string& message);

// Where a report goes: the table to stdout, or with --json - the JSON to stdout and the table to stderr
// (nowhere with --quiet), or with --json FILE both.
class ReportSink {
 public:
  explicit ReportSink(
      const RunOptions& options);  // opens FILE, so that an unwritable one shows before the work
  ~ReportSink();
  void put(const std::string& table, const std::string& json);
  void tell(const std::string& table);  // where a table goes, before the report

 private:
  RunOptions options_;
  std::unique_ptr<io::OutputFile> file_;
};

}  // namespace eigen_g::apps
