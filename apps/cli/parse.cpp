#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "apps/cli/command.hpp"
#include "apps/cli/suggestion.hpp"

namespace eigen_g::apps {

namespace {

// The subcommand of this line, or the command itself if there is none.
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

// Suggestion for the first word of the line that begins with -- and is not an option of the command.
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

}  // namespace

ExitCode parse_and_run(CLI::App& app, const Action& action, int argc, const char* const* argv) {
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

}  // namespace eigen_g::apps
