// Formats --help of this command: description, examples, usage, then the parser's list of options.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace eigen_g::apps {

class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter(std::string usage, std::string examples)
      : usage_(std::move(usage)), examples_(std::move(examples)) {
    column_width(28);
  }
  std::string make_description(const CLI::App* app) const override {
    return app->get_description() + "\n\nExamples:" + examples_ + "\n\n";
  }
  std::string make_usage(const CLI::App*, std::string) const override { return "Usage: " + usage_ + "\n"; }
  // With one blank line between the groups of options, where the parser's own text has two.
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
    for (auto at = text.find("\n\n\n"); at != std::string::npos; at = text.find("\n\n\n")) text.erase(at, 1);
    return text;
  }
  // Only the option's own text. The descriptions say what is required, what is the default and what excludes what.
  std::string make_option_opts(const CLI::Option* option) const override {
    return option->get_option_text().empty() ? "" : " " + option->get_option_text();
  }

 private:
  std::string usage_;
  std::string examples_;  // lines; each begins with a newline
};

// The options that are added from here on stand under this heading in --help.
inline void begin_group(CLI::App& app, const char* heading) {
  app.option_defaults()->group(heading);
}

// Completion offers these values of an option or argument, which is checked elsewhere.
inline CLI::Option* offers(CLI::Option* option, const std::vector<std::string>& values) {
  return option->type_name("{" + CLI::detail::join(values, ",") + "}");
}

inline void set_help(CLI::App& app, std::string usage, std::string examples) {
  app.formatter(std::make_shared<HelpFormatter>(std::move(usage), std::move(examples)));
}

}  // namespace eigen_g::apps
