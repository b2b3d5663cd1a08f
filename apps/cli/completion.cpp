// eigen_g completion: prints a shell script that completes subcommands, options, their values and files. Everything in it comes from the
// command line parser.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "apps/cli/command.hpp"
#include "apps/support/help.hpp"

namespace eigen_g::apps {

namespace {

// A shell offers these words, or files, or nothing, for the value of an option or for a positional argument.
struct Offer {
  std::string words;  // separated by blanks
  bool files = false;
};

Offer offer_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();  // "TEXT:{auto,cpu,gpu}"
  const auto begin = type.find('{'), end = type.find('}');
  Offer offer;
  if (begin != std::string::npos && end != std::string::npos)
    for (const char c : type.substr(begin + 1, end - begin - 1)) offer.words += c == ',' ? ' ' : c;
  const std::string& text = option.get_option_text();
  offer.files = text == "FILE" || text == "PREFIX" || option.get_name() == "FILES";
  return offer;
}

// A command and its path from the root, for example " bench symv".
struct Command {
  std::string path;
  const CLI::App* app;
  std::vector<const CLI::App*> subs;
  std::vector<const CLI::Option*> options, positionals;
};

void list(const CLI::App& app, const std::string& path, std::vector<Command>& all) {
  Command command{path, &app, app.get_subcommands(nullptr), {}, {}};
  for (const CLI::Option* option : app.get_options())
    (option->get_positional() ? command.positionals : command.options).push_back(option);
  all.push_back(command);
  for (const CLI::App* sub : command.subs) list(*sub, path + " " + sub->get_name(), all);
}

std::vector<std::string> option_names(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  return names;
}

bool takes_value(const CLI::Option& option) {
  return option.get_items_expected_max() > 0;
}

// In single quotes; a single quote inside becomes `escaped`.
std::string quoted(const std::string& text, const char* escaped) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? escaped : std::string(1, c);
  return quoted + "'";
}

