#include "apps/cli/command.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "apps/cli/common_options.hpp"
#include "apps/cli/help.hpp"
#include "apps/cli/signals.hpp"
#include "apps/cli/suggestion.hpp"
#include "hybrid/machine/cpu.hpp"
#include "solver/api/eigen_g.hpp"

namespace eigen_g::apps {

namespace {

constexpr const char* examples = R"(
  eigen_g solve matrix.mtx                       eigenvalues and stage times
  eigen_g solve matrix.mtx -o result --verify    write result.values.npy, result.vectors.npy
  eigen_g verify matrix.mtx --values result.values.npy --vectors result.vectors.npy
  eigen_g generate minij 1000 -o frank.npy       a matrix with a known spectrum
  eigen_g info                                   devices and libraries)";

// The subcommand that the line named, or the command itself.
const CLI::App& named_command(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : *chosen.front();
}

std::string meant(const std::string& word, const std::vector<std::string>& known) {
  const std::string found = nearest(word, known);
  return found.empty() ? "" : "; did you mean '" + found + "'?";
}

std::vector<std::string> subcommands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands(nullptr)) names.push_back(sub->get_name());
  return names;
}

// Of the line's first word that begins as an option and is none of the command's.
std::string meant_option(const CLI::App& command, int argc, const char* const* argv) {
  std::vector<std::string> known;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  for (int i = 1; i < argc; ++i) {
    const std::string word = std::string(argv[i]).substr(0, std::string(argv[i]).find('='));
    if (word.rfind("--", 0) != 0 || word == "--") continue;
    if (std::find(known.begin(), known.end(), word) == known.end()) return meant(word, known);
  }
  return "";
}

ExitCode run(int argc, const char* const* argv) {
  CLI::App app("Eigenvalues and eigenvectors of dense real symmetric matrices, on the CPU and on GPUs.",
               "eigen_g");
  set_help(app, "eigen_g COMMAND [OPTIONS]", examples);
  app.footer(exit_code_help());  // a subcommand inherits it
  app.set_version_flag("--version", std::string("eigen_g ") + version(), "Print the version and leave");
  app.set_help_flag("-h,--help", "Print this help and leave");
  app.require_subcommand(1);
  Action action;
  add_solve(app, action);
  add_verify(app, action);
  add_generate(app, action);
  add_info(app, action);
  add_tune(app, action);
  add_model(app, action);
  add_bench(app, action);
  add_selftest(app, action);
  add_completion(app, action);
  app.footer(
      "Results go to stdout, messages and progress to stderr. 'eigen_g COMMAND --help' tells more.\n\n" +
      exit_code_help());

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wanted) {  // --help, --version
    app.exit(wanted, std::cout, std::cerr);
    return ExitCode::done;
  } catch (const CLI::ParseError& error) {
    if (app.get_subcommands().empty() && argc > 1 && argv[1][0] != '-')
      throw UsageError(std::string("unknown command '") + argv[1] + "'" + meant(argv[1], subcommands(app)) +
                       " (see 'eigen_g --help')");
    const CLI::App& command = named_command(app);
    const std::string name = &command == &app ? "" : " " + command.get_name();
    const bool unknown = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
    throw UsageError(error.what() + (unknown ? meant_option(command, argc, argv) : std::string()) +
                     " (see 'eigen_g" + name + " --help')");
  }
  return action();
}

}  // namespace

int run_command(int argc, const char* const* argv) {
  open_standard_descriptors();
  install_signal_handlers();
  const ThreadLimit as_usual(0);  // or one, where address space is limited
  try {
    const ExitCode code = run(argc, argv);
    if (!std::cout.flush()) throw io::FileError("standard output", 0, "cannot be written");
    return static_cast<int>(code);
  } catch (...) {
    const Failure failure = failure_of(std::current_exception());
    complain(failure.message);
    return static_cast<int>(failure.code);
  }
}

}  // namespace eigen_g::apps
