// eigen_g help: the text of a command's --help.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "apps/cli/command.hpp"
#include "apps/support/help.hpp"

namespace eigen_g::apps {

namespace {

constexpr const char* help_examples = R"(
  eigen_g help                as eigen_g --help
  eigen_g help solve          as eigen_g solve --help
  eigen_g help bench symv     as eigen_g bench symv --help)";

}  // namespace

void add_help(CLI::App& app, Action& action) {
  auto words = std::make_shared<std::vector<std::string>>();
  CLI::App& command = *app.add_subcommand("help", "Explain a command, as its --help does.");
  set_help(command, "eigen_g help [COMMAND]", help_examples);
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands(nullptr)) names.push_back(sub->get_name());
  offers(command.add_option("COMMAND", *words, "A command; with bench or tune, its own one too"), names);
  command.callback([words, &app, &action] {
    action = [words, &app] {
      const CLI::App* wanted = &app;
      for (const std::string& word : *words) {
        const auto found =
            wanted->get_subcommands([&](const CLI::App* sub) { return sub->get_name() == word; });
        if (found.empty()) throw UsageError("help: unknown command '" + word + "' (see 'eigen_g --help')");
        wanted = found.front();
      }
      std::cout << wanted->get_formatter()->make_help(wanted, "", CLI::AppFormatMode::Normal);
      return ExitCode::done;
    };
  });
}

}  // namespace eigen_g::apps
