// eigen_g run: starts a program with libeigen_g_lapack, so that its LAPACK calls for symmetric eigenproblems are solved by eigen_g. If the
// Python package is next to the command, a Python program also imports the file in its folder _run.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "apps/cli/command.hpp"
#include "apps/support/help.hpp"
#include "apps/support/run_options.hpp"

namespace eigen_g::apps {

namespace {

namespace fs = std::filesystem;

struct Preload {
  bool on_stderr = false;  // the report
  std::string report;      // a file
  std::int64_t min_n = 0;
  std::string device;
  int gpus = -1;  // not given
};

// The first of these files that exists, relative to this program's folder, or an empty path.
fs::path beside_command(std::initializer_list<const char*> files) {
  const fs::path own = fs::read_symlink("/proc/self/exe").parent_path();
  for (const char* file : files) {
    std::error_code unknown;
    fs::path found = fs::canonical(own / file, unknown);
    if (!unknown) return found;
  }
  return {};
}

// The library lies in the build folder above this program, or in the library folder of the installation.
fs::path preload_library() {
  fs::path file = beside_command(
      {"../libeigen_g_lapack.so", EIGEN_G_LIBRARY_FOLDER "/libeigen_g_lapack.so", "libeigen_g_lapack.so"});
  if (file.empty())
    throw UsageError(
        "run: libeigen_g_lapack.so is not beside this program's library folder; a static build has none");
  return file;
}

// `first`, then the value that the variable has, if it has one.
std::string before_value_of(const char* name, std::string first) {
  const char* const value = std::getenv(name);
  return value && *value ? std::move(first) + ':' + value : first;
}

void set_variable(const char* name, const std::string& value) {
  if (!value.empty() && ::setenv(name, value.c_str(), 1) != 0)
    throw std::system_error(errno, std::generic_category(), name);
}

// Returns only by an exception.
[[noreturn]] void start(const Preload& preload, const std::vector<std::string>& line) {
  if (line.empty()) throw UsageError("run: no program is named");
  if (line.front().starts_with('-')) throw UsageError("run: unknown option " + line.front());
  const std::string library = preload_library();
  if (library.find_first_of(": ") != std::string::npos)
    throw UsageError("run: LD_PRELOAD cannot hold " + library + ", whose path has a blank or a colon");
  set_variable("LD_PRELOAD", before_value_of("LD_PRELOAD", library));
  // In the build folder the package lies in python/, in a wheel above the command.
  if (const fs::path python = beside_command({"python/eigen_g/_run", "../_run"}); !python.empty())
    set_variable("PYTHONPATH", before_value_of("PYTHONPATH", python));
  set_variable("EIGEN_G_LOG", preload.report.empty() && preload.on_stderr ? "-" : preload.report);
  set_variable("EIGEN_G_DEVICE", preload.device);
  if (preload.min_n > 0) set_variable("EIGEN_G_MIN_N", std::to_string(preload.min_n));
  if (preload.gpus >= 0) set_variable("EIGEN_G_GPUS", std::to_string(preload.gpus));
  std::vector<char*> arguments;
  for (const std::string& word : line) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::execvp(arguments.front(), arguments.data());
  throw UsageError("run: " + line.front() + " cannot be started: " + std::strerror(errno));
}

constexpr const char* run_examples = R"(
  eigen_g run python script.py              NumPy's and SciPy's eigh on the GPU
  eigen_g run --report python script.py     says at the end what was solved where
  eigen_g run --min-n 1000 R -f script.R    smaller matrices stay with R's own LAPACK)";

}  // namespace

void add_run(CLI::App& app, Action& action) {
  auto preload = std::make_shared<Preload>();
  CLI::App& command = *app.add_subcommand(
      "run", "Start a program whose LAPACK calls for symmetric eigenproblems are solved on the GPU.");
  set_help(command, "eigen_g run [OPTIONS] PROGRAM [ARGUMENTS]", run_examples);
  command.add_flag("--report", preload->on_stderr,
                   "At the end of each process, say on stderr which calls were taken");
  not_empty(command.add_option("--report-to", preload->report, "Append the report to FILE instead"))
      ->option_text("FILE");
  command
      .add_option(
          "--min-n", preload->min_n,
          "Leave smaller matrices to the program's LAPACK (default: 300 on a GPU, 100 to 150 on the CPU)")
      ->check(CLI::PositiveNumber)
      ->option_text("N");
  command
      .add_option(
          "--device", preload->device,
          "auto (default): a GPU if there is one, else eigen_g on the CPU; gpu: never eigen_g on the CPU; "
          "cpu: eigen_g on the CPU")
      ->check(CLI::IsMember({"auto", "cpu", "gpu"}))
      ->option_text("DEVICE");
  command
      .add_option("--gpus", preload->gpus,
                  "Number of GPUs of the machine that may solve a problem together (default 1); 0: the "
                  "number that pays")
      ->check(CLI::NonNegativeNumber)
      ->option_text("N");
  command.prefix_command();
  command.callback([preload, &command, &action] {
    action = [preload, line = command.remaining()]() -> ExitCode { start(*preload, line); };
  });
}

}  // namespace eigen_g::apps
