// The built command, run as a process.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/process.hpp"

namespace support {

inline std::vector<std::string> command_line(const std::vector<std::string>& arguments) {
  std::vector<std::string> line{EIGEN_G_COMMAND};
  line.insert(line.end(), arguments.begin(), arguments.end());
  return line;
}

inline Outcome eigen_g_command(const std::vector<std::string>& arguments,
                               const Environment& environment = {}) {
  return Process(command_line(arguments), environment).wait();
}

// The command succeeded; returns what it printed.
inline Outcome succeed(const std::vector<std::string>& arguments) {
  Outcome outcome = eigen_g_command(arguments);
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  return outcome;
}

// The command failed as it should: this code, one line "eigen_g: ..." on stderr, nothing on stdout.
inline Outcome fail_with(int code, const std::vector<std::string>& arguments) {
  Outcome outcome = eigen_g_command(arguments);
  std::string line;
  for (const std::string& argument : arguments) line += argument + " ";
  INFO(line);
  INFO(outcome.err);
  CHECK(outcome.code == code);
  CHECK(outcome.out.empty());
  CHECK(outcome.err.rfind("eigen_g: ", 0) == 0);
  CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
  CHECK((!outcome.err.empty() && outcome.err.back() == '\n'));
  return outcome;
}

inline void write_file(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
}

}  // namespace support
