// --help with the examples on top, below the one sentence of what a command does.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>

namespace eigen_g::apps {

class HelpFormatter : public CLI::Formatter {
 public:
  explicit HelpFormatter(std::string examples) : examples_(std::move(examples)) { column_width(30); }
  std::string make_description(const CLI::App* app) const override {
    return app->get_description() + "\n\nExamples:" + examples_ + "\n\n";
  }

 private:
  std::string examples_;  // lines, each begins with a newline
};

inline void show_examples(CLI::App& app, std::string examples) {
  app.formatter(std::make_shared<HelpFormatter>(std::move(examples)));
}

}  // namespace eigen_g::apps
