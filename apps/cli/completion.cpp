// eigen_g completion: prints a shell script that completes subcommands and options. The list comes from the command line parser.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "apps/cli/command.hpp"
#include "apps/support/help.hpp"

namespace eigen_g::apps {

namespace {

// A command and its path from the root, for example "bench symv".
struct Command {
  std::string path;
  const CLI::App* app;
};

void list(const CLI::App& app, const std::string& path, std::vector<Command>& all) {
  all.push_back({path, &app});
  for (const CLI::App* sub : app.get_subcommands(nullptr))
    list(*sub, path + (path.empty() ? "" : " ") + sub->get_name(), all);
}

std::vector<std::string> option_names(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  return names;
}

std::string command_words(const CLI::App& app) {
  std::string text;
  for (const CLI::App* sub : app.get_subcommands(nullptr)) text += sub->get_name() + " ";
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option_names(*option)) text += name + " ";
  if (!text.empty()) text.pop_back();
  return text;
}

std::string for_bash(const std::vector<Command>& all) {
  std::string commands, cases;
  for (const Command& command : all) {
    if (!command.path.empty()) commands += (commands.empty() ? "" : "|") + ("\" " + command.path + "\"");
    cases += "    \"" + (command.path.empty() ? "" : " " + command.path) + "\") words=\"" +
             command_words(*command.app) + "\" ;;\n";
  }
  return "_eigen_g() {\n"
         "  local word path= words=\n"
         "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
         "    case \"$path $word\" in\n      " +
         commands +
         ") path=\"$path $word\" ;;\n"
         "    esac\n"
         "  done\n"
         "  case \"$path\" in\n" +
         cases +
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\"))\n"
         "}\n"
         "complete -o default -F _eigen_g eigen_g\n";
}

std::string quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "\\'" : std::string(1, c);
  return quoted + "'";
}

std::string for_fish(const std::vector<Command>& all) {
  std::string text;
  for (const Command& command : all) {
    const auto space = command.path.rfind(' ');
    const std::string name = command.path.substr(space == std::string::npos ? 0 : space + 1);
    const std::string when =
        command.path.empty() ? "__fish_use_subcommand" : "__fish_seen_subcommand_from " + name;
    const std::string begin = "complete -c eigen_g -n '" + when + "'";
    for (const CLI::App* sub : command.app->get_subcommands(nullptr))
      text += begin + " -f -a " + sub->get_name() + " -d " + quoted(sub->get_description()) + "\n";
    for (const CLI::Option* option : command.app->get_options()) {
      std::string line;
      for (const std::string& l : option->get_lnames()) line += " -l " + l;
      for (const std::string& s : option->get_snames()) line += " -s " + s;
      if (line.empty()) continue;
      if (option->get_items_expected_max() > 0) line += " -r";
      text += begin + line + " -d " + quoted(option->get_description()) + "\n";
    }
  }
  return text;
}

constexpr const char* completion_examples = R"(
  source <(eigen_g completion bash)      in ~/.bashrc
  source <(eigen_g completion zsh)       in ~/.zshrc, after compinit
  eigen_g completion fish | source       in config.fish)";

}  // namespace

void add_completion(CLI::App& app, Action& action) {
  auto shell = std::make_shared<std::string>();
  CLI::App& command =
      *app.add_subcommand("completion", "Print a script that completes subcommands and options in a shell.");
  set_help(command, "eigen_g completion bash|zsh|fish", completion_examples);
  command.add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command.callback([shell, &app, &action] {
    action = [shell, &app] {
      std::vector<Command> all;
      list(app, "", all);
      if (*shell == "zsh") std::cout << "autoload -Uz bashcompinit && bashcompinit\n";
      std::cout << (*shell == "fish" ? for_fish(all) : for_bash(all));
      return ExitCode::done;
    };
  });
}

}  // namespace eigen_g::apps
