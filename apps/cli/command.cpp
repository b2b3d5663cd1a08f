#include "apps/cli/command.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <string>

#include "apps/bench/bench.hpp"
#include "apps/cli/benchmarks.hpp"
#include "apps/cli/launcher.hpp"
#include "apps/support/help.hpp"
#include "apps/support/run_options.hpp"
#include "apps/support/signals.hpp"
#include "hybrid/machine/cpu.hpp"
#include "solver/api/eigen_g.hpp"

namespace eigen_g::apps {

namespace {

constexpr const char* command_examples = R"(
  eigen_g solve matrix.mtx                       eigenvalues and stage times
  eigen_g solve matrix.mtx -o result --verify    write result.values.npy, result.vectors.npy
  eigen_g verify matrix.mtx --values result.values.npy --vectors result.vectors.npy
  eigen_g generate minij 1000 -o frank.npy       a matrix with a known spectrum
  eigen_g run python script.py                   LAPACK's symmetric eigensolvers on the GPU
  eigen_g info                                   devices and libraries)";

ExitCode run(int argc, const char* const* argv) {
  CLI::App app(
      "Eigenvalues and eigenvectors of symmetric and Hermitian matrices, dense or a few of sparse ones, on "
      "the CPU and on GPUs.",
      "eigen_g");
  set_help(app, "eigen_g COMMAND [OPTIONS]", command_examples);
  app.footer(exit_code_help());  // subcommands inherit it
  app.set_version_flag("--version", std::string("eigen_g ") + version(), "Print the version and exit");
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.require_subcommand(1);
  Action action;
  add_solve(app, action);
  add_verify(app, action);
  add_generate(app, action);
  add_info(app, action);
  add_tune(app, action);
  add_calibrate(app, action);
  add_predict(app, action);
  add_bench(app, action, benchmarks());
  add_selftest(app, action);
  add_run(app, action);
  add_completion(app, action);
  add_help(app, action);
  app.footer(
      "Results go to stdout, messages and progress to stderr. 'eigen_g COMMAND --help' explains a "
      "command.\n\n" +
      exit_code_help());

  return parse_and_run(app, action, argc, argv);
}

}  // namespace

int run_command(int argc, const char* const* argv) {
  become_distributed(argc, argv);
  open_standard_descriptors();
  install_signal_handlers();
  const ThreadLimit as_usual(0);  // OpenBLAS's number of threads; one thread if the address space is limited
  try {
    const ExitCode code = run(argc, argv);
    if (!std::cout.flush()) throw io::FileError("standard output", 0, "cannot be written");
    return static_cast<int>(code);
  } catch (...) {
    const Failure failure = failure_of(std::current_exception());
    warn(failure.message);
    return static_cast<int>(failure.code);
  }
}

}  // namespace eigen_g::apps