std::string for_bash(const std::vector<Command>& all) {
  std::string commands, values, words;
  for (const Command& command : all) {
    if (!command.path.empty()) commands += (commands.empty() ? "" : "|") + ("\"" + command.path + "\"");
    std::string subs, options, arguments;
    Offer offer;
    for (const CLI::App* sub : command.subs) subs += (subs.empty() ? "" : " ") + sub->get_name();
    for (const CLI::Option* positional : command.positionals) {
      const Offer one = offer_of(*positional);
      offer.files = offer.files || one.files;
      if (!one.words.empty()) subs += (subs.empty() ? "" : " ") + one.words;
    }
    for (const CLI::Option* option : command.options) {
      std::string patterns;
      for (const std::string& name : option_names(*option)) {
        options += (options.empty() ? "" : " ") + name;
        patterns += (patterns.empty() ? "" : "|") + ("\"" + command.path + " " + name + "\"");
      }
      if (!takes_value(*option)) continue;
      const Offer one = offer_of(*option);
      values += "    " + patterns + ") value=yes words=\"" + one.words +
                "\" files=" + (one.files ? "yes" : "") + " ;;\n";
    }
    const char* const files = command.app->get_prefix_command() ? "commands" : offer.files ? "yes" : "";
    words += "    \"" + command.path + "\") words=\"" + subs + "\" options=\"" + options +
             "\" files=" + files + " ;;\n";
  }
  return "_eigen_g() {\n"
         "  local word path= value= words= options= files=\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD-1]}\n"
         "  if [[ $current == = ]]; then current=\n"
         "  elif [[ $option == = ]]; then option=${COMP_WORDS[COMP_CWORD-2]}\n"
         "  fi\n"
         "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
         "    case \"$path $word\" in\n      " +
         commands +
         ") path=\"$path $word\" ;;\n"
         "    esac\n"
         "  done\n"
         "  case \"$path $option\" in\n" +
         values +
         "  esac\n"
         "  [[ $value ]] || case \"$path\" in\n" +
         words +
         "  esac\n"
         "  [[ $current != -* && $words$files ]] || words=\"$words $options\"\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "  if [[ $files == commands ]]; then COMPREPLY+=($(compgen -c -- \"$current\")); fi\n"
         "  if [[ $files ]]; then\n"
         "    compopt -o filenames 2>/dev/null\n"
         "    while IFS= read -r word; do COMPREPLY+=(\"$word\"); done < <(compgen -f -- \"$current\")\n"
         "  fi\n"
         "}\n"
         "complete -F _eigen_g eigen_g\n";
}

// A description within a specification of _arguments or _describe.
std::string for_specification(const std::string& text) {
  std::string escaped;
  for (const char c : text)
    escaped += c == '[' || c == ']' || c == ':' ? std::string("\\") + c : std::string(1, c);
  return escaped;
}

std::string action_for_zsh(const Offer& offer) {
  return offer.files ? "_files" : offer.words.empty() ? " " : "(" + offer.words + ")";
}

std::string for_zsh(const std::vector<Command>& all) {
  const auto function_of = [](std::string path) {
    for (char& c : path)
      if (c == ' ') c = '_';
    return "_eigen_g" + path;
  };
  std::string text = "#compdef eigen_g\n";
  for (const Command& command : all) {
    text += function_of(command.path) +
            "() {\n  local state line context curcontext=$curcontext\n  typeset -A opt_args\n" +
            "  _arguments -C";
    for (const CLI::Option* option : command.options)
      for (const std::string& name : option_names(*option)) {
        std::string specification = name;
        if (takes_value(*option)) specification += name[1] == '-' ? "=" : "+";
        specification += "[" + for_specification(option->get_description()) + "]";
        if (takes_value(*option))
          specification += ":" + option->get_option_text() + ":" + action_for_zsh(offer_of(*option));
        text += " \\\n    " + quoted(specification, "'\\''");
      }
    for (const CLI::Option* positional : command.positionals)
      text += " \\\n    " + quoted((positional->get_items_expected_max() > 1 ? "*:" : ":") +
                                       positional->get_name() + ":" + action_for_zsh(offer_of(*positional)),
                                   "'\\''");
    if (command.app->get_prefix_command()) text += " \\\n    '(-)1: :_command_names -e' '*:: :_normal'";
    if (command.subs.empty()) {
      text += "\n}\n";
      continue;
    }
    text += " \\\n    '1: :->command' '*:: :->rest'\n  local -a commands=(";
    std::string calls;
    for (const CLI::App* sub : command.subs) {
      text += "\n    " + quoted(sub->get_name() + ":" + sub->get_description(), "'\\''");
      calls +=
          "    rest:" + sub->get_name() + ") " + function_of(command.path + " " + sub->get_name()) + " ;;\n";
    }
    text += ")\n  case $state:$line[1] in\n    command:*) _describe command commands ;;\n" + calls +
            "  esac\n}\n";
  }
  return text +
         "if [[ $funcstack[1] == _eigen_g ]]; then _eigen_g \"$@\"; else compdef _eigen_g eigen_g; fi\n";
}

std::string for_fish(const std::vector<Command>& all) {
  std::string text;
  for (const Command& command : all) {
    std::string when, subs;
    std::string word;
    for (const char c : command.path + " ") {
      if (c == ' ' && !word.empty()) {
        when += (when.empty() ? "" : "; and ") + ("__fish_seen_subcommand_from " + word);
        word.clear();
      } else if (c != ' ') {
        word += c;
      }
    }
    for (const CLI::App* sub : command.subs) subs += " " + sub->get_name();
    if (!subs.empty()) when += (when.empty() ? "" : "; and ") + ("not __fish_seen_subcommand_from" + subs);
    const std::string begin = "complete -c eigen_g -n " + quoted(when, "\\'");
    bool files = false;
    for (const CLI::Option* positional : command.positionals) {
      const Offer offer = offer_of(*positional);
      files = files || offer.files;
      if (!offer.words.empty()) text += begin + " -a " + quoted(offer.words, "\\'") + "\n";
    }
    if (command.app->get_prefix_command())
      text += begin + " -f -a '(__fish_complete_subcommand --fcs-skip=2)'\n";
    else if (!files)
      text += begin + " -f\n";
    for (const CLI::App* sub : command.subs)
      text += begin + " -a " + sub->get_name() + " -d " + quoted(sub->get_description(), "\\'") + "\n";
    for (const CLI::Option* option : command.options) {
      std::string line;
      for (const std::string& l : option->get_lnames()) line += " -l " + l;
      for (const std::string& s : option->get_snames()) line += " -s " + s;
      if (line.empty()) continue;
      if (takes_value(*option)) {
        const Offer offer = offer_of(*option);
        line += offer.files ? " -r -F" : " -x";
        if (!offer.words.empty()) line += " -a " + quoted(offer.words, "\\'");
      }
      text += begin + line + " -d " + quoted(option->get_description(), "\\'") + "\n";
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
  CLI::App& command = *app.add_subcommand(
      "completion", "Print a script that completes subcommands, options, their values and files in a shell.");
  set_help(command, "eigen_g completion bash|zsh|fish", completion_examples);
  command.add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command.callback([shell, &app, &action] {
    action = [shell, &app] {
      std::vector<Command> all;
      list(app, "", all);
      std::cout << (*shell == "bash" ? for_bash(all) : *shell == "zsh" ? for_zsh(all) : for_fish(all));
      return ExitCode::done;
    };
  });
}

}  // namespace eigen_g::apps
