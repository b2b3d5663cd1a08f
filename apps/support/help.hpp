// Formats --help of this command: description, examples, usage, then the parser's list of options.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>

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
  // Only the option's own text. The descriptions say what is required, what is the default and what excludes what.
  std::string make_option_opts(const CLI::Option* option) const override {
    return option->get_option_text().empty() ? "" : " " + option->get_option_text();
  }

 private:
  std::string usage_;
  std::string examples_;  // lines; each begins with a newline
};

inline void set_help(CLI::App& app, std::string usage, std::string examples) {
  app.formatter(std::make_shared<HelpFormatter>(std::move(usage), std::move(examples)));
}

}  // namespace eigen_g::apps
